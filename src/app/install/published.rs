//! The files of this repository that are the same as `install` writes: for users who copy a hook,
//! for hook managers, and for Claude Code, which takes the repository as a plugin.
//!
//! Pure; a test compares the files with these.

use serde_json::{Value, json};

use crate::app::install::hook_file::{self, GitHook};
use crate::app::install::settings;
use crate::app::prime::RULES;

const NAME: &str = "git-coord";
const OWNER: &str = "git-coord maintainers";
const ABOUT: &str = "Keeps coding agents and people from editing the same file at once, with all \
                     state in the git repository";

/// Lists every file with its path in the repository and its content.
pub fn files() -> Vec<(&'static str, String)> {
    let shim = |(path, hook): (&'static str, GitHook)| (path, hook_file::own(hook));
    let shims = [
        ("hooks/pre-commit", GitHook::PreCommit),
        ("hooks/pre-merge-commit", GitHook::PreMergeCommit),
        ("hooks/post-commit", GitHook::PostCommit),
        ("hooks/pre-push", GitHook::PrePush),
        ("hooks/prepare-commit-msg", GitHook::PrepareCommitMsg),
    ];
    let mut files: Vec<_> = shims.into_iter().map(shim).collect();
    files.extend([
        ("hooks/hooks.json", lines(&hooks())),
        (".claude-plugin/plugin.json", lines(&plugin())),
        (".claude-plugin/marketplace.json", lines(&marketplace())),
        (".claude-plugin/skills/git-coord/SKILL.md", skill()),
        (".pre-commit-hooks.yaml", pre_commit_hooks()),
    ]);
    files
}

fn hooks() -> Value {
    json!({ "description": ABOUT, "hooks": settings::hooks(false) })
}

fn plugin() -> Value {
    json!({
        "name": NAME,
        "version": env!("CARGO_PKG_VERSION"),
        "description": ABOUT,
        "author": { "name": OWNER },
        "license": env!("CARGO_PKG_LICENSE"),
        "skills": "./.claude-plugin/skills/",
    })
}

fn marketplace() -> Value {
    json!({
        "name": NAME,
        "description": ABOUT,
        "owner": { "name": OWNER },
        "plugins": [{ "name": NAME, "source": "./", "description": ABOUT }],
    })
}

fn lines(value: &Value) -> String {
    format!("{value:#}\n")
}

/// Writes the skill: when Claude Code is to read it, and the rules that `git coord prime` gives.
fn skill() -> String {
    format!(
        "---\nname: {NAME}\ndescription: Coordinates several coding agents and people in one git \
         repository with 'git coord'. Use when an edit, a commit or a command was refused because \
         another agent holds a file, before a change of many files, and when another agent asks \
         for a file.\n---\n\n# Working beside other agents\n\n`git coord prime` tells you your \
         name, and what others hold now.\n\n{RULES}\n\n## When something is refused\n\n\
         - The refusal names the holder, the time that is left, and the command to run next. Put \
         your own reason in place of `<why>`.\n\
         - `git coord ask` with `--wait` returns when the holder has answered: `released` with \
         `granted` means that it is yours.\n\
         - If the time to answer is over, `git coord take <path> --reason '<why>'` takes it, and \
         the holder is told.\n\
         - A commit that takes along changes of others is refused: `git coord changes` shows whose \
         they are.\n\
         - If uncommitted work is gone, `git coord rescue list` shows what can be had back.\n\n\
         Every command takes `--json`, and `git coord help <command>` explains it.\n"
    )
}

/// Writes the file of pre-commit. Its hooks need an installed program: if pre-commit built one,
/// agents would call another. Users without the program go on without these hooks.
fn pre_commit_hooks() -> String {
    let hook = |hook: GitHook| {
        let (name, entry) = (hook.name(), hook.entry());
        format!(
            "- id: git-coord-{name}\n  name: git coord {name}\n  entry: {entry}\n  \
             language: system\n  stages: [{name}]\n  always_run: true\n  \
             pass_filenames: {}\n  require_serial: true\n",
            hook.needs_file_names()
        )
    };
    GitHook::ALL.map(hook).concat()
}

//! The files of this repository that are the same as `install` writes: for users who copy a hook,
//! for hook managers, and for Claude Code, which takes the repository as a plugin.
//!
//! Pure; a test compares the files with these.

use serde_json::{Value, json};

use crate::app::install::hook_file::{self, GitHook};
use crate::app::install::settings;

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

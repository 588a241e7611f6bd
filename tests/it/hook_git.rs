//! The hooks of git, called by git itself: staged, committed and pushed paths are compared with
//! their holders. Git runs the hooks, so these tests call git.

mod commit;
mod failure;
mod merge;
mod message;
mod moved;
mod push;

use std::path::Path;

use git_coord::store::machine::notes::Notes;
use git_coord::store::os::files::Files;
use git_coord::store::os::shared_mode::SharedMode;
use serde_json::json;

use crate::support::content::Content;
use crate::support::contract::exit;
use crate::support::hooks::put_script;
use crate::support::{Output, Repo};

const HOOKS: [&str; 5] =
    ["pre-commit", "pre-merge-commit", "prepare-commit-msg", "post-commit", "pre-push"];

/// Two sessions of Claude Code, by their names.
const ALICE: &str = "claude:alice";
const BOB: &str = "claude:bob";

/// Creates a repository with a clean work tree, whose hooks call the program.
fn hooked() -> Repo {
    let repo = Repo::with(&Content::clean());
    enable(&repo);
    repo
}

/// Installs all hooks where git looks for them.
fn enable(repo: &Repo) {
    put_hooks(&repo.git_dir().join("hooks"));
    repo.git(["config", "coord.enabled", "true"]);
}

fn put_hooks(directory: &Path) {
    for name in HOOKS {
        let hook = format!("#!/bin/sh\nexec git coord hook {name} \"$@\"\n");
        put_script(&directory.join(name), &hook);
    }
}

/// Takes the hook away that looks at the index again, so that `--no-verify` makes any commit.
fn look_once(repo: &Repo) {
    let hook = repo.git_dir().join("hooks/prepare-commit-msg");
    std::fs::remove_file(hook).expect("all hooks are there");
}

/// Calls git as `agent`. The user asked git for its changes.
fn git(repo: &Repo, agent: &str, args: &[&str]) -> Output {
    repo.call(agent).program("git").args(args).run_unproven()
}

/// Writes a file, stages it, and commits as `agent`.
fn commit(repo: &Repo, agent: &str, path: &str) -> Output {
    repo.write(path, &format!("by {agent} at {}\n", repo.now()));
    repo.git(["add", "--", path]);
    git(repo, agent, &["commit", "--quiet", "--message", "work"])
}

/// Makes an edit in a session of Claude Code, which its hook permits without a message.
#[track_caller]
fn edit(repo: &Repo, agent: &str, path: &str) {
    let output = ask_to_edit(repo, agent, path);
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("", ""), "{path}");
}

/// Asks the hook of Claude Code whether an edit may be made.
#[track_caller]
fn ask_to_edit(repo: &Repo, agent: &str, path: &str) -> Output {
    let session = agent.strip_prefix("claude:").expect("a session of Claude Code");
    let payload = json!({
        "session_id": session,
        "transcript_path": "/transcript.jsonl",
        "cwd": repo.work(),
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Edit",
        "tool_input": {
            "file_path": repo.work().join(path), "old_string": "a", "new_string": "b",
        },
    });
    repo.call("").args(["hook", "claude"]).input(payload.to_string()).run().done()
}

/// Opens the notes of the worktree of the calls.
fn notes(repo: &Repo) -> Notes {
    let git_dir = repo.git(["rev-parse", "--absolute-git-dir"]);
    Notes::new(Path::new(&git_dir), Files { fsync: false, shared: SharedMode::Umask })
}

/// Fails unless git was stopped by an objection to `path`, which `holder` holds or held.
#[track_caller]
fn objects_to(output: Output, path: &str, holder: &str) -> Output {
    let output = output.exits(exit::NO);
    let says = |words: &str| output.stderr.contains(words);
    assert!(says("error: this ") && says(path) && says(&format!("'{holder}'")), "{output:#?}");
    assert!(!says("no-verify"), "an agent is shown no way around\n{output:#?}");
    output
}

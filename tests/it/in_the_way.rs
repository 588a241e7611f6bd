//! Pipes in the place of files: nobody is kept waiting by them.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::support::contract::{LOCAL_DIR, exit};
use crate::support::hooks::repo_with_hooks_in_files;
use crate::support::{Output, Repo};

/// Puts a named pipe somewhere, which nobody writes to.
#[cfg(target_os = "linux")]
fn put_pipe(path: &Path) -> bool {
    fs::remove_file(path).ok();
    let mode = rustix::fs::Mode::from_raw_mode(0o755);
    rustix::fs::mkfifoat(rustix::fs::CWD, path, mode).unwrap();
    true
}

#[cfg(not(target_os = "linux"))]
fn put_pipe(_: &Path) -> bool {
    eprintln!("skipped: named pipes are made on Linux only here");
    false
}

/// The answer to an edit by a session of Claude Code.
#[track_caller]
fn edit(repo: &Repo, directory: &Path, path: &str) -> Output {
    let payload = json!({
        "session_id": "7f3a91c2-5b1d-4c7e-9a30-1f2e3d4c5b6a",
        "cwd": directory,
        "hook_event_name": "PreToolUse",
        "tool_name": "Edit",
        "tool_input": { "file_path": directory.join(path) },
    });
    let call = repo.call("").dir(directory).args(["hook", "claude"]);
    call.input(payload.to_string()).run_unproven()
}

/// A pipe where a holder's sign of life should be took all of the hook's time, and the edit passed.
#[test]
fn a_pipe_for_a_sign_of_life_lets_nothing_pass() {
    let repo = Repo::new();
    repo.git(["config", "coord.enabled", "true"]);
    repo.reserve("alice", "src");
    let presence = repo.git_dir().join(LOCAL_DIR).join("presence");
    if !put_pipe(&presence.join("alice.json")) {
        return;
    }
    let answer = edit(&repo, &repo.work(), "src/main.rs").done().json();
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny", "{answer:#}");
}

/// A pipe where a hook should be is named, and nothing is changed.
#[test]
fn a_pipe_for_a_hook_stops_install() {
    let repo = repo_with_hooks_in_files();
    let hooks = repo.git_dir().join("hooks");
    fs::create_dir_all(&hooks).unwrap();
    if !put_pipe(&hooks.join("pre-push")) {
        return;
    }
    // To prove that nothing was touched would be to read the pipe.
    let refused = repo.call("").args(["install"]).run_unproven().exits(exit::FAILURE);
    refused.says("pre-push': not a regular file");
    assert!(!hooks.join("pre-merge-commit").exists());
}

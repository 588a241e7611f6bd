//! Pipes and links in the place of files: nobody is kept waiting by them, and nothing is written
//! through them.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::support::contract::{LOCAL_DIR, exit};
use crate::support::hooks::repo_with_hooks_in_files;
use crate::support::untouched::Untouched;
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

/// 7/SYMLINK: the notes of a linked worktree are its own.
#[test]
fn a_link_in_a_linked_worktree_is_refused() {
    for link in [LOCAL_DIR.to_owned(), format!("{LOCAL_DIR}/notes")] {
        let repo = Repo::new();
        repo.git(["config", "coord.enabled", "true"]);
        repo.git(["worktree", "add", "--quiet", "-b", "side", "../linked"]);
        let away = repo.elsewhere().join("away");
        fs::create_dir_all(&away).unwrap();
        let path = repo.git_dir().join("worktrees/linked").join(&link);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(&away, &path).unwrap();
        let linked = repo.world().join("linked");
        edit(&repo, &linked, "src/main.rs").exits(exit::NO).says("is a symbolic link");
        let reserved = repo.call("bob").dir(&linked).args(["reserve", "docs"]).run();
        reserved.exits(exit::FAILURE).says("is a symbolic link");
        let doctor = repo.call("bob").dir(&linked).args(["doctor"]).run();
        doctor.exits(exit::NO).says("is a symbolic link");
        assert_eq!(fs::read_dir(&away).unwrap().count(), 0, "{link}");
        // Elsewhere all is well.
        repo.reserve("bob", "docs");
    }
}

/// 7/SYMLINK: a log of our refs is written in the repository or not at all.
#[test]
fn a_link_for_a_log_is_refused() {
    for link in ["logs/refs/coord", "logs/refs/coord/reservations"] {
        let repo = Repo::new();
        let away = repo.elsewhere().join("away");
        let is_directory = link.ends_with("coord");
        let log = if is_directory { away.join("reservations") } else { away.clone() };
        fs::create_dir_all(log.parent().unwrap()).unwrap();
        fs::write(&log, "").unwrap();
        let path = repo.git_dir().join(link);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(&away, &path).unwrap();
        let refused = repo.coord("bob", ["reserve", "docs"]);
        refused.exits(exit::FAILURE).says("a symbolic link, and state is not kept through one");
        assert_eq!(fs::read(&log).unwrap(), b"", "{link}");
    }
}

/// A link that a commit brings along has nothing written where it leads; one that the user has made
/// is the user's wish.
#[test]
fn a_committed_link_for_settings_is_refused() {
    for (link, args) in [
        (".claude", &["install", "--agents", "claude"][..]),
        (".claude/settings.local.json", &["install", "--agents", "claude"]),
        (".claude/settings.json", &["install", "--agents", "claude", "--shared"]),
    ] {
        let repo = Repo::new();
        let away = repo.elsewhere().join("away");
        fs::create_dir_all(&away).unwrap();
        let target = if link == ".claude" { away.clone() } else { away.join("settings.json") };
        if link != ".claude" {
            fs::write(&target, "{}").unwrap();
        }
        let path = repo.work().join(link);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(&target, &path).unwrap();
        repo.git(["add", "--force", link]);
        repo.git(["commit", "--quiet", "--message", "a link"]);
        let before = Untouched::of(repo.world());
        let refused = repo.call("").args(args).run_unproven().exits(exit::FAILURE);
        refused.says(&format!("'{link}' is a committed link to")).says("nothing was changed");
        before.assert_still_so("install");
        repo.git(["rm", "--quiet", "--cached", link]);
        repo.call("").args(args).run_unproven().done();
        let written: Vec<PathBuf> =
            fs::read_dir(&away).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(written.len(), 1, "{link}");
        assert!(fs::read_to_string(&written[0]).unwrap().contains("git-coord"), "{link}");
    }
}

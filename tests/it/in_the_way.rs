//! Pipes and links in the place of files: they block nobody, and nothing is written through them.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::support::contract::{LOCAL_DIR, exit};
use crate::support::gits::gits;
use crate::support::hooks::{put_script, repo_with_hooks_in_files};
use crate::support::untouched::Untouched;
use crate::support::{Call, Output, Repo};
use crate::waiting::until;

/// Creates a named pipe that nobody writes to.
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

/// Returns the answer to an edit in a session of Claude Code.
#[track_caller]
fn edit(repo: &Repo, directory: &Path, path: &str) -> Output {
    edit_call(repo, directory, path).run_unproven()
}

fn edit_call(repo: &Repo, directory: &Path, path: &str) -> Call {
    let payload = json!({
        "session_id": "7f3a91c2-5b1d-4c7e-9a30-1f2e3d4c5b6a",
        "cwd": directory,
        "hook_event_name": "PreToolUse",
        "tool_name": "Edit",
        "tool_input": { "file_path": directory.join(path) },
    });
    let call = repo.call("").dir(directory).args(["hook", "claude"]);
    call.input(payload.to_string())
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

/// Files of the git directory that somebody may have replaced by a pipe.
const FILES_OF_GIT: [&str; 12] = [
    "HEAD",
    "config",
    "commondir",
    "index",
    "info/exclude",
    "info/grafts",
    "objects/info/alternates",
    "objects/pack/multi-pack-index",
    "packed-refs",
    "refs/coord/reservations",
    "refs/heads/main",
    "shallow",
];

/// Creates a repository whose hooks are enabled, with a hold of alice's and a pipe in the place of
/// `file`.
fn repo_with_pipe(file: &str) -> Option<Repo> {
    let repo = Repo::new();
    repo.git(["config", "coord.enabled", "true"]);
    repo.reserve("alice", "src/main.rs");
    let path = repo.git_dir().join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    put_pipe(&path).then_some(repo)
}

/// 3/MON-D2: an edit is answered whatever is a pipe, by the hold or by what hooks do that cannot
/// tell: nobody is blocked, or nothing passes. That this ends shows it.
#[test]
fn no_pipe_keeps_the_edit_hook() {
    for file in FILES_OF_GIT {
        let Some(repo) = repo_with_pipe(file) else { return };
        let path = repo.git_dir().join(file);
        let open = edit(&repo, &repo.work(), "src/main.rs");
        let is_named = |text: &str| text.contains(&*path.to_string_lossy());
        if open.code == exit::NO {
            assert!(is_named(&open.stderr), "{file}: {open:#?}");
            assert!(open.stderr.contains("nothing is blocked"), "{file}: {open:#?}");
        }
        let closed = edit_call(&repo, &repo.work(), "src/main.rs")
            .config("coord.hook.failClosed", "true")
            .run_unproven()
            .done()
            .json();
        let answer = &closed["hookSpecificOutput"];
        assert_eq!(answer["permissionDecision"], "deny", "{file}: {closed:#}");
        let reason = answer["permissionDecisionReason"].as_str().unwrap();
        assert!(reason.contains("alice") || is_named(reason), "{file}: {reason}");
    }
}

/// The same for a hook of git, which the repository has to be opened for.
#[test]
fn no_pipe_keeps_the_hook_before_a_commit() {
    for file in FILES_OF_GIT {
        let Some(repo) = repo_with_pipe(file) else { return };
        let call = || repo.call("bob").args(["hook", "pre-commit"]);
        let open = call().run_unproven().done();
        let closed = call().config("coord.hook.failClosed", "true").run_unproven();
        if !open.stderr.is_empty() {
            let path = repo.git_dir().join(file).display().to_string();
            assert!(open.stderr.contains("not checked"), "{file}: {open:#?}");
            assert!(open.stderr.contains(&path), "{file}: {open:#?}");
            closed.exits(exit::NO).says(&path);
        }
    }
}

/// 8/TERMINAL: the same for the hook that git runs before it touches files: git gets its answer.
#[test]
fn no_pipe_keeps_the_hook_before_files_are_touched() {
    for file in ["config", "packed-refs", "refs/heads/main"] {
        let Some(repo) = repo_with_pipe(file) else { return };
        let call = repo.call("").args(["hook", "fsmonitor", "2", "token"]);
        assert_eq!(call.run_unproven().done().stdout, "git-coord\0/\0", "{file}");
    }
}

/// A git that waits for a pipe is not left behind by the hook that has asked it.
#[test]
fn no_git_waits_on_after_the_hook() {
    let Some(repo) = repo_with_pipe("index") else { return };
    let pids = repo.world().join("tmp/pids");
    let git = gits()[0].program.display().to_string();
    let script = format!("#!/bin/sh\necho $$ >>'{}'\nexec '{git}' \"$@\"\n", pids.display());
    put_script(&repo.world().join("bin/git"), &script);
    let late = repo.call("bob").args(["hook", "pre-commit"]).run_unproven().done();
    assert!(late.stderr.contains("index' is a named pipe"), "{late:#?}");
    let asked = fs::read_to_string(&pids).unwrap();
    for pid in asked.split_whitespace() {
        // A process that has ended may still wait to be counted.
        let has_ended = || match fs::read_to_string(format!("/proc/{pid}/stat")) {
            Ok(stat) => stat.rsplit(") ").next().is_some_and(|state| state.starts_with('Z')),
            Err(_) => true,
        };
        until(has_ended);
    }
}

/// `doctor` names every file that is a pipe and waits for none, whoever puts one where.
#[test]
fn doctor_names_pipes() {
    for file in FILES_OF_GIT.into_iter().chain(["description", "objects/ab/cdef"]) {
        let Some(repo) = repo_with_pipe(file) else { return };
        let path = repo.git_dir().join(file).display().to_string();
        let said = repo.call("bob").args(["doctor"]).run_unproven().exits(exit::NO);
        said.says(&format!("'{path}' is a named pipe in the place of a file"));
        assert!(said.stdout.contains("rm -- "), "{file}: {said:#?}");
    }
}

/// Helper files are nobody's to wait for either, and a hold is seen without them.
#[test]
fn pipes_for_helper_files_keep_nobody() {
    let repo = Repo::new();
    repo.git(["config", "coord.enabled", "true"]);
    edit(&repo, &repo.work(), "docs/guide.md").done();
    repo.reserve("alice", "src/main.rs");
    let mut waiting = vec![repo.git_dir().join(LOCAL_DIR)];
    while let Some(directory) = waiting.pop() {
        for entry in fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap()) {
            if entry.file_type().unwrap().is_dir() {
                waiting.push(entry.path());
            } else if !put_pipe(&entry.path()) {
                return;
            }
        }
    }
    let answer = edit(&repo, &repo.work(), "src/main.rs").done().json();
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny", "{answer:#}");
    repo.call("bob").args(["doctor"]).run_unproven();
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

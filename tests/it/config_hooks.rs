//! A git that reads hooks from its configuration: no file is written, and existing hooks in files,
//! wherever they are, do not matter.

use std::fs;
use std::path::Path;

use crate::support::content::Content;
use crate::support::contract::exit;
use crate::support::gits::{Version, git_since};
use crate::support::hooks::put_script;
use crate::support::untouched::Untouched;
use crate::support::{Output, Repo};

/// Creates a repository with a remote and such a git; `None` if there is no such git.
fn prepared() -> Option<Repo> {
    let git = git_since(Version(2, 54), "hooks in git's configuration")?;
    let repo = Repo::with(&Content::clean());
    fs::remove_dir_all(repo.git_dir().join("hooks")).unwrap();
    repo.prefer(git);
    repo.git(["init", "--quiet", "--bare", "--template=", "../remote.git"]);
    repo.git(["remote", "add", "origin", "../remote.git"]);
    repo.git(["push", "--quiet", "origin", "main"]);
    Some(repo)
}

fn install(repo: &Repo) -> Output {
    repo.call("").args(["install", "--agents", "none"]).run_unproven().done()
}

/// Changes a file below a directory, and commits as `agent`.
fn commit(repo: &Repo, agent: &str, directory: &Path, path: &str) -> Output {
    fs::write(directory.join(path), format!("by '{agent}' at {}\n", repo.now())).unwrap();
    repo.pass("1s");
    let call = repo.call(agent).program("git").dir(directory);
    call.args(["commit", "--quiet", "--message", "work", "--", path]).run_unproven()
}

#[track_caller]
fn is_protected(repo: &Repo, directory: &Path) {
    let held = repo.reserve_id("bob", "docs/**");
    let refused = commit(repo, "alice", directory, "docs/guide.md").exits(exit::NO);
    refused.says("'docs/guide.md' is held by 'bob'");
    commit(repo, "alice", directory, "src/main.rs").done();
    let push = |agent: &str| {
        let call = repo.call(agent).program("git").dir(directory);
        call.args(["push", "--quiet", "--force", "origin", "HEAD"]).run_unproven()
    };
    commit(repo, "", directory, "docs/guide.md").done();
    push("alice").exits(exit::NO).says("this push changes what others hold");
    repo.coord("bob", ["release", &held]).done();
    push("alice").done();
}

#[test]
fn git_calls_us_without_a_file() {
    let Some(repo) = prepared() else { return };
    let before = Untouched::of(repo.world());
    let said = install(&repo).stdout;
    assert_eq!(said.matches(": configuration\n").count(), 5, "{said}");
    assert!(!repo.git_dir().join("hooks").exists());
    let again = install(&repo).stdout;
    assert_eq!(again.matches("already so  hook").count(), 5, "{again}");
    is_protected(&repo, &repo.work());
    repo.git(["worktree", "add", "--quiet", "-b", "side", "../linked"]);
    is_protected(&repo, &repo.world().join("linked"));
    repo.git(["config", "coord.trailers", "true"]);
    commit(&repo, "alice", &repo.work(), "README.md").done();
    let trailers = repo.git(["log", "-1", "--format=%(trailers:only)"]);
    assert_eq!(trailers.trim(), "Coord-Agent: alice");
    repo.git(["config", "--unset", "coord.trailers"]);
    repo.call("").args(["uninstall"]).run_unproven().done();
    let left = before.changed();
    assert!(!left.contains(Path::new("work/.git/config")), "{left:?}");
    repo.reserve("bob", "docs/**");
    commit(&repo, "alice", &repo.work(), "docs/guide.md").done();
}

#[test]
fn hooks_in_files_are_called_as_well() {
    let Some(repo) = prepared() else { return };
    for directory in [".git/hooks", ".husky/_"] {
        let log = repo.world().join("tmp/log");
        let script = format!("#!/bin/sh\necho called >>'{}'\n", log.display());
        put_script(&repo.work().join(directory).join("pre-commit"), &script);
        repo.git(["config", "core.hooksPath", directory]);
        install(&repo);
        is_protected(&repo, &repo.work());
        assert!(fs::read_to_string(&log).unwrap().lines().count() >= 2, "{directory}");
        fs::remove_file(log).unwrap();
        repo.call("").args(["uninstall"]).run_unproven().done();
    }
}

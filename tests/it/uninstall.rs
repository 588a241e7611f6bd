//! `uninstall`: every former file is restored, byte for byte, and nothing else is gone.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use crate::support::contract::{LOCAL_DIR, exit};
use crate::support::hooks::{StandIn, put_script, repo_with_hooks_in_files};
use crate::support::kind::Kind;
use crate::support::untouched::Untouched;
use crate::support::{Output, Repo};

#[track_caller]
fn uninstall(repo: &Repo, args: &[&str]) -> Output {
    repo.call("").args(["uninstall"]).args(args).run_unproven().done()
}

#[track_caller]
fn install(repo: &Repo, args: &[&str]) {
    repo.call("").args(["install"]).args(args).run_unproven().done();
}

fn refs(repo: &Repo) -> String {
    repo.git(["for-each-ref", "--format=%(refname)", "refs/coord"])
}

/// Creates a repository with every sort of hook and of settings.
fn lived_in() -> Repo {
    let repo = repo_with_hooks_in_files();
    let hooks = repo.git_dir().join("hooks");
    put_script(&hooks.join("pre-push"), "#!/usr/bin/env python3\nprint('x')\n");
    put_script(&hooks.join("post-commit"), "#!/bin/bash -e\n\n# no end of line");
    fs::set_permissions(hooks.join("post-commit"), fs::Permissions::from_mode(0o700)).unwrap();
    fs::write(hooks.join("prepare-commit-msg"), "#!/bin/sh\nexit 1\n").unwrap();
    symlink("post-commit", hooks.join("pre-merge-commit")).unwrap();
    repo.write(".claude/settings.local.json", "{ \"a\" :1,\n   \"b\":[1,2] }");
    repo.write(".claude/settings.json", "{}");
    repo.git(["config", "log.excludeDecoration", "refs/notes/*"]);
    repo
}

#[test]
fn everything_is_as_it_was_byte_for_byte() {
    let repo = lived_in();
    let before = Untouched::of(repo.world());
    install(&repo, &["--agents", "claude"]);
    install(&repo, &["--agents", "claude", "--shared", "--allow"]);
    assert_ne!(before.changed(), BTreeSet::new());
    uninstall(&repo, &[]).says("no hooks of Claude Code in").says("hook pre-push: the one");
    before.assert_still_so("install and uninstall");
    repo.coord("", ["uninstall"]).done().says("nothing to uninstall");
}

#[test]
fn what_was_not_there_is_gone() {
    for kind in Kind::all() {
        let Some(repo) = Repo::of(kind) else { continue };
        let before = Untouched::of(repo.world());
        install(&repo, &["--agents", "claude", "--allow"]);
        uninstall(&repo, &[]);
        before.assert_still_so(&format!("{kind}: install and uninstall"));
        assert!(!repo.work().join(".claude").exists(), "{kind}");
    }
}

/// What was configured before is configured again, and what the user set stays the user's.
#[test]
fn values_that_were_there_are_given_back() {
    for (key, value) in [
        ("coord.enabled", "false"),
        ("coord.enabled", "true"),
        ("log.excludeDecoration", "refs/coord/*"),
    ] {
        let repo = Repo::new();
        repo.git(["config", key, value]);
        let before = repo.git(["config", "--local", "--list"]);
        install(&repo, &[]);
        install(&repo, &[]);
        assert_eq!(repo.git(["config", "coord.enabled"]), "true");
        uninstall(&repo, &[]);
        assert_eq!(repo.git(["config", "--local", "--list"]), before, "{key} = {value}");
        repo.coord("", ["uninstall"]).done().says("nothing to uninstall");
    }
}

#[test]
fn a_directory_of_hooks_that_was_not_there_goes() {
    let repo = Repo::new();
    let hooks = repo.git_dir().join("hooks");
    for had_directory in [true, false] {
        fs::remove_dir_all(&hooks).unwrap();
        if had_directory {
            fs::create_dir(&hooks).unwrap();
        }
        install(&repo, &[]);
        uninstall(&repo, &[]);
        assert_eq!(hooks.exists(), had_directory);
    }
}

/// 7/CALLER-ENV: a dry run names each item and deletes none.
#[test]
fn a_dry_run_names_everything_and_leaves_it() {
    let repo = Repo::new();
    repo.reserve("alice", "src");
    repo.git(["update-ref", "refs/coord/archive/reservations/x", "HEAD"]);
    install(&repo, &["--agents", "claude"]);
    let args = ["uninstall", "--state", "--dry-run"];
    let would = repo.coord("", args).done();
    for word in [
        "ref refs/coord/reservations (was ",
        "ref refs/coord/archive/reservations/x (was ",
        &format!("directory {}", repo.git_dir().join(LOCAL_DIR).display()),
        "settings.local.json",
        "coord.enabled = true",
    ] {
        would.says(word);
    }
    assert!(would.stdout.lines().all(|line| line.starts_with("would do  ")), "{would:#?}");
    assert_eq!(refs(&repo).lines().count(), 2);
    assert!(repo.git_dir().join(LOCAL_DIR).is_dir());
    assert_eq!(repo.holds().len(), 1);
}

#[test]
fn state_goes_only_when_asked_for() {
    for kind in Kind::all() {
        let Some(repo) = Repo::of(kind) else { continue };
        repo.reserve("alice", "src");
        uninstall(&repo, &[]);
        assert_eq!(repo.holds().len(), 1, "{kind}");
        repo.git(["update-ref", "refs/coord/archive/reservations/x", "HEAD"]);
        let before = Untouched::of(repo.world());
        uninstall(&repo, &["--state"]);
        before.assert_still_so(&format!("{kind}: uninstall --state"));
        assert_eq!(refs(&repo), "", "{kind}");
        assert!(!repo.git_dir().join(LOCAL_DIR).exists(), "{kind}");
        assert_eq!(repo.holds().len(), 0, "{kind}");
        repo.reserve("bob", "src");
    }
}

#[test]
fn helper_files_of_linked_worktrees_go_with_the_state() {
    let repo = Repo::new();
    repo.git(["worktree", "add", "--quiet", "-b", "side", "../linked"]);
    let notes = repo.git_dir().join("worktrees/linked").join(LOCAL_DIR).join("notes");
    fs::create_dir_all(&notes).unwrap();
    fs::write(notes.join("x"), "{}").unwrap();
    uninstall(&repo, &["--state"]).says("worktrees/linked");
    assert!(!notes.parent().unwrap().exists());
}

/// Hooks are shared, settings are each worktree's own: both are given back from wherever.
#[test]
fn settings_of_other_worktrees_are_given_back_too() {
    let repo = Repo::new();
    repo.git(["worktree", "add", "--quiet", "-b", "side", "../linked"]);
    let before = Untouched::of(repo.world());
    install(&repo, &["--agents", "claude"]);
    let linked = repo.call("").dir("../linked").args(["install", "--agents", "claude"]);
    linked.run_unproven().done();
    assert!(repo.world().join("linked/.claude/settings.local.json").is_file());
    uninstall(&repo, &[]);
    before.assert_still_so("install in both and uninstall in one");
}

/// Settings that are kept elsewhere and linked to stay there, file or directory.
#[test]
fn links_to_settings_stay_links() {
    let repo = Repo::new();
    let elsewhere = repo.elsewhere().join("dotfiles");
    fs::create_dir(&elsewhere).unwrap();
    symlink(&elsewhere, repo.work().join(".claude")).unwrap();
    fs::write(repo.elsewhere().join("shared.json"), "{ }").unwrap();
    symlink("../shared.json", elsewhere.join("settings.json")).unwrap();
    let before = Untouched::of(repo.world());
    install(&repo, &["--agents", "claude"]);
    install(&repo, &["--agents", "claude", "--shared"]);
    let changed = before.changed();
    assert!(changed.contains(&PathBuf::from("elsewhere/dotfiles/settings.local.json")));
    assert!(changed.contains(&PathBuf::from("elsewhere/shared.json")));
    uninstall(&repo, &[]);
    before.assert_still_so("install and uninstall through links");
}

#[test]
fn what_others_changed_since_is_kept() {
    let repo = lived_in();
    install(&repo, &["--agents", "claude", "--allow"]);
    let path = repo.work().join(".claude/settings.local.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen("\"a\": 1", "\"a\": 2", 1)).unwrap();
    let hook = repo.git_dir().join("hooks/pre-commit");
    let text = fs::read_to_string(&hook).unwrap();
    fs::write(&hook, format!("{text}echo added\n")).unwrap();
    repo.git(["config", "coord.enabled", "false"]);
    uninstall(&repo, &[]);
    let settings = fs::read_to_string(&path).unwrap();
    let settings: serde_json::Value = serde_json::from_str(&settings).unwrap();
    assert_eq!(settings, serde_json::json!({"a": 2, "b": [1, 2]}));
    assert_eq!(fs::read_to_string(&hook).unwrap(), "#!/bin/sh\nexit 0\necho added\n");
    assert_eq!(repo.git(["config", "coord.enabled"]), "false", "no value of ours");
}

#[test]
fn settings_that_cannot_be_read_are_named_and_the_rest_is_done() {
    let repo = Repo::new();
    install(&repo, &["--agents", "claude"]);
    let path = repo.work().join(".claude/settings.local.json");
    fs::write(&path, "{,}").unwrap();
    uninstall(&repo, &[]).says("note").says("settings.local.json");
    assert_eq!(fs::read_to_string(&path).unwrap(), "{,}");
    let hook = repo.git_dir().join("hooks/pre-commit");
    assert_eq!(fs::read_to_string(hook).unwrap(), "#!/bin/sh\nexit 0\n");
}

#[test]
fn a_manager_that_calls_us_is_named() {
    let repo = Repo::new();
    repo.write(".husky/pre-commit", "git-coord hook pre-commit \"$@\"\n");
    repo.git(["config", "core.hooksPath", ".husky/_"]);
    uninstall(&repo, &[]).says("remove the line 'git-coord hook pre-commit' yourself");
}

#[test]
fn git_runs_the_hooks_that_were_there() {
    let repo = Repo::new();
    let stand_in = StandIn::in_world_of(&repo);
    let hook: PathBuf = repo.git_dir().join("hooks/pre-commit");
    stand_in.put_foreign_hook(&hook, 1);
    install(&repo, &[]);
    uninstall(&repo, &[]);
    let commit = ["commit", "--quiet", "--allow-empty", "--message", "x"];
    stand_in.git(&repo, &commit).run_unproven().exits(exit::NO);
    assert_eq!(stand_in.log(), ["theirs: "]);
}

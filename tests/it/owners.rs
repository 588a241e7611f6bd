//! Repositories of other users: refused unless the caller trusts them as git would, and shared if
//! `core.sharedRepository` says so. Changing owners needs root.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;

use crate::support::contract::{LOCAL_DIR, exit};
use crate::support::gits::{Version, git_since, gits, skip};
use crate::support::kind::{Hash, Kind, Place, RefFormat};
use crate::support::{Call, Repo, User};

/// Two users of one group. They need not have names.
const GROUP: u32 = 54_300;
const ONE: User = User { uid: 54_301, gid: GROUP };
const OTHER: User = User { uid: 54_302, gid: GROUP };

/// Tells whether owners can be changed here, and reports it if not.
fn may_change_owners(repo: &Repo) -> bool {
    let is_root = fs::metadata(repo.world()).unwrap().uid() == 0;
    if !is_root {
        skip("owners can only be changed by root");
    }
    is_root
}

fn give(path: &Path, user: User) {
    let meta = fs::symlink_metadata(path).unwrap();
    if meta.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            give(&entry.unwrap().path(), user);
        }
    }
    if !meta.is_symlink() {
        chown(path, Some(user.uid), Some(user.gid)).unwrap();
    }
}

/// Creates a repository for each storage of refs, in a work tree and bare, that belongs to another
/// user.
fn foreign() -> Vec<(Kind, Repo)> {
    let mut all = Vec::new();
    for refs in [RefFormat::Files, RefFormat::Reftable] {
        for place in [Place::Main, Place::Bare] {
            let kind = Kind { refs, hash: Hash::Sha1, place };
            let Some(repo) = Repo::of(kind) else { continue };
            if !may_change_owners(&repo) {
                return Vec::new();
            }
            // Git looks at the work tree too, and at the git directory alone in a bare one.
            give(&repo.work(), OTHER);
            all.push((kind, repo));
        }
    }
    all
}

fn reserve(repo: &Repo, path: &str) -> Call {
    repo.call("alice").args(["reserve", path])
}

#[test]
fn a_foreign_repository_is_refused_with_what_to_do() {
    for (kind, repo) in foreign() {
        let no = reserve(&repo, "src/**").run().exits(exit::FAILURE);
        no.says("belongs to another user").says("safe.directory");
        assert!(!repo.git_dir().join(LOCAL_DIR).exists(), "{kind}: nothing is written");
        repo.git_call(["status"]).run().exits(exit::FAILURE);
    }
}

/// The command that is named trusts the repository, wherever in it the caller stands.
#[test]
fn the_command_in_the_refusal_works() {
    for (kind, repo) in foreign() {
        let directory = if kind.place == Place::Main { "src" } else { "." };
        let global = repo.world().join("home/.gitconfig");
        let own = |call: Call| call.dir(directory).env("GIT_CONFIG_GLOBAL", &global);
        let no = own(reserve(&repo, "x")).run().exits(exit::FAILURE);
        let said = no.stderr;
        let from = said.find("git config").unwrap_or_else(|| panic!("{kind}: {said}"));
        let to = from + said[from..].rfind('\'').expect("a path in quotes") + 1;
        let command = ["-c", &said[from..to]];
        own(repo.call("").program("sh").args(command)).run_unproven().done();
        own(reserve(&repo, "x")).run().done();
    }
}

/// As git reads it: from the command line, exactly, with a glob, or for everything.
#[test]
fn trust_is_read_as_git_reads_it() {
    for (kind, repo) in foreign() {
        let top = repo.work().canonicalize().unwrap().display().to_string();
        let above = repo.world().canonicalize().unwrap().join("*").display().to_string();
        let mut trusted = vec![top, "*".to_owned()];
        if git_since(Version(2, 46), "safe.directory with a glob").is_some() {
            trusted.push(above);
        }
        for (number, value) in trusted.iter().enumerate() {
            let path = format!("by-{number}");
            reserve(&repo, &path).config("safe.directory", value).run().done();
            let check = repo.call("bob").config("safe.directory", value).args(["check", &path]);
            check.run().exits(exit::NO);
        }
        let wrong = reserve(&repo, "x").config("safe.directory", "/nowhere");
        wrong.run().exits(exit::FAILURE).says("safe.directory");
        let log = repo.git_call(["log", "--format=%H", "refs/coord/reservations"]);
        let log = log.config("safe.directory", "*").run().done();
        assert_eq!(log.stdout.lines().count(), trusted.len(), "{kind}");
    }
}

/// 6.1: two users write in turn, with any umask, often enough that packs of both are merged.
#[track_caller]
fn two_users_write_in_turn(refs: RefFormat) {
    let repo = Repo::unborn();
    if !may_change_owners(&repo) {
        return;
    }
    for (directory, mode) in [("", 0o755), ("tmp", 0o777), ("shared", 0o2775)] {
        let path = repo.world().join(directory);
        fs::create_dir_all(&path).unwrap();
        fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
    }
    let shared = repo.world().join("shared");
    give(&shared, ONE);
    fs::set_permissions(&shared, PermissionsExt::from_mode(0o2775)).unwrap();
    let trusting = repo.world().join("home/.gitconfig");
    fs::write(&trusting, "[safe]\n\tdirectory = *\n").unwrap();
    let without_hint = |call: Call| call.config("advice.coordNoMatch", "false");
    let call = |user: User, umask: &str, args: &[&str]| {
        let script = format!("umask {umask}; exec \"$@\"");
        let call = repo.call(&format!("user-{}", user.uid)).program("sh").user(user).dir(&shared);
        let call = call.env("GIT_CONFIG_GLOBAL", &trusting);
        call.args(["-c", &script, "sh"]).args(args)
    };
    let mut init = vec!["git", "init", "--quiet", "--shared=group", "--template="];
    if refs == RefFormat::Reftable {
        init.push("--ref-format=reftable");
    }
    call(ONE, "022", &init).run_unproven().done();
    for round in 0..20 {
        let (user, umask) = [(ONE, "077"), (OTHER, "077"), (ONE, "022"), (OTHER, "022")][round % 4];
        let path = format!("file-{round}");
        let written = call(user, umask, &["git-coord", "reserve", &path]);
        let written = without_hint(written).run().done();
        assert_eq!(written.stderr, "", "nothing to complain about in round {round}");
        for reader in [ONE, OTHER] {
            let list = call(reader, "077", &["git-coord", "list", "--all", "--json"]).run().done();
            let count = list.json()["reservations"].as_array().map(Vec::len);
            assert_eq!(count, Some(round + 1));
        }
    }
    for user in [ONE, OTHER] {
        call(user, "077", &["git-coord", "ledger", "verify"]).run().done();
        let events = ["git-coord", "events", "--consumer", "both", "--json"];
        let read = call(user, "077", &events).run().done().json_lines().len();
        assert_eq!(read, if user.uid == ONE.uid { 20 } else { 0 }, "one cursor for both");
        call(user, "077", &["git", "fsck", "--strict"]).run_unproven().done();
    }
}

#[test]
fn two_users_write_in_turn_where_refs_are_files() {
    two_users_write_in_turn(RefFormat::Files);
}

#[test]
fn two_users_write_in_turn_where_refs_are_tables() {
    if gits()[0].version >= Version(2, 45) {
        two_users_write_in_turn(RefFormat::Reftable);
    } else {
        skip("tables of refs need git 2.45 first on PATH");
    }
}

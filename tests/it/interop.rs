//! git, its checkers and its servers accept what the program writes.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use serde_json::json;

use crate::support::Repo;
use crate::support::contract::{RESERVATIONS_REF, exit};

/// Paths that people hold and servers check.
const HOSTILE: [&str; 9] =
    [".git", ".gitmodules", "a\\\\.git", "x/.GIT/y", ".git./z", "git~1", "a%b", "+plus", "@at"];

fn with_hostile_names() -> Repo {
    let repo = Repo::new();
    for path in HOSTILE {
        repo.reserve("alice", path);
    }
    repo.call("alice").args(["reserve"]).args([not_utf8()]).run().done();
    repo.reserve("team/alice:1@host", "src/**");
    repo.pass("1m");
    repo.coord("alice", ["renew", "--mine"]).done();
    repo
}

fn not_utf8() -> &'static OsStr {
    OsStr::from_bytes(b"caf\xe9/x")
}

/// Lists the files of one kind in the directory of packs.
fn pack_files(repo: &Repo, kind: &str) -> Vec<PathBuf> {
    let directory = repo.git_dir().join("objects/pack");
    let entries = std::fs::read_dir(directory).expect("a store has packs");
    let paths = entries.map(|entry| entry.expect("it is readable").path());
    paths.filter(|path| path.extension().is_some_and(|found| found == kind)).collect()
}

#[test]
fn fsck_finds_nothing() {
    let repo = with_hostile_names();
    let found = repo.git_call(["fsck", "--strict", "--full", "--no-dangling"]).run().done();
    assert_eq!(found.stdout, "", "{found:#?}");
    repo.coord("alice", ["ledger", "verify"]).done();
}

#[test]
fn every_pack_is_accepted_strictly() {
    let repo = with_hostile_names();
    let packs = pack_files(&repo, "pack");
    assert!(!packs.is_empty(), "entries are stored as packs");
    for pack in packs {
        let copy = repo.world().join("tmp").join(pack.file_name().unwrap());
        std::fs::copy(&pack, &copy).unwrap();
        repo.git_call(["index-pack", "--strict"]).args([&copy]).run().done();
    }
}

/// The packs of a finished command are no longer kept, and stay few.
#[test]
fn nothing_is_left_beside_the_packs() {
    let repo = Repo::new();
    for number in 0..60 {
        repo.reserve("alice", &format!("file-{number}"));
    }
    let packs = pack_files(&repo, "pack").len();
    assert!(packs < 50, "auto-gc counts packs: {packs}");
    assert!(pack_files(&repo, "keep").is_empty());
}

#[test]
fn a_checking_server_takes_a_push() {
    let repo = with_hostile_names();
    repo.git(["init", "--quiet", "--bare", "--template=", "../server.git"]);
    repo.git(["-C", "../server.git", "config", "receive.fsckObjects", "true"]);
    repo.git(["push", "--quiet", "../server.git", RESERVATIONS_REF]);
    let there = repo.git(["-C", "../server.git", "rev-parse", RESERVATIONS_REF]);
    assert_eq!(there, repo.tip());
}

#[test]
fn a_checking_clone_takes_a_fetch_and_reads_the_same() {
    let repo = with_hostile_names();
    repo.git(["clone", "--quiet", ".", "../clone"]);
    repo.git(["-C", "../clone", "config", "fetch.fsckObjects", "true"]);
    let both = format!("{RESERVATIONS_REF}:{RESERVATIONS_REF}");
    repo.git(["-C", "../clone", "fetch", "--quiet", "origin", &both]);
    let clone = repo.call("lister").dir(repo.world().join("clone"));
    let there = clone.args(["list", "--json"]).run().done().json();
    assert_eq!(there["reservations"].as_array(), Some(&repo.holds()));
}

#[test]
fn gc_loses_nothing() {
    let repo = with_hostile_names();
    let before = repo.holds();
    repo.git(["gc", "--quiet", "--prune=now"]);
    assert_eq!(repo.holds(), before);
    repo.reserve("bob", "after/gc");
    repo.coord("bob", ["ledger", "verify"]).done();
}

#[test]
fn hostile_names_are_held_as_they_are() {
    let repo = with_hostile_names();
    for path in HOSTILE {
        repo.coord("bob", ["check", path]).exits(exit::NO);
    }
    repo.coord("bob", ["check", "git~2"]).done();
}

/// Paths that are not UTF-8 are quoted as git quotes them, and base64 in JSON.
#[test]
fn a_name_that_is_not_utf8_is_told_in_both_ways() {
    let repo = Repo::new();
    repo.call("alice").args(["reserve"]).args([not_utf8()]).run().done();
    assert_eq!(repo.holds()[0]["pattern"], json!({"bytes": "Y2Fm6S94"}));
    repo.coord("bob", ["list"]).done().says(r#""caf\351/x""#);
    repo.call("bob").args(["check"]).args([not_utf8()]).run().exits(exit::NO);
    repo.call("bob").args(["check"]).args([OsStr::from_bytes(b"caf\xe8/x")]).run().done();
}

/// An entry is a readable commit of the user's own.
#[test]
fn git_log_is_the_audit_trail() {
    let repo = Repo::new();
    repo.reserve_with("alice", &["src/api/**", "--ttl", "15m"]);
    let subject = repo.git(["log", "-1", "--format=%s", RESERVATIONS_REF]);
    assert!(subject.contains("src/api/**") && subject.contains("alice"), "{subject}");
    assert_eq!(repo.git(["log", "-1", "--format=%ce", RESERVATIONS_REF]), "ada@example.com");
    for key in ["Coord-Op", "Coord-Seq", "Coord-Fence"] {
        assert_eq!(repo.trailers(key).len(), 1, "{key}");
    }
}

/// The tree links each document three times, so that "mine" and "by id" are direct.
#[test]
fn a_document_stands_where_it_is_looked_for() {
    let repo = Repo::new();
    let id = repo.reserve_id("alice", "src/api/*.rs");
    let by_path = format!("paths/+src/+api/@{id}");
    let by_id = format!("ids/{id}");
    let found = repo.documents_of(&id);
    assert!(found.contains(&by_path) && found.contains(&by_id), "{found:?}");
    assert!(found.iter().any(|path| path.starts_with("holders/")), "{found:?}");
}

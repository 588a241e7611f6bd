//! A ledger's ref that somebody has deleted or reset by hand: permitted, and reported.

use std::fs;

use serde_json::Value;

use super::{check, doctor};
use crate::support::Repo;
use crate::support::contract::{RESERVATIONS, RESERVATIONS_REF};
use crate::support::kind::{Hash, Kind, Place, RefFormat};

/// Runs `doctor`, which must find no fault, and returns the check of the ledger.
#[track_caller]
fn ledger_check(repo: &Repo) -> Value {
    check(&doctor(repo).done().json(), RESERVATIONS)
}

fn words(next: &Value) -> Vec<String> {
    let words = next.as_array().unwrap_or_else(|| panic!("no command: {next:#}"));
    words.iter().map(|word| word.as_str().unwrap().to_owned()).collect()
}

/// Checks that the warning names the entry, and that its command restores the entry.
#[track_caller]
fn is_told_and_brought_back(repo: &Repo, published: &str, how: &str) {
    let before = repo.git_call(["for-each-ref"]).run_unproven().done().stdout;
    let found = ledger_check(repo);
    assert_eq!(found["state"], "warning", "{found:#}");
    let text = found["text"].as_str().unwrap();
    assert!(text.contains(how) && text.contains(&published[..10]), "{text}");
    let after = repo.git_call(["for-each-ref"]).run_unproven().done().stdout;
    assert_eq!(after, before, "nothing is brought back by looking");
    let command = words(&found["next"][0]);
    assert_eq!(command[..4], ["git", "update-ref", RESERVATIONS_REF, published]);
    repo.git(&command[1..]);
    assert_eq!(repo.tip(), published);
    assert_eq!(ledger_check(repo)["state"], "ok");
}

/// 1/M4: what was published and is gone is missed, and nothing else would show it: to every other
/// command the ledger is empty, or an earlier one.
#[test]
fn a_ref_that_was_deleted_or_put_back_is_told() {
    let kinds = [
        Kind { refs: RefFormat::Files, hash: Hash::Sha1, place: Place::Main },
        Kind { refs: RefFormat::Reftable, hash: Hash::Sha256, place: Place::Main },
    ];
    for repo in kinds.into_iter().filter_map(Repo::of) {
        for path in ["a", "b", "c"] {
            repo.reserve("alice", path);
        }
        let published = repo.tip();
        repo.git(["update-ref", "-d", RESERVATIONS_REF]);
        is_told_and_brought_back(&repo, &published, "is gone");
        repo.git(["update-ref", RESERVATIONS_REF, &format!("{published}~2")]);
        is_told_and_brought_back(&repo, &published, "was put back");
    }
}

/// Of entries that are published together, the record names the newest first.
#[test]
fn the_newest_is_told_in_whatever_order_it_was_noted() {
    let repo = Repo::new();
    for path in ["a", "b", "c", "d"] {
        repo.reserve("alice", path);
    }
    let published = repo.tip();
    let before = repo.git(["rev-parse", &format!("{published}~2")]);
    let record = repo.git_dir().join("coord/published").join(RESERVATIONS);
    let noted = fs::read_to_string(&record).unwrap();
    fs::write(&record, format!("{noted}\n{before}\n")).unwrap();
    assert_eq!(ledger_check(&repo)["state"], "ok");
    repo.git(["update-ref", "-d", RESERVATIONS_REF]);
    is_told_and_brought_back(&repo, &published, "is gone");
}

/// Who puts a ledger back on purpose goes on from there, and is not told any more.
#[test]
fn the_next_write_settles_it() {
    for old in [None, Some("~2")] {
        let repo = Repo::new();
        for path in ["a", "b", "c"] {
            repo.reserve("alice", path);
        }
        match old {
            None => repo.git(["update-ref", "-d", RESERVATIONS_REF]),
            Some(back) => {
                repo.git(["update-ref", RESERVATIONS_REF, &format!("{RESERVATIONS_REF}{back}")])
            }
        };
        assert_eq!(ledger_check(&repo)["state"], "warning");
        repo.reserve("bob", "d");
        assert_eq!(ledger_check(&repo)["state"], "ok");
    }
}

/// What goes back on the record, or makes the chain shorter, is no ref that was put back.
#[test]
fn a_rollback_and_a_compaction_are_not_told() {
    let repo = Repo::new();
    for path in ["a", "b", "c"] {
        repo.reserve("alice", path);
    }
    let first = repo.git(["rev-parse", &format!("{RESERVATIONS_REF}~2")]);
    let rollback = ["ledger", "rollback", "reservations", "--to", &first, "--reason", "heal"];
    repo.coord("ops", rollback).done();
    assert_eq!(ledger_check(&repo)["state"], "ok");
    repo.pass("40d");
    repo.reserve("bob", "d");
    repo.coord("ops", ["ledger", "compact", "--keep", "1d"]).done().says("set aside");
    assert_eq!(ledger_check(&repo)["state"], "ok");
    let compacted = repo.tip();
    repo.git(["update-ref", RESERVATIONS_REF, &format!("{compacted}^")]);
    is_told_and_brought_back(&repo, &compacted, "was put back");
}

/// What garbage collection has taken cannot be brought back, and no command says that it can.
#[test]
fn what_cannot_be_read_is_not_offered() {
    let repo = Repo::new();
    repo.reserve("alice", "a");
    repo.git(["update-ref", "-d", RESERVATIONS_REF]);
    repo.git(["reflog", "expire", "--expire=now", "--all"]);
    repo.git(["gc", "--prune=now", "--quiet"]);
    let found = ledger_check(&repo);
    assert_eq!((&found["state"], &found["next"]), (&"warning".into(), &Value::Null), "{found:#}");
    assert!(found["text"].as_str().unwrap().contains("can no longer be read"), "{found:#}");
    // The record is a helper file: without it, nothing is known.
    fs::remove_dir_all(repo.git_dir().join("coord/published")).unwrap();
    assert_eq!(ledger_check(&repo)["text"], "no entries yet");
}

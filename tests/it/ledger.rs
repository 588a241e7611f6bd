//! `ledger log`, `show`, `diff`, `rollback` and `verify`.

use serde_json::Value;

use crate::support::contract::{RESERVATIONS, event, exit, refusal};
use crate::support::{Repo, texts};

fn rollback(repo: &Repo, to: &str) -> Value {
    repo.json("ops", ["ledger", "rollback", RESERVATIONS, "--to", to, "--reason", "a mistake"])
}

#[test]
fn log_names_each_entry() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    repo.pass("1m");
    repo.coord("alice", ["release", "--mine"]).done();
    let log = repo.json("bob", ["ledger", "log", RESERVATIONS]);
    assert_eq!(log["ledger"], RESERVATIONS);
    let entries = log["entries"].as_array().unwrap();
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[0]["entry"], repo.tip().as_str(), "newest first");
    for entry in entries {
        assert_eq!(entry["actor"], "alice");
        assert_eq!(entry["events"], 1);
        assert!(entry["op"].is_string() && entry["seq"].is_u64(), "{entry:#}");
    }
    assert_eq!(entries[0]["at"], repo.now().as_str());
    assert!(entries[1]["summary"].as_str().unwrap().contains("src/**"), "{log:#}");
    repo.coord("bob", ["ledger", "log", RESERVATIONS]).done().says("src/**");
}

#[test]
fn show_and_diff_read_any_entry() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    let first = repo.tip();
    let id = repo.reserve_id("alice", "docs/**");
    let at_first = format!("{RESERVATIONS}@{first}");
    repo.coord("bob", ["ledger", "show", RESERVATIONS]).done().says("docs/**");
    let shown = repo.coord("bob", ["ledger", "show", &at_first]).done();
    assert!(!shown.stdout.contains("docs/**"), "{shown:#?}");
    repo.coord("bob", ["ledger", "diff", RESERVATIONS]).done().says(&id);
    repo.json("bob", ["ledger", "show", &at_first]);
    repo.json("bob", ["ledger", "diff", &at_first]);
}

#[test]
fn an_unknown_ledger_or_entry_is_said() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    repo.coord("bob", ["ledger", "log", "nonsense"]).exits(exit::USAGE);
    let nowhere = format!("{RESERVATIONS}@{}", "0123456789".repeat(4));
    repo.coord("bob", ["ledger", "show", &nowhere]).exits(exit::NOTHING);
}

#[test]
fn rollback_restores_with_one_entry() {
    let repo = Repo::new();
    let kept = repo.reserve_id("alice", "src/**");
    let good = repo.tip();
    let undone = repo.reserve_id("bob", "docs/**");
    let bad = repo.tip();
    let answer = rollback(&repo, &good);
    assert_eq!(answer["ledger"], RESERVATIONS);
    assert_eq!(answer["entry"], repo.tip().as_str());
    assert_eq!(answer["restored"], good.as_str());
    assert_eq!(answer["undone"], 1);
    assert_eq!(answer["revoked"], Value::from(vec![undone]));
    assert_eq!(texts(&repo.holds().into(), "id"), [kept]);
    assert_eq!(repo.events(event::REVOKED).len(), 1);
    let parents = repo.git(["log", "-1", "--format=%P", &repo.tip()]);
    assert_eq!(parents, bad, "one parent: a remote takes it without force");
    repo.coord("ops", ["ledger", "verify"]).done();
}

#[test]
fn a_hold_that_lives_again_is_a_new_grant() {
    let repo = Repo::new();
    let hold = repo.reserve("alice", "src/**");
    let good = repo.tip();
    repo.coord("alice", ["release", "--mine"]).done();
    let left = repo.tip();
    let answer = rollback(&repo, &good);
    assert_eq!(answer["regranted"], Value::from(vec![hold["id"].clone()]));
    let again = &repo.holds()[0];
    assert!(again["fence"].as_u64() > hold["fence"].as_u64(), "a new fence");
    rollback(&repo, &left);
    assert_eq!(repo.holds().len(), 0, "redo is a rollback to the entry that was left");
}

#[test]
fn expired_holds_do_not_come_back() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    let good = repo.tip();
    repo.coord("alice", ["release", "--mine"]).done();
    repo.pass("16m");
    let answer = rollback(&repo, &good);
    assert_eq!(answer["regranted"], Value::Array(Vec::new()));
    assert_eq!(repo.list(&["--all"]).len(), 0);
}

/// 1/H5: what is append-only is carried forward; a request id stays used.
#[test]
fn request_ids_survive_a_rollback() {
    let repo = Repo::new();
    repo.reserve("bob", "docs/**");
    let good = repo.tip();
    repo.json("alice", ["reserve", "src/**", "--request-id", "try-1"]);
    rollback(&repo, &good);
    let other = repo.coord_json("alice", ["reserve", "README.md", "--request-id", "try-1"]);
    other.refused(refusal::REQUEST_MISMATCH);
}

#[test]
fn rollback_needs_a_reason_and_an_unmoved_ledger() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    let first = repo.tip();
    repo.reserve("bob", "docs/**");
    let tip = repo.tip();
    let back = ["ledger", "rollback", RESERVATIONS, "--to", &first];
    repo.coord("ops", back).exits(exit::USAGE);
    let expecting = ["--reason", "a mistake", "--expect", &first];
    repo.coord_json("ops", back.iter().chain(&expecting)).refused(refusal::CHANGED);
    repo.json("ops", back.iter().chain(&["--reason", "a mistake", "--dry-run"]));
    assert_eq!(repo.tip(), tip);
    let nowhere = "0123456789".repeat(4);
    let unknown = ["ledger", "rollback", RESERVATIONS, "--to", &nowhere, "--reason", "x"];
    repo.coord("ops", unknown).exits(exit::NOTHING);
}

/// Counters are read from trailers, so nothing that restores a tree turns them back.
#[test]
fn counters_never_go_back() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    let good = repo.tip();
    repo.reserve("bob", "docs/**");
    rollback(&repo, &good);
    repo.reserve("bob", "docs/**");
    for counter in ["Coord-Seq", "Coord-Fence"] {
        let numbers: Vec<u64> =
            repo.trailers(counter).iter().map(|value| value.parse().unwrap()).collect();
        assert_eq!(numbers.len(), 4);
        assert!(numbers.is_sorted(), "{counter}: {numbers:?}");
    }
    let mut ops = repo.trailers("Coord-Op");
    ops.sort();
    ops.dedup();
    assert_eq!(ops.len(), 4, "one op for each act");
}

/// Every tree is whole, so a reset by hand also gives a working state.
#[test]
fn a_reset_by_hand_gives_a_working_state() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    let first = repo.tip();
    let lost = repo.reserve("bob", "docs/**");
    repo.git(["update-ref", "refs/coord/reservations", &first]);
    repo.pass("1s");
    assert_eq!(repo.holds().len(), 1);
    let new = repo.reserve("carol", "docs/**");
    assert!(new["fence"].as_u64() > lost["fence"].as_u64(), "at least the clock");
}

#[test]
fn verify_finds_nothing_in_a_sound_ledger() {
    let repo = Repo::new();
    repo.coord("ops", ["ledger", "verify"]).done();
    repo.reserve("alice", "src/**");
    repo.reserve_with("bob", &["--shared", "docs/**"]);
    repo.coord("bob", ["release", "--mine"]).done();
    let sound = repo.json("ops", ["ledger", "verify", RESERVATIONS]);
    assert_eq!(sound["faults"], Value::Array(Vec::new()));
}

/// An act is written once, so the later of two entries with one op is the wrong one.
#[test]
fn verify_finds_an_op_that_stands_twice() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    repo.reserve("alice", "docs/**");
    let ops = repo.trailers("Coord-Op");
    repo.overwrite_message(&repo.tip_message().replace(&ops[1], &ops[0]));
    let found = repo.coord_json("ops", ["ledger", "verify"]).exits(exit::NO).json();
    let faults = found["faults"].as_array().unwrap();
    let twice = format!("op {} stands twice", ops[0]);
    let named = faults.iter().find(|fault| fault["fault"] == twice.as_str());
    assert_eq!(named.map(|fault| &fault["entry"]), Some(&repo.tip().into()), "{found:#}");
}

/// 1/M4: each fault is named with its ledger and path.
#[test]
fn verify_names_each_fault() {
    let repo = Repo::new();
    let id = repo.reserve_id("alice", "src/**");
    repo.overwrite(&repo.documents_of(&id), "{ not json");
    let found = repo.coord_json("ops", ["ledger", "verify"]).exits(exit::NO).json();
    let faults = found["faults"].as_array().unwrap();
    assert!(!faults.is_empty(), "{found:#}");
    assert!(faults.iter().all(|fault| fault["ledger"] == RESERVATIONS), "{found:#}");
    assert!(found["faults"].to_string().contains(&id), "{found:#}");
}

/// The tree is a function of the documents: a link that is missing is a fault.
#[test]
fn verify_finds_a_tree_that_does_not_fit() {
    let repo = Repo::new();
    let id = repo.reserve_id("alice", "src/**");
    let by_id = repo.documents_of(&id).into_iter().find(|path| path.starts_with("ids/")).unwrap();
    let mut hold: Value = serde_json::from_str(&repo.document(&by_id)).unwrap();
    hold["holder"] = "mallory".into();
    repo.overwrite(&[by_id], &hold.to_string());
    repo.coord("ops", ["ledger", "verify"]).exits(exit::NO);
}

/// 4/INV-8: unknown fields and unknown paths survive a write (and 1/L3: so does the format that was
/// found).
#[test]
fn what_a_later_version_added_survives_a_write() {
    let repo = Repo::new();
    let id = repo.reserve_id("alice", "src/**");
    let paths = repo.documents_of(&id);
    let mut hold: Value = serde_json::from_str(&repo.document(&paths[0])).unwrap();
    hold["from_the_future"] = "kept".into();
    repo.overwrite(&paths, &hold.to_string());
    repo.overwrite(&["later/thing.json".to_owned()], "{\"kept\":true}");
    repo.pass("1m");
    repo.coord("alice", ["renew", "--mine"]).done();
    assert!(repo.document(&paths[0]).contains("from_the_future"));
    repo.reserve_with("alice", &["--shared", "src/**", "--reason", "another mode"]);
    repo.coord("alice", ["transfer", "--to", "bob"]).done();
    for path in repo.documents_of(&id) {
        assert!(repo.document(&path).contains("from_the_future"), "{path}");
    }
    assert_eq!(repo.holds()[0]["from_the_future"], "kept");
    assert_eq!(repo.document("later/thing.json"), "{\"kept\":true}");
}

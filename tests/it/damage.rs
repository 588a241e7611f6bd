//! Ledgers that are damaged, hostile, or merely strange: named, never believed, and never in the
//! way of what they are not about.

use crate::support::Repo;
use crate::support::contract::{exit, key};

/// A hold whose documents are no JSON any more, and the entry before the damage.
fn one_damaged(repo: &Repo) -> (String, String) {
    let id = repo.reserve_id("alice", "src/broken.rs");
    let whole = repo.tip();
    repo.overwrite(&repo.documents_of(&id), "{ no json");
    (id, whole)
}

/// 7/MESSAGES: the failure says what is damaged and what to type.
#[test]
fn damage_is_named_with_the_way_out() {
    let repo = Repo::new();
    let (id, _) = one_damaged(&repo);
    let output = repo.coord("bob", ["check", "src"]).exits(exit::FAILURE);
    output.says(&id).says("git coord ledger verify").says("git update-ref refs/coord/reservations");
}

/// The natural way out works: a rollback does not need the damaged state to be readable.
#[test]
fn a_rollback_leads_out_of_a_damaged_state() {
    let repo = Repo::new();
    let kept = repo.reserve_id("bob", "docs");
    let (id, whole) = one_damaged(&repo);
    let first = repo.git(["rev-parse", &format!("{whole}^")]);
    let rollback = ["ledger", "rollback", "reservations", "--to", first.trim(), "--reason", "heal"];
    repo.coord("bob", rollback).done();
    let holds = repo.holds();
    assert_eq!(holds.len(), 1, "{holds:?}");
    assert_eq!(holds[0]["id"], kept.as_str());
    let links = repo.documents().into_iter().filter(|path| path.ends_with(&id));
    assert_eq!(links.count(), 0, "no link of the damaged hold is left");
    repo.coord("alice", ["reserve", "src/broken.rs"]).done();
}

/// 1/M4: damage stops a decision that it is about, and no other.
#[test]
fn damage_elsewhere_does_not_stop_a_write() {
    let repo = Repo::new();
    one_damaged(&repo);
    for number in 0..20 {
        repo.coord("bob", ["reserve", &format!("docs/{number}")]).done();
    }
    repo.coord("bob", ["reserve", "src/broken.rs"]).exits(exit::FAILURE);
}

/// 1/M4: a link in the place of a directory would hide the holds below it from us, not from git.
#[test]
fn a_link_on_the_way_to_a_path_is_damage() {
    let repo = Repo::new();
    repo.reserve_id("alice", "src/api");
    repo.overwrite_by_link("paths/+src");
    for command in ["check", "reserve"] {
        let output = repo.coord("bob", [command, "src/api/users.rs"]).exits(exit::FAILURE);
        output.says("'+src' is neither document nor directory");
    }
}

/// 1/SAFETY-1-owner: what a document says reaches no terminal unescaped.
#[test]
fn an_escape_sequence_in_a_document_stays_text() {
    let repo = Repo::new();
    let id = repo.reserve_id("alice", "src");
    let links = repo.documents_of(&id);
    let hostile = repo.document(&links[0]).replace("\"command\"", "\"\\u001b[31mred\"");
    repo.overwrite(&links, &hostile);
    for command in [&["list"][..], &["check", "src"], &["ledger", "verify"]] {
        let output = repo.coord("bob", command.iter().copied());
        assert!(!output.stderr.contains('\u{1b}') && !output.stdout.contains('\u{1b}'));
        assert_ne!(output.code, exit::DONE);
    }
}

/// A made-up counter is damage, not a number to count on from.
#[test]
fn counters_out_of_range_are_damage() {
    for (trailer, value) in [
        ("Coord-Seq", "18446744073709551615"),
        ("Coord-Fence", "18446744073709551615"),
        ("Coord-Seq", "0"),
    ] {
        let repo = Repo::new();
        repo.reserve("alice", "src");
        let message = repo.tip_message();
        let line = message.lines().find(|line| line.starts_with(trailer)).unwrap();
        repo.overwrite_message(&message.replace(line, &format!("{trailer}: {value}")));
        for command in [&["reserve", "docs"][..], &["events"], &["list"]] {
            let output = repo.coord("bob", command.iter().copied()).exits(exit::FAILURE);
            output.says("out of range");
        }
    }
}

/// An entry is held against its command as a whole, its first line included.
#[test]
fn a_forged_first_line_is_a_fault() {
    let repo = Repo::new();
    repo.reserve("alice", "src");
    let message = repo.tip_message();
    repo.overwrite_message(&message.replace("reserve src for alice", "reserve src for bob"));
    repo.coord("ops", ["ledger", "verify"]).exits(exit::NO).says("first line");
}

/// A hold of another name than its document is damage: it could be swept again and again.
#[test]
fn a_document_under_a_wrong_name_is_damage() {
    let repo = Repo::new();
    let id = repo.reserve_id("alice", "src");
    let other = if id.starts_with('a') { "b" } else { "a" }.repeat(8);
    let links = repo.documents_of(&id);
    repo.overwrite(&links, &repo.document(&links[0]).replace(&id, &other));
    repo.coord("bob", ["sweep"]).exits(exit::FAILURE).says(&other);
}

/// A lock that nobody owns is set aside even if no single command waits for long: watchers add up.
#[test]
fn impatient_watchers_of_a_stale_lock_add_up() {
    let repo = Repo::new();
    repo.reserve("alice", "src");
    let lock = repo.git_dir().join("refs/coord/reservations.lock");
    std::fs::write(&lock, "").unwrap();
    let attempt = || repo.call("bob").args(["reserve", "docs"]).config(key::WAIT, "4s").run();
    attempt().exits(exit::BUSY).says("reservations.lock");
    attempt().exits(exit::BUSY);
    attempt().done().says("set aside");
    assert!(!lock.exists());
}

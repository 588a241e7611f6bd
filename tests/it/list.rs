//! `list`: the active holds, by holder and place.

use crate::support::{Repo, texts};

#[test]
fn filters_choose_by_holder_and_path() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    repo.reserve("bob", "docs/**");
    let holders = |options: &[&str]| texts(&repo.list(options).into(), "holder");
    assert_eq!(repo.holds().len(), 2);
    assert_eq!(holders(&["--holder", "bob"]), ["bob"]);
    assert_eq!(holders(&["--path", "src/main.rs"]), ["alice"]);
    assert_eq!(holders(&["--path", "README.md"]), [""; 0]);
    let mine = repo.json("alice", ["list", "--mine"]);
    assert_eq!(texts(&mine["reservations"], "holder"), ["alice"]);
}

#[test]
fn expired_ones_are_shown_on_request_only() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    repo.pass("16m");
    assert_eq!(repo.holds().len(), 0);
    assert_eq!(repo.json("alice", ["list", "--mine"])["reservations"].as_array().unwrap().len(), 0);
    assert_eq!(repo.list(&["--all"]).len(), 1);
}

#[test]
fn without_a_ledger_the_list_is_empty() {
    let repo = Repo::new();
    assert_eq!(repo.holds().len(), 0);
    assert_eq!(repo.tip(), "", "reading makes no ledger");
}

#[test]
fn people_read_pattern_holder_and_reason() {
    let repo = Repo::new();
    repo.reserve_with("alice", &["src/**", "--reason", "handlers"]);
    repo.coord("bob", ["list"]).done().says("src/**").says("alice").says("handlers");
}

/// 1/QUALITY-1: a time survives the round trip and is spelled in UTC.
#[test]
fn a_time_is_the_same_when_it_was_granted_and_when_it_is_listed() {
    let repo = Repo::new();
    let granted = repo.reserve_with("alice", &["src/**", "--ttl", "90s"]);
    let listed = &repo.holds()[0];
    assert_eq!(listed["expires_at"], granted["expires_at"]);
    assert_eq!(listed["expires_at"], "2026-01-05T10:01:30Z");
    assert_eq!(listed["id"], granted["id"]);
    assert_eq!(listed["fence"], granted["fence"]);
}

//! `renew`: extends what is still mine, and names what is not.

use crate::support::contract::{event, exit};
use crate::support::{Repo, texts};

#[test]
fn a_renewal_extends_and_keeps_id_and_fence() {
    let repo = Repo::new();
    let hold = repo.reserve("alice", "src/**");
    repo.pass("10m");
    let answer = repo.json("alice", ["renew", hold["id"].as_str().unwrap(), "--ttl", "30m"]);
    let renewed = &answer["renewed"][0];
    assert_eq!(renewed["id"], hold["id"]);
    assert_eq!(renewed["expires_at"], repo.later("30m").as_str());
    assert_eq!(repo.holds()[0]["fence"], hold["fence"]);
    assert_eq!(repo.events(event::RENEWED).len(), 1);
}

#[test]
fn mine_means_all_of_mine() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    repo.reserve("alice", "docs/**");
    repo.reserve("bob", "README.md");
    repo.pass("10m");
    let answer = repo.json("alice", ["renew", "--mine"]);
    assert_eq!(answer["renewed"].as_array().unwrap().len(), 2);
    assert_eq!(repo.entry_count(), 4, "one entry for both");
}

#[test]
fn a_renewal_never_shortens() {
    let repo = Repo::new();
    let hold = repo.reserve_with("alice", &["src/**", "--ttl", "2h"]);
    repo.json("alice", ["renew", "--mine", "--ttl", "1m"]);
    assert_eq!(repo.holds()[0]["expires_at"], hold["expires_at"]);
}

#[test]
fn what_is_no_longer_mine_is_named() {
    let repo = Repo::new();
    let gone = repo.reserve_id("alice", "src/**");
    let theirs = repo.reserve_id("bob", "docs/**");
    repo.pass("16m");
    repo.reserve("bob", "docs/**");
    let kept = repo.reserve_id("alice", "README.md");
    let answer = repo.coord_json("alice", ["renew", &gone, &kept]).exits(exit::NO).json();
    assert_eq!(texts(&answer["lost"], "id"), [gone.as_str()]);
    assert!(answer["lost"][0]["why"].is_string(), "{answer:#}");
    assert_eq!(texts(&answer["renewed"], "id"), [kept.as_str()], "the others are renewed");
    let others = repo.coord_json("alice", ["renew", &theirs]).exits(exit::NO).json();
    assert_eq!(others["renewed"].as_array().map(Vec::len), Some(0), "{others:#}");
}

//! `agents`: lists the agents, and tells whether they are alive.

use serde_json::{Value, json};

use crate::negotiation::*;
use crate::support::Repo;
use crate::support::contract::{exit, refusal};

#[track_caller]
fn agent(repo: &Repo, name: &str) -> Value {
    let answer = repo.json("looker", ["agents"]);
    let all = answer["agents"].as_array().unwrap();
    let found = all.iter().find(|one| one["agent"] == name).cloned();
    found.unwrap_or_else(|| panic!("no {name} in {answer:#}"))
}

/// 3/MON-D1: holds per agent with age and last sign of life.
#[test]
fn agents_are_shown_with_what_they_hold() {
    let repo = Repo::new();
    let start = repo.now();
    repo.reserve_with("alice", &["src", "--ttl", "4h", "--task", "T-7"]);
    repo.pass("5m");
    ask(&repo, "bob", &["src"]);
    let alice = agent(&repo, "alice");
    for (key, value) in [
        ("alive", json!(true)),
        ("last_seen", json!(start)),
        ("holds", json!(1)),
        ("holds_since", json!(start)),
        ("task", json!("T-7")),
        ("branch", json!("main")),
        ("to_answer", json!(1)),
    ] {
        assert_eq!(alice[key], value, "{key}");
    }
    assert_eq!(agent(&repo, "bob")["asks"], 1);
    repo.pass("16m");
    assert_eq!(agent(&repo, "alice")["alive"], false);
    repo.coord("looker", ["agents"]).done().says("silent");
    std::fs::remove_dir_all(repo.git_dir().join("coord/presence")).unwrap();
    assert_eq!(agent(&repo, "alice")["alive"], Value::Null, "nothing is known");
}

/// A conflict tells whether its holder is alive, when it was last seen, and where.
#[test]
fn a_conflict_tells_of_its_holder() {
    let repo = Repo::new();
    repo.reserve_with("alice", &["src", "--ttl", "4h"]);
    let start = repo.now();
    repo.pass("30m");
    for words in [["reserve", "src/x"], ["check", "src/x"]] {
        let no = repo.coord_json("bob", words).refused(refusal::HELD);
        let held = &no["conflicts"][0]["held"];
        assert_eq!((&held["alive"], &held["last_seen"]), (&json!(false), &json!(start)));
        assert_eq!(held["branch"], "main");
    }
    repo.coord("bob", ["reserve", "src/x"]).exits(exit::NO).says("silent, seen 30m ago");
    std::fs::write(repo.git_dir().join("coord/presence/alice.json"), "{").unwrap();
    let no = repo.coord_json("bob", ["reserve", "src/x"]).refused(refusal::HELD);
    assert_eq!(no["conflicts"][0]["held"]["alive"], Value::Null, "what is unknown is absent");
}

/// A sign of life is no state: it cannot be left on a disk that takes no writes, and that is fine.
#[test]
fn a_sign_that_cannot_be_left_stops_nobody() {
    let repo = Repo::new();
    repo.reserve("alice", "src");
    let presence = repo.git_dir().join("coord/presence");
    std::fs::remove_dir_all(&presence).unwrap();
    std::fs::write(&presence, "in the way").unwrap();
    let list = repo.coord("alice", ["list"]).done();
    assert_eq!(list.stderr, "");
    repo.reserve("alice", "docs");
}

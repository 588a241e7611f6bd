//! `undo`: an agent takes its own last act back (1/UNDO).

mod laws;

use serde_json::{Value, json};

use crate::support::contract::{exit, refusal};
use crate::support::{Repo, race, rounds, texts};

fn undo(repo: &Repo, agent: &str) -> Value {
    repo.json(agent, ["undo"])
}

/// Lists the holder, the pattern, its exceptions, the mode and the end of each reservation.
fn rights(repo: &Repo) -> Vec<[String; 5]> {
    let fields = ["holder", "pattern", "except", "mode", "expires_at"];
    let right = |hold: &Value| fields.map(|field| hold[field].to_string());
    let mut rights: Vec<_> = repo.holds().iter().map(right).collect();
    rights.sort();
    rights
}

/// 1/UNDO: each kind of act is taken back, and the rights are as before it.
#[test]
fn every_act_of_reserving_is_taken_back() {
    let repo = Repo::new();
    repo.reserve_with("alice", &["docs", "--ttl", "1h"]);
    repo.reserve_with("alice", &["src/api", "--reason", "endpoints"]);
    repo.reserve_with("alice", &["tests", "--shared"]);
    for act in [
        &["reserve", "app"][..],
        &["reserve", "src"],
        &["reserve", "docs", "--ttl", "3h", "--reason", "another"],
        &["reserve", "tests"],
        &["renew", "--mine", "--ttl", "5h"],
        &["release", "--mine"],
        &["release", "--path", "src/api/users.rs"],
        &["transfer", "--to", "bob"],
    ] {
        let before = rights(&repo);
        repo.coord("alice", act).done();
        assert_ne!(rights(&repo), before, "{act:?} does something");
        let entries = repo.entry_count();
        let answer = undo(&repo, "alice");
        assert_eq!(rights(&repo), before, "{act:?}: {answer:#}");
        assert_eq!(repo.entry_count(), entries + 1, "one entry");
    }
    repo.coord("ops", ["ledger", "verify"]).done();
}

/// 1/UNDO: what comes back is a new grant for whoever guards a resource by its fence.
#[test]
fn what_comes_back_has_a_new_fence() {
    let repo = Repo::new();
    let before = repo.reserve("alice", "src");
    repo.coord("alice", ["release", "--mine"]).done();
    let answer = undo(&repo, "alice");
    let again = &answer["granted"][0];
    assert_eq!((&again["id"], &again["pattern"]), (&before["id"], &json!("src")));
    assert!(again["fence"].as_u64() > before["fence"].as_u64(), "{answer:#}");
    assert!(answer["undone"]["summary"].as_str().unwrap().starts_with("release src"), "{answer:#}");
}

/// 1/UNDO: again and again goes further back, and ends with a plain answer.
#[test]
fn every_further_undo_takes_back_the_act_before() {
    let repo = Repo::new();
    repo.reserve("alice", "src");
    repo.reserve("bob", "docs");
    repo.reserve("alice", "tests");
    repo.coord("alice", ["release", "--path", "src"]).done();
    let held = |holder: &str| texts(&json!(repo.list(&["--holder", holder])), "pattern").len();
    assert_eq!(held("alice"), 1);
    undo(&repo, "alice");
    assert_eq!(held("alice"), 2);
    undo(&repo, "alice");
    assert_eq!(held("alice"), 1);
    repo.reserve("alice", "app");
    undo(&repo, "alice");
    undo(&repo, "alice");
    assert_eq!((held("alice"), held("bob")), (0, 1));
    let tip = repo.tip();
    repo.coord("alice", ["undo"]).exits(exit::NOTHING).says("nothing that could be undone");
    assert_eq!(repo.tip(), tip);
    repo.coord("ops", ["ledger", "verify"]).done();
}

/// 1/UNDO: whoever has built on the act is named, and nothing is changed.
#[test]
fn an_act_that_others_built_on_stays() {
    let repo = Repo::new();
    repo.reserve("alice", "src");
    repo.coord("alice", ["release", "--mine"]).done();
    repo.reserve("bob", "src/api");
    let tip = repo.tip();
    let refused = repo.coord_json("alice", ["undo"]).refused(refusal::HELD);
    assert!(refused["refusal"]["message"].as_str().unwrap().contains("'bob'"), "{refused:#}");
    assert_eq!(repo.tip(), tip);
    repo.reserve("alice", "docs");
    let forced = ["release", "--path", "docs", "--force", "--reason", "gone home"];
    repo.coord("carol", forced).done();
    let refused = repo.coord_json("alice", ["undo"]).refused("built_on");
    assert_eq!(
        (&refused["refusal"]["by"], &refused["refusal"]["event"]),
        (&json!("carol"), &json!("released"))
    );
    repo.coord("alice", ["undo"]).exits(exit::NO).says("'carol' released it");
    repo.coord_json("carol", ["undo"]).refused("final");
}

/// 1/UNDO-final: what others were told stays, with the reason.
#[test]
fn what_others_were_told_stays() {
    let repo = Repo::new();
    repo.reserve("alice", "src");
    repo.json("bob", ["ask", "src", "--reason", "a fix"]);
    let tip = repo.tip();
    let refused = repo.coord_json("bob", ["undo"]).refused("final");
    assert_eq!(refused["refusal"]["undone"]["entry"], tip.as_str(), "{refused:#}");
    repo.coord("alice", ["release", "--mine"]).done();
    repo.coord("alice", ["undo"]).exits(exit::NO).says("an agent that asked for it was told");
    repo.reserve("alice", "docs");
    repo.coord("alice", ["send", "bob", "--subject", "s"]).done();
    repo.coord("alice", ["undo"]).exits(exit::NO).says("the message was sent");
}

/// 1/UNDO: reading tells what would happen, and writes nothing; the reason is on the record.
#[test]
fn a_dry_run_changes_nothing() {
    let repo = Repo::new();
    repo.reserve("alice", "src");
    let (tip, rights_before) = (repo.tip(), rights(&repo));
    let answer = repo.json("alice", ["undo", "--dry-run"]);
    assert_eq!((&answer["dry_run"], answer["ended"].as_array().unwrap().len()), (&json!(true), 1));
    repo.coord("alice", ["undo", "--dry-run"]).done().says("would undo: reserve src");
    assert_eq!((repo.tip(), rights(&repo)), (tip, rights_before));
    repo.coord("alice", ["undo", "--reason", "wrong directory"]).done().says("undone: reserve src");
    let event = repo.events("undone").pop().unwrap();
    assert_eq!(event["data"]["because"], "wrong directory", "{event:#}");
    repo.coord("ops", ["log", "-n", "1"]).done().says("wrong directory");
}

/// 1/UNDO: of an undo that wants a path back and a rival that wants it, one gets it.
#[test]
fn an_undo_beside_a_writer_is_one_or_the_other() {
    let repo = Repo::new();
    for _ in 0..rounds() {
        repo.reserve("alice", "src");
        repo.coord("alice", ["release", "--mine"]).done();
        let calls = [
            repo.call("alice").args(["undo", "--json"]),
            repo.call("bob").args(["reserve", "src/api", "--json"]),
            repo.call("carol").args(["reserve", "docs", "--json"]),
        ];
        let outputs = race(&repo, &calls);
        let codes: Vec<i32> = outputs.iter().map(|output| output.code).collect();
        assert!(matches!(codes[..], [0, 1, 0] | [1, 0, 0]), "{outputs:#?}");
        for agent in ["alice", "bob", "carol"] {
            repo.coord(agent, ["release", "--mine"]).done();
        }
    }
    repo.coord("ops", ["ledger", "verify"]).done();
}

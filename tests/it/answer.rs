//! `answer`: releasing is one act, and an acknowledgement is always true.

use serde_json::Value;

use crate::negotiation::*;
use crate::support::contract::exit;
use crate::support::{Repo, texts};

/// 3/CHECK-R1, 3/MON-H2: ask, answer, and the acknowledgement reaches the asker. Release, grant,
/// acknowledgement, notice and audit are one entry.
#[test]
fn letting_go_is_one_entry() {
    let (repo, hold, thread) = asked();
    let entries = repo.entry_count();
    let answer = repo.json("alice", ["answer", "src/api/users.rs", "--release"]);
    assert_eq!(repo.entry_count(), entries + 1);
    assert_eq!((&answer["status"], &answer["released"]), (&"released".into(), &0.into()));
    assert_eq!(answer["narrowed"], serde_json::json!([hold]), "the rest stays with the holder");
    assert_eq!(answer["granted"][0]["holder"], "bob");
    assert_eq!(answer["granted"][0]["pattern"], "src/api/users.rs");
    let both = [("alice", "src/api/**"), ("bob", "src/api/users.rs")];
    assert_eq!(holders(&repo), both.map(|(holder, path)| (holder.to_owned(), path.to_owned())));
    assert_eq!(inbox(&repo, "bob"), ["released"]);
    let state = self::thread(&repo, &thread);
    assert_eq!(state["outcome"]["acknowledged"], true);
    assert_eq!(state["outcome"]["by"], "alice");
    let tip = repo.tip();
    let kinds: Vec<Value> =
        repo.events("").into_iter().filter(|event| event["entry"] == tip.as_str()).collect();
    let kinds = texts(&kinds.into(), "type");
    assert_eq!(kinds, ["narrowed", "granted", "answered", "sent"]);
    verified(&repo);
}

/// 3/IDEMP: letting go of what is gone is success with count 0.
#[test]
fn letting_go_twice_is_done_already() {
    let (repo, _, thread) = asked();
    repo.json("alice", ["answer", &thread, "--release"]);
    let tip = repo.tip();
    let again = repo.json("alice", ["answer", &thread, "--release"]);
    assert_eq!((&again["released"], repo.tip()), (&0.into(), tip));
}

/// 7/ACK-TRUE: where nothing was left to release, nothing is acknowledged.
#[test]
fn an_expired_hold_is_not_acknowledged() {
    let (repo, _, thread) = asked();
    repo.pass("16m");
    let answer = repo.json("alice", ["answer", &thread, "--release"]);
    assert_eq!(answer["released"], 0);
    let state = self::thread(&repo, &thread);
    assert_eq!(state["outcome"]["how"], "expired");
    assert_eq!(state["outcome"]["acknowledged"], Value::Null);
    assert_eq!(inbox(&repo, "bob"), ["freed"]);
    assert_eq!(holders(&repo).len(), 1, "the asker has it all the same");
    verified(&repo);
}

/// 3/CONCURRENT: what the holder reserved since is let go as well; an acknowledgement beside it
/// would not be true.
#[test]
fn newer_holds_in_the_way_are_let_go_too() {
    let (repo, _, _) = asked();
    repo.reserve("alice", "src/*/users.rs");
    let answer = repo.json("alice", ["answer", "src/api/users.rs", "--release"]);
    assert_eq!(answer["narrowed"].as_array().map(Vec::len), Some(2));
    repo.coord_json("bob", ["check", "src/api/users.rs"]).done();
    let of_bob: Vec<_> = holders(&repo).into_iter().filter(|(who, _)| who == "bob").collect();
    assert_eq!(of_bob, [("bob".to_owned(), "src/api/users.rs".to_owned())]);
}

#[test]
fn a_session_answers_for_its_subagents_and_nobody_else_does() {
    let repo = Repo::new();
    repo.reserve("alice/sub", "src");
    let thread = thread_of(&ask(&repo, "bob", &["src"]));
    repo.coord_json("carol", ["answer", &thread, "--release"]).refused("not_holder");
    repo.coord_json("bob", ["answer", &thread, "--release"]).refused("not_holder");
    repo.json("alice", ["answer", &thread, "--release"]);
    repo.coord_json("alice/sub", ["answer", &thread, "--refuse", "--reason", "r"]).refused("over");
}

#[test]
fn a_holder_defers_once_and_not_for_long() {
    let (repo, _, thread) = asked();
    let defer = |time: &str| {
        repo.coord_json("alice", ["answer", &thread, "--defer", time, "--reason", "tests run"])
    };
    defer("61m").exits(exit::USAGE);
    defer("0s").exits(exit::USAGE);
    let tip = repo.tip();
    let no = defer("1s").refused("defers_nothing");
    assert_eq!(no["refusal"]["window_ends_at"], repo.later("10m"), "it has that long anyway");
    assert_eq!(repo.tip(), tip, "and can still put it off");
    let answer = defer("60m").done().json();
    assert_eq!(
        (&answer["status"], &answer["window_ends_at"]),
        (&"deferred".into(), &repo.later("60m").into())
    );
    defer("5m").refused("deferred_before");
    assert_eq!(inbox(&repo, "bob"), ["deferred"]);
    repo.coord_json("alice", ["answer", &thread, "--defer", "5m"]).exits(exit::USAGE);
    repo.coord_json("alice", ["answer", &thread]).exits(exit::USAGE);
}

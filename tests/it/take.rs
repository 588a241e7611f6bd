//! `take`: time does nothing by itself, and possible takes are visible.

use serde_json::{Value, json};

use crate::negotiation::*;
use crate::support::Repo;
use crate::support::contract::{exit, refusal};

/// 3/FORCE, 3/FORCE-5, 3/GAPS-1, 3/MON-H4: reminder, overdue, take-over possible, each computed by
/// whoever reads; only an explicit command of the asker's frees anything.
#[test]
fn stages_are_read_off_the_clock() {
    let repo = Repo::new();
    repo.reserve_with("alice", &["src", "--ttl", "2h"]);
    let id = thread_of(&ask(&repo, "bob", &["src"]));
    let tip = repo.tip();
    let seen = |repo: &Repo| {
        let state = thread(repo, &id);
        (state["stage"].as_str().unwrap().to_owned(), state["can_take"].as_bool().unwrap())
    };
    assert_eq!(seen(&repo), ("fresh".to_owned(), false));
    repo.pass("4m");
    repo.json("alice", ["status"]);
    repo.pass("1m");
    assert_eq!(seen(&repo), ("reminder".to_owned(), false));
    let early = repo.coord_json("bob", ["take", "src", "--reason", "now"]).refused("too_early");
    assert_eq!(early["refusal"]["window_ends_at"], thread(&repo, &id)["window_ends_at"]);
    repo.pass("5m");
    assert_eq!(seen(&repo), ("overdue".to_owned(), true));
    repo.pass("50m");
    assert_eq!(repo.tip(), tip, "time has written nothing");
    assert_eq!(holders(&repo), [("alice".to_owned(), "src".to_owned())]);
    repo.json("bob", ["take", "src", "--reason", "no answer"]);
    assert_eq!(holders(&repo), [("bob".to_owned(), "src".to_owned())]);
    verified(&repo);
}

/// 3/FORCE-1, 3/FORCE-2, 3/TRUST: an urgent notice to the holder and an audit in the same entry.
#[test]
fn a_take_over_is_on_the_record() {
    let (repo, hold, id) = asked();
    repo.pass("10m");
    let entries = repo.entry_count();
    let taken = repo.json("bob", ["take", &id, "--reason", "the release waits"]);
    assert_eq!((&taken["taken"], &taken["narrowed"]), (&json!([]), &json!([hold])));
    assert_eq!(taken["granted"][0]["pattern"], "src/api/users.rs");
    assert_eq!(repo.entry_count(), entries + 1);
    let again = repo.json("bob", ["take", &id, "--reason", "the release waits"]);
    assert_eq!((&again["taken"], repo.entry_count()), (&json!([]), entries + 1), "already so");
    let notice = repo.json("alice", ["inbox", "--type", "taken"])["messages"][0].clone();
    assert_eq!((&notice["urgent"], &notice["ack"]), (&json!(true), &json!(true)));
    assert!(notice["subject"].as_str().unwrap().contains("the release waits"), "{notice:#}");
    let audit = &repo.events("taken")[0];
    assert_eq!((&audit["actor"], &audit["at"]), (&json!("bob"), &json!(repo.now())));
    let told = &audit["data"]["audit"];
    for (key, value) in [
        ("holder", json!("alice")),
        ("asker", json!("bob")),
        ("patterns", json!(["src/api/users.rs"])),
        ("reason", json!("the release waits")),
        ("urgent", json!(false)),
        ("age_seconds", json!(600)),
    ] {
        assert_eq!(told[key], value, "{key} in {told:#}");
    }
    assert_eq!(told["holds"][0]["id"], hold.as_str());
    assert_eq!(told["evidence"]["agent"], "alice", "what is known of the holder: {told:#}");
    let told = "bob took 'src/api/users.rs' out of your 'src/api/**'";
    let status = repo.coord("alice", ["status"]).done();
    status.says(told).says(": the release waits");
    assert!(!status.stdout.contains("released your"), "{status:?}");
}

/// 7/ESCALATE-TEXT: every refused escalation has words of its own.
#[test]
fn refused_escalations_say_why() {
    let (repo, _, id) = asked();
    let take = |agent: &str| repo.coord_json(agent, ["take", &id, "--reason", "r"]);
    let message = |no: Value| no["refusal"]["message"].as_str().unwrap().to_owned();
    assert!(message(take("bob").refused("too_early")).contains("has until"));
    assert!(message(take("carol").refused("not_asker")).contains("only 'bob'"));
    repo.coord("bob", ["take", "zzzz", "--reason", "r"]).exits(exit::NOTHING).says("no open");
    repo.coord("bob", ["take", &id]).exits(exit::USAGE);
    repo.json("alice", ["answer", &id, "--refuse", "--reason", "half done"]);
    repo.pass("2h");
    assert!(message(take("bob").refused("refused")).contains("half done"));
    let note = repo.json("bob", ["send", "alice", "--subject", "hello"]);
    let talk = note["thread"].as_str().unwrap();
    repo.coord_json("bob", ["take", talk, "--reason", "r"]).refused("nothing_asked");
    repo.reserve("alice", "docs");
    let other = thread_of(&ask(&repo, "bob", &["docs"]));
    repo.json("alice", ["release", "--mine"]);
    let over = repo.coord_json("bob", ["take", &other, "--reason", "r"]).refused("over");
    assert!(message(over).contains("released by 'alice'"));
}

/// 3/CONCURRENT: a hold that the holder made since stops a take-over; a renewal does not.
#[test]
fn what_was_reserved_since_stops_it() {
    let (repo, _, id) = asked();
    repo.pass("9m");
    repo.reserve("alice", "src/api/**");
    let newer = repo.reserve_id("alice", "src/*/users.rs");
    repo.pass("1m");
    let no = repo.coord_json("bob", ["take", &id, "--reason", "r"]).refused("reservation_changed");
    assert_eq!(no["refusal"]["changed"], json!([newer]));
    // 3/SIG-2: the cure is to ask again, which gives the holder a window for what it has now.
    let again = ask(&repo, "bob", &["src/api/users.rs"]);
    assert_eq!((thread_of(&again), again["pinned"].as_array().unwrap().len()), (id.clone(), 2));
    assert_eq!(again["window_ends_at"], repo.later("10m"));
    repo.pass("10m");
    repo.reserve("alice", "src/api/**");
    let taken = repo.json("bob", ["take", &id, "--reason", "r"]);
    assert_eq!(taken["narrowed"].as_array().map(Vec::len), Some(2));
    verified(&repo);
}

/// A hold that went into a wider one of its holder is another hold.
#[test]
fn what_became_wider_has_changed() {
    let repo = Repo::new();
    repo.reserve("alice", "src/a");
    let id = thread_of(&ask(&repo, "bob", &["src/a"]));
    repo.reserve("alice", "src");
    repo.pass("10m");
    repo.coord_json("bob", ["take", &id, "--reason", "r"]).refused("reservation_changed");
    let answer = repo.json("alice", ["answer", &id, "--release"]);
    assert_eq!(answer["narrowed"].as_array().map(Vec::len), Some(1));
    let both = [("alice", "src"), ("bob", "src/a")];
    assert_eq!(holders(&repo), both.map(|(holder, path)| (holder.to_owned(), path.to_owned())));
    verified(&repo);
}

/// 3/FORCE-4: a holder that gave no sign of life for twice the window can be taken from at once,
/// one that did has its whole window.
#[test]
fn a_silent_holder_has_no_window() {
    let repo = Repo::new();
    repo.reserve_with("alice", &["src", "--ttl", "4h"]);
    repo.pass("19m");
    let answer = ask(&repo, "bob", &["src"]);
    assert_eq!(answer["can_take"], false, "not silent for long enough");
    repo.pass("1m");
    let id = thread_of(&answer);
    let taken = repo.json("bob", ["take", &id, "--reason", "its session is gone"]);
    assert_eq!(taken["outcome"]["how"], "taken");
    let evidence = &repo.events("taken")[0]["data"]["audit"]["evidence"];
    assert_eq!(evidence["last_seen"], crate::support::repo::START);
    verified(&repo);
}

#[test]
fn any_command_is_a_sign_of_life() {
    let repo = Repo::new();
    repo.reserve_with("alice", &["src", "--ttl", "4h"]);
    repo.pass("25m");
    repo.json("alice", ["list"]);
    let id = thread_of(&ask(&repo, "bob", &["src"]));
    let no = repo.coord_json("bob", ["take", &id, "--reason", "r"]).refused("too_early");
    assert!(no["refusal"]["message"].as_str().unwrap().contains("was seen 0s ago"), "{no:#}");
}

/// Silence is shown on the holder's own machine only: elsewhere the window counts.
#[test]
fn of_a_holder_elsewhere_nothing_is_known() {
    let repo = Repo::new();
    repo.reserve_with("alice", &["src", "--ttl", "4h"]);
    let file = repo.git_dir().join("coord/presence/alice.json");
    let seen = std::fs::read_to_string(&file).unwrap();
    let mut elsewhere: Value = serde_json::from_str(&seen).unwrap();
    elsewhere["host"] = "other".into();
    std::fs::write(&file, elsewhere.to_string()).unwrap();
    repo.pass("1h");
    let asked = ask(&repo, "bob", &["src"]);
    assert_eq!(asked["can_take"], false);
    repo.coord_json("bob", ["take", "src", "--reason", "r"]).refused("too_early");
    std::fs::remove_file(&file).unwrap();
    let no = repo.coord_json("bob", ["take", "src", "--reason", "r"]).refused("too_early");
    assert!(no["refusal"]["message"].as_str().unwrap().contains("no sign of life"), "{no:#}");
    repo.pass("10m");
    repo.json("bob", ["take", "src", "--reason", "r"]);
}

/// A third party's hold in the way stops a take-over: nobody loses what nobody gains by.
#[test]
fn a_take_over_takes_nothing_in_vain() {
    let repo = Repo::new();
    repo.reserve("alice", "src/a");
    repo.reserve("carol", "src/b");
    let id = thread_of(&ask(&repo, "bob", &["src", "--holder", "alice"]));
    repo.pass("10m");
    let tip = repo.tip();
    repo.coord_json("bob", ["take", &id, "--reason", "r"]).refused(refusal::HELD);
    assert_eq!(repo.tip(), tip);
}

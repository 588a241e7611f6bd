//! `ask`: a request refers to the holds in its way, and a repeated one joins the first.

use crate::negotiation::*;
use crate::support::Repo;
use crate::support::contract::{exit, refusal};

/// CLI.md: what `ask --json` answers.
#[test]
fn an_ask_is_pinned_to_what_is_in_the_way() {
    let repo = Repo::new();
    let hold = repo.reserve_id("alice", "src/api/**");
    repo.reserve("alice", "docs");
    let answer = ask(&repo, "bob", &["src/api/users.rs"]);
    assert_eq!(answer["status"], "pending");
    assert_eq!(answer["holder"], "alice");
    assert_eq!(answer["pinned"], serde_json::json!([hold]));
    assert_eq!(answer["window_ends_at"], repo.later("10m"));
    assert_eq!(answer["can_take"], false);
    assert_eq!(thread_of(&answer).len(), 26);
    let urgent = ask(&repo, "carol", &["src/api", "--urgent"]);
    assert_eq!(urgent["window_ends_at"], repo.later("5m"));
    assert_eq!(inbox(&repo, "alice"), ["ask", "ask"]);
    verified(&repo);
}

/// 3/MON-D3: who asks again for the same joins the open thread, and nothing is written.
#[test]
fn asking_again_joins() {
    let (repo, _, thread) = asked();
    let tip = repo.tip();
    repo.pass("1m");
    let again = ask(&repo, "bob", &["src/api/users.rs"]);
    assert_eq!((thread_of(&again), &again["joined"]), (thread.clone(), &true.into()));
    assert_eq!(repo.tip(), tip);
    // A renewal is no change, and urgency shortens the window.
    repo.reserve("alice", "src/api/**");
    let urgent = ask(&repo, "bob", &["src/api/users.rs", "--urgent"]);
    assert_eq!(thread_of(&urgent), thread);
    assert_eq!(urgent["window_ends_at"], repo.later("5m"));
    let other = ask(&repo, "bob", &["src/api/orders.rs"]);
    assert_ne!(thread_of(&other), thread);
}

/// 3/THREAD-ID: two requests for one file in the same millisecond have different threads.
#[test]
fn two_askers_have_two_threads() {
    let (repo, _, thread) = asked();
    let other = thread_of(&ask(&repo, "carol", &["src/api/users.rs"]));
    assert_ne!(other, thread);
    let no = repo
        .coord_json("alice", ["answer", "src/api/users.rs", "--release"])
        .refused("several_threads");
    assert_eq!(no["refusal"]["threads"].as_array().unwrap().len(), 2);
}

#[test]
fn what_is_free_or_own_needs_no_asking() {
    let repo = Repo::new();
    repo.coord_json("bob", ["ask", "src", "--reason", "r"]).refused("not_held");
    repo.reserve("bob", "src");
    repo.coord_json("bob", ["ask", "src", "--reason", "r"]).refused("not_held");
    repo.coord_json("bob/sub", ["ask", "src", "--reason", "r"]).refused("not_held");
    repo.reserve("alice", "docs");
    repo.coord_json("bob", ["ask", "docs", "--holder", "carol", "--reason", "r"])
        .refused("not_held");
    assert_eq!(repo.entry_count(), 2);
}

#[test]
fn several_holders_are_named() {
    let repo = Repo::new();
    repo.reserve("alice", "src/a");
    repo.reserve("carol", "src/b");
    let no = repo.coord_json("bob", ["ask", "src", "--reason", "r"]).refused("several_holders");
    assert_eq!(no["refusal"]["holders"], serde_json::json!(["alice", "carol"]));
    let asked = ask(&repo, "bob", &["src", "--holder", "carol"]);
    assert_eq!(asked["pinned"].as_array().unwrap().len(), 1);
    // The other hold is still in the way: the first one is released, and nothing is granted.
    let answer = repo.json("carol", ["answer", "src", "--release"]);
    assert_eq!((&answer["released"], &answer["granted"]), (&1.into(), &serde_json::json!([])));
    assert_eq!(answer["conflicts"][0]["held"]["holder"], "alice");
    assert_eq!(holders(&repo), [("alice".to_owned(), "src/a".to_owned())]);
    verified(&repo);
}

#[test]
fn a_hold_can_be_asked_for_by_its_id() {
    let repo = Repo::new();
    let id = repo.reserve_id("alice", "src/[ab]*");
    let asked = ask(&repo, "bob", &[&id]);
    assert_eq!(asked["patterns"], serde_json::json!(["src/[ab]*"]));
    repo.json("alice", ["answer", &thread_of(&asked)[..8], "--release"]);
    assert_eq!(holders(&repo), [("bob".to_owned(), "src/[ab]*".to_owned())]);
}

/// A word is a path first: the id of a hold may begin with anything that somebody calls a file by.
#[test]
fn a_path_is_not_taken_for_the_beginning_of_an_id() {
    let repo = Repo::new();
    let id = repo.reserve_id("alice", "payroll");
    for length in [1, 2, 3] {
        repo.coord_json("bob", ["ask", &id[..length], "--reason", "r"]).refused("not_held");
        repo.reserve("carol", &id[..length]);
        let asked = ask(&repo, "bob", &[&id[..length]]);
        assert_eq!(
            (&asked["holder"], &asked["patterns"][0]),
            (&"carol".into(), &id[..length].into())
        );
    }
    let four = &id[..4];
    assert_eq!(
        ask(&repo, "bob", &[four])["patterns"][0],
        "payroll",
        "which nobody holds as a path"
    );
    repo.reserve("carol", four);
    let no = repo.coord_json("bob", ["ask", four, "--reason", "r"]).refused("path_or_id");
    assert_eq!(no["refusal"]["id"], id.as_str());
    assert_eq!(ask(&repo, "bob", &[&format!("./{four}")])["holder"], "carol");
    assert_eq!(ask(&repo, "bob", &[&id])["holder"], "alice");
    verified(&repo);
}

/// The commands of a refusal can be run as they are, the one that asks first.
#[test]
fn a_refusal_begins_with_asking() {
    let repo = Repo::new();
    repo.reserve("alice", "src");
    let no = repo.coord_json("bob", ["reserve", "src/it's [x].rs"]).refused(refusal::HELD);
    let words = no["refusal"]["next"][0].as_array().unwrap().clone();
    let filled = |word| {
        if word == "<why>" {
            "a fix"
        } else if word == "5m" {
            "1s"
        } else {
            word
        }
    };
    let words: Vec<&str> = words.iter().map(|word| filled(word.as_str().unwrap())).collect();
    assert_eq!(words[..3], ["git", "coord", "ask"]);
    let asked = repo.call("bob").program(words[0]).args(&words[1..]).args(["--json"]).run();
    assert_eq!(asked.code, exit::USAGE, "options after '--' are paths");
    let asked = repo.call("bob").program("git").args(["coord", "--json"]).args(&words[2..]).run();
    let asked = asked.exits(exit::NO).json();
    assert_eq!((&asked["holder"], &asked["status"]), (&"alice".into(), &"timeout".into()));
}

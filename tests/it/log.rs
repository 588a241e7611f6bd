//! `log`: the entries of all ledgers in order of time (1/LOG).

use serde_json::{Value, json};

use crate::support::contract::exit;
use crate::support::{Repo, texts};

/// Writes an entry a minute, in three ledgers in turn.
fn a_history(repo: &Repo) {
    repo.reserve("alice", "src");
    repo.pass("1m");
    repo.json("alice", ["run", "create", "--goal", "g", "--id", "k3v9x2ab"]);
    repo.pass("1m");
    repo.json("bob", ["override", "block", "fd-style", "--reason", "r"]);
    repo.pass("1m");
    repo.json("alice", ["release", "--mine"]);
    repo.pass("1m");
    repo.json("alice", ["run", "cancel", "k3v9x2ab", "--reason", "r"]);
}

fn entries(repo: &Repo, options: &[&str]) -> Vec<Value> {
    let answer = repo.json("dan", [&["log"], options].concat());
    answer["entries"].as_array().unwrap().clone()
}

/// 1/LOG: every entry of every ledger has a line, the newest first.
#[test]
fn all_ledgers_are_told_in_order_of_time() {
    let repo = Repo::new();
    a_history(&repo);
    let told = json!(entries(&repo, &[]));
    let ledgers = ["runs", "reservations", "overrides", "runs", "reservations"];
    assert_eq!(texts(&told, "ledger"), ledgers, "{told:#}");
    let times = texts(&told, "at");
    assert!(times.is_sorted_by(|one, other| one >= other), "{times:?}");
    assert_eq!(texts(&told, "actor"), ["alice", "alice", "bob", "alice", "alice"]);
    assert!(told.as_array().unwrap().iter().all(|entry| entry["op"].is_string()));
    let text = repo.coord("dan", ["log"]).done().stdout;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 5, "{text}");
    assert!(lines[4].starts_with("reservations:1 "), "{text}");
    assert!(lines[4].contains("reserve src for alice"), "{text}");
}

/// 1/LOG: the list is bounded, says if there is more, and can be cut by age.
#[test]
fn a_part_of_the_history_can_be_asked_for() {
    let repo = Repo::new();
    a_history(&repo);
    let all = entries(&repo, &[]);
    for limit in ["-n", "--limit"] {
        let answer = repo.json("dan", ["log", limit, "2"]);
        assert_eq!((&answer["entries"], &answer["more"]), (&json!(all[..2]), &json!(true)));
    }
    assert_eq!(repo.json("dan", ["log", "-n", "5"])["more"], false);
    assert_eq!(entries(&repo, &["--since", "1m"]), all[..2]);
    assert_eq!(entries(&repo, &["--since", "90s", "-n", "1"]), all[..1]);
    assert_eq!(repo.json("dan", ["log", "--since", "1s"])["more"], false);
    for bad in [&["-n", "0"][..], &["-n", "-1"], &["--since", "0s"], &["--since", "soon"]] {
        repo.coord("dan", [&["log"], bad].concat()).exits(exit::USAGE);
    }
}

/// 1/LOG: no history is an empty list, and a reader may stop reading.
#[test]
fn nothing_yet_is_no_error_and_a_reader_that_goes_is_none() {
    let repo = Repo::new();
    assert_eq!(entries(&repo, &[]), Vec::<Value>::new());
    repo.coord("dan", ["log"]).done().says("no entries");
    a_history(&repo);
    let shell = repo.call("dan").command_in_shell("git coord log | head -1").output().unwrap();
    assert!(shell.status.success() && shell.stderr.is_empty(), "{shell:?}");
}

/// 1/LOG: damage is named, and no half of an answer is printed.
#[test]
fn damage_is_named_before_anything_is_printed() {
    let repo = Repo::new();
    a_history(&repo);
    let head = repo.git(["rev-parse", "HEAD"]);
    repo.git(["update-ref", "refs/coord/overrides", &head]);
    for options in [&["log"][..], &["log", "--json"]] {
        let told = repo.coord("dan", options).exits(exit::FAILURE);
        assert!(!told.stdout.contains("reserve src"), "{told:#?}");
    }
}

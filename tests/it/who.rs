//! `who`: everybody who has to do with a path, in one answer (1/WHO).

use serde_json::{Value, json};

use crate::ownership::{ALICE, BOB, commits, edits, hooked, stops};
use crate::support::contract::exit;
use crate::support::{Repo, texts};
use crate::waiting::Waiting;

fn who(repo: &Repo, path: &str) -> Value {
    repo.json("dan", ["who", path])["paths"][0].take()
}

/// 1/WHO: nobody is an answer too, and it is a yes.
#[test]
fn nobody_is_said_plainly() {
    let repo = Repo::new();
    let nobody = json!({
        "pattern": "src/main.rs",
        "held": [],
        "changed": [],
        "waiting": [],
        "requests": [],
    });
    assert_eq!(who(&repo, "src/main.rs"), nobody);
    let told = repo.coord("dan", ["who", "src/main.rs"]).done();
    assert!(told.stdout.starts_with("nobody holds 'src/main.rs'"), "{told:#?}");
    assert_eq!(repo.tip(), "", "no ledger is made");
}

/// 1/WHO: holder, waiter and asker of a path inside a wider reservation.
#[test]
fn holders_waiters_and_askers_are_named() {
    let repo = Repo::new();
    repo.reserve_with("alice", &["src/api", "--reason", "new endpoints"]);
    repo.json("bob", ["ask", "src/api/users.rs", "--reason", "a fix"]);
    let waiting = Waiting::begin(&repo, "carol", &["src/api/teams.rs"]);
    let users = who(&repo, "src/api/users.rs");
    assert_eq!(users["held"][0]["holder"], "alice", "{users:#}");
    assert_eq!(users["held"][0]["reason"], "new endpoints");
    assert_eq!(users["held"][0]["alive"], true);
    assert_eq!(texts(&users["requests"], "asker"), ["bob"]);
    assert_eq!(users["waiting"], json!([]), "carol waits for another file");
    let teams = who(&repo, "src/api/teams.rs");
    assert_eq!(texts(&teams["waiting"], "agent"), ["carol"]);
    assert_eq!(teams["requests"], json!([]));
    let all = who(&repo, "src");
    let count = |list: &str| all[list].as_array().unwrap().len();
    assert_eq!((count("waiting"), count("requests")), (1, 1));
    let told = repo.coord("dan", ["who", "src/api"]).done();
    told.says("is held by 'alice'").says("'carol' waits for").says("bob asks alice for");
    assert_eq!(who(&repo, "docs")["held"], json!([]));
    waiting.kill();
    repo.pass("16m");
    assert_eq!(who(&repo, "src")["held"], json!([]), "what has expired holds nobody up");
}

/// 1/WHO: a change is its agent's until it is committed, long after the reservation has ended, and
/// the last one stands first.
#[test]
fn changes_that_are_not_committed_are_named() {
    let repo = hooked();
    edits(&repo, ALICE, "src/main.rs", "alice\n");
    stops(&repo, ALICE);
    repo.pass("1m");
    edits(&repo, BOB, "src/api/users.rs", "bob\n");
    stops(&repo, BOB);
    repo.pass("1h");
    let seen = who(&repo, "src");
    assert_eq!(texts(&seen["changed"], "agent"), [BOB, ALICE], "{seen:#}");
    assert_eq!(seen["changed"][1]["path"], "src/main.rs");
    assert_eq!(seen["changed"][1]["at"], "2026-01-05T10:00:00Z");
    assert_eq!(seen["held"], json!([]));
    let told = repo.coord("dan", ["who", "src/main.rs"]).done();
    told.says("nobody holds 'src/main.rs'").says("was changed").says(ALICE);
    commits(&repo, ALICE, &["src/main.rs"]).done();
    assert_eq!(who(&repo, "src/main.rs")["changed"], json!([]));
}

/// 1/WHO: an answer has at most as many rows as are asked for, and says if there are more.
#[test]
fn the_answer_is_bounded() {
    let repo = Repo::new();
    for path in ["src/a", "src/b", "src/c", "docs/a"] {
        repo.reserve("alice", path);
    }
    let answer = repo.json("dan", ["who", "src", "docs", "-n", "2"]);
    assert_eq!(answer["more"], true, "{answer:#}");
    let rows = |at: usize| answer["paths"][at]["held"].as_array().unwrap().len();
    assert_eq!((rows(0), rows(1)), (2, 0));
    assert_eq!(repo.json("dan", ["who", "src", "docs", "--limit", "4"])["more"], false);
    repo.coord("dan", ["who", "src", "-n", "0"]).exits(exit::USAGE);
}

/// 1/WHO-where: a path from the top that was typed in a subdirectory is pointed out.
#[test]
fn a_path_from_the_top_is_recognised_in_a_subdirectory() {
    let repo = Repo::new();
    repo.reserve("alice", "src/api");
    let call = || repo.call("dan").dir(repo.work().join("src"));
    let told = call().args(["who", "src/api/users.rs"]).run().done();
    told.says("'src/src/api/users.rs' matches no tracked file");
    told.says("did you mean ':/src/api/users.rs'?");
    call().args(["who", ":/src/api/users.rs"]).run().done().says("is held by 'alice'");
    let none = call().args(["who", "nowhere"]).run().done();
    none.says("'src/nowhere' matches no tracked file");
    assert!(!none.stderr.contains("did you mean"), "{none:#?}");
}

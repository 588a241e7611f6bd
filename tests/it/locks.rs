//! Named locks: a hold on a name instead of a path, with everything else the same.

use serde_json::json;

use crate::support::contract::{event, exit, refusal};
use crate::support::repo::id_of;
use crate::support::{Call, Repo, race, texts};

fn lock(repo: &Repo, agent: &str, name: &str) -> String {
    id_of(&repo.reserve_with(agent, &["--lock", name]))
}

#[test]
fn a_lock_is_held_by_one_until_it_is_released() {
    let repo = Repo::new();
    let granted = repo.reserve_with("alice", &["--lock", "build", "--reason", "release"]);
    assert_eq!(granted["lock"], "build");
    assert_eq!(granted.get("pattern"), None);
    let refused = repo.coord_json("bob", ["reserve", "--lock", "build"]).refused(refusal::HELD);
    assert_eq!(refused["conflicts"][0]["lock"], "build");
    assert_eq!(refused["conflicts"][0]["held"]["holder"], "alice");
    assert_eq!(refused["refusal"]["next"][0][2], "ask");
    assert_eq!(refused["refusal"]["next"][1], json!(["git", "coord", "check", "--lock=build"]));
    repo.coord("bob", ["check", "--lock=build"])
        .exits(exit::NO)
        .says("lock 'build' is held by 'alice' until");
    repo.coord("bob", ["check", "--lock", "other"]).done();
    assert_eq!(repo.json("alice", ["release", "--lock", "build"])["released"], 1);
    assert_eq!(repo.events(event::RELEASED)[0]["data"]["lock"], "build");
    lock(&repo, "bob", "build");
    repo.coord("ops", ["ledger", "verify"]).done();
}

/// A lock and a path of the same name have nothing to do with each other, nor have two spellings.
#[test]
fn a_lock_is_no_path() {
    let repo = Repo::new();
    repo.reserve("alice", "docs");
    repo.reserve("alice", "**");
    lock(&repo, "bob", "docs");
    lock(&repo, "carol", "Docs");
    let names = |options: &[&str]| texts(&repo.list(options).into(), "lock");
    let mut both = names(&["--locks"]);
    both.sort();
    assert_eq!(both, ["Docs", "docs"]);
    assert_eq!(names(&["--lock", "docs"]), ["docs"]);
    assert_eq!(names(&["--locks", "--holder", "alice"]), [""; 0]);
    assert_eq!(repo.list(&["--path", "docs"]).len(), 1, "what alice holds");
    repo.coord("bob", ["list"]).done().says("lock docs");
}

/// 1/SAFETY-2: a lock always has a time to live. 1/SAFETY-2-live: it is never broken inside that,
/// however old it is; renewing extends it; after it the lock is free.
#[test]
fn a_lock_lives_as_long_as_it_is_renewed() {
    let repo = Repo::new();
    lock(&repo, "alice", "build");
    for _ in 0..20 {
        repo.pass("14m");
        repo.coord("bob", ["reserve", "--lock", "build"]).exits(exit::NO);
        let renewed = repo.json("alice", ["renew", "--lock", "build"]);
        assert_eq!(renewed["renewed"][0]["lock"], "build");
    }
    repo.pass("15m");
    lock(&repo, "bob", "build");
    let lost = repo.coord_json("alice", ["renew", "--lock", "build"]).exits(exit::NO).json();
    assert_eq!(lost["lost"], json!([{ "lock": "build", "why": "held", "holder": "bob" }]));
    let lost = repo.coord_json("alice", ["renew", "--lock", "none"]).exits(exit::NO).json();
    assert_eq!(lost["lost"], json!([{ "lock": "none", "why": "gone" }]));
}

#[test]
fn what_another_holds_is_released_by_force_only() {
    let repo = Repo::new();
    lock(&repo, "alice", "build");
    repo.coord_json("bob", ["release", "--lock", "build"]).refused(refusal::NOT_YOURS);
    assert_eq!(repo.list(&["--locks"]).len(), 1);
    let words = ["release", "--lock", "build", "--force", "--reason", "crashed"];
    assert_eq!(repo.json("bob", words)["released"], 1);
    repo.coord("alice", ["status"]).done().says("bob released your 'lock build'");
    let again = repo.json("alice", ["release", "--lock", "build"]);
    assert_eq!((&again["released"], &again["missing"]), (&json!(0), &json!(["build"])));
}

/// Those who share a lock let go of their own; renewing or upgrading works as with paths.
#[test]
fn shared_locks() {
    let repo = Repo::new();
    for agent in ["alice", "bob"] {
        repo.reserve_with(agent, &["--lock", "read", "--shared"]);
    }
    repo.coord("alice", ["reserve", "--lock", "read"]).exits(exit::NO);
    assert_eq!(repo.json("bob", ["release", "--lock", "read"])["released"], 1);
    let upgraded = repo.reserve_with("alice", &["--lock", "read"]);
    assert_eq!(upgraded["mode"], "exclusive");
    assert_eq!(upgraded["renewed"], true);
    assert_eq!(repo.events("mode_changed").len(), 1);
}

#[test]
fn locks_and_paths_are_granted_together_or_not_at_all() {
    let repo = Repo::new();
    lock(&repo, "bob", "db");
    let both = ["reserve", "src", "--lock", "db", "--lock", "port"];
    repo.coord_json("alice", both).refused(refusal::HELD);
    assert_eq!(repo.holds().len(), 1);
    let some = repo.coord_json("alice", both.iter().chain(&["--each"])).exits(exit::NO).json();
    assert_eq!(some["granted"].as_array().unwrap().len(), 2);
    assert_eq!(some["conflicts"][0]["lock"], "db");
}

#[test]
fn a_lock_is_handed_on_swept_and_rolled_back() {
    let repo = Repo::new();
    lock(&repo, "alice", "build");
    let before = repo.tip();
    repo.coord("alice", ["transfer", "--to", "bob", "--lock", "build"]).done();
    assert_eq!(repo.list(&["--lock", "build"])[0]["holder"], "bob");
    repo.coord("alice", ["transfer", "--to", "bob", "--lock", "none"]).exits(exit::NOTHING);
    let back = ["ledger", "rollback", "reservations", "--to", &before, "--reason", "undo"];
    repo.coord("ops", back).done();
    assert_eq!(repo.list(&["--lock", "build"])[0]["holder"], "alice");
    repo.pass("16m");
    assert_eq!(repo.json("ops", ["sweep"])["swept"], 1);
    let document = repo.documents().into_iter().find(|path| path.starts_with("locks/"));
    assert_eq!(document, None);
    repo.coord("ops", ["ledger", "verify"]).done();
}

/// 1/C1 for locks: of many processes one gets it.
#[test]
fn one_of_many_gets_the_lock() {
    let repo = Repo::new();
    for round in 0..5 {
        let call = |number: usize| {
            repo.call(&format!("agent-{number}")).args(["reserve", "--lock", "port 8080"])
        };
        let codes: Vec<i32> = race(&repo, &(0..8).map(call).collect::<Vec<Call>>())
            .iter()
            .map(|it| it.code)
            .collect();
        assert_eq!(codes.iter().filter(|code| **code == exit::DONE).count(), 1, "{codes:?}");
        let held = repo.list(&["--lock", "port 8080"]);
        assert_eq!(held.len(), 1, "round {round}");
        repo.coord(held[0]["holder"].as_str().unwrap(), ["release", "--mine"]).done();
    }
}

#[test]
fn what_is_no_name_is_wrong_usage() {
    let repo = Repo::new();
    for bad in ["", " ", "a/b", "a\\b", "..", "x..y", "a\nb", "a\u{1b}[31m", &"x".repeat(101)] {
        for command in ["reserve", "check", "renew", "release", "list"] {
            let call = repo.coord("alice", [command, "--lock", bad]);
            assert!(call.exits(exit::USAGE).stderr.contains("not the name of a lock"), "{bad:?}");
        }
    }
    repo.coord("alice", ["reserve"]).exits(exit::USAGE);
    // Everything else is a name, and stays data.
    for name in ["$(touch x)", "--json", "größe", "\"quoted\"", &"é".repeat(100)] {
        let words = ["reserve".to_owned(), format!("--lock={name}")];
        assert_eq!(repo.json("alice", words)["granted"][0]["lock"], name);
        let words = ["release".to_owned(), format!("--lock={name}")];
        assert_eq!(repo.json("alice", words)["released"], 1);
    }
    assert!(!repo.work().join("x").exists());
}

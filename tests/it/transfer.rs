//! `transfer`: all or nothing, with the number of moved holds.

use crate::support::contract::{RESERVATIONS_REF, event, exit, refusal};
use crate::support::{Repo, texts};

#[test]
fn holds_change_hands() {
    let repo = Repo::new();
    let hold = repo.reserve("alice", "src/**");
    repo.reserve("alice", "docs/**");
    let answer = repo.json("alice", ["transfer", "--to", "bob"]);
    assert_eq!(answer["transferred"], 2);
    assert_eq!(answer["ids"].as_array().unwrap().len(), 2);
    assert_eq!(texts(&repo.list(&["--holder", "bob"]).into(), "holder"), ["bob", "bob"]);
    assert_eq!(repo.events(event::TRANSFERRED).len(), 2);
    repo.coord_json("alice", ["reserve", "src/main.rs"]).refused(refusal::HELD);
    let moved = repo.list(&["--path", "src/main.rs"]);
    assert!(moved[0]["fence"].as_u64() > hold["fence"].as_u64(), "a new holder, a new fence");
}

#[test]
fn only_what_is_named_moves() {
    let repo = Repo::new();
    let id = repo.reserve_id("alice", "src/**");
    repo.reserve("alice", "docs/**");
    assert_eq!(repo.json("alice", ["transfer", "--to", "bob", &id])["transferred"], 1);
    assert_eq!(repo.list(&["--holder", "alice"]).len(), 1);
    let by_path = repo.json("alice", ["transfer", "--to", "bob", "--path", "docs"]);
    assert_eq!(by_path["transferred"], 1);
}

/// 1/H4: it moves all, or none.
#[test]
fn one_that_is_not_mine_stops_all() {
    let repo = Repo::new();
    let mine = repo.reserve_id("alice", "src/**");
    let theirs = repo.reserve_id("bob", "docs/**");
    let tip = repo.tip();
    repo.coord_json("alice", ["transfer", "--to", "carol", &mine, &theirs])
        .refused(refusal::NOT_YOURS);
    repo.coord_json("alice", ["transfer", "--to", "carol", &mine, "zzzzzzzz"]).exits(exit::NOTHING);
    assert_eq!(repo.tip(), tip);
}

/// 1/H4, 1/M4: a damaged record in the middle stops it, named, with nothing changed.
#[test]
fn a_damaged_record_stops_it() {
    let repo = Repo::new();
    repo.reserve("alice", "a/**");
    let bad = repo.reserve_id("alice", "b/**");
    repo.reserve("alice", "c/**");
    repo.overwrite(&repo.documents_of(&bad), "{ not json");
    let tip = repo.tip();
    let failed = repo.coord("alice", ["transfer", "--to", "bob"]).exits(exit::FAILURE);
    failed.says(&bad);
    assert_eq!(repo.tip(), tip, "{RESERVATIONS_REF} has not moved");
}

/// 7/WRITE-ONCE: a transfer that moved nothing says so.
#[test]
fn moving_nothing_is_said() {
    let repo = Repo::new();
    let answer = repo.json("alice", ["transfer", "--to", "bob"]);
    assert_eq!(answer["transferred"], 0);
    assert_eq!(repo.entry_count(), 0);
    repo.coord("alice", ["transfer", "--to", "bob"]).done().says("nothing");
}

/// 7/SWEEP-COUNT: shared holds of the new holder are looked at too; the laws hold afterwards.
#[test]
fn shared_holds_of_both_sides_stay_lawful() {
    let repo = Repo::new();
    repo.reserve_with("alice", &["--shared", "src/**"]);
    repo.reserve_with("bob", &["--shared", "src/**"]);
    repo.reserve_with("carol", &["--shared", "src/main.rs"]);
    assert_eq!(repo.json("alice", ["transfer", "--to", "bob"])["transferred"], 1);
    assert_eq!(repo.list(&["--holder", "alice"]).len(), 0);
    repo.coord("alice", ["ledger", "verify"]).done();
}

/// 7/SWEEP-COUNT: a shared hold that the old holder could bear and the new one cannot stops it.
#[test]
fn a_shared_hold_in_the_way_stops_it() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    repo.reserve_with("alice/reviewer", &["--shared", "src/main.rs"]);
    let tip = repo.tip();
    let no = repo.coord_json("alice", ["transfer", "--to", "bob"]).refused(refusal::HELD);
    assert_eq!(no["conflicts"][0]["held"]["holder"], "alice/reviewer");
    assert_eq!(repo.tip(), tip);
}

/// 1/C3.1: 100 against 100 finishes.
#[test]
fn a_hundred_against_a_hundred() {
    let repo = Repo::new();
    for agent in ["alice", "bob"] {
        let paths: Vec<String> = (0..100).map(|number| format!("{agent}/{number}/*")).collect();
        repo.json(agent, ["reserve".to_owned()].iter().chain(&paths));
    }
    assert_eq!(repo.json("alice", ["transfer", "--to", "bob"])["transferred"], 100);
    assert_eq!(repo.list(&["--holder", "bob"]).len(), 200);
    assert_eq!(repo.entry_count(), 3, "one entry");
}

/// To oneself is already so: nothing is written, and no fence changes.
#[test]
fn to_oneself_changes_nothing() {
    let repo = Repo::new();
    repo.reserve("alice", "src");
    let tip = repo.tip();
    assert_eq!(repo.json("alice", ["transfer", "--to", "alice"])["transferred"], 0);
    assert_eq!(repo.tip(), tip);
}

/// 8/WORDS, 1/H4: a path moves by its name, and a word that names nothing stops all.
#[test]
fn a_path_moves_by_its_name() {
    let repo = Repo::new();
    repo.reserve("alice", "docs");
    repo.reserve("alice", "src");
    repo.reserve("carol", "lib");
    let stranger = ["transfer", "docs", "lib", "--to", "bob"];
    repo.coord_json("alice", stranger).refused(refusal::NOT_YOURS);
    repo.coord_json("alice", ["transfer", "docs", "src/api", "--to", "bob"]).exits(exit::NOTHING);
    assert_eq!(repo.list(&["--holder", "alice"]).len(), 2);
    assert_eq!(repo.json("alice", ["transfer", "docs", "--to", "bob"])["transferred"], 1);
    assert_eq!(texts(&repo.list(&["--holder", "bob"]).into(), "pattern"), ["docs"]);
    repo.json("bob", ["ledger", "verify"]);
}

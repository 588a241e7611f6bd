//! `check`: tells whether a reservation would succeed. It only reads.

use crate::support::Repo;
use crate::support::contract::exit;

#[test]
fn free_is_free_and_held_names_the_holder() {
    let repo = Repo::new();
    assert_eq!(repo.json("bob", ["check", "src/main.rs"])["free"], true);
    repo.reserve("alice", "src/**");
    let held = repo.coord_json("bob", ["check", "src/main.rs"]).exits(exit::NO).json();
    assert_eq!(held["free"], false);
    assert_eq!(held["conflicts"][0]["held"]["holder"], "alice");
    assert_eq!(held["conflicts"][0]["pattern"], "src/main.rs");
    repo.coord("bob", ["check", "src/main.rs"]).exits(exit::NO).says("alice").says("src/**");
}

#[test]
fn own_holds_and_expired_ones_are_no_conflict() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    assert_eq!(repo.json("alice", ["check", "src/main.rs"])["free"], true);
    repo.pass("16m");
    assert_eq!(repo.json("bob", ["check", "src/main.rs"])["free"], true);
}

#[test]
fn it_writes_nothing() {
    let repo = Repo::new();
    repo.coord("bob", ["check", "src/**"]).done();
    assert_eq!(repo.tip(), "", "no ledger is made");
    repo.reserve("alice", "src/**");
    let tip = repo.tip();
    repo.pass("16m");
    repo.coord("bob", ["check", "src/**"]).done();
    assert_eq!(repo.tip(), tip, "expired holds are not swept by a reader");
}

#[test]
fn one_of_several_is_enough_for_no() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    let no = repo.coord_json("bob", ["check", "docs/x", "src/x"]).exits(exit::NO).json();
    assert_eq!(no["conflicts"].as_array().map(Vec::len), Some(1), "{no:#}");
}

/// 1/H2: one ref, one state, one matcher, whichever command asks.
#[test]
fn what_check_says_is_what_reserve_does() {
    let repo = Repo::new();
    repo.reserve_with("alice", &["--shared", "src/**"]);
    for pattern in ["src/main.rs", "docs/**", "**/*.rs", "src"] {
        let check = repo.coord_json("bob", ["check", pattern]);
        let reserve = repo.coord_json("bob", ["reserve", pattern]);
        assert_eq!(check.code, reserve.code, "{pattern}");
        repo.coord("bob", ["release", "--mine"]).done();
    }
}

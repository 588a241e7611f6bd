//! `sweep`: expired holds end in one step, each with one event.

use git_coord::core::ids::OpId;
use git_coord::core::pattern::{Case, Pattern};
use git_coord::core::reservation::index;
use git_coord::core::reservation::process::Gone;
use git_coord::core::reservation::reserve::Reserve;
use git_coord::core::time::Ttl;

use crate::scenario::{Asked, MemoryLedger, edit};
use crate::support::Repo;
use crate::support::contract::{event, exit};

fn with_three_expired() -> Repo {
    let repo = Repo::new();
    repo.json("alice", ["reserve", "a/x", "b/x", "c/x"]);
    repo.reserve_with("bob", &["d/x", "--ttl", "2h"]);
    repo.pass("16m");
    repo
}

/// 1/H3: one atomic step, one event each; the second time changes nothing.
#[test]
fn sweeping_twice_changes_nothing_the_second_time() {
    let repo = with_three_expired();
    let first = repo.json("carol", ["sweep"]);
    assert_eq!((&first["swept"], &first["remaining"]), (&3.into(), &0.into()));
    assert_eq!(first["ids"].as_array().unwrap().len(), 3);
    assert_eq!(repo.events(event::EXPIRED).len(), 3);
    assert_eq!(repo.entry_count(), 3, "one entry for all three");
    let tip = repo.tip();
    assert_eq!(repo.json("carol", ["sweep"])["swept"], 0);
    assert_eq!(repo.tip(), tip);
    assert_eq!(repo.list(&["--all"]).len(), 1);
}

/// 1/L4: what expired 10 s ago survives `--older-than 1m`.
#[test]
fn older_than_limits_what_is_swept() {
    let repo = Repo::new();
    repo.reserve_with("alice", &["src/**", "--ttl", "60s"]);
    repo.pass("70s");
    assert_eq!(repo.json("bob", ["sweep", "--older-than", "1m"])["swept"], 0);
    assert_eq!(repo.list(&["--all"]).len(), 1);
    repo.pass("49s");
    assert_eq!(repo.json("bob", ["sweep", "--older-than", "1m"])["swept"], 0, "59 s ago");
    repo.pass("1s");
    assert_eq!(repo.json("bob", ["sweep", "--older-than", "1m"])["swept"], 1);
}

/// 7/CALLER-ENV: a dry run names each item and changes nothing.
#[test]
fn a_dry_run_names_each_item() {
    let repo = with_three_expired();
    let tip = repo.tip();
    let dry = repo.json("carol", ["sweep", "--dry-run"]);
    assert_eq!(dry["ids"].as_array().unwrap().len(), 3, "{dry:#}");
    repo.coord("carol", ["sweep", "--dry-run"]).done().says("a/x").says("b/x").says("c/x");
    assert_eq!(repo.tip(), tip);
}

/// 7/SWEEP-COUNT: it reports what it released, not what it found.
#[test]
fn the_count_is_what_went() {
    let repo = with_three_expired();
    repo.reserve("alice", "a/x");
    let left = repo.list(&["--all"]).len() - repo.holds().len();
    assert_eq!(repo.json("carol", ["sweep"])["swept"], left);
    assert_eq!(repo.events(event::EXPIRED).len(), 3, "one event each, whoever swept it");
}

/// 7/NUMBERS.
#[test]
fn a_bad_duration_is_wrong_usage() {
    let repo = with_three_expired();
    for bad in ["abc", "0", "0s", "-1m", "1e99", "99999999999999999999d", ""] {
        repo.coord("carol", ["sweep", &format!("--older-than={bad}")]).exits(exit::USAGE);
    }
    assert_eq!(repo.list(&["--all"]).len(), 4);
}

/// 8/GROWTH: reservations that nobody asks about any more do not pile up, also where each write
/// makes several.
#[test]
fn what_has_ended_does_not_pile_up() {
    let pattern = |text: &str| Pattern::canonical(text.as_bytes()).unwrap();
    let mut ledger = MemoryLedger::new(Case::Sensitive);
    for number in 0..300_u128 {
        let patterns = (0..4).map(|file| pattern(&format!("src/{number}-{file}"))).collect();
        let ttl = Ttl::from_seconds(5).unwrap();
        let command = Reserve { patterns, with_edit: false, ..edit(pattern("src"), ttl, None) };
        let asked = Asked {
            actor: ["alice", "bob"][number as usize % 2].parse().unwrap(),
            clock: ledger.at.plus_seconds(1),
            op: OpId::from_bits(number.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c834)),
            command: command.into(),
            gone: Gone::NOTHING,
        };
        assert_eq!(ledger.transact(&asked, || format!("{number:040x}").parse().unwrap()), "done");
    }
    let left = index::all(&ledger.documents).unwrap().len();
    assert!(left < 100, "{left} are left of which 20 are live");
}

//! One `with` inside another, and beside holds that the agent has already.

use super::*;

/// A wait under a hold that is itself in the way would never end.
#[test]
fn who_waits_for_what_it_runs_under_is_refused() {
    let repo = Repo::new();
    for inner in [&["with", "--lock", "a"][..], &["with", "--lock", "b", "--lock", "a"]] {
        let nested = ["git", "coord", "--json"].iter().chain(inner);
        let nested = nested.chain(&["--wait", "10m", "--", "true"]).copied();
        let output = with(&repo, "alice", &["--lock", "a"], &nested.collect::<Vec<_>>());
        let no: Value = serde_json::from_str(&output.exits(exit::NOT_STARTED).stdout).unwrap();
        assert_eq!(no["refusal"]["code"], refusal::DEADLOCK, "{no:#}");
        assert_eq!(texts(&no["refusal"]["circle"], "waits_for"), ["alice"]);
    }
    nothing_is_left(&repo);
}

/// Two commands that each run under what the other waits for: the second to wait is refused, and
/// then the first goes on.
#[test]
fn a_circle_over_what_runs_under_a_hold_is_refused() {
    for inner in ["with", "reserve"] {
        let repo = Repo::new();
        let go = repo.world().join("tmp/go");
        let script = |lock: &str| {
            let command = if inner == "with" { "-- true" } else { "" };
            format!(
                "echo $$ > \"$0\"; while ! [ -e '{}' ]; do sleep 0.05; done
                 git coord {inner} --lock {lock} --wait 10m {command}",
                go.display()
            )
        };
        let alice = Held::begin(&repo, "alice", &["--lock", "a"], &script("b"));
        let bob = Held::begin(&repo, "bob", &["--lock", "b"], &script("a"));
        fs::write(&go, "").unwrap();
        let (alice, bob) = (alice.finish(), bob.finish());
        let refused = if alice.code == 0 { &bob } else { &alice };
        assert_ne!(alice.code, bob.code, "{alice:#?} {bob:#?}");
        assert!(refused.stderr.contains("waits for 'lock"), "{refused:#?}");
    }
}

/// What an agent holds already is left as it is: neither its mode nor its reason changes, and two
/// commands of the agent exclude each other all the same.
#[test]
fn what_is_held_already_is_left_as_it_is() {
    let repo = Repo::new();
    repo.reserve_with("alice", &["src", "--shared", "--reason", "reading"]);
    let documents = || {
        let hold = repo.holds().remove(0);
        repo.document(&repo.documents_of(hold["id"].as_str().unwrap())[0])
    };
    let before = documents();
    with(&repo, "alice", &["src", "--reason", "fmt"], &["true"]).done();
    assert_eq!((documents(), repo.holds().len()), (before, 1));
    repo.reserve_with("alice", &["--lock", "x"]);
    let runs = Held::begin(&repo, "alice", &["--lock", "x"], ENDLESS);
    let other = with(&repo, "alice", &["--lock", "x", "--json"], &["true"]);
    assert_eq!(other.exits(exit::NOT_STARTED).json()["refusal"]["code"], refusal::HELD);
    runs.signal(Signal::TERM);
    runs.finish().exits(128 + 15);
    assert_eq!(texts(&repo.list(&["--locks"]).into(), "lock"), ["x"]);
    repo.coord("ops", ["ledger", "verify"]).done();
}

//! Killed at every step: the old snapshot or the new one, and no file of the user's changed.

use super::*;
use crate::ownership::{ALICE, edits, hooked, stops};

/// The exit code of a killed process in a shell.
const KILLED: i32 = 128 + 9;

fn fault(call: Call, number: usize, fault: &str) -> Call {
    call.env("GIT_COORD_FAULT", format!("{number}:{fault}"))
}

/// 8/RESCUE: whatever is lost with a process that saves, what an edit has left is not.
#[test]
fn the_end_of_a_turn_is_killed_at_every_step() {
    let prepared = hooked();
    edits(&prepared, ALICE, "src/main.rs", "mine\n");
    prepared.pass("1m");
    let mut number = 0;
    let (mut without, mut with) = (0, 0);
    loop {
        number += 1;
        let repo = prepared.copy();
        let stop = event(&repo, ALICE, "Stop", &json!({ "stop_hook_active": false }));
        let output = fault(stop, number, "kill").run();
        if output.code != KILLED {
            break;
        }
        *(if snapshots(&repo).is_empty() { &mut without } else { &mut with }) += 1;
        repo.git(["checkout", "--quiet", "--", "src/main.rs"]);
        repo.git(["gc", "--quiet", "--prune=now"]);
        rescue(&repo, ALICE, &["restore", "src/main.rs"]).done();
        has(&repo, "src/main.rs", b"mine\n");
    }
    assert!(without > 0 && with > 0, "{without} {with} of {number}");
}

/// A file that comes back is there as a whole or not at all.
#[test]
fn bringing_back_is_killed_at_every_step() {
    let prepared = hooked();
    edits(&prepared, ALICE, "src/main.rs", "mine\n");
    stops(&prepared, ALICE);
    prepared.git(["checkout", "--quiet", "--", "src/main.rs"]);
    let before = std::fs::read(prepared.work().join("src/main.rs")).unwrap();
    let (mut old, mut new) = (0, 0);
    for number in 1.. {
        let repo = prepared.copy();
        let output = fault(call(&repo, ALICE, &["restore", "src/main.rs"]), number, "kill");
        if output.run_unproven().code != KILLED {
            break;
        }
        let found = std::fs::read(repo.work().join("src/main.rs")).unwrap();
        assert!(found == before || found == b"mine\n", "step {number}");
        *(if found == before { &mut old } else { &mut new }) += 1;
        rescue(&repo, ALICE, &["restore", "src/main.rs"]).done();
        has(&repo, "src/main.rs", b"mine\n");
    }
    assert!(old > 0 && new > 0, "{old} {new}");
}

/// A full disk while a turn ends is no reason to hold the agent up.
#[test]
fn what_cannot_be_saved_holds_nobody_up() {
    let repo = hooked();
    edits(&repo, ALICE, "src/main.rs", "mine\n");
    for number in 1..60 {
        let stop = event(&repo, ALICE, "Stop", &json!({ "stop_hook_active": false }));
        let output = fault(stop, number, "ENOSPC").run();
        // A failure is shown, and blocks nothing.
        assert!(matches!(output.code, exit::DONE | exit::NO), "{number}: {output:#?}");
    }
    has(&repo, "src/main.rs", b"mine\n");
    stops(&repo, ALICE);
    assert_eq!(snapshots(&repo).len(), 1);
}

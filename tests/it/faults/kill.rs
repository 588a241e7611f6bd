//! Killed at every step.

use super::acts::Act;
use super::steps::{Step, recorded};
use crate::support::rounds;

/// The exit code of a killed process in a shell.
const KILLED: i32 = 128 + 9;
/// The number of rounds from which on steps that change nothing are killed as well.
const ROUNDS_FOR_ALL: usize = 1000;

/// Chooses the faults for a step. A process leaves nothing behind but the disk, so a kill before a
/// step that only reads equals the kill after the last step that wrote, and a kill after a step
/// equals the kill before the next one.
fn faults(step: &Step, is_last: bool) -> Vec<&'static str> {
    let mut faults = Vec::new();
    if step.changes() || rounds() >= ROUNDS_FOR_ALL {
        faults.push("kill");
    }
    if is_last {
        faults.push("kill-after");
    }
    if step.content.is_some() {
        faults.push("torn");
    }
    faults
}

#[track_caller]
fn survives(act: &Act) {
    let steps = act.steps();
    let events = act.events_after();
    let (mut old, mut new) = (0, 0);
    for (index, step) in steps.iter().enumerate() {
        for fault in faults(step, index + 1 == steps.len()) {
            let number = index + 1;
            let case = format!("{}: {fault} at step {number}, {}", act.name, step.name());
            let stage = act.stage();
            let record = stage.record();
            let call = stage.call().env("GIT_COORD_STEPS", &record);
            let call = call.env("GIT_COORD_FAULT", format!("{number}:{fault}"));
            assert_eq!(call.run().code, KILLED, "{case}");
            let last = recorded(&record).pop().expect("a step");
            assert_eq!(last.act, step.act, "{case}: the same steps in every copy");
            let is_new = stage.is_old_or_new(&case);
            *(if is_new { &mut new } else { &mut old }) += 1;
            stage.has_no_index_without_pack(&case);
            stage.goes_on(&case, &events);
        }
    }
    assert!(old > 0 && new > 0, "{}: killed before the ref moved and after", act.name);
}

/// 1/C1-state, 0/IMP-1, 2/P1-3: the first entry of all, with every directory that it needs.
#[test]
fn a_first_reserve_is_killed_at_every_step() {
    survives(&Act::first_reserve());
}

/// 1/C1-state, 0/IMP-1, 2/P1-3.
#[test]
fn a_later_reserve_is_killed_at_every_step() {
    survives(&Act::later_reserve());
}

/// 1/C1-state, 4/TEST-3.
#[test]
fn a_release_is_killed_at_every_step() {
    survives(&Act::release());
}

/// 4/F4, 4/TEST-3.
#[test]
fn a_rollback_is_killed_at_every_step() {
    survives(&Act::rollback());
}

/// 4/F8: a ledger that is left half-way between two formats is impossible.
#[test]
fn an_upgrade_survives_a_kill_at_every_step() {
    survives(&Act::upgrade());
}

/// 1/C1-state: the expired hold goes with the new one's coming, or stays.
#[test]
fn a_reserve_that_sweeps_is_killed_at_every_step() {
    survives(&Act::reserve_that_sweeps());
}

/// 1/C1-state: objects are in the old packs or in the merged one.
#[test]
fn a_merge_of_packs_is_killed_at_every_step() {
    survives(&Act::reserve_that_merges_packs());
}

/// 1/C1-state.
#[test]
fn a_reserve_after_pack_refs_is_killed_at_every_step() {
    survives(&Act::reserve_after_pack_refs());
}

/// 1/C1-state: with `core.sharedRepository` and a reflog.
#[test]
fn a_shared_and_logged_reserve_is_killed_at_every_step() {
    survives(&Act::reserve_shared_and_logged());
}

/// 4/F4, 4/F5, 4/TEST-3.
#[test]
fn a_run_is_created_wholly_or_not_at_all() {
    survives(&Act::run_create());
}

/// 4/F4, 4/F5, 4/TEST-3: no phase changes without its event.
#[test]
fn an_advance_is_killed_at_every_step() {
    survives(&Act::run_advance());
}

/// 4/F4, 4/F4-exit, 4/F5, 4/TEST-3: phase, artifacts, verdicts, dispatches, agents and events of
/// one rollback are there or none of them is, and the same command again finishes it.
#[test]
fn a_rollback_of_a_run_is_killed_at_every_step() {
    survives(&Act::run_rollback());
}

/// 4/F4: a run ends with everything below it.
#[test]
fn a_cancel_is_killed_at_every_step() {
    survives(&Act::run_cancel());
}

/// 1/C1-state, 3/GAPS-2: release, acknowledgement, grant and notice are all there, or none is.
#[test]
fn asking_and_answering_are_killed_at_every_step() {
    for act in [Act::ask(), Act::answer(), Act::take(), Act::acknowledge()] {
        survives(&act);
    }
}

/// 1/C1-state.
#[test]
fn a_reserve_of_a_lock_is_killed_at_every_step() {
    survives(&Act::reserve_of_a_lock());
}

/// 1/C1-state.
#[test]
fn a_release_of_a_lock_is_killed_at_every_step() {
    survives(&Act::release_of_a_lock());
}

/// 0/RACE-01-crash, 0/IMP-1: killed at any point of apply, override, record and trial are all
/// there or none is; the laws that `verify` holds say so.
#[test]
fn a_first_apply_is_killed_at_every_step() {
    survives(&Act::first_apply());
}

/// 0/RACE-01-crash, 0/DATA-01-read.
#[test]
fn a_later_apply_is_killed_at_every_step() {
    survives(&Act::later_apply());
}

/// 0/RACE-01-crash: and of revert.
#[test]
fn a_revert_is_killed_at_every_step() {
    survives(&Act::revert_and_block());
}

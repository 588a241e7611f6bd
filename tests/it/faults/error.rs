//! Errors of the disk at every step.

use std::collections::BTreeSet;

use super::acts::{Act, Stage};
use super::steps::{Step, recorded};
use crate::support::contract::exit;
use crate::support::{Output, rounds};

/// The system's errors, and their messages. The last two only concern writes.
const ERRORS: [(&str, &str); 5] = [
    ("EACCES", "Permission denied"),
    ("EMFILE", "Too many open files"),
    ("EIO", "Input/output error"),
    ("ENOSPC", "No space left on device"),
    ("EROFS", "Read-only file system"),
];
const ERRORS_OF_READING: usize = 3;
/// The number of rounds from which on every error is tried at every step.
const ROUNDS_FOR_ALL: usize = 1000;

/// Chooses the errors for a step: they take turns, and each act begins with another one.
fn errors(act: &Act, step: &Step, number: usize) -> Vec<(&'static str, &'static str)> {
    let possible = if step.changes() { &ERRORS[..] } else { &ERRORS[..ERRORS_OF_READING] };
    if rounds() >= ROUNDS_FOR_ALL {
        return possible.to_vec();
    }
    vec![possible[(number + act.name.len()) % possible.len()]]
}

/// Fails unless the error names the operation, the path and the cause.
#[track_caller]
fn names_the_cause(output: &Output, message: &str, step: &Step, words: &str, case: &str) {
    let path = step.path.display();
    assert!(message.starts_with("cannot "), "{case}: {output:#?}");
    assert!(message.ends_with(&format!("'{path}': {words}")), "{case}: {output:#?}");
}

#[track_caller]
fn answers(stage: &Stage<'_>, number: usize, (error, words): (&str, &str), case: &str) -> i32 {
    // Every other one is a program that asks.
    let as_json = number.is_multiple_of(2);
    let options: &[&str] = if as_json { &["--json"] } else { &[] };
    let record = stage.record();
    let call = stage.call().env("GIT_COORD_STEPS", &record).args(options);
    let output = call.env("GIT_COORD_FAULT", format!("{number}:{error}")).run();
    let step = &recorded(&record)[number - 1];
    match (output.code, as_json) {
        (exit::DONE, _) => {}
        (exit::FAILURE, true) => {
            let json = output.json();
            assert_eq!(json["error"]["kind"], "failure", "{case}: {output:#?}");
            let message = json["error"]["message"].as_str().unwrap();
            names_the_cause(&output, message, step, words, case);
            assert!(json["error"]["hints"].is_array(), "{case}: a way out: {output:#?}");
        }
        (exit::FAILURE, false) => {
            let message = output.stderr.lines().next().unwrap_or_default();
            let message = message.strip_prefix("error: ").unwrap_or_default();
            names_the_cause(&output, message, step, words, case);
            assert!(output.stderr.contains("\nhint: "), "{case}: a way out: {output:#?}");
        }
        _ => panic!("{case}: {output:#?}"),
    }
    output.code
}

#[track_caller]
fn survives(act: &Act) {
    let events = act.events_after();
    let mut codes = BTreeSet::new();
    let mut questions = BTreeSet::new();
    for (index, step) in act.steps().iter().enumerate() {
        let number = index + 1;
        if step.changes() {
            questions.clear();
        } else if !questions.insert(step.kind()) {
            // A check of another pack has the same answer, until something changes.
            continue;
        }
        for (error, words) in errors(act, step, number) {
            let case = format!("{}: {error} at step {number}, {}", act.name, step.name());
            let stage = act.stage();
            let code = answers(&stage, number, (error, words), &case);
            let is_new = stage.is_old_or_new(&case);
            assert_eq!(is_new, code == exit::DONE, "{case}: the answer is true");
            stage.has_no_index_without_pack(&case);
            stage.goes_on(&case, &events);
            stage.clears_up(&case);
            codes.insert(code);
        }
    }
    assert_eq!(codes, BTreeSet::from([exit::DONE, exit::FAILURE]), "{}", act.name);
}

/// 1/C1-state, 0/IMP-1.
#[test]
fn a_first_reserve_meets_an_error_at_every_step() {
    survives(&Act::first_reserve());
}

/// 1/C1-state, 0/IMP-1.
#[test]
fn a_later_reserve_meets_an_error_at_every_step() {
    survives(&Act::later_reserve());
}

/// 1/C1-state.
#[test]
fn a_release_meets_an_error_at_every_step() {
    survives(&Act::release());
}

/// 4/F4, 4/F4-exit.
#[test]
fn a_rollback_meets_an_error_at_every_step() {
    survives(&Act::rollback());
}

#[test]
fn an_upgrade_survives_an_error_at_every_step() {
    survives(&Act::upgrade());
}

/// 1/C1-state.
#[test]
fn a_reserve_that_sweeps_meets_an_error_at_every_step() {
    survives(&Act::reserve_that_sweeps());
}

/// 1/C1-state.
#[test]
fn a_merge_of_packs_meets_an_error_at_every_step() {
    survives(&Act::reserve_that_merges_packs());
}

/// 1/C1-state.
#[test]
fn a_reserve_after_pack_refs_meets_an_error_at_every_step() {
    survives(&Act::reserve_after_pack_refs());
}

/// 1/C1-state.
#[test]
fn a_shared_and_logged_reserve_meets_an_error_at_every_step() {
    survives(&Act::reserve_shared_and_logged());
}

/// 1/C1-state, 7/ACK-TRUE: release, acknowledgement, grant and notice are all there, or none is.
#[test]
fn asking_and_answering_meet_an_error_at_every_step() {
    for act in [Act::ask(), Act::answer(), Act::take(), Act::acknowledge()] {
        survives(&act);
    }
}

/// 1/C1-state.
#[test]
fn a_reserve_of_a_lock_meets_an_error_at_every_step() {
    survives(&Act::reserve_of_a_lock());
}

/// 1/C1-state.
#[test]
fn a_release_of_a_lock_meets_an_error_at_every_step() {
    survives(&Act::release_of_a_lock());
}

/// 4/F4-exit: there is no partial success.
#[test]
fn a_rollback_of_a_run_meets_every_error() {
    survives(&Act::run_rollback());
}

/// 0/IMP-1, 0/DATA-01, 0/DATA-01-read: a full disk and its like, at every step of apply.
#[test]
fn an_apply_meets_an_error_at_every_step() {
    survives(&Act::later_apply());
}

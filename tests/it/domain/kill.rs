//! Killed at every step of a write (2/P1-3).

use std::fs;

use serde_json::Value;

use super::project::{DOMAINS_REF, check_code, detected, tip};
use crate::support::Repo;
use crate::support::contract::exit;
use crate::support::untouched::Untouched;

/// Steps that do not change the disk.
const READING: [&str; 5] = ["Open", "Lock", "Read", "List", "Examine"];

/// Lists the numbers of the steps that change something, of an undisturbed command.
fn steps(prepared: &Repo, args: &[&str]) -> Vec<usize> {
    let repo = prepared.copy();
    let record = repo.world().join("tmp/steps");
    repo.call("alice").env("GIT_COORD_STEPS", &record).args(args).run_unproven().done();
    let text = fs::read_to_string(record).unwrap();
    let step = |line: &str| -> Value { serde_json::from_str(line).unwrap() };
    let changes = |line: &str| !READING.contains(&step(line)["step"].as_str().unwrap());
    let numbered = text.lines().enumerate().filter(|(_, line)| changes(line));
    numbered.map(|(place, _)| place + 1).collect()
}

/// 2/P1-3: the next read gives the old or the new state, and the same command again works.
#[track_caller]
fn survives(prepared: &Repo, args: &[&str]) {
    let old = tip(prepared);
    let mut seen = [0, 0];
    for number in steps(prepared, args) {
        for fault in ["kill", "kill-after", "torn"] {
            let case = format!("{args:?}: {fault} at {number}");
            let repo = prepared.copy();
            let before = Untouched::of(repo.world());
            let call = repo.call("alice").args(args);
            call.env("GIT_COORD_FAULT", format!("{number}:{fault}")).run_unproven();
            let now = tip(&repo);
            let is_new = now != old;
            if is_new {
                assert_eq!(repo.git(["rev-parse", &format!("{DOMAINS_REF}~1")]), old, "{case}");
            }
            seen[usize::from(is_new)] += 1;
            assert_ne!(check_code(&repo), exit::FAILURE, "{case}");
            repo.call("alice").args(args).run_unproven().done();
            assert_eq!(check_code(&repo), exit::DONE, "{case}");
            before.assert_still_so(&case);
        }
    }
    assert!(seen[0] > 0 && seen[1] > 0, "both states are seen: {seen:?}");
    prepared.git(["fsck", "--strict", "--no-dangling"]);
}

#[test]
fn a_detection_is_killed_at_every_step() {
    let repo = detected();
    repo.write("package.json", r#"{"dependencies":{"fastify":"4"}}"#);
    survives(&repo, &["domain", "detect"]);
}

#[test]
fn a_classification_is_killed_at_every_step() {
    survives(&detected(), &["domain", "set", "cli-tool", "--source", "human", "--reason", "x"]);
}

//! Killed while waiting, at every step that leaves something behind.

use super::steps::recorded;
use crate::support::Repo;
use crate::support::contract::exit;
use crate::waiting::nothing_is_left;

/// The exit code of a killed process in a shell.
const KILLED: i32 = 128 + 9;
const WAIT: [&str; 5] = ["reserve", "--lock", "port", "--wait", "1s"];

/// 1/C1-state: wherever a waiter is killed, taking its place, waiting or leaving, the next one who
/// waits gets what it waits for, and nothing is left of the dead one.
#[test]
fn a_waiter_is_killed_at_every_step() {
    let prepared = Repo::new();
    prepared.reserve_with("alice", &["--lock", "port"]);
    let record = |repo: &Repo| repo.world().join("tmp/steps");
    let whole = prepared.copy();
    whole.call("bob").env("GIT_COORD_STEPS", record(&whole)).args(WAIT).run().exits(exit::NO);
    let steps = recorded(&record(&whole));
    let mut killed = 0;
    for (index, step) in steps.iter().enumerate().filter(|(_, step)| step.changes()) {
        let repo = prepared.copy();
        let fault = format!("{}:kill", index + 1);
        let code = repo.call("bob").env("GIT_COORD_FAULT", fault).args(WAIT).run().code;
        // How often it looks depends on how fast the machine is, so the last steps may not come.
        assert!([KILLED, exit::NO].contains(&code), "{}: {code}", step.name());
        killed += usize::from(code == KILLED);
        repo.coord("alice", ["release", "--mine"]).done();
        repo.coord("carol", ["reserve", "--lock", "port", "--wait", "1m"]).done();
        repo.coord("carol", ["release", "--mine"]).done();
        nothing_is_left(&repo);
    }
    assert!(killed > 10, "{killed} of {} steps", steps.len());
}

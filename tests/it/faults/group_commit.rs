//! One of a group of writers fails at every step: the writers whose requests it claimed, and those
//! that claimed its own, are served, and nobody twice.

use std::path::{Path, PathBuf};

use super::steps::{Step, recorded};
use crate::group_commit::{Crowd, pending_requests};
use crate::support::contract::{RESERVATIONS, exit, key};
use crate::support::{Call, Repo};

/// The exit code of a killed process in a shell.
const KILLED: i32 = 128 + 9;
/// The maximum number of trials until the failing process is at the front, and of trials of each
/// step.
const TRIALS_MAX: usize = 100;
const TRIALS_OF_A_STEP: usize = 4;
/// The agents that wait behind the failing one.
const OTHERS: [&str; 2] = ["bob", "carol"];

fn reserve(repo: &Repo, agent: &str) -> Call {
    let args = ["reserve", &format!("src/{agent}"), "--request-id", agent].map(str::to_owned);
    repo.call(agent).config(key::WAIT, "8s").args(args)
}

fn held(repo: &Repo, agent: &str) -> usize {
    repo.list(&["--holder", agent]).len()
}

/// The outcome of the process at the front.
struct First {
    code: i32,
    steps: Vec<Step>,
}

impl First {
    /// Tells whether it had claimed the request of another.
    fn has_taken_on(&self) -> bool {
        let removed = self.steps.iter().filter(|step| step.act == "Remove" && step.done);
        let taken =
            removed.filter(|step| step.path.parent().is_some_and(|dir| dir.ends_with("errands")));
        taken.count() > 1
    }
}

fn run(repo: &Repo, record: &Path, fault: &str) -> First {
    let mut crowd = Crowd::before(repo);
    let first = reserve(repo, "alice").env("GIT_COORD_STEPS", record);
    let first = if fault.is_empty() { first } else { first.env("GIT_COORD_FAULT", fault) };
    crowd.start(first);
    // Most likely it stands in line then, before the others.
    crowd.give_time(repo);
    for agent in OTHERS {
        crowd.add(repo, reserve(repo, agent));
    }
    let mut told = crowd.go().into_iter();
    let code = told.next().unwrap().code;
    for output in told {
        output.done();
    }
    First { code, steps: recorded(record) }
}

/// 1/C1-state, 0/IMP-1.
#[track_caller]
fn survives(fault: &str, codes: &[i32]) {
    let prepared = Repo::new();
    prepared.reserve("zoe", "README.md");
    let record = |repo: &Repo| -> PathBuf { repo.world().join("tmp/steps") };
    let trial = |fault: &str| {
        let repo = prepared.copy();
        let first = run(&repo, &record(&repo), fault);
        (repo, first)
    };
    // The process at the front is not always the first to be woken.
    let whole = (0..TRIALS_MAX).map(|_| trial("").1).find(First::has_taken_on);
    let steps = whole.expect("it is the first in some trial").steps;
    let (mut failed, mut with_others) = (0, 0);
    for (index, step) in steps.iter().enumerate().filter(|(_, step)| step.changes()) {
        let (repo, first) = (1..TRIALS_OF_A_STEP)
            .map(|_| trial(&format!("{}:{fault}", index + 1)))
            .find(|(_, first)| first.code != exit::DONE)
            .unwrap_or_else(|| trial(&format!("{}:{fault}", index + 1)));
        let case = format!("{fault} at step {}, {}: {}", index + 1, step.name(), first.code);
        assert!(codes.contains(&first.code), "{case}");
        failed += usize::from(first.code != exit::DONE);
        with_others += usize::from(first.code != exit::DONE && first.has_taken_on());
        for agent in OTHERS {
            assert_eq!(held(&repo, agent), 1, "{case}: {agent}");
        }
        match first.code {
            exit::DONE => assert_eq!(held(&repo, "alice"), 1, "{case}"),
            exit::FAILURE => assert_eq!(held(&repo, "alice"), 0, "{case}"),
            _ => {}
        }
        reserve(&repo, "alice").run().done();
        assert_eq!(held(&repo, "alice"), 1, "{case}");
        assert!(pending_requests(&repo).is_empty(), "{case}");
        let granted = repo.events("granted").len();
        assert_eq!(granted, 1 + 1 + OTHERS.len(), "{case}: each once");
        repo.coord("ops", ["ledger", "verify", RESERVATIONS]).done();
    }
    assert!(failed > 5 && with_others > 0, "{failed} failed, {with_others} with others");
}

#[test]
fn one_of_a_crowd_is_killed_at_every_step() {
    survives("kill", &[KILLED, exit::DONE]);
}

#[test]
fn one_of_a_crowd_meets_an_error_at_every_step() {
    survives("ENOSPC", &[exit::FAILURE, exit::DONE]);
}

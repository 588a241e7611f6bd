//! Races of processes: concurrent acts have the effect of some order.

use super::PHASES;
use crate::support::contract::{RUNS_REF, exit, key, refusal};
use crate::support::{Call, Output, Repo, race, rounds};

/// The number of processes that want the same thing.
const RIVALS: usize = 4;

/// The number of rounds that are each followed by a replay. A replay reads the whole ledger, and
/// the last one follows every event.
const REPLAYED_EACH: usize = 50;

/// Prepares a call that waits long enough, with the queue or by the swap alone.
fn call(repo: &Repo, agent: &str, round: usize, words: &[&str]) -> Call {
    let queue = if round.is_multiple_of(2) { "true" } else { "false" };
    let call = repo.call(agent).config(key::QUEUE, queue).config(key::WAIT, "1m");
    call.args(["--json", "run"]).args(words)
}

/// Checks that each process succeeded or was told that the phase changed. Returns how many
/// succeeded.
#[track_caller]
fn winners(outputs: &[Output]) -> usize {
    for output in outputs.iter().filter(|output| output.code != exit::DONE) {
        output.clone().refused(refusal::PHASE_CHANGED);
    }
    outputs.iter().filter(|output| output.code == exit::DONE).count()
}

/// 4/INV-1: of those who take a run on from the same phase, one does.
#[test]
fn one_of_many_takes_a_run_on() {
    let repo = Repo::new();
    for round in 0..rounds() {
        let run = repo.create_run(&[]);
        let rival = |number: usize| {
            let words = ["advance", &run, "--expect", "draft"];
            call(&repo, &format!("agent-{number}"), round, &words)
        };
        let outputs = race(&repo, &(0..RIVALS).map(rival).collect::<Vec<_>>());
        assert_eq!(winners(&outputs), 1, "{outputs:#?}");
        assert_eq!(repo.phase_of(&run), "review");
        repo.run("cancel", &run, &["--reason", "next"]).done();
    }
    repo.coord("ops", ["ledger", "verify"]).done();
}

/// 4/F1, 4/F1-toctou, 4/TEST-1, 4/INV-5: an advance against a rollback. Every other time both say
/// which phase they expect, and one of them wins; the other times it is the one that they saw, and
/// whoever comes late may have seen what the other did. The events lead to what is stored, and each
/// was true of the moment before it.
#[test]
fn an_advance_and_a_rollback_are_one_after_the_other() {
    let repo = Repo::new();
    let run = repo.create_run(&[]);
    repo.advance(&run, 1);
    for round in 0..rounds() {
        let dispatch = super::id(&repo.run_json("dispatch add", &run, &super::NONE), "dispatch");
        let expects = (round / 2).is_multiple_of(2);
        let expected: &[&str] = if expects { &["--expect", "review"] } else { &[] };
        let back = ["rollback", &run, "--to", "draft", "--reason", "no"];
        let calls = [
            call(&repo, "ann", round, &[&["advance", run.as_str()], expected].concat()),
            call(&repo, "bob", round, &[&back[..], expected].concat()),
        ];
        let outputs = race(&repo, &calls);
        let done = [0, 1].map(|at: usize| outputs[at].code == exit::DONE);
        let phase = repo.phase_of(&run);
        let won = winners(&outputs);
        match (done, phase.as_str()) {
            ([false, true], "draft") | ([true, false], "ship") => assert_eq!(won, 1),
            // One saw what the other had done.
            ([true, true], "draft" | "review") if !expects => {}
            other => panic!("round {round}: {other:?} {outputs:#?}"),
        }
        if round < REPLAYED_EACH || round.is_multiple_of(REPLAYED_EACH) {
            let replayed = repo.run_json("replay", &run, &super::NONE);
            assert_eq!(replayed["same"], true, "round {round}: {replayed:#}");
        }
        let update = [dispatch.as_str(), "--status", "completed"];
        let is_cancelled = repo.run("dispatch update", &run, &update).code == exit::NO;
        let was_given_up = done[1];
        assert_eq!(is_cancelled, was_given_up, "a dispatch goes with its phase and never alone");
        let wanted = PHASES.split(',').position(|name| name == phase).unwrap();
        match wanted {
            0 => repo.advance(&run, 1),
            1 => {}
            _ => {
                let back = ["--to", "review", "--reason", "next round"];
                repo.run("rollback", &run, &back).done();
            }
        }
    }
    repo.replays(&run);
}

/// 4/INV-1, 4/F7: who says nothing of a phase means the one that they see, and the entry says so.
#[test]
fn what_was_seen_is_recorded_as_expected() {
    let repo = Repo::new();
    let run = repo.create_run(&[]);
    let recorded = || repo.git(["log", "-1", "--format=%B", RUNS_REF]);
    repo.advance(&run, 1);
    assert!(recorded().contains("\"expect\":\"draft\""), "{}", recorded());
    repo.run("rollback", &run, &["--to", "draft", "--reason", "no"]).done();
    assert!(recorded().contains("\"expect\":\"review\""), "{}", recorded());
}

/// 7/ROLLBACK-TWICE: two rollbacks at once are one act.
#[test]
fn two_rollbacks_at_once_are_one() {
    let repo = Repo::new();
    for round in 0..rounds().div_ceil(5) {
        let run = repo.create_run(&[]);
        repo.advance(&run, 2);
        let back = ["rollback", &run, "--to", "draft", "--reason", "no"];
        let rival = |number: usize| call(&repo, &format!("agent-{number}"), round, &back);
        let outputs = race(&repo, &(0..RIVALS).map(rival).collect::<Vec<_>>());
        for output in outputs {
            output.done();
        }
        assert_eq!(repo.run_events(&run, "run_rolled_back").len(), 1);
        repo.run("cancel", &run, &["--reason", "next"]).done();
    }
}

/// 7/TERMINAL: a rollback and the end of a dispatch at once leave one end, and the other is told.
#[test]
fn a_dispatch_ends_once() {
    let repo = Repo::new();
    for round in 0..rounds().div_ceil(5) {
        let run = repo.create_run(&[]);
        repo.advance(&run, 1);
        let dispatch = super::id(&repo.run_json("dispatch add", &run, &super::NONE), "dispatch");
        let calls = [
            call(
                &repo,
                "bob",
                round,
                &["dispatch", "update", &run, &dispatch, "--status", "completed"],
            ),
            call(&repo, "ann", round, &["rollback", &run, "--to", "draft", "--reason", "no"]),
        ];
        let outputs = race(&repo, &calls);
        outputs[1].clone().done();
        let listed = repo.run_json("dispatch list", &run, &["--all"]);
        let status = listed["dispatches"][0]["status"].as_str().unwrap();
        let expected = if outputs[0].code == exit::DONE { "completed" } else { "cancelled" };
        assert_eq!(status, expected, "{outputs:#?}");
        repo.replays(&run);
        repo.run("cancel", &run, &["--reason", "next"]).done();
    }
}

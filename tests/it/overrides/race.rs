//! Many processes at once, and a writer among readers.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::{applied_records, apply, document, done, is_whole, listed, open_canaries, paths};
use crate::support::contract::key;
use crate::support::{Call, Output, Repo, race, rounds};

const RIVALS: usize = 8;

fn calls(repo: &Repo, round: usize, words: impl Fn(usize) -> Vec<String>) -> Vec<Call> {
    let queue = if round.is_multiple_of(2) { "true" } else { "false" };
    let call = |number: usize| {
        let call = repo.call(&format!("agent-{number}")).config(key::QUEUE, queue);
        call.config(key::WAIT, "1m").args(["override"]).args(words(number))
    };
    (0..RIVALS).map(call).collect()
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn all_done(outputs: &[Output]) {
    assert!(outputs.iter().all(|output| output.code == 0), "{outputs:#?}");
}

/// 0/RACE-01-same-agent, 0/RACE-02: N processes that apply one agent leave one override, one
/// record and one trial; the losers are told, with exit code 0, and nothing is written twice.
#[test]
fn one_of_many_applies_an_agent() {
    let repo = Repo::new();
    for round in 0..rounds().div_ceil(5) {
        let agent = format!("fd-{round}");
        let apply = words(&["apply", &agent, "--reason", "wrong here"]);
        let outputs = race(&repo, &calls(&repo, round, |_| apply.clone()));
        all_done(&outputs);
        let losers =
            outputs.iter().filter(|o| o.stdout.contains("already applied by another session"));
        assert_eq!(losers.count(), RIVALS - 1, "{outputs:#?}");
        assert_eq!(paths(&repo, &format!("modifications/{agent}/")).len(), 1);
        assert_eq!((applied_records(&repo, &agent), open_canaries(&repo, &agent)), (1, 1));
    }
    is_whole(&repo);
}

/// 0/RACE-01-two-agents: N processes that apply N agents leave N; none is lost.
#[test]
fn many_apply_many_agents() {
    let repo = Repo::new();
    for round in 0..rounds().div_ceil(10) {
        let name = |number: usize| format!("fd-{round}-{number}");
        let apply = |number: usize| words(&["apply", &name(number), "--reason", "x"]);
        all_done(&race(&repo, &calls(&repo, round, apply)));
        for number in 0..RIVALS {
            let agent = name(number);
            assert!(document(&repo, &format!("overrides/{agent}.json")).is_some(), "{agent}");
            assert_eq!((applied_records(&repo, &agent), open_canaries(&repo, &agent)), (1, 1));
        }
    }
    is_whole(&repo);
}

/// 0/DATA-03: concurrent reverts with a block leave one block with one reason.
#[test]
fn many_revert_and_block_one_agent() {
    let repo = Repo::new();
    for round in 0..rounds().div_ceil(10) {
        let agent = format!("fd-{round}");
        apply(&repo, "ann", &agent);
        let reason = |number: usize| format!("reason {number}");
        let revert =
            |number: usize| words(&["revert", &agent, "--block", "--reason", &reason(number)]);
        all_done(&race(&repo, &calls(&repo, round, revert)));
        let block = document(&repo, &format!("blocked/{agent}.json")).unwrap();
        let possible: Vec<String> = (0..RIVALS).map(reason).collect();
        assert!(possible.contains(&block["reason"].as_str().unwrap().to_owned()));
        assert_eq!(block["reason"].as_str().unwrap().replace("reason ", "agent-"), block["by"]);
    }
    assert!(listed(&repo).is_empty());
    is_whole(&repo);
}

/// 0/RACE-02, 0/DATA-04-inside: between what was shown and what was decided the state is looked at
/// again. Whoever approves, applies, blocks and reverts at once, the ledger is whole after every
/// one of them, and `verify` decides every entry again on the very state that it replaced.
#[test]
fn contrary_acts_leave_a_whole_ledger() {
    let repo = Repo::new();
    for round in 0..rounds().div_ceil(5) {
        let agent = format!("fd-{}", round % 3);
        let deed = |number: usize| match number % 6 {
            4 => words(&["block", &agent, "--reason", "x"]),
            5 => words(&["unblock", &agent]),
            0 => words(&["propose", &agent, "--reason", "x"]),
            1 => words(&["apply", &agent, "--reason", &format!("reason {number}")]),
            2 => words(&["revert", &agent]),
            _ => words(&["approve", &agent]),
        };
        for output in race(&repo, &calls(&repo, round, deed)) {
            // Nothing to approve, or taken back between looking and writing: both are answers.
            assert!([0, 1, 4].contains(&output.code), "{output:#?}");
        }
        is_whole(&repo);
        assert!(applied_records(&repo, &agent) <= 1 && open_canaries(&repo, &agent) <= 1);
    }
}

/// 1c.6: rows of one session, added by many processes at once, have a number each.
#[test]
fn rows_of_a_session_are_numbered_without_gaps() {
    let repo = Repo::new();
    for round in 0..3 {
        let add = words(&["evidence", "add", "fd-style", "--event", "override", "--session", "s"]);
        all_done(&race(&repo, &calls(&repo, round, |_| add.clone())));
    }
    let rows = done(&repo, "ops", &["evidence", "list"])["evidence"].clone();
    let mut numbers: Vec<u64> =
        rows.as_array().unwrap().iter().map(|row| row["seq"].as_u64().unwrap()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=3 * RIVALS as u64).collect::<Vec<_>>());
}

/// 0/IMP-2, 0/RACE-02: readers beside a writer never fail, and see whole states only.
#[test]
fn readers_never_fail_beside_a_writer() {
    let repo = Repo::new();
    apply(&repo, "ann", "fd-style");
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    let mut count = 0;
                    while !is_over.load(Ordering::SeqCst) {
                        let call = repo.call("reader").args(["--json", "route", "fd-style", "a"]);
                        let routed = call.run_unproven().done().json();
                        let left = routed["agents"].as_array().unwrap().len();
                        let out = routed["excluded"].as_array().unwrap();
                        assert_eq!(left + out.len(), 2, "{routed:#}");
                        for gone in out {
                            assert!(gone["entry"].is_string(), "{routed:#}");
                        }
                        count += 1;
                    }
                    count
                })
            })
            .collect();
        for round in 0..rounds().min(40) {
            let verb = if round.is_multiple_of(2) { "revert" } else { "apply" };
            let more: &[&str] = if verb == "apply" { &["--reason", "x"] } else { &[] };
            let call = repo.call("ann").config(key::FSYNC, "false");
            call.args(["override", verb, "fd-style"]).args(more).run_unproven().done();
        }
        std::thread::sleep(Duration::from_millis(50));
        is_over.store(true, Ordering::SeqCst);
        for reader in readers {
            assert!(reader.join().unwrap() > 0, "every reader read");
        }
    });
    is_whole(&repo);
}

/// 7/MESSAGES: a command of the user's that hangs holds up its caller, and nobody else: no lock is
/// held while it runs.
#[test]
fn a_roster_that_hangs_holds_no_lock() {
    let repo = Repo::new();
    let slow = repo.call("ann").config("coord.roster", "!sleep 60");
    let slow = slow.args(["override", "apply", "fd-style", "--reason", "x"]);
    let child = slow.command().spawn().unwrap();
    while super::tip(&repo).is_empty() {
        std::thread::sleep(Duration::from_millis(10));
    }
    // Were the lock held until the roster is given up, this one would be busy.
    let other = repo.call("bob").config(key::WAIT, "2s");
    other.args(["override", "apply", "fd-perf", "--reason", "x"]).run_unproven().done();
    slow.finish(child).done().says("took longer");
    is_whole(&repo);
}

/// 0/IMP-3: contention that outlasts `coord.wait` is "busy", and nothing was written.
#[test]
fn a_locked_ledger_is_busy() {
    let repo = Repo::new();
    apply(&repo, "ann", "fd-style");
    let before = super::tip(&repo);
    let lock = repo.git_dir().join(format!("{}.lock", super::OVERRIDES_REF));
    std::fs::write(&lock, "").unwrap();
    let impatient = repo.call("bob").config(key::WAIT, "1s");
    let busy = impatient.args(["override", "apply", "fd-perf", "--reason", "x"]).run();
    busy.exits(crate::support::contract::exit::BUSY).says("try again");
    repo.coord("bob", ["route", "fd-style"]).done();
    std::fs::remove_file(lock).unwrap();
    assert_eq!(super::tip(&repo), before);
}

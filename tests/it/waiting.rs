//! `reserve --wait`: waiters get the target in their order, once each, and dead ones block nobody.

use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::support::contract::{LOCAL_DIR, event, exit, refusal};
use crate::support::untouched::Untouched;
use crate::support::{Call, Output, Repo, texts};

/// Long enough for every test, and never waited for.
const LONG: &str = "10m";
/// The time after which a test that waits in vain fails.
const LOST: Duration = Duration::from_secs(120);

/// A process that waits.
pub(crate) struct Waiting {
    call: Call,
    child: Child,
}

impl Waiting {
    /// Starts a wait and returns once it has its ticket.
    pub(crate) fn begin(repo: &Repo, agent: &str, args: &[&str]) -> Waiting {
        let call = repo.call(agent).args(["reserve", "--json", "--wait", LONG]).args(args);
        let child = call.command().spawn().unwrap();
        until(|| waiters(repo).contains(&agent.to_owned()));
        Waiting { call, child }
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(i32::try_from(self.child.id()).unwrap()).unwrap();
        kill_process(pid, signal).unwrap();
    }

    pub(crate) fn finish(self) -> Output {
        self.call.finish(self.child)
    }

    pub(crate) fn kill(self) {
        self.signal(Signal::KILL);
        self.child.wait_with_output().unwrap();
    }
}

/// Waits until a condition holds.
#[track_caller]
pub(crate) fn until(mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < LOST, "it never comes to that");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Lists the waiting agents, the first in line first.
pub(crate) fn waiters(repo: &Repo) -> Vec<String> {
    match repo.call("lister").args(["list", "--json"]).run_unproven().json().get("waiting") {
        Some(waiting) => texts(waiting, "agent"),
        None => Vec::new(),
    }
}

/// Fails unless nobody waits and no file of a waiter is left.
#[track_caller]
pub(crate) fn nothing_is_left(repo: &Repo) {
    assert_eq!(waiters(repo), [""; 0]);
    let tickets = repo.documents().into_iter().filter(|path| path.starts_with("tickets/"));
    assert_eq!(tickets.collect::<Vec<_>>(), [""; 0]);
    let files = std::fs::read_dir(repo.git_dir().join(LOCAL_DIR).join("waiters"));
    let names: Vec<_> = files.into_iter().flatten().map(|it| it.unwrap().file_name()).collect();
    assert_eq!(names, [""; 0]);
    repo.coord("ops", ["ledger", "verify"]).done();
}

fn release(repo: &Repo, agent: &str) {
    repo.coord(agent, ["release", "--mine"]).done();
}

#[test]
fn each_gets_it_once_and_in_order() {
    const WAITERS: usize = 5;
    let repo = Repo::new();
    let before = Untouched::of(repo.world());
    repo.reserve_with("first", &["--lock", "port"]);
    let name = |number: usize| format!("agent-{number}");
    let waiting: Vec<Waiting> = (0..WAITERS)
        .map(|number| Waiting::begin(&repo, &name(number), &["--lock", "port"]))
        .collect();
    assert_eq!(waiters(&repo), (0..WAITERS).map(name).collect::<Vec<_>>());
    repo.coord("ops", ["status"]).done().says("'agent-0' waits for lock 'port' until");
    release(&repo, "first");
    for (number, one) in waiting.into_iter().enumerate() {
        let granted = one.finish().done().json();
        assert_eq!(texts(&granted["granted"], "holder"), [name(number)]);
        assert_eq!(waiters(&repo), (number + 1..WAITERS).map(name).collect::<Vec<_>>());
        release(&repo, &name(number));
    }
    nothing_is_left(&repo);
    assert_eq!(repo.events(event::GRANTED).len(), WAITERS + 1);
    before.assert_still_so("waiting");
}

#[test]
fn what_is_free_is_not_waited_for() {
    let repo = Repo::new();
    let granted = repo.reserve_with("alice", &["src", "--wait", LONG]);
    assert_eq!(granted["pattern"], "src");
    assert_eq!(repo.entry_count(), 1);
    repo.reserve_with("alice", &["src/main.rs", "--wait", LONG]);
}

/// The last look is after the deadline; then the answer is no, and nothing is left.
#[test]
fn time_is_up() {
    let repo = Repo::new();
    repo.reserve("alice", "src");
    let wait = ["reserve", "src/main.rs", "--wait", "1s"];
    let refused = repo.coord_json("bob", wait).refused(refusal::HELD);
    assert_eq!(refused["conflicts"][0]["held"]["holder"], "alice");
    nothing_is_left(&repo);
    assert_eq!(repo.events("wait_over")[0]["data"]["why"], "gave_up");
    repo.coord("bob", wait).exits(exit::NO).says("waiting: 'src/main.rs' is held by 'alice'");
}

/// What ends by time is seen without anybody writing.
#[test]
fn a_hold_that_runs_out_ends_the_wait() {
    let repo = Repo::new();
    repo.reserve_with("alice", &["src", "--ttl", "2s"]);
    let granted = repo.reserve_with("bob", &["src", "--wait", LONG]);
    assert_eq!(granted["holder"], "bob");
    assert_eq!(repo.events(event::EXPIRED).len(), 1);
}

/// Who does not move keeps nobody from what is free: it is passed over, and once it goes on it
/// stands in line again.
#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "elsewhere it takes a quarter of a minute")]
fn a_stopped_waiter_is_passed_over() {
    let repo = Repo::new();
    repo.reserve_with("alice", &["--lock", "port"]);
    let bob = Waiting::begin(&repo, "bob", &["--lock", "port"]);
    let carol = Waiting::begin(&repo, "carol", &["--lock", "port"]);
    bob.signal(Signal::STOP);
    assert_eq!(waiters(&repo), ["bob", "carol"]);
    release(&repo, "alice");
    carol.finish().done();
    bob.signal(Signal::CONT);
    until(|| waiters(&repo) == ["bob"]);
    release(&repo, "carol");
    bob.finish().done();
    release(&repo, "bob");
    nothing_is_left(&repo);
    assert_eq!(repo.events(event::GRANTED).len(), 3);
}

/// 3/GOROUTINE-stop: a signal ends the wait at once and leaves nothing behind.
#[test]
fn signals_end_it_and_leave_nothing() {
    let repo = Repo::new();
    repo.reserve("alice", "src");
    for signal in [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT] {
        let before = Untouched::of(repo.world());
        let waiting = Waiting::begin(&repo, "bob", &["src"]);
        waiting.signal(signal);
        let output = waiting.finish().exits(128 + signal.as_raw());
        assert_eq!(output.json()["error"]["kind"], "interrupted");
        nothing_is_left(&repo);
        before.assert_still_so("a wait that was interrupted");
    }
}

/// A reserve without `--wait` is not held up by those who wait; one with it is.
#[test]
fn only_those_who_wait_stand_in_line() {
    let repo = Repo::new();
    repo.reserve_with("alice", &["src", "--shared"]);
    let bob = Waiting::begin(&repo, "bob", &["src/main.rs"]);
    let patient = ["reserve", "src", "--shared", "--wait", "1s"];
    let refused = repo.coord_json("carol", patient).refused(refusal::HELD);
    assert_eq!(texts(&refused["before"], "agent"), ["bob"]);
    assert_eq!(refused["conflicts"], Value::Array(Vec::new()));
    repo.coord("carol", patient).exits(exit::NO).says("1 before you, the first of them 'bob'");
    repo.coord("carol", ["reserve", "docs", "--shared", "--wait", "1s"]).done();
    repo.reserve_with("carol", &["src", "--shared"]);
    for agent in ["alice", "carol"] {
        release(&repo, agent);
    }
    bob.finish().done();
    nothing_is_left(&repo);
}

/// One who was killed stands in nobody's way, whether it was the first in line or not.
#[test]
fn the_killed_are_passed_over() {
    let repo = Repo::new();
    repo.reserve("alice", "src");
    let first = Waiting::begin(&repo, "bob", &["src"]);
    let second = Waiting::begin(&repo, "carol", &["src"]);
    let third = Waiting::begin(&repo, "dora", &["src"]);
    first.kill();
    second.kill();
    // A write to another ledger removes no files of a waiter whose ticket still exists.
    repo.coord("eve", ["run", "create", "--goal", "something else"]).done();
    assert_eq!(waiters(&repo), ["dora"]);
    release(&repo, "alice");
    third.finish().done();
    nothing_is_left(&repo);
    let why: Vec<Value> =
        repo.events("wait_over").iter().map(|event| event["data"]["why"].clone()).collect();
    assert_eq!(why, ["gone", "gone", "granted"]);
}

/// Of a waiter elsewhere nothing is known but when it stops.
#[test]
fn a_waiter_of_another_host_counts_until_its_time_is_up() {
    let repo = Repo::new();
    repo.reserve_with("alice", &["src", "--shared", "--ttl", "1h"]);
    let bob = Waiting::begin(&repo, "bob", &["src"]);
    bob.kill();
    std::fs::remove_dir_all(repo.git_dir().join(LOCAL_DIR).join("waiters")).unwrap();
    assert_eq!(waiters(&repo), ["bob"]);
    repo.pass("4m");
    let patient = ["reserve", "src", "--shared", "--wait", "1s"];
    repo.coord("carol", patient).exits(exit::NO);
    repo.pass("2m");
    repo.coord("carol", patient).done();
    nothing_is_left(&repo);
}

/// Two who would wait for each other: the second is refused and told why.
#[test]
fn a_circle_is_refused() {
    let repo = Repo::new();
    repo.reserve_with("alice", &["--lock", "a"]);
    repo.reserve_with("bob", &["--lock", "b"]);
    let alice = Waiting::begin(&repo, "alice", &["--lock", "b"]);
    let words = ["reserve", "--lock", "a", "--wait", LONG];
    let refused = repo.coord_json("bob", words).refused(refusal::DEADLOCK);
    let circle = &refused["refusal"]["circle"];
    assert_eq!(texts(circle, "agent"), ["bob", "alice"]);
    assert_eq!(texts(circle, "waits_for"), ["alice", "bob"]);
    assert_eq!(texts(circle, "lock"), ["a", "b"]);
    repo.coord("bob", words).exits(exit::NO).says("'bob' waits for 'lock a' of 'alice'");
    assert_eq!(waiters(&repo), ["alice"]);
    release(&repo, "bob");
    alice.finish().done();
    nothing_is_left(&repo);
}

/// The same over a third one, and over one who is only before another in line.
#[test]
fn a_circle_over_others_is_refused() {
    let repo = Repo::new();
    for (agent, path) in [("alice", "a"), ("bob", "b"), ("carol", "c")] {
        repo.reserve(agent, path);
    }
    let alice = Waiting::begin(&repo, "alice", &["b", "d"]);
    let bob = Waiting::begin(&repo, "bob", &["c"]);
    let words = ["reserve", "a", "--wait", LONG];
    let refused = repo.coord_json("carol", words).refused(refusal::DEADLOCK);
    assert_eq!(texts(&refused["refusal"]["circle"], "agent"), ["carol", "alice", "bob"]);
    // Nobody holds 'd', but alice is before all who wait for it.
    let words = ["reserve", "d", "--wait", LONG];
    let refused = repo.coord_json("carol", words).refused(refusal::DEADLOCK);
    assert_eq!(texts(&refused["refusal"]["circle"], "pattern"), ["d", "b", "c"]);
    repo.reserve("carol", "d");
    release(&repo, "carol");
    bob.finish().done();
    release(&repo, "bob");
    alice.finish().done();
}

/// A repeated request is answered without a wait.
#[test]
fn a_request_is_answered_once() {
    let repo = Repo::new();
    let request = ["src", "--request-id", "r1", "--wait", LONG];
    let first = repo.reserve_with("alice", &request);
    repo.pass("1m");
    assert_eq!(repo.reserve_with("alice", &request)["id"], first["id"]);
    assert_eq!(repo.entry_count(), 1);
}

#[test]
fn no_sensible_time_is_wrong_usage() {
    let repo = Repo::new();
    for bad in ["0s", "-1s", "25h", "x", ""] {
        repo.coord("alice", ["reserve", "src", "--wait", bad]).exits(exit::USAGE);
    }
    repo.coord("alice", ["reserve", "src", "--wait", "1s", "--each"]).exits(exit::USAGE);
}

/// A rollback takes nobody's place in line and brings none back.
#[test]
fn a_rollback_leaves_the_line_alone() {
    let repo = Repo::new();
    repo.reserve_with("alice", &["src", "--ttl", "1h"]);
    let before = repo.tip();
    let bob = Waiting::begin(&repo, "bob", &["src"]);
    repo.reserve("carol", "docs");
    let waiting = repo.tip();
    let back = |to: &str| {
        repo.coord("ops", ["ledger", "rollback", "reservations", "--to", to, "--reason", "x"])
            .done()
    };
    back(&before);
    assert_eq!(waiters(&repo), ["bob"]);
    release(&repo, "alice");
    bob.finish().done();
    back(&waiting);
    nothing_is_left(&repo);
}

/// A ticket that cannot be read is named and stops nobody, those who wait included; a rollback
/// removes it.
#[test]
fn a_damaged_ticket_is_named_and_passed_over() {
    let repo = Repo::new();
    repo.reserve_with("alice", &["src", "--ttl", "1h"]);
    let before = repo.tip();
    let bob = Waiting::begin(&repo, "bob", &["src"]);
    let ticket = repo.documents().into_iter().find(|path| path.starts_with("tickets/")).unwrap();
    bob.kill();
    repo.overwrite(std::slice::from_ref(&ticket), "{ no json");
    for words in ["list", "status"] {
        assert_eq!(repo.json("carol", [words])["damaged"][0]["key"], ticket.as_str(), "{words}");
        repo.coord("carol", [words]).done().says(&format!("damaged: {ticket}"));
    }
    let patient = ["src", "--wait", "1s"];
    repo.coord_json("carol", ["reserve"].iter().chain(&patient)).refused(refusal::HELD);
    repo.coord("carol", ["with", "docs/x", "--wait", "1s", "--", "true"]).done();
    let carol = Waiting::begin(&repo, "carol", &["src"]);
    repo.coord("ops", ["ledger", "verify"]).exits(exit::NO).says(&ticket);
    release(&repo, "alice");
    carol.finish().done();
    let back = ["ledger", "rollback", "reservations", "--to", &before, "--reason", "damage"];
    repo.coord("ops", back).done();
    let is_ticket = |path: &String| path.starts_with("tickets/");
    assert!(!repo.documents().iter().any(is_ticket));
    repo.coord("carol", ["reserve", "docs/new", "--wait", "1s"]).done();
}

/// One whose own ticket is damaged takes a new one and waits on.
#[test]
fn who_waits_with_a_damaged_ticket_waits_on() {
    let repo = Repo::new();
    repo.reserve("alice", "src");
    let bob = Waiting::begin(&repo, "bob", &["src"]);
    let ticket = repo.documents().into_iter().find(|path| path.starts_with("tickets/")).unwrap();
    repo.overwrite(std::slice::from_ref(&ticket), "[]");
    until(|| waiters(&repo) == ["bob"]);
    release(&repo, "alice");
    bob.finish().done();
    assert_eq!(waiters(&repo), [""; 0]);
    assert!(!repo.documents().contains(&ticket));
}

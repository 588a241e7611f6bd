//! Processes that are stopped in the middle of a write, as by Ctrl-Z, a paused container or a disk
//! that does not answer: others continue where they can, nobody takes their locks, and once they
//! continue themselves, nothing is written twice and no acknowledged entry is missing.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

use crate::group_commit::pending_requests;
use crate::support::contract::{LOCAL_DIR, RESERVATIONS, RESERVATIONS_REF, event, exit, key};
use crate::support::{Call, Output, Repo, rounds};
use crate::waiting::until;

/// Stops at the front of the queue, before the ref is locked.
const BEFORE_THE_LOCK: &str = "Link@refs/coord/reservations.lock:stop";
/// Stops at the front of the queue, before requests of others are claimed.
const BEFORE_REQUESTS: &str = "List@coord/errands:stop";
/// Stops with the ref's lock, before its last check.
const BEFORE_THE_LOOK: &str = "Read@refs/coord/reservations.lock:stop";
/// Stops with the ref's lock, after that check.
const BEFORE_THE_MOVE: &str = "Rename@refs/coord/reservations:stop";
/// The message to a process whose request another process may write.
const NOT_KNOWN: &str = "has taken this request on";

/// A process that stops itself, or is stopped.
pub(super) struct Frozen {
    call: Call,
    child: Child,
}

impl Frozen {
    fn start(call: Call) -> Frozen {
        let child = call.command().spawn().unwrap();
        Frozen { call, child }
    }

    /// Starts a process that stops itself, and waits until it has.
    #[track_caller]
    pub(super) fn at(call: Call, faults: &[&str]) -> Frozen {
        let frozen = Frozen::start(call.env("GIT_COORD_FAULT", faults.join(",")));
        frozen.has_stopped();
        frozen
    }

    fn pid(&self) -> Pid {
        Pid::from_raw(i32::try_from(self.child.id()).unwrap()).unwrap()
    }

    #[track_caller]
    fn has_stopped(&self) {
        let (_, status) = waitpid(Some(self.pid()), WaitOptions::UNTRACED).unwrap().unwrap();
        assert!(status.stopped(), "it was to stop: {status:?}");
    }

    fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }

    /// Tells whether the process has not ended. One that has cannot get signals any more.
    fn runs(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    pub(super) fn goes_on(self) -> Output {
        self.signal(Signal::CONT);
        self.finish()
    }

    fn finish(self) -> Output {
        self.call.finish(self.child)
    }
}

fn prepared() -> Repo {
    let repo = Repo::new();
    repo.reserve("zoe", "README.md");
    repo
}

fn reserve(repo: &Repo, agent: &str, wait: &str) -> Call {
    repo.call(agent).config(key::WAIT, wait).args(["reserve", &format!("src/{agent}")])
}

fn held(repo: &Repo, agent: &str) -> usize {
    repo.list(&["--holder", agent]).len()
}

fn lock(repo: &Repo) -> PathBuf {
    repo.git_dir().join(format!("{RESERVATIONS_REF}.lock"))
}

/// Removes the files of the queue. That loses no state.
fn lose_the_queue(repo: &Repo) {
    fs::remove_dir_all(repo.git_dir().join(LOCAL_DIR).join("locks")).ok();
}

#[track_caller]
fn is_whole(repo: &Repo) {
    repo.coord("ops", ["ledger", "verify", RESERVATIONS]).done();
}

/// 8/NO-HARM: whoever has the ref's lock and lives has it, however long it does not move. Who waits
/// in vain is told which process it is, and that it is stopped.
#[test]
fn a_lock_is_not_taken_from_the_living() {
    let repo = prepared();
    let alice = Frozen::at(reserve(&repo, "alice", "1m"), &[BEFORE_THE_MOVE]);
    lose_the_queue(&repo);
    let pid = alice.child.id();
    let busy = reserve(&repo, "bob", "12s").run().exits(exit::BUSY);
    busy.says("reservations.lock' was there").says(&format!("process {pid} has it"));
    if cfg!(target_os = "linux") {
        busy.says("and is stopped");
    }
    let doctor = repo.call("ops").args(["doctor", "--repair"]).run();
    doctor.says("stays").says(&format!("process {pid} has it"));
    alice.goes_on().done();
    reserve(&repo, "bob", "1m").run().done();
    assert_eq!((held(&repo, "alice"), held(&repo, "bob")), (1, 1));
    is_whole(&repo);
}

/// A git that has prepared to move the ref and waits for the word. It has the ref's lock by its
/// name alone: no descriptor of it is open.
struct FrozenGit(Child);

impl FrozenGit {
    #[track_caller]
    fn at(repo: &Repo, update: &str) -> FrozenGit {
        let mut command = repo.git_call(["update-ref", "--stdin"]).command();
        let mut git = FrozenGit(command.stdin(Stdio::piped()).spawn().unwrap());
        git.hears(&format!("start\n{update}\nprepare\n"));
        let said = BufReader::new(git.0.stdout.as_mut().unwrap()).lines();
        let said: Vec<String> = said.take(2).map(Result::unwrap).collect();
        assert_eq!(said, ["start: ok", "prepare: ok"]);
        assert!(lock(repo).exists());
        git
    }

    fn hears(&mut self, lines: &str) {
        self.0.stdin.as_mut().unwrap().write_all(lines.as_bytes()).unwrap();
    }

    #[track_caller]
    fn commits(mut self) {
        self.hears("commit\n");
        assert!(self.0.wait_with_output().unwrap().status.success());
    }
}

/// Writes an entry in a copy, and fetches it as git does. Returns its name.
fn fetched_from_a_copy(repo: &Repo) -> String {
    let copy = repo.copy();
    copy.reserve("alice", "src/alice");
    let from = copy.git_dir();
    repo.git(["fetch", "--quiet", from.to_str().unwrap(), RESERVATIONS_REF]);
    copy.tip()
}

#[track_caller]
fn a_lock_is_not_taken_from_git(repo: &Repo, update: &str, tip: &str) {
    let git = FrozenGit::at(repo, update);
    let busy = reserve(repo, "bob", "12s").run().exits(exit::BUSY);
    assert!(lock(repo).exists(), "the lock is git's");
    busy.says("reservations.lock' was there").says("if no git process works in this repository");
    busy.says("git coord doctor --repair");
    if cfg!(target_os = "linux") {
        let pid = git.0.id();
        let doctor = repo.call("ops").args(["doctor", "--repair"]).run();
        doctor
            .says("stays")
            .says(&format!("process {pid} (git) may be at work in this repository"));
        assert!(lock(repo).exists(), "it stays");
    }
    git.commits();
    assert_eq!(repo.tip(), tip, "git's value stands");
    reserve(repo, "bob", "1m").run().done();
    assert_eq!((held(repo, "alice"), held(repo, "bob")), (1, 1));
    is_whole(repo);
}

/// 8/NO-HARM: a git that is frozen with the ref's lock would go on as if it had it. So no writer
/// takes it, however old it is, and what git writes then is what others build on.
#[test]
fn a_lock_is_not_taken_from_a_git_that_moves_the_ref() {
    let repo = prepared();
    let (old, new) = (repo.tip(), fetched_from_a_copy(&repo));
    a_lock_is_not_taken_from_git(&repo, &format!("update {RESERVATIONS_REF} {new} {old}"), &new);
}

/// 8/NO-HARM: the same, where git is about to make the ref.
#[test]
fn a_lock_is_not_taken_from_a_git_that_makes_the_ref() {
    let repo = Repo::new();
    let new = fetched_from_a_copy(&repo);
    a_lock_is_not_taken_from_git(&repo, &format!("create {RESERVATIONS_REF} {new}"), &new);
}

/// 1/C1: whoever's lock was taken all the same, by hand or by an older version, is not told that it
/// is done, and does not move the ref to what a third one's lock says.
#[test]
fn who_has_lost_its_lock_is_not_done() {
    let repo = prepared();
    let alice = Frozen::at(reserve(&repo, "alice", "1s"), &[BEFORE_THE_LOOK]);
    lose_the_queue(&repo);
    fs::remove_file(lock(&repo)).unwrap();
    reserve(&repo, "bob", "1m").run().done();
    let tip = repo.tip();
    let of_a_third = format!("{}\n", repo.git(["rev-parse", "HEAD"]));
    fs::write(lock(&repo), &of_a_third).unwrap();
    // Its time is over by then.
    thread::sleep(Duration::from_secs(1));
    alice.goes_on().exits(exit::BUSY);
    assert_eq!(fs::read_to_string(lock(&repo)).unwrap(), of_a_third, "it is the third one's");
    assert_eq!(repo.tip(), tip);
    fs::remove_file(lock(&repo)).unwrap();
    assert_eq!((held(&repo, "alice"), held(&repo, "bob")), (0, 1));
    reserve(&repo, "alice", "1m").run().done();
    assert_eq!(held(&repo, "alice"), 1);
    is_whole(&repo);
}

/// 0/IMP-2: the queue is there for speed. Who has it and does not move makes nobody busy, and finds
/// when it goes on that others have moved the ref.
#[test]
fn a_stopped_one_at_the_front_makes_nobody_busy() {
    let repo = prepared();
    let alice = Frozen::at(reserve(&repo, "alice", "1m"), &[BEFORE_THE_LOCK]);
    for agent in ["bob", "carol"] {
        reserve(&repo, agent, "8s").run().done();
    }
    alice.goes_on().done();
    for agent in ["alice", "bob", "carol"] {
        assert_eq!(held(&repo, agent), 1, "{agent}");
    }
    assert_eq!(repo.events(event::GRANTED).len(), 4);
    is_whole(&repo);
}

/// Stops alice once at the front of the queue and once with bob's claimed request. Returns both in
/// that state.
#[track_caller]
fn with_a_request_taken(repo: &Repo, alice: Call, bob: Call) -> (Frozen, Frozen) {
    let alice = Frozen::at(alice, &[BEFORE_REQUESTS, BEFORE_THE_LOCK]);
    let bob = Frozen::start(bob);
    // It is locked before it is written: who sees it earlier takes its owner for dead.
    let is_written = |path: &PathBuf| fs::metadata(path).is_ok_and(|found| found.len() > 0);
    until(|| pending_requests(repo).iter().any(is_written));
    alice.signal(Signal::CONT);
    alice.has_stopped();
    assert!(pending_requests(repo).is_empty(), "it was taken on");
    (alice, bob)
}

/// 1/C1: what a stopped process has taken on is done by its owner, and once.
#[test]
fn what_a_stopped_one_has_taken_on_is_done_once() {
    let repo = prepared();
    let calls = (reserve(&repo, "alice", "1m"), reserve(&repo, "bob", "8s"));
    let (alice, bob) = with_a_request_taken(&repo, calls.0, calls.1);
    bob.finish().done();
    assert_eq!(held(&repo, "bob"), 1);
    alice.goes_on().done();
    assert_eq!((held(&repo, "alice"), held(&repo, "bob")), (1, 1));
    assert_eq!(repo.events(event::GRANTED).len(), 3, "each once");
    is_whole(&repo);
}

/// 1/C1: a no is no last word while another may still come to a yes: it decides on what it is
/// about to write itself.
#[test]
fn a_no_is_not_known_while_another_may_say_yes() {
    let repo = prepared();
    repo.reserve("alice", "src/bob");
    let release = repo.call("alice").config(key::WAIT, "1m").args(["release", "--mine"]);
    let (alice, bob) = with_a_request_taken(&repo, release, reserve(&repo, "bob", "8s"));
    bob.finish().exits(exit::FAILURE).says(NOT_KNOWN);
    alice.goes_on().done();
    assert_eq!((held(&repo, "alice"), held(&repo, "bob")), (0, 1));
    is_whole(&repo);
}

/// Lists the names of the packs of a repository.
fn packs(repo: &Repo) -> Vec<String> {
    let files = fs::read_dir(repo.git_dir().join("objects/pack")).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    names.filter_map(|name| name.strip_suffix(".pack").map(str::to_owned)).collect()
}

/// Whoever decided on what is not the newest any more leaves nothing behind that git could have
/// seen.
#[test]
fn a_try_that_is_lost_before_its_pack_appears_leaves_no_pack() {
    let repo = prepared();
    let call = |agent| reserve(&repo, agent, "1m").config(key::QUEUE, "false");
    let alice = Frozen::at(call("alice"), &["Write@.idx:stop"]);
    call("bob").run().done();
    alice.goes_on().done();
    assert_eq!((held(&repo, "alice"), held(&repo, "bob")), (1, 1));
    assert_eq!(packs(&repo).len(), 3, "one for each entry");
    assert_eq!(fs::read_dir(repo.git_dir().join(LOCAL_DIR).join("tmp")).unwrap().count(), 0);
    is_whole(&repo);
}

/// 8/NO-HARM: git fails on an index without a pack.
#[test]
fn an_index_does_not_come_back_without_its_pack() {
    let repo = prepared();
    let [name] = packs(&repo).try_into().expect("one entry");
    // Git has all of it in a pack of its own, and may remove ours.
    repo.git(["repack", "-a", "-q"]);
    let file = |end| repo.git_dir().join(format!("objects/pack/{name}.{end}"));
    fs::remove_file(file("idx")).unwrap();
    let step = format!("Rename@{name}.idx:stop");
    let alice = Frozen::at(reserve(&repo, "alice", "1m"), &[&step]);
    fs::remove_file(file("pack")).unwrap();
    alice.goes_on().done();
    assert!(!file("idx").exists());
    is_whole(&repo);
}

/// The random numbers of one round, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        usize::try_from((self.0 >> 33) % u64::try_from(below).unwrap()).unwrap()
    }
}

const WRITERS: usize = 5;
const ROUNDS_MAX: usize = 40;

/// Stops and continues processes while they write. Those that are stopped at the end are continued.
fn shake(repo: &Repo, writers: &mut [Frozen], numbers: &mut Numbers) {
    let begun = Instant::now();
    let mut send = |number: usize, signal| {
        if writers[number].runs() {
            writers[number].signal(signal);
        }
    };
    while begun.elapsed() < Duration::from_secs(2) {
        send(numbers.next(WRITERS), Signal::STOP);
        thread::sleep(Duration::from_millis(u64::try_from(numbers.next(30)).unwrap()));
        if numbers.next(8) == 0 {
            lose_the_queue(repo);
        }
        send(numbers.next(WRITERS), Signal::CONT);
    }
    (0..WRITERS).for_each(|number| send(number, Signal::CONT));
}

/// 1/C1, 0/IMP-2: with and without the queue, and with its files removed while others wait.
#[track_caller]
fn survives_stops(queue: &str) {
    let repo = prepared();
    let mut numbers = Numbers(7);
    let (mut done, mut granted) = (0, 1);
    for round in 0..(rounds() / 10).min(ROUNDS_MAX) {
        let name = |number: usize| format!("agent-{round}-{number}");
        let call = |number| reserve(&repo, &name(number), "2s").config(key::QUEUE, queue);
        let mut writers: Vec<Frozen> = (0..WRITERS).map(|n| Frozen::start(call(n))).collect();
        shake(&repo, &mut writers, &mut numbers);
        for (number, writer) in writers.into_iter().enumerate() {
            let output = writer.finish();
            let found = held(&repo, &name(number));
            match output.code {
                exit::DONE => assert_eq!(found, 1, "{output:#?}"),
                exit::BUSY => assert_eq!(found, 0, "{output:#?}"),
                _ => assert!(output.stderr.contains(NOT_KNOWN) && found <= 1, "{output:#?}"),
            }
            done += usize::from(output.code == exit::DONE);
            granted += found;
        }
    }
    assert!(done > 0, "somebody gets on");
    assert_eq!(repo.events(event::GRANTED).len(), granted, "no act is written twice");
    is_whole(&repo);
}

#[test]
fn writers_that_are_stopped_and_continued_lose_nothing() {
    survives_stops("true");
}

#[test]
fn the_same_without_the_queue() {
    survives_stops("false");
}

//! Group commit: the writer at the front of the queue writes for all that wait.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use crate::support::contract::{LOCAL_DIR, RESERVATIONS, RESERVATIONS_REF, exit, key, refusal};
use crate::support::untouched::Untouched;
use crate::support::{Call, Output, Repo};
use crate::waiting::until;

const WAITERS: usize = 8;
/// Much longer than a command needs to reach the queue.
const TIME_TO_ASK: Duration = Duration::from_millis(500);

/// Commands that wait for their turn, which does not come before the crowd is released.
pub(crate) struct Crowd {
    turn: File,
    waiting: Vec<(Call, Child)>,
}

impl Crowd {
    /// Creates an empty crowd in a repository with a ledger.
    pub(crate) fn before(repo: &Repo) -> Crowd {
        Crowd { turn: repo.take_turn("reservations"), waiting: Vec::new() }
    }

    /// Starts another command.
    pub(crate) fn start(&mut self, call: Call) {
        let child = call.command().spawn().unwrap();
        self.waiting.push((call, child));
    }

    /// Starts another command, and waits until it has submitted its request. A file without content
    /// submits nothing yet: a writer that finds it gone continues as if it was alone.
    pub(crate) fn add(&mut self, repo: &Repo, call: Call) {
        let before = pending_requests(repo);
        let is_asked = |file: &PathBuf| fs::metadata(file).is_ok_and(|found| found.len() > 0);
        let is_new = |file: &PathBuf| !before.contains(file) && is_asked(file);
        self.start(call);
        until(|| pending_requests(repo).iter().any(is_new));
    }

    /// Gives the last command time to submit its request, which it may never do.
    pub(crate) fn give_time(&mut self, repo: &Repo) {
        let begun = Instant::now();
        let (_, last) = self.waiting.last_mut().expect("somebody was started");
        while pending_requests(repo).is_empty() && last.try_wait().unwrap().is_none() {
            if begun.elapsed() > TIME_TO_ASK {
                break;
            }
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Lets them write, and returns their answers.
    pub(crate) fn go(self) -> Vec<Output> {
        drop(self.turn);
        self.waiting.into_iter().map(|(call, child)| call.finish(child)).collect()
    }
}

/// Lists the submitted requests.
pub(crate) fn pending_requests(repo: &Repo) -> Vec<PathBuf> {
    let files = fs::read_dir(repo.git_dir().join(LOCAL_DIR).join("errands"));
    files.map(|files| files.map(|file| file.unwrap().path()).collect()).unwrap_or_default()
}

fn packs(repo: &Repo) -> usize {
    let files = fs::read_dir(repo.git_dir().join("objects/pack")).unwrap();
    files.filter(|file| file.as_ref().unwrap().path().extension().unwrap() == "pack").count()
}

fn entries(repo: &Repo) -> usize {
    repo.git(["rev-list", "--count", RESERVATIONS_REF]).trim().parse().unwrap()
}

fn agent(number: usize) -> String {
    format!("agent-{number}")
}

fn prepared() -> Repo {
    let repo = Repo::new();
    repo.reserve("zoe", "README.md");
    repo
}

fn waiters(repo: &Repo, args: impl Fn(usize) -> Vec<String>) -> Crowd {
    let mut crowd = Crowd::before(repo);
    for number in 0..WAITERS {
        crowd.add(repo, repo.call(&agent(number)).config(key::WAIT, "1m").args(args(number)));
    }
    crowd
}

/// 1/C1: each has one entry of its own, under its own name. One writer writes for all who wait, in
/// one pack; a busy machine may leave it time for only one of them.
#[test]
fn one_writes_for_all_who_wait() {
    let repo = prepared();
    let before = Untouched::of(repo.world());
    let (packs_before, entries_before) = (packs(&repo), entries(&repo));
    let told = waiters(&repo, |number| vec!["reserve".into(), format!("src/{number}")]).go();
    for (number, output) in told.into_iter().enumerate() {
        output.done().says(&format!("src/{number} "));
    }
    assert_eq!(entries(&repo), entries_before + WAITERS);
    let packs = packs(&repo) - packs_before;
    assert!(packs <= WAITERS / 2, "{packs} packs: whoever writes, writes for others");
    for number in 0..WAITERS {
        assert_eq!(repo.list(&["--holder", &agent(number)]).len(), 1);
    }
    let log = repo.git(["log", "--format=%s", RESERVATIONS_REF]);
    for number in 0..WAITERS {
        assert!(log.contains(&format!("reserve src/{number} for {}", agent(number))), "{log}");
    }
    assert!(pending_requests(&repo).is_empty());
    repo.git(["fsck", "--strict"]);
    repo.coord("ops", ["ledger", "verify", RESERVATIONS]).done();
    before.assert_still_so("a crowd");
}

/// Whoever decides for others decides as they would: one gets it, and the others are told who.
#[test]
fn one_of_those_who_wait_gets_it() {
    let repo = prepared();
    let told = waiters(&repo, |_| ["reserve", "src/api", "--json"].map(str::to_owned).into()).go();
    let (got, not): (Vec<_>, Vec<_>) =
        told.into_iter().enumerate().partition(|(_, output)| output.code == exit::DONE);
    assert_eq!((got.len(), not.len()), (1, WAITERS - 1));
    for (_, output) in not {
        let no = output.refused(refusal::HELD);
        assert_eq!(no["conflicts"][0]["held"]["holder"], agent(got[0].0));
    }
    repo.coord("ops", ["ledger", "verify", RESERVATIONS]).done();
}

/// 1/C1-state: what a dead one wanted does not happen any more.
#[test]
fn nothing_is_written_for_the_dead() {
    let repo = prepared();
    let entries_before = entries(&repo);
    let mut crowd = Crowd::before(&repo);
    crowd.add(&repo, repo.call("victim").args(["reserve", "src/victim"]));
    let (_, mut victim) = crowd.waiting.pop().unwrap();
    victim.kill().unwrap();
    victim.wait().unwrap();
    assert_eq!(pending_requests(&repo).len(), 1);
    crowd.go();
    repo.coord("next", ["reserve", "src/next"]).done();
    assert_eq!(entries(&repo), entries_before + 1);
    assert!(pending_requests(&repo).is_empty());
}

/// Who is busy has written nothing, and nothing is written for it later.
#[test]
fn who_gives_up_takes_it_back() {
    let repo = prepared();
    let entries_before = entries(&repo);
    let crowd = Crowd::before(&repo);
    let lock = repo.git_dir().join("refs/coord/reservations.lock");
    fs::write(&lock, "").unwrap();
    let hasty = repo.call("hasty").config(key::WAIT, "1s").args(["reserve", "src/hasty"]);
    hasty.run().exits(exit::BUSY);
    assert!(pending_requests(&repo).is_empty());
    fs::remove_file(&lock).unwrap();
    crowd.go();
    repo.coord("next", ["reserve", "src/next"]).done();
    assert_eq!(entries(&repo), entries_before + 1);
}

/// Who has taken a request on and fails leaves it to its owner.
#[test]
fn what_another_took_on_and_did_not_do_is_done() {
    let repo = prepared();
    let mut crowd = Crowd::before(&repo);
    crowd.add(&repo, repo.call("alice").args(["reserve", "src/alice"]));
    fs::remove_file(&pending_requests(&repo)[0]).unwrap();
    for output in crowd.go() {
        output.done();
    }
    assert_eq!(repo.list(&["--holder", "alice"]).len(), 1);
}

/// It is not called busy, which would mean that nothing was written.
#[test]
fn what_another_took_on_and_keeps_may_be_written_or_not() {
    let repo = prepared();
    let mut crowd = Crowd::before(&repo);
    fs::write(repo.git_dir().join("refs/coord/reservations.lock"), "").unwrap();
    // Most of that time it leaves the request there to be taken.
    let call = repo.call("alice").config(key::WAIT, "8s").args(["reserve", "src/alice"]);
    crowd.add(&repo, call);
    fs::remove_file(&pending_requests(&repo)[0]).unwrap();
    let (call, child) = crowd.waiting.pop().unwrap();
    call.finish(child).exits(exit::FAILURE).says("has taken this request on");
    crowd.go();
}

/// A state that must be the newest one is nobody else's to look at, and so is an earlier one.
#[test]
fn what_depends_on_more_than_the_newest_state_is_asked_of_nobody() {
    let repo = prepared();
    let tip = repo.tip();
    let mut crowd = Crowd::before(&repo);
    let back = ["ledger", "rollback", RESERVATIONS, "--to", &tip, "--reason", "r"];
    crowd.start(repo.call("ops").args(back));
    crowd.add(&repo, repo.call("alice").config(key::WAIT, "1m").args(["reserve", "src/alice"]));
    assert_eq!(pending_requests(&repo).len(), 1);
    for output in crowd.go() {
        if output.code == exit::NO {
            // The reservation came first, and nobody who asked to go back had seen it.
            output.says("the ledger has moved on");
        } else {
            output.done();
        }
    }
    repo.coord("ops", ["ledger", "verify", RESERVATIONS]).done();
}

/// What was deleted from under those who wait costs time, and nothing is written twice or called
/// busy that is written.
#[test]
fn whoever_loses_the_queue_still_finds_what_was_written() {
    let repo = prepared();
    let entries_before = entries(&repo);
    let mut crowd = Crowd::before(&repo);
    for agent in ["alice", "bob"] {
        crowd.add(
            &repo,
            repo.call(agent).config(key::WAIT, "1m").args(["send", "zoe", "--subject", "s"]),
        );
    }
    let lock = repo.git_dir().join("refs/coord/reservations.lock");
    fs::write(&lock, "").unwrap();
    fs::remove_file(repo.git_dir().join(LOCAL_DIR).join("locks/reservations.lock")).unwrap();
    let third = repo.call("carol").config(key::WAIT, "1m").args(["send", "zoe", "--subject", "s"]);
    crowd.start(third);
    fs::remove_file(&lock).unwrap();
    for output in crowd.go() {
        output.done();
    }
    assert_eq!(entries(&repo), entries_before + 3);
    repo.coord("ops", ["ledger", "verify", RESERVATIONS]).done();
}

/// A repair waits for its turn like everybody else, whatever the ref holds.
#[test]
fn a_repair_waits_for_its_turn() {
    let repo = prepared();
    let mut crowd = Crowd::before(&repo);
    fs::write(repo.git_dir().join(RESERVATIONS_REF), "garbage\n").unwrap();
    crowd.start(repo.call("ops").config(key::WAIT, "1m").args(["doctor", "--repair"]));
    thread::sleep(Duration::from_millis(200));
    for output in crowd.go() {
        output.done();
    }
    repo.coord("ops", ["ledger", "verify", RESERVATIONS]).done();
}

/// What was over before it could be told is not told as held: a time to live that ran out in the
/// queue is asked for again.
#[test]
fn what_ran_out_in_the_queue_is_not_told_as_held() {
    let repo = prepared();
    let mut crowd = Crowd::before(&repo);
    let args = ["--json", "reserve", "src", "--ttl", "1s"];
    crowd.add(&repo, repo.call("alice").config(key::WAIT, "1m").args(args));
    // Longer than it would live.
    thread::sleep(Duration::from_millis(2_100));
    let answer = crowd.go().remove(0).done().json();
    let ends = answer["granted"][0]["expires_at"].as_str().unwrap().to_owned();
    assert!(ends[..19] > repo.later("2s")[..19], "{ends} was over when it was told");
}

//! Processes that are stopped in the middle of a write, as by Ctrl-Z, a paused container or a disk
//! that does not answer: others go on where they can, nobody takes what is theirs, and once they go
//! on themselves, nothing is written twice and nothing that was acknowledged is missing.

use std::fs;
use std::path::PathBuf;
use std::process::Child;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

use crate::support::contract::{LOCAL_DIR, RESERVATIONS, RESERVATIONS_REF, exit, key};
use crate::support::{Call, Output, Repo};

/// With the ref's lock, before it is looked at for the last time.
const BEFORE_THE_LOOK: &str = "Read@refs/coord/reservations.lock:stop";
/// With the ref's lock, after that.
const BEFORE_THE_MOVE: &str = "Rename@refs/coord/reservations:stop";

/// A process that stops by itself, or is stopped.
struct Frozen {
    call: Call,
    child: Child,
}

impl Frozen {
    fn start(call: Call) -> Frozen {
        let child = call.command().spawn().unwrap();
        Frozen { call, child }
    }

    /// Starts one that stops by itself, and waits for that.
    #[track_caller]
    fn at(call: Call, faults: &[&str]) -> Frozen {
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

    fn goes_on(self) -> Output {
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

/// Losing them loses no state.
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

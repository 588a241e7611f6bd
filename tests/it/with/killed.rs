//! `with` is killed or stopped and its command continues: so do its holds.

use super::*;
use crate::support::contract::RESERVATIONS_REF;

/// A command whose `with` was killed.
struct Orphan {
    command: Pid,
    with: u32,
}

impl Orphan {
    fn make(repo: &Repo, options: &[&str]) -> Orphan {
        let held = Held::begin(repo, "alice", options, ENDLESS);
        let (command, with) = (held.command().unwrap(), held.child.id());
        // The stand-in is started after the command.
        until(|| stand_in_of(with).is_some());
        held.signal(Signal::KILL);
        let Held { mut child, .. } = held;
        child.wait().unwrap();
        Orphan { command, with }
    }

    fn end(&self) {
        kill_process(self.command, Signal::KILL).unwrap();
        until(|| is_gone(self.command));
    }
}

/// Counts the records of commands on this machine.
fn noted(repo: &Repo) -> usize {
    fs::read_dir(repo.git_dir().join("coord/commands")).map_or(0, Iterator::count)
}

fn renewals(repo: &Repo) -> usize {
    repo.events("renewed").len()
}

/// 1/SAFETY-2: two commands under the same lock never run at once, also where the first `with` was
/// killed and its time to live is over; whoever is refused is told why.
#[test]
fn a_command_keeps_what_its_killed_with_held() {
    let repo = Repo::new();
    let orphan = Orphan::make(&repo, &["src", "--lock", "x", "--ttl", "6s"]);
    let pid = orphan.command.as_raw_nonzero().get();
    let why = format!("its command, process {pid}, still runs");
    let words = ["--lock", "x"];
    with(&repo, "bob", &words, &["true"]).exits(exit::NOT_STARTED).says(&why);
    let no = repo.coord_json("bob", ["reserve", "src/main.rs"]).refused(refusal::HELD);
    assert_eq!(no["conflicts"][0]["held"]["command_runs"], pid);
    repo.coord("bob", ["check", "src"]).exits(exit::NO).says(&why);
    // Two lives of it at least.
    let before = renewals(&repo);
    until(|| renewals(&repo) >= before + 14);
    assert_eq!(repo.events(event::EXPIRED).len(), 0);
    with(&repo, "bob", &words, &["true"]).exits(exit::NOT_STARTED).says(&why);
    assert_eq!(repo.json("bob", ["sweep"])["swept"], 0);
    orphan.end();
    with(&repo, "bob", &words, &["true"]).done();
    until(|| repo.holds().is_empty() && noted(&repo) == 0);
    until(|| stand_in_of(orphan.with).is_none());
    repo.coord("ops", ["ledger", "verify"]).done();
    nothing_is_left(&repo);
}

/// 1/SAFETY-2: so it is where `with` was not killed but stopped, and once it is continued, it goes
/// on as if nothing had been.
#[test]
fn a_command_keeps_what_its_stopped_with_holds() {
    let repo = Repo::new();
    let held = Held::begin(&repo, "alice", &["--lock", "x", "--ttl", "6s"], ENDLESS);
    until(|| stand_in_of(held.child.id()).is_some());
    for _ in 0..2 {
        held.signal(Signal::STOP);
        // Two lives of it at least.
        let before = renewals(&repo);
        until(|| renewals(&repo) >= before + 7);
        with(&repo, "bob", &["--lock", "x"], &["true"]).exits(exit::NOT_STARTED);
        held.signal(Signal::CONT);
        let before = renewals(&repo);
        until(|| renewals(&repo) >= before + 2);
    }
    assert_eq!(repo.events(event::EXPIRED).len(), 0);
    held.signal(Signal::TERM);
    held.finish().exits(128 + 15);
    repo.coord("ops", ["ledger", "verify"]).done();
    nothing_is_left(&repo);
    assert_eq!(noted(&repo), 0);
}

/// A `with` that is killed while it is stopped is one that was killed.
#[test]
fn a_stopped_with_can_be_killed() {
    let repo = Repo::new();
    let held = Held::begin(&repo, "alice", &["--lock", "x", "--ttl", "6s"], ENDLESS);
    let command = held.command().unwrap();
    until(|| stand_in_of(held.child.id()).is_some());
    held.signal(Signal::STOP);
    until(|| renewals(&repo) >= 4);
    held.signal(Signal::KILL);
    let Held { mut child, .. } = held;
    child.wait().unwrap();
    let before = renewals(&repo);
    until(|| renewals(&repo) >= before + 4);
    kill_process(command, Signal::KILL).unwrap();
    until(|| repo.holds().is_empty() && noted(&repo) == 0);
    nothing_is_left(&repo);
}

/// Every lock has an end: nobody renews for a `with` that is stopped with its command, as by
/// Ctrl-Z.
#[test]
fn what_is_stopped_as_a_whole_has_an_end() {
    let repo = Repo::new();
    let held = Held::begin(&repo, "alice", &["--lock", "x", "--ttl", "3s"], ENDLESS);
    let command = held.command().unwrap();
    until(|| stand_in_of(held.child.id()).is_some());
    kill_process(command, Signal::STOP).unwrap();
    held.signal(Signal::STOP);
    // A renewal may be under way.
    std::thread::sleep(std::time::Duration::from_secs(1));
    let before = renewals(&repo);
    std::thread::sleep(std::time::Duration::from_secs(4));
    assert_eq!(renewals(&repo), before);
    repo.pass("1m");
    repo.reserve_with("bob", &["--lock", "x"]);
    kill_process(command, Signal::CONT).unwrap();
    held.signal(Signal::CONT);
    held.finish().exits(128 + 15).says("no longer yours");
}

/// The command is the process that was started: what that leaves running is waited for by nobody,
/// neither by `with` nor, if it was killed, by who stands in for it.
#[test]
fn what_a_command_leaves_running_is_not_waited_for() {
    for is_killed in [false, true] {
        let repo = Repo::new();
        let leave = "sleep 600 >/dev/null 2>&1 & echo $! > \"$0.left\"";
        let held = Held::begin(&repo, "alice", &["--lock", "x"], &format!("{leave}; {ENDLESS}"));
        let left = fs::read_to_string(held.sign.with_extension("left")).unwrap();
        let left = Pid::from_raw(left.trim_end().parse().unwrap()).unwrap();
        let command = held.command().unwrap();
        if is_killed {
            until(|| stand_in_of(held.child.id()).is_some());
            held.signal(Signal::KILL);
        }
        let Held { call, mut child, .. } = held;
        if is_killed {
            child.wait().unwrap();
        }
        kill_process(command, Signal::KILL).unwrap();
        if !is_killed {
            call.finish(child).exits(128 + 9);
        }
        until(|| repo.holds().is_empty());
        kill_process(left, Signal::KILL).expect("it still runs");
    }
}

/// Who waits is told what it waits for, and goes on when the command has ended.
#[test]
fn who_waits_for_an_orphan_goes_on_at_its_end() {
    let repo = Repo::new();
    let orphan = Orphan::make(&repo, &["--lock", "x"]);
    let waiting = Waiting::begin(&repo, "bob", &["--lock", "x"]);
    orphan.end();
    let output = waiting.finish().done();
    output.says(&format!("its command, process {}, still runs", orphan.command.as_raw_nonzero()));
    until(|| noted(&repo) == 0);
}

/// What is lost ends the command, whoever keeps it.
#[test]
fn a_loss_ends_an_orphan() {
    let repo = Repo::new();
    let orphan = Orphan::make(&repo, &["--lock", "x"]);
    repo.coord("bob", FORCE).done();
    until(|| is_gone(orphan.command));
    until(|| stand_in_of(orphan.with).is_none());
}

/// Where the second process is killed as well, the command still counts, up to the time to live.
#[test]
fn without_a_stand_in_the_command_still_counts() {
    let repo = Repo::new();
    let held = Held::begin(&repo, "alice", &["--lock", "x"], ENDLESS);
    let (command, with_id) = (held.command().unwrap(), held.child.id());
    until(|| stand_in_of(with_id).is_some());
    kill_process(stand_in_of(with_id).unwrap(), Signal::KILL).unwrap();
    held.signal(Signal::KILL);
    let Held { mut child, .. } = held;
    child.wait().unwrap();
    repo.coord_json("bob", ["reserve", "--lock", "x"]).refused(refusal::HELD);
    assert_eq!(noted(&repo), 1);
    kill_process(command, Signal::KILL).unwrap();
    until(|| is_gone(command));
    repo.reserve_with("bob", &["--lock", "x"]);
    with(&repo, "bob", &["--lock", "y"], &["true"]).done();
    assert_eq!(noted(&repo), 0, "the next one clears up");
}

/// A `with` that ends leaves neither a process nor a file.
#[test]
fn who_ends_well_leaves_no_stand_in() {
    let repo = Repo::new();
    let held = Held::begin(&repo, "alice", &["--lock", "x"], ENDLESS);
    let with_id = held.child.id();
    until(|| stand_in_of(with_id).is_some());
    assert_eq!(noted(&repo), 1);
    held.signal(Signal::TERM);
    held.finish().exits(128 + 15);
    assert!(stand_in_of(with_id).is_none());
    assert_eq!(noted(&repo), 0);
}

/// 1/PLACE: a clone does not judge the processes of another one, which may be on another machine
/// of the same name.
#[test]
fn a_dead_process_of_another_clone_frees_nothing_here() {
    let repo = Repo::new();
    repo.git(["clone", "--quiet", ".", "../clone"]);
    let clone = repo.world().join("clone");
    let there = |args: &[&str]| repo.call("bob").dir(&clone).args(args);
    there(&["reserve", "own"]).run().done();
    Held::begin(&repo, "alice", &["src"], ENDLESS).kill();
    let both = format!("+{RESERVATIONS_REF}:{RESERVATIONS_REF}");
    there(&["fetch", "--quiet", "origin", &both]).program("git").run_unproven().done();
    there(&["reserve", "src"]).run().exits(exit::NO).says("alice");
    repo.coord("bob", ["reserve", "src"]).done();
}

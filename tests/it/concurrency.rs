//! Many processes, one ref: exactly one winner, nothing lost, and nobody blocks a reader.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::contract::{LOCAL_DIR, event, exit, key};
use crate::support::hooks::put_script;
use crate::support::repo::locked;
use crate::support::untouched::Untouched;
use crate::support::{Call, Output, Repo, race, rounds};
use crate::waiting::until;

/// The number of processes that want the same thing.
const RIVALS: usize = 8;
/// The number of processes that write at once, and how often each reserves and releases. Each write
/// competes with all others, so a tenth of the rounds has more conflicts than any other race.
const WRITERS: usize = 16;
const PAIRS_EACH_MAX: usize = 50;
/// The maximum number of commands that are killed.
const KILLS_MAX: usize = 200;

/// Patterns that all overlap, no two alike.
const OVERLAPPING: [&str; RIVALS] =
    ["src/**", "src/*.rs", "src/main.rs", "**/*.rs", "src", "src/m*", "*/main.*", "src/[a-z]*.rs"];

fn agent(number: usize) -> String {
    format!("agent-{number}")
}

/// Lets every rival ask for one of the overlapping patterns at the same moment. Every other round
/// they do not queue up: then the swap alone decides the winner.
fn reserve_at_once(repo: &Repo, round: usize) -> Vec<Output> {
    let queue = if round.is_multiple_of(2) { "true" } else { "false" };
    let rival = |number: usize| {
        let call = repo.call(&agent(number)).config(key::QUEUE, queue).config(key::WAIT, "1m");
        call.args(["reserve", "--json"])
    };
    let calls: Vec<Call> =
        (0..RIVALS).map(|number| rival(number).args([OVERLAPPING[number]])).collect();
    race(repo, &calls)
}

/// Fails unless exactly one was granted and all others were refused. Returns the winner's number.
#[track_caller]
fn one_winner(outputs: &[Output]) -> usize {
    let codes: Vec<i32> = outputs.iter().map(|output| output.code).collect();
    assert!(codes.iter().all(|code| [exit::DONE, exit::NO].contains(code)), "{outputs:#?}");
    let winners: Vec<usize> = (0..codes.len()).filter(|at| codes[*at] == exit::DONE).collect();
    assert_eq!(winners.len(), 1, "exactly one winner: {outputs:#?}");
    winners[0]
}

/// 1/C1 = 1/ARCH-1: the first entry of all is a race too, so one round is in a new repository.
#[test]
fn one_of_many_creates_the_ledger() {
    for round in 0..rounds().div_ceil(10) {
        let repo = Repo::new();
        one_winner(&reserve_at_once(&repo, round));
        assert_eq!(repo.entry_count(), 1);
    }
}

/// 1/C1 = 1/ARCH-1: of N processes with overlapping exclusive patterns exactly one gets it.
#[test]
fn one_of_many_gets_it() {
    let repo = Repo::new();
    for round in 0..rounds() {
        let winner = agent(one_winner(&reserve_at_once(&repo, round)));
        let holds = repo.holds();
        assert_eq!(holds.len(), 1);
        assert_eq!(holds[0]["holder"], winner.as_str());
        repo.coord(&winner, ["release", "--mine"]).done();
    }
    repo.coord("ops", ["ledger", "verify"]).done();
}

/// 1/C1: the same when what they want has just expired.
#[test]
fn one_of_many_takes_over_an_expired_hold() {
    let repo = Repo::new();
    repo.reserve_with("before", &["src/**", "--ttl", "60s"]);
    for round in 1..=rounds() {
        repo.pass("16m");
        one_winner(&reserve_at_once(&repo, round));
        assert_eq!(repo.holds().len(), 1);
        assert_eq!(repo.entry_count(), round + 1, "nobody but the winner wrote");
    }
    assert_eq!(repo.events(event::EXPIRED).len(), rounds(), "each expired once");
    repo.coord("ops", ["ledger", "verify"]).done();
}

/// The script of a writer: reserves and releases a file of its own, again and again.
const WRITER: &str = r#"
i=0
while [ "$i" -lt "$1" ]; do
    git-coord reserve --quiet "$GIT_COORD_AGENT/$i" || exit
    git-coord release --quiet --mine || exit
    i=$((i + 1))
done
"#;

/// Fails unless every entry of every writer is there, once and in order.
#[track_caller]
fn nothing_is_lost(adjust: impl Fn(Call) -> Call) {
    let repo = Repo::new();
    let pairs = rounds().div_ceil(10).min(PAIRS_EACH_MAX);
    let writer = |number: usize| {
        let args = ["-c", WRITER, "sh", &pairs.to_string()].map(str::to_owned);
        adjust(repo.call(&agent(number)).program("sh").args(args))
    };
    for output in race(&repo, &(0..WRITERS).map(writer).collect::<Vec<_>>()) {
        output.done();
    }
    let entries = WRITERS * pairs * 2;
    assert_eq!(repo.entry_count(), entries);
    let ops: BTreeSet<String> = repo.trailers("Coord-Op").into_iter().collect();
    assert_eq!(ops.len(), entries, "each act is written once");
    let sequence: Vec<u64> = repo
        .trailers("Coord-Seq")
        .iter()
        .map(|number| number.parse().expect("a sequence number"))
        .collect();
    assert!(sequence.is_sorted_by(|before, after| before < after), "the sequence grows");
    assert_eq!(repo.life_counts(), [entries / 2, entries / 2, 0]);
    repo.git(["fsck", "--strict"]);
    repo.coord("ops", ["ledger", "verify"]).done();
}

/// 6.1: nothing lost with the queue, which is there for speed.
#[test]
fn nothing_is_lost_with_the_queue() {
    nothing_is_lost(|call| call);
}

/// 6.1: nothing lost without it; correctness rests on the swap alone.
#[test]
fn nothing_is_lost_without_the_queue() {
    let patient = |call: Call| call.config(key::QUEUE, "false").config(key::WAIT, "10m");
    nothing_is_lost(patient);
}

/// 3/IDEMP: two releases at once: the counts add up to the true number.
#[test]
fn releases_at_once_add_up() {
    let repo = Repo::new();
    for _ in 0..rounds().div_ceil(5) {
        repo.json("alice", ["reserve", "a", "b", "c", "d"]);
        let calls = vec![repo.call("alice").args(["release", "--mine", "--json"]); 4];
        let outputs = race(&repo, &calls);
        let count = |output: Output| output.done().json()["released"].as_u64().unwrap();
        assert_eq!(outputs.into_iter().map(count).sum::<u64>(), 4);
    }
    let [granted, released, _] = repo.life_counts();
    assert_eq!(granted, released);
}

/// 1/H3: sweeps at once release each hold once, with one event.
#[test]
fn sweeps_at_once_count_each_hold_once() {
    let repo = Repo::new();
    repo.json("alice", ["reserve", "a", "b", "c", "d", "e"]);
    repo.pass("16m");
    let outputs = race(&repo, &vec![repo.call("bob").args(["sweep", "--json"]); RIVALS]);
    let count = |output: Output| output.done().json()["swept"].as_u64().unwrap();
    assert_eq!(outputs.into_iter().map(count).sum::<u64>(), 5);
    assert_eq!(repo.events(event::EXPIRED).len(), 5);
}

/// 1/H5: the same request at once is one act.
#[test]
fn one_request_sent_many_times_is_one_act() {
    let repo = Repo::new();
    let request = ["reserve", "src/**", "--request-id", "try-1", "--json"];
    let outputs = race(&repo, &vec![repo.call("alice").args(request); RIVALS]);
    let answers: Vec<_> =
        outputs.into_iter().map(|output| output.done().json()["granted"].clone()).collect();
    assert!(answers.windows(2).all(|pair| pair[0] == pair[1]), "{answers:#?}");
    assert_eq!(repo.entry_count(), 1);
}

/// 1/C1: requests that overlap only crosswise never deadlock and never both win.
#[test]
fn crosswise_requests_have_one_winner() {
    let repo = Repo::new();
    let one = ["reserve", "--json", "a", "b"];
    let other = ["reserve", "--json", "b", "a"];
    for _ in 0..rounds().div_ceil(5) {
        let calls = [repo.call("alice").args(one), repo.call("bob").args(other)];
        let winner = one_winner(&race(&repo, &calls));
        repo.coord(["alice", "bob"][winner], ["release", "--mine"]).done();
    }
}

/// 0/IMP-3, 3/CONCURRENT-retry: contention that outlasts `coord.wait` is "busy", and nothing was
/// written.
#[test]
fn a_locked_ref_is_busy() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    let tip = repo.tip();
    let lock = repo.git_dir().join("refs/coord/reservations.lock");
    fs::write(&lock, "").unwrap();
    let start = Instant::now();
    let call = repo.call("bob").config(key::WAIT, "1s").args(["reserve", "docs/x", "--json"]);
    let busy = call.run().exits(exit::BUSY).json();
    assert_eq!(busy["error"]["kind"], "busy");
    assert!(start.elapsed() >= Duration::from_millis(900), "it tried for as long as it may");
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
    repo.coord("bob", ["list"]).done();
    fs::remove_file(lock).unwrap();
    assert_eq!(repo.tip(), tip);
    repo.coord("bob", ["reserve", "docs/x"]).done();
}

/// 0/IMP-3: who waits, sleeps: pauses that do not grow would spend the whole time on the processor.
#[test]
fn a_waiting_writer_sleeps() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    fs::write(repo.git_dir().join("refs/coord/reservations.lock"), "").unwrap();
    let script = "git-coord reserve docs/x; echo $?; times";
    let call = repo.call("bob").config(key::WAIT, "3s").program("sh").args(["-c", script]);
    let said = call.run().done().stdout;
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0], exit::BUSY.to_string(), "{said}");
    // The second line of `times` is about children: user and system, each as 0m0.123s.
    let seconds = |text: &str| {
        let (minutes, seconds) = text.trim_end_matches('s').split_once('m').unwrap();
        minutes.parse::<f64>().unwrap() * 60.0 + seconds.parse::<f64>().unwrap()
    };
    let spent: f64 = lines[2].split_whitespace().map(seconds).sum();
    assert!(spent < 1.0, "{spent} s of 3 s");
}

/// 0/IMP-2: the queue is there for speed: one that does not move costs time, and readers nothing.
#[test]
fn a_queue_that_does_not_move_makes_nobody_busy() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    let files = files_below(&repo.git_dir().join(LOCAL_DIR));
    let locks: Vec<fs::File> = files.iter().map(|path| locked(path)).collect();
    assert!(!locks.is_empty(), "the queue's lock is a file");
    let impatient = || repo.call("bob").config(key::WAIT, "8s");
    impatient().args(["list"]).run().done();
    impatient().args(["reserve", "docs/x"]).run().done();
    impatient().args(["ledger", "compact", "--keep", "1s"]).run().done();
    drop(locks);
    impatient().args(["reserve", "docs/y"]).run().done();
}

fn files_below(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).expect("local helpers have a directory") {
        let path = entry.expect("it is readable").path();
        found.extend(if path.is_dir() { files_below(&path) } else { vec![path] });
    }
    found
}

/// 8/NO-HARM: a git that is held up with the lock of a ref goes on as if it had it, and removes the
/// ref's file. No writer takes that lock, so nothing that was acknowledged goes with it.
#[test]
fn a_git_that_is_held_up_keeps_its_lock() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    let (hooks, go) = (repo.world().join("tmp/hooks"), repo.world().join("tmp/go"));
    fs::create_dir_all(&hooks).unwrap();
    let wait = format!("while test ! -e '{}'; do sleep 1; done", go.display());
    let script = format!("#!/bin/sh\ncat >/dev/null\ntest \"$1\" != prepared && exit\n{wait}\n");
    put_script(&hooks.join("reference-transaction"), &script);
    let delete = repo
        .git_call(["update-ref", "-d", "refs/coord/reservations"])
        .config("core.hooksPath", hooks.to_str().unwrap());
    let git = delete.command().spawn().unwrap();
    until(|| repo.git_dir().join("refs/coord/reservations.lock").exists());
    let busy = repo.call("bob").config(key::WAIT, "12s").args(["reserve", "docs/x"]).run();
    busy.exits(exit::BUSY).says("reservations.lock' was there");
    fs::write(&go, "").unwrap();
    delete.finish(git).done();
    repo.coord("bob", ["reserve", "docs/x"]).done();
    assert_eq!(repo.list(&["--holder", "bob"]).len(), 1);
    repo.coord("ops", ["ledger", "verify"]).done();
}

/// 1/C1-state, 0/IMP-1: after a kill at any moment the next command works, without repair.
#[test]
fn a_killed_command_blocks_nobody() {
    let repo = Repo::new();
    let before = Untouched::of(repo.world());
    let kills = rounds().min(KILLS_MAX);
    for round in 0..kills {
        let path = format!("file-{round}");
        let mut child = repo.call("victim").args(["reserve", &path]).command().spawn().unwrap();
        thread::sleep(Duration::from_micros(u64::try_from(round).unwrap() * 397 % 12_000));
        child.kill().unwrap();
        child.wait().unwrap();
        let next = repo.call("next").args(["reserve", &format!("next-{round}")]);
        next.config(key::WAIT, "8s").run_unproven().done();
    }
    before.assert_still_so("killed commands");
    assert_eq!(repo.list(&["--holder", "next"]).len(), kills);
    repo.git(["fsck", "--strict"]);
    repo.coord("ops", ["ledger", "verify"]).done();
}

/// 0/IMP-1: a disk that is full after any number of blocks leaves the old state or the new one,
/// whole, whether the writer is killed for it or told so; and the next command works.
#[test]
fn a_full_disk_leaves_no_half() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    let before = Untouched::of(repo.world());
    let mut codes = BTreeSet::new();
    for told in ["", "trap '' XFSZ; "] {
        for blocks in 0..8 {
            let path = format!("file-{}-{blocks}", told.len());
            let tip = repo.tip();
            let call = repo.call("victim").program("sh").args([
                "-c",
                &format!("{told}ulimit -f {blocks} && exec git-coord reserve {path}"),
            ]);
            let code = call.run_unproven().code;
            codes.insert(code);
            assert_eq!(repo.tip() != tip, code == exit::DONE, "{told}{blocks} blocks: {code}");
            let held = repo.list(&["--path", &path]).len();
            assert_eq!(held, usize::from(code == exit::DONE), "{told}{blocks} blocks: {code}");
            repo.git(["fsck", "--strict"]);
        }
    }
    before.assert_still_so("a full disk");
    let killed = 128 + 25;
    assert_eq!(codes, BTreeSet::from([exit::DONE, exit::FAILURE, killed]));
    repo.reserve("next", "next");
    repo.coord("ops", ["ledger", "verify"]).done();
}

/// 7/ROLLBACK-TWICE: the same rollback many times at once is one entry; repeating it later is
/// "already so".
#[test]
fn one_rollback_sent_many_times_is_one_entry() {
    let repo = Repo::new();
    repo.reserve("alice", "src");
    let whole = repo.tip();
    repo.coord("alice", ["release", "--mine"]).done();
    let rollback = ["ledger", "rollback", "reservations", "--to", &whole, "--reason", "too early"];
    for output in race(&repo, &vec![repo.call("ops").args(rollback); RIVALS]) {
        output.done();
    }
    repo.coord("ops", rollback).done();
    assert_eq!(repo.entry_count(), 3);
    assert_eq!(repo.holds().len(), 1);
}

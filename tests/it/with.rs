//! `with`: holds while a command runs, and no longer.

mod killed;
mod losing;
mod nested;

use std::fs;
use std::path::PathBuf;
use std::process::Child;

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::{Value, json};

use crate::support::contract::{event, exit, refusal};
use crate::support::gits::skip;
use crate::support::untouched::Untouched;
use crate::support::{Call, Output, Repo, race, texts};
use crate::waiting::{Waiting, nothing_is_left, until, waiters};

/// A command that runs until it is ended.
const ENDLESS: &str = "echo $$ > \"$0\"; while :; do sleep 0.05; done";

/// A `with` whose command has begun.
struct Held {
    call: Call,
    child: Child,
    /// The file that the command writes when it runs.
    sign: PathBuf,
}

impl Held {
    fn begin(repo: &Repo, agent: &str, options: &[&str], script: &str) -> Held {
        let sign = repo.world().join("tmp").join(format!("sign-{agent}"));
        let call = repo.call(agent).args(["with"]).args(options);
        let call = call.args(["--", "sh", "-c", script]).args([&sign]);
        let child = call.command().spawn().unwrap();
        let held = Held { call, child, sign };
        until(|| held.command().is_some());
        held
    }

    /// Returns the process of the command, once it has begun.
    fn command(&self) -> Option<Pid> {
        let text = fs::read_to_string(&self.sign).ok()?;
        Pid::from_raw(text.trim_end().parse().ok()?).filter(|_| text.ends_with('\n'))
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    fn finish(self) -> Output {
        self.call.finish(self.child)
    }

    /// Kills the program, its stand-in, and its command.
    fn kill(self) {
        let own = Pid::from_child(&self.child);
        until(|| is_gone(own) || stand_in_of(self.child.id()).is_some());
        if let Some(stand_in) = stand_in_of(self.child.id()) {
            // It is sent away when the program ends by itself.
            kill_process(stand_in, Signal::KILL).ok();
        }
        self.signal(Signal::KILL);
        // It may have ended by itself, when nobody was left to read from it.
        kill_process(self.command().unwrap(), Signal::KILL).ok();
        self.child.wait_with_output().unwrap();
    }
}

/// Finds the process that stands in for a `with` if that is killed.
fn stand_in_of(with: u32) -> Option<Pid> {
    let listed = std::process::Command::new("ps").args(["-eo", "pid=,args="]).output().unwrap();
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let named = format!("--stand-in=pid={with} ");
    let line = listed.lines().find(|line| line.contains(&named))?;
    Pid::from_raw(line.split_whitespace().next()?.parse().ok()?)
}

fn with(repo: &Repo, agent: &str, options: &[&str], command: &[&str]) -> Output {
    repo.call(agent).args(["with"]).args(options).args(["--"]).args(command).run()
}

#[test]
fn it_is_held_while_the_command_runs_and_free_at_its_end() {
    let repo = Repo::new();
    let look = "git coord --as bob check src || echo held; git coord list --json";
    let output =
        with(&repo, "alice", &["src", "--lock", "db", "--reason", "fmt"], &["sh", "-c", look]);
    let output = output.done();
    output.says("held").says("'src' is held by 'alice'");
    let list: Value = serde_json::from_str(output.stdout.lines().last().unwrap()).unwrap();
    let process = &list["reservations"][0]["process"];
    assert!(process["pid"].is_u64() && process["host"].is_string(), "{process}");
    assert!(process["started"].is_string(), "1/SAFETY-2: the start time goes with the pid");
    assert_eq!(repo.holds().len(), 0);
    assert_eq!(repo.life_counts(), [2, 2, 0]);
}

#[test]
fn the_exit_code_is_passed_on() {
    let repo = Repo::new();
    for code in [0, 1, 2, 7, 125, 255] {
        let script = format!("git coord with --lock x -- sh -c 'exit {code}'; echo $?");
        let output = repo.call("alice").program("sh").args(["-c", &script]).run().done();
        assert_eq!(output.stdout, format!("{code}\n"));
    }
    with(&repo, "alice", &["--lock", "x"], &["sh", "-c", "kill -9 $$"]).exits(128 + 9);
    assert_eq!(repo.holds().len(), 0);
}

#[test]
fn what_is_not_started_is_told_apart() {
    let repo = Repo::new();
    with(&repo, "alice", &["--lock", "x"], &["/no/such/program"])
        .exits(exit::NOT_STARTED)
        .says("cannot run '/no/such/program'");
    assert_eq!(repo.holds().len(), 0, "and nothing stays held");
    repo.reserve_with("bob", &["--lock", "x"]);
    let held = with(&repo, "alice", &["--lock", "x", "--json"], &["echo", "ran"]);
    let answer = held.exits(exit::NOT_STARTED).json();
    assert_eq!(answer["refusal"]["code"], refusal::HELD);
    let late = with(&repo, "alice", &["--lock", "x", "--wait", "1s"], &["echo", "ran"]);
    assert_eq!(late.exits(exit::NOT_STARTED).stdout, "");
    nothing_is_left(&repo);
    for wrong in [&["with", "--lock", "x"][..], &["with", "--", "true"], &["with", "x", "--"]] {
        repo.coord("alice", wrong).exits(exit::USAGE);
    }
}

/// Signals reach the command and all that it started, and its answer to them counts.
#[test]
fn signals_are_passed_on_to_the_group() {
    let repo = Repo::new();
    let ending = [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT];
    for signal in ending.into_iter().chain([Signal::USR1, Signal::USR2, Signal::ALARM]) {
        if is_ignored(signal) {
            skip(&format!("whoever started the tests has them ignore {signal:?} for good"));
            continue;
        }
        let before = Untouched::of(repo.world());
        // The child reports itself with `$$`: until it executes its own program, it has the traps.
        let script = "trap 'exit 9' INT TERM HUP QUIT USR1 USR2 ALRM
            sh -c 'echo $$ > \"$0\"; exec sleep 600' \"$0\" >/dev/null 2>&1 & wait";
        let held = Held::begin(&repo, "alice", &["--lock", "x"], script);
        let started = held.command().unwrap();
        held.signal(signal);
        held.finish().exits(9);
        // A shell starts what is in the background deaf to these two.
        if [Signal::INT, Signal::QUIT].contains(&signal) {
            kill_process(started, Signal::KILL).unwrap();
        } else {
            until(|| is_gone(started));
        }
        assert_eq!(repo.holds().len(), 0);
        fs::remove_file(repo.world().join("tmp/sign-alice")).unwrap();
        before.assert_still_so("with");
    }
}

/// Tells whether a signal is ignored here, as under `nohup`. Shells, and so commands, cannot change
/// that.
fn is_ignored(signal: Signal) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask >> (signal.as_raw() - 1) & 1 == 1)
}

fn is_gone(process: Pid) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", process.as_raw_nonzero()));
    test_kill_process(process).is_err() || stat.is_ok_and(|stat| stat.contains(") Z "))
}

/// Renewed as long as the command runs: it outlives its time to live many times over.
#[test]
fn it_is_renewed_while_the_command_runs() {
    let repo = Repo::new();
    let held = Held::begin(&repo, "alice", &["--lock", "x", "--ttl", "1s"], ENDLESS);
    until(|| {
        repo.call("l")
            .args(["events", "--json", "--type", "renewed"])
            .run_unproven()
            .stdout
            .lines()
            .count()
            >= 4
    });
    repo.coord("bob", ["reserve", "--lock", "x"]).exits(exit::NO);
    held.signal(Signal::TERM);
    held.finish().exits(128 + 15);
    assert_eq!(repo.events(event::EXPIRED).len(), 0);
}

const FORCE: [&str; 6] = ["release", "--lock", "x", "--force", "--reason", "mine now"];

/// When it is lost, the command is ended with all that it started, also what does not want to.
#[test]
fn a_lost_hold_ends_the_command() {
    let repo = Repo::new();
    let deaf = "trap '' TERM; echo $$ > \"$0\"; while :; do sleep 0.05; done";
    let script = format!("sh -c '{deaf}' \"$0\" & wait").replace("''", "\"\"");
    let held = Held::begin(&repo, "alice", &["--lock", "x", "--ttl", "3s"], &script);
    let started = held.command().unwrap();
    repo.coord("bob", FORCE).done();
    let output = held.finish().exits(128 + 15);
    output.says("no longer yours").says("the command is ended");
    until(|| is_gone(started));
}

#[test]
fn who_wants_to_goes_on_without_it() {
    let repo = Repo::new();
    let options = ["--lock", "x", "--ttl", "3s", "--keep-going"];
    let held = Held::begin(&repo, "alice", &options, ENDLESS);
    repo.coord("bob", FORCE).done();
    repo.reserve_with("bob", &["--lock", "x"]);
    let pid = held.command().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1_500));
    kill_process(pid, Signal::KILL).expect("it still runs");
    let output = held.finish().exits(128 + 9);
    output.says("no longer yours").says("the command goes on without it");
    assert_eq!(texts(&repo.holds().into(), "holder"), ["bob"], "what is bob's stays bob's");
}

/// 1/SAFETY-2, 1/SAFETY-2-live: who is killed frees it at once on its own host; who lives keeps it.
#[test]
fn a_killed_holder_frees_it_at_once() {
    let repo = Repo::new();
    let held = Held::begin(&repo, "alice", &["src", "--lock", "x"], ENDLESS);
    repo.coord("bob", ["reserve", "--lock", "x"]).exits(exit::NO);
    repo.coord("bob", ["check", "src"]).exits(exit::NO);
    held.kill();
    repo.coord("bob", ["check", "src"]).done();
    assert_eq!(repo.list(&["--locks"]).len(), 0);
    repo.reserve_with("bob", &["--lock", "x"]);
    let expired = &repo.events(event::EXPIRED)[0];
    assert_eq!(expired["data"]["why"], "process_ended");
    assert_eq!(expired["data"]["lock"], "x");
    let some = repo.json("carol", ["reserve", "--each", "src", "docs"]);
    assert_eq!(texts(&some["granted"], "pattern"), ["src", "docs"]);
    repo.coord("ops", ["ledger", "verify"]).done();
}

#[test]
fn a_killed_holder_is_swept_and_passed_over_by_those_who_wait() {
    let repo = Repo::new();
    let held = Held::begin(&repo, "alice", &["src", "--lock", "x"], ENDLESS);
    let call = repo.call("bob").args(["reserve", "src", "--wait", "10m"]);
    let child = call.command().spawn().unwrap();
    until(|| waiters(&repo) == ["bob"]);
    held.kill();
    call.finish(child).done();
    assert_eq!(repo.json("ops", ["sweep", "--older-than", "1h"])["swept"], 0);
    assert_eq!(repo.json("ops", ["sweep"])["swept"], 1);
    nothing_is_left(&repo);
}

/// Changes one word in the process that a hold is bound to.
fn pretend(repo: &Repo, field: &str, value: &Value) {
    let hold = repo.list(&["--all"]).remove(0);
    let paths = repo.documents_of(hold["id"].as_str().unwrap());
    let mut document: Value = serde_json::from_str(&repo.document(&paths[0])).unwrap();
    document["process"][field] = value.clone();
    repo.overwrite(&paths, &serde_json::to_string_pretty(&document).unwrap());
}

/// 1/SAFETY-2: that some process has the same pid keeps nothing alive.
#[test]
fn another_process_with_the_same_pid_is_another() {
    let repo = Repo::new();
    let held = Held::begin(&repo, "alice", &["--lock", "x"], ENDLESS);
    repo.coord("bob", ["reserve", "--lock", "x"]).exits(exit::NO);
    pretend(&repo, "started", &json!("1"));
    repo.reserve_with("bob", &["--lock", "x"]);
    held.kill();
}

/// 1/SAFETY-2-host = 1/M1: a pid of another host, or of another boot of one that is called the
/// same, is never tested: only the time to live frees it.
#[test]
fn a_process_elsewhere_is_never_judged() {
    for (field, value) in [("host", "elsewhere"), ("boot", "another"), ("namespace", "1")] {
        let repo = Repo::new();
        let held = Held::begin(&repo, "alice", &["--lock", "x"], ENDLESS);
        held.kill();
        pretend(&repo, field, &json!(value));
        let words = ["reserve", "--lock", "x"];
        repo.coord_json("bob", words).refused(refusal::HELD);
        assert_eq!(repo.json("bob", ["sweep"])["swept"], 0);
        repo.pass("15m");
        repo.coord("bob", words).done();
        assert_eq!(repo.events(event::EXPIRED)[0]["data"].get("why"), None);
    }
}

/// 1/SAFETY-2-live: after its time it is free even if the holder lives, which then learns it. A
/// clock that is an hour ahead sees no renewal.
#[test]
fn after_its_time_it_is_free_although_the_holder_lives() {
    let repo = Repo::new();
    let held = Held::begin(&repo, "alice", &["--lock", "x", "--ttl", "2s"], ENDLESS);
    held.signal(Signal::STOP);
    repo.pass("1h");
    repo.reserve_with("bob", &["--lock", "x"]);
    held.signal(Signal::CONT);
    held.finish().exits(128 + 15).says("no longer yours");
    assert_eq!(texts(&repo.holds().into(), "holder"), ["bob"]);
}

/// What the agent held before stays its own, and what it reserves meanwhile does not end with it.
#[test]
fn what_was_held_before_stays() {
    let repo = Repo::new();
    let id = repo.reserve_id("alice", "src");
    with(&repo, "alice", &["src/main.rs"], &["git", "coord", "reserve", "docs"]).done();
    let mut held = texts(&repo.holds().into(), "pattern");
    held.sort();
    assert_eq!(held, ["docs", "src"]);
    with(&repo, "alice", &["src/**"], &["true"]).done();
    with(&repo, "alice", &["docs/**"], &["git", "coord", "reserve", "docs/guide.md"]).done();
    assert!(texts(&repo.holds().into(), "id").contains(&id));
}

/// Two processes of one agent take turns as those of two agents do.
#[test]
fn processes_take_turns() {
    const EACH: usize = 4;
    let repo = Repo::new();
    let place = repo.world().join("tmp/turns");
    fs::create_dir(&place).unwrap();
    let turn =
        "mkdir \"$0/busy\" || exit 9; echo turn >> \"$0/log\"; sleep 0.05; rmdir \"$0/busy\"";
    let call = |agent: &str| {
        let call = repo.call(agent).args(["with", "--lock", "x", "--wait", "10m", "--"]);
        call.args(["sh", "-c", turn]).args([&place])
    };
    let calls: Vec<Call> = (0..EACH).flat_map(|_| ["alice", "bob"].map(call)).collect();
    for output in race(&repo, &calls) {
        output.done();
    }
    assert_eq!(fs::read_to_string(place.join("log")).unwrap().lines().count(), 2 * EACH);
    nothing_is_left(&repo);
}

/// A process that holds something ends by itself, whatever else its agent waits for; but what the
/// agent itself holds, it holds while it waits.
#[test]
fn a_circle_goes_over_what_agents_hold_not_over_what_runs() {
    let repo = Repo::new();
    let runs = Held::begin(&repo, "alice", &["--lock", "a"], ENDLESS);
    repo.reserve_with("bob", &["--lock", "b"]);
    let call = repo.call("bob").args(["reserve", "--lock", "a", "--wait", "10m"]);
    let child = call.command().spawn().unwrap();
    until(|| waiters(&repo) == ["bob"]);
    let words = ["--json", "--lock", "b", "--wait", "1s"];
    let late = with(&repo, "alice", &words, &["true"]).exits(exit::NOT_STARTED).json();
    assert_eq!(late["refusal"]["code"], refusal::HELD);
    repo.reserve_with("alice", &["--lock", "c"]);
    let both = repo.call("dora").args(["reserve", "--lock", "c", "--lock", "d", "--wait", "10m"]);
    repo.reserve_with("dora", &["--lock", "e"]);
    let other = both.command().spawn().unwrap();
    until(|| waiters(&repo) == ["bob", "dora"]);
    let words = ["--json", "--lock", "e", "--wait", "1s"];
    let circle = with(&repo, "alice", &words, &["true"]).exits(exit::NOT_STARTED).json();
    assert_eq!(circle["refusal"]["code"], refusal::DEADLOCK);
    runs.signal(Signal::TERM);
    runs.finish().exits(128 + 15);
    call.finish(child).done();
    repo.coord("alice", ["release", "--mine"]).done();
    both.finish(other).done();
    nothing_is_left(&repo);
}

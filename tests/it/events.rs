//! `events`: the audit trail, read from the entries themselves.

use std::io::{BufRead, BufReader};
use std::process::Child;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::support::contract::{RESERVATIONS, event, exit};
use crate::support::{Output, Repo, texts};

/// The maximum time for a follower to show an event, on a loaded machine.
const FOLLOWED_WITHIN: Duration = Duration::from_secs(20);

fn sequence(events: &[Value]) -> Vec<u64> {
    events.iter().map(|event| event["seq"].as_u64().expect("'seq' is a number")).collect()
}

fn read(repo: &Repo, options: &[&str]) -> Vec<Value> {
    let args = ["events", "--json"].iter().chain(options);
    repo.coord("reader", args).done().json_lines()
}

/// 4/INV-4: sequence numbers grow strictly, and nothing is ever removed, also by a rollback.
#[test]
fn events_are_never_removed() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    let first = repo.tip();
    repo.reserve("alice", "docs/**");
    repo.coord("alice", ["release", "--mine"]).done();
    let before = read(&repo, &[]);
    let back = ["ledger", "rollback", RESERVATIONS, "--to", &first, "--reason", "a mistake"];
    repo.json("alice", back);
    let after = read(&repo, &[]);
    assert_eq!(after[..before.len()], before[..]);
    let numbers = sequence(&after);
    assert!(numbers.is_sorted_by(|before, after| before < after), "{numbers:?}");
    assert!(numbers.last() > sequence(&before).last(), "the rollback has events of its own");
}

/// 1/ARCH-3: each change is there, with every key, also when no run is set.
#[test]
fn each_change_is_an_event() {
    let repo = Repo::new();
    let id = repo.reserve_id("alice", "src/**");
    repo.pass("1m");
    repo.coord("alice", ["renew", "--mine"]).done();
    repo.coord("alice", ["transfer", "--to", "bob", &id]).done();
    repo.coord("bob", ["release", "--mine"]).done();
    let all = read(&repo, &[]);
    let kinds: Vec<&str> = all.iter().filter_map(|event| event["type"].as_str()).collect();
    let wanted = [event::GRANTED, event::RENEWED, event::TRANSFERRED, event::RELEASED];
    assert_eq!(kinds, wanted);
    for event in &all {
        for key in ["seq", "ledger", "entry", "type", "at", "actor", "data"] {
            assert!(event.get(key).is_some(), "no '{key}' in {event:#}");
        }
        assert_eq!(event["subject"], id.as_str());
    }
}

/// 1/ARCH-3: the whole life of a hold is visible for its run, and without asking for one.
#[test]
fn a_run_sees_its_own_events() {
    let repo = Repo::new();
    repo.reserve_with("alice", &["src/**", "--run", "r-1"]);
    repo.reserve_with("bob", &["lib/**", "--run", "r-2"]);
    repo.reserve("carol", "docs/**");
    repo.pass("1m");
    repo.coord("alice", ["renew", "--mine"]).done();
    repo.coord("alice", ["transfer", "--to", "dora"]).done();
    repo.coord("dora", ["release", "--mine"]).done();
    repo.pass("1h");
    repo.coord("ops", ["sweep"]).done();
    let kinds = |options: &[&str]| texts(&read(&repo, options).into(), "type");
    let whole = [event::GRANTED, event::RENEWED, event::TRANSFERRED, event::RELEASED];
    assert_eq!(kinds(&["--run", "r-1"]), whole);
    assert_eq!(kinds(&["--run", "r-2"]), [event::GRANTED, event::EXPIRED]);
    assert_eq!(kinds(&["--run", "r-3"]), [""; 0]);
    assert_eq!(kinds(&[]).len(), whole.len() + 4);
}

/// 3/TRUST, 7/REL-OWNER: what one agent does to another is recorded with name, time and reason.
#[test]
fn force_is_recorded() {
    let repo = Repo::new();
    let first = repo.reserve_id("alice", "src/**");
    let second = repo.reserve_id("alice", "docs/**");
    repo.pass("1m");
    let from_alice = ["transfer", "--from", "alice", "--to", "carol", &second];
    repo.coord("bob", from_alice).exits(exit::NO);
    let force = |reason| ["--force", "--reason", reason];
    repo.json("bob", ["release", &first].iter().chain(&force("on leave")));
    repo.json("bob", from_alice.iter().chain(&force("takes over")));
    for (kind, reason) in [(event::RELEASED, "on leave"), (event::TRANSFERRED, "takes over")] {
        let recorded = &repo.events(kind)[0];
        assert_eq!((&recorded["actor"], &recorded["at"]), (&"bob".into(), &repo.now().into()));
        assert_eq!(recorded["data"]["forced"], true, "{recorded:#}");
        assert_eq!(recorded["data"]["because"], reason, "{recorded:#}");
        assert!(recorded["data"].to_string().contains("alice"), "{recorded:#}");
    }
}

/// 1/ARCH-3-source: an event names its ledger, and a reader can ask for one.
#[test]
fn a_reader_can_ask_for_one_source() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    let ours = read(&repo, &["--ledger", RESERVATIONS]);
    assert_eq!(ours.len(), 1);
    assert_eq!(ours[0]["ledger"], RESERVATIONS);
    repo.coord("reader", ["events", "--ledger", "nonsense"]).exits(exit::USAGE);
}

/// 1/ARCH-3-source: what this program does not know is kept, not dropped.
#[test]
fn an_event_of_an_unknown_type_is_passed_on() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    let rename = |line: &str| match serde_json::from_str::<Value>(line) {
        Ok(mut event) if event["type"] == event::GRANTED => {
            event["type"] = "of_another_age".into();
            event.to_string()
        }
        _ => line.to_owned(),
    };
    let message: Vec<String> = repo.tip_message().lines().map(rename).collect();
    repo.overwrite_message(&message.join("\n"));
    assert_eq!(read(&repo, &[])[0]["type"], "of_another_age");
}

#[test]
fn type_and_since_choose() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    repo.reserve("bob", "docs/**");
    repo.coord("alice", ["release", "--mine"]).done();
    let released = read(&repo, &["--type", event::RELEASED]);
    assert_eq!(released.len(), 1);
    let all = read(&repo, &[]);
    let since = format!("{RESERVATIONS}:{}", all[0]["seq"]);
    assert_eq!(read(&repo, &["--since", &since]), all[1..]);
    for bad in ["nonsense", "reservations:", "reservations:-1", "reservations:1e99"] {
        repo.coord("reader", ["events", "--since", bad]).exits(exit::USAGE);
    }
}

/// A limit never splits an entry.
#[test]
fn a_limit_keeps_entries_whole() {
    let repo = Repo::new();
    repo.json("alice", ["reserve", "a", "b", "c"]);
    repo.json("alice", ["reserve", "d", "e", "f"]);
    let some = read(&repo, &["--limit", "4"]);
    assert!([3, 6].contains(&some.len()), "{some:#?}");
    for bad in ["0", "-1", "abc", "1e99", "99999999999999999999"] {
        repo.coord("reader", ["events", &format!("--limit={bad}")]).exits(exit::USAGE);
    }
}

/// Makes entries of two ledgers by turns, a minute apart, and lists their events in order of time.
fn two_ledgers(repo: &Repo) -> Vec<(Value, Value)> {
    let mut seen = Vec::new();
    for round in ["2", "3", "4"] {
        repo.reserve("alice", round);
        repo.pass("1m");
        let id = format!("parser0{round}");
        repo.json("alice", ["run", "create", "--goal", "a goal", "--id", &id]);
        repo.pass("1m");
        for ledger in [RESERVATIONS, "runs"] {
            let all = read(repo, &["--ledger", ledger]);
            seen.extend(all.iter().map(place).filter(|at| !seen.contains(at)).collect::<Vec<_>>());
        }
    }
    seen
}

fn place(event: &Value) -> (Value, Value) {
    (event["ledger"].clone(), event["seq"].clone())
}

fn places(repo: &Repo, options: &[&str]) -> Vec<(Value, Value)> {
    read(repo, options).iter().map(place).collect()
}

/// 1/EVENTS-TIME: the limit is that of all ledgers together, and the order is that of time.
#[test]
fn ledgers_share_a_limit_and_an_order() {
    let repo = Repo::new();
    let all = two_ledgers(&repo);
    assert!(all.len() >= 6, "{all:?}");
    assert_eq!(places(&repo, &[]), all);
    assert_eq!(places(&repo, &["-n", "2"]), all[all.len() - 2..]);
    assert_eq!(places(&repo, &["--limit", "4"]), all[all.len() - 4..]);
}

/// 1/EVENTS-TIME: `--since` takes a duration, as that of `log` does.
#[test]
fn since_takes_a_duration() {
    let repo = Repo::new();
    let all = two_ledgers(&repo);
    assert_eq!(places(&repo, &["--since", "1h"]), all);
    let young = places(&repo, &["--since", "130s"]);
    assert!(!young.is_empty() && young.len() < all.len(), "{young:?}");
    assert_eq!(young, all[all.len() - young.len()..]);
    assert_eq!(places(&repo, &["--since", "30s"]), []);
}

/// 1/EVENTS-TIME, 4/INV-4: a consumer with a limit gets each event of each ledger, in order of
/// time.
#[test]
fn a_consumer_loses_nothing_to_the_limit() {
    let repo = Repo::new();
    let all = two_ledgers(&repo);
    for limit in ["1", "2", "3", "100"] {
        let consumer = format!("by{limit}");
        let mut seen = Vec::new();
        loop {
            let some = places(&repo, &["--consumer", &consumer, "--limit", limit]);
            if some.is_empty() {
                break;
            }
            seen.extend(some);
        }
        assert_eq!(seen, all, "{limit} at a time");
    }
}

/// 4/INV-4: a consumer sees each event at least once and can resume.
#[test]
fn a_consumer_resumes_where_it_was() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    let mine = ["--consumer", "watcher"];
    assert_eq!(read(&repo, &mine).len(), 1);
    assert_eq!(read(&repo, &mine).len(), 0);
    repo.reserve("bob", "docs/**");
    assert_eq!(read(&repo, &mine).len(), 1);
    repo.coord("reader", ["events", "cursors"]).done().says("watcher");
    repo.coord("reader", ["events", "cursors", "--reset", "watcher"]).done();
    assert_eq!(read(&repo, &mine).len(), 2);
    repo.coord("reader", ["events", "cursors", "--delete", "watcher"]).done();
    let cursors: Output = repo.coord("reader", ["events", "cursors"]).done();
    assert!(!cursors.stdout.contains("watcher"), "{cursors:#?}");
}

/// A cursor that is no ancestor of the tip goes back to the merge base and goes on.
#[test]
fn a_consumer_outlives_a_reset_by_hand() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    let first = repo.tip();
    repo.reserve("alice", "docs/**");
    read(&repo, &["--consumer", "watcher"]);
    repo.git(["update-ref", "refs/coord/reservations", &first]);
    repo.reserve("bob", "README.md");
    let answer = repo.coord("reader", ["events", "--json", "--consumer", "watcher"]).done();
    answer.says("rewound");
    let seen = answer.json_lines();
    let last = seen.last().expect("the new event is seen");
    assert_eq!((&last["type"], &last["actor"]), (&event::GRANTED.into(), &"bob".into()));
}

#[test]
fn follow_shows_what_happens_next() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    let following = Following::start(&repo);
    assert_eq!(following.next()["actor"], "alice");
    repo.reserve("bob", "docs/**");
    assert_eq!(following.next()["actor"], "bob");
}

/// A process that follows the events, and ends with the test.
struct Following {
    child: Child,
    lines: Receiver<String>,
}

impl Following {
    fn start(repo: &Repo) -> Following {
        let call = repo.call("reader").args(["events", "--json", "--follow"]);
        let mut child = call.command().spawn().expect("the program can be started");
        let stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
        let (sender, lines) = channel();
        thread::spawn(move || {
            stdout.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        Following { child, lines }
    }

    #[track_caller]
    fn next(&self) -> Value {
        let line = self.lines.recv_timeout(FOLLOWED_WITHIN).expect("an event is shown in time");
        serde_json::from_str(&line).expect("an event is JSON")
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        self.child.kill().expect("an own process can be ended");
        self.child.wait().expect("an ended process can be waited for");
    }
}

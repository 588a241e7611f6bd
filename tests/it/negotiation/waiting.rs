//! `ask --wait` in one process, the answer in another, and either of them killed in between.

use std::os::unix::process::ExitStatusExt as _;
use std::process::Child;
use std::time::{Duration, Instant};

use super::*;
use crate::support::{Call, race};

/// Longer than any machine needs.
const PATIENCE: Duration = Duration::from_secs(60);

fn asking(repo: &Repo, agent: &str, path: &str, wait: &str) -> Call {
    let words = ["--json", "ask", path, "--reason", "needs it", "--wait", wait];
    repo.call(agent).args(words)
}

/// Starts a wait, and returns once the request exists.
#[track_caller]
fn started(repo: &Repo, call: &Call) -> Child {
    let child = call.command().spawn().unwrap();
    until(|| repo.json("alice", ["status"])["to_answer"] != json!([]));
    child
}

#[track_caller]
fn until(is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "nobody asks");
    }
}

/// 3/CHECK-R1, 3/MON-H2: the one who waits has it when the other lets go.
#[test]
fn an_answer_ends_the_waiting() {
    let repo = Repo::new();
    repo.reserve("alice", "src");
    let call = asking(&repo, "bob", "src/a", "60s");
    let child = started(&repo, &call);
    repo.json("alice", ["answer", "src/a", "--release"]);
    let answer = call.finish(child).done().json();
    assert_eq!(
        (&answer["status"], &answer["granted"][0]["holder"]),
        (&json!("released"), &json!("bob"))
    );
    assert_eq!(holders(&repo), both_sides());
    verified(&repo);
}

/// Lists the holders after a release of `src/a`: whoever gives it away keeps the rest of `src`.
fn both_sides() -> [(String, String); 2] {
    [("alice", "src"), ("bob", "src/a")].map(|(agent, path)| (agent.to_owned(), path.to_owned()))
}

#[test]
fn a_refusal_and_the_end_of_the_time_are_no() {
    let repo = Repo::new();
    repo.reserve("alice", "src");
    let call = asking(&repo, "bob", "src/a", "60s");
    let child = started(&repo, &call);
    repo.json("alice", ["answer", "src/a", "--refuse", "--reason", "mine"]);
    let answer = call.finish(child).refused("refused");
    assert_eq!(answer["status"], "refused");
    let late = asking(&repo, "carol", "src/b", "1s").run().refused("timeout");
    assert_eq!((&late["status"], &late["can_take"]), (&json!("timeout"), &json!(false)));
    asking(&repo, "carol", "src/b", "0s").run().exits(exit::USAGE);
}

/// What runs out while somebody waits ends the waiting; that it was put off is an answer, and that
/// it went to somebody else is a no.
#[test]
fn other_ends_of_a_wait() {
    let repo = Repo::new();
    repo.reserve_with("alice", &["src", "--ttl", "2s"]);
    let free = asking(&repo, "bob", "src/a", "60s").run().refused("free");
    assert_eq!((&free["status"], &free["granted"]), (&json!("free"), &Value::Null));
    repo.pass("1m");
    repo.reserve("alice", "docs");
    ask(&repo, "bob", &["docs/a"]);
    repo.json("alice", ["answer", "docs/a", "--defer", "20m", "--reason", "tests run"]);
    let late = asking(&repo, "bob", "docs/a", "1s").run().refused("deferred");
    assert_eq!(late["status"], "deferred");
    assert!(late["refusal"]["message"].as_str().unwrap().contains("until"), "{late:#}");
    let call = asking(&repo, "carol", "docs/b", "60s");
    let child = call.command().spawn().unwrap();
    until(|| repo.json("carol", ["status"])["asks"] != json!([]));
    repo.json("alice", ["transfer", "--to", "dora", "--path", "docs"]);
    let gone = call.finish(child).refused("transferred");
    assert_eq!((&gone["status"], &gone["outcome"]["how"]), (&json!("held"), &json!("transferred")));
}

/// 3/GAPS-2, 3/GOROUTINE-stop: a request outlives both processes. Who is interrupted ends at once
/// and leaves nothing but the request; who asks again joins it.
#[test]
fn both_sides_can_be_killed_and_come_back() {
    for signal in [libc_signal::TERM, libc_signal::INT, libc_signal::KILL] {
        let repo = Repo::new();
        repo.reserve("alice", "src");
        let call = asking(&repo, "bob", "src/a", "60s");
        let child = started(&repo, &call);
        let thread = repo.json("bob", ["status"])["asks"][0]["thread"].clone();
        send(&child, signal);
        let ended = child.wait_with_output().unwrap();
        // Killed, it ends by the signal; asked to end, it tidies up and says so by its code.
        let told = (ended.status.signal(), ended.status.code());
        let is_kill = signal == libc_signal::KILL;
        let expected = if is_kill { (Some(signal), None) } else { (None, Some(128 + signal)) };
        assert_eq!(told, expected);
        if !is_kill {
            let told: Value = serde_json::from_slice(&ended.stdout).unwrap();
            let short = &thread.as_str().unwrap()[..8];
            let open = format!("the request stays open: git coord inbox --thread {short}");
            assert_eq!(told["notes"][0]["text"], open);
            assert!(told["error"]["hints"].is_null(), "one thing is said, and it is true: {told}");
        }
        // That it is urgent now shows that the second one has asked.
        let call = call.args(["--urgent"]);
        let again = call.command().spawn().unwrap();
        until(|| repo.json("alice", ["status"])["to_answer"][0]["urgent"] == true);
        let stopped = repo.call("alice").args(["answer", "src/a", "--release"]);
        let mut killed = stopped.command().spawn().unwrap();
        killed.kill().unwrap();
        killed.wait().unwrap();
        let thread = thread.as_str().unwrap();
        repo.json("alice", ["answer", thread, "--release"]);
        let answer = call.finish(again).done().json();
        assert_eq!(answer["thread"], thread);
        assert_eq!(holders(&repo), both_sides());
        verified(&repo);
    }
}

mod libc_signal {
    pub(super) const INT: i32 = 2;
    pub(super) const KILL: i32 = 9;
    pub(super) const TERM: i32 = 15;
}

fn send(child: &Child, signal: i32) {
    let kill = ["-s", &signal.to_string(), &child.id().to_string()].map(str::to_owned);
    assert!(std::process::Command::new("kill").args(kill).status().unwrap().success());
}

/// 3/MON-H1, 3/CONCURRENT: many who ask, wait and answer at once, for `GIT_COORD_TEST_SECONDS`;
/// afterwards everything can be verified, and nobody has what another holds.
#[test]
fn many_ask_wait_and_answer() {
    let seconds = std::env::var("GIT_COORD_TEST_SECONDS").ok();
    let length = Duration::from_secs(seconds.map_or(3, |text| text.parse().unwrap()));
    let repo = Repo::new();
    let begun = Instant::now();
    let script = r#"
        me=$1; path=src/$(( $2 % 5 ))
        git-coord --as "$me" reserve "$path" --ttl 60s || {
            git-coord --as "$me" ask "$path" --reason "$me needs it" --wait 1s
            git-coord --as "$me" take "$path" --reason "$me waited"
        }
        git-coord --as "$me" inbox --unread
        git-coord --as "$me" answer "$path" --release
        git-coord --as "$me" release --path "$path"
        exit 0
    "#;
    let worker = |number: usize| {
        let (name, place) = (format!("agent{number}"), number.to_string());
        repo.call("").program("sh").args(["-c", script, "sh", &name, &place])
    };
    let mut round = 0;
    while round == 0 || begun.elapsed() < length {
        let calls: Vec<Call> = (0..20).map(worker).collect();
        for output in race(&repo, &calls) {
            for text in [&output.stdout, &output.stderr] {
                assert!(!text.contains("panicked") && !text.contains("damaged"), "{output:#?}");
            }
        }
        verified(&repo);
        repo.pass("2m");
        round += 1;
    }
    let talked = repo.events("asked").len() + repo.events("answered").len();
    assert!(talked > 0, "somebody asked");
}

/// 3/MSG-SIZE: however many requests are open, an answer has a bounded number of them and says how
/// many there are. That a thousand of them are fast is a row of `benches/ledger`.
#[test]
fn many_open_requests_stay_within_bounds() {
    let repo = Repo::new();
    let paths: Vec<String> = (0..40).map(|number| format!("part{number}")).collect();
    repo.json("alice", std::iter::once(&"reserve".to_owned()).chain(&paths));
    for path in &paths {
        ask(&repo, "bob", &[path]);
    }
    for (agent, list) in [("alice", "to_answer"), ("bob", "asks")] {
        let status = repo.json(agent, ["status"]);
        assert_eq!(status[list].as_array().unwrap().len(), 20, "bounded");
        assert_eq!(status[format!("{list}_count")], 40);
    }
    let inbox = repo.json("alice", ["inbox", "--limit", "5"]);
    assert_eq!(inbox["messages"].as_array().unwrap().len(), 5);
    assert_eq!(inbox["to_answer"].as_array().unwrap().len(), 20, "bounded");
    let answer = repo.json("alice", ["answer", "part7", "--release"]);
    assert_eq!(answer["granted"][0]["pattern"], "part7");
    verified(&repo);
}

/// A lock is asked for, answered and taken like a path.
#[test]
fn locks_are_negotiated_like_paths() {
    let repo = Repo::new();
    repo.coord("alice", ["reserve", "--lock", "db"]).done();
    let ask = repo.json("bob", ["ask", "--lock", "db", "--reason", "a migration"]);
    assert_eq!(ask["locks"], json!(["db"]));
    assert_eq!((&ask["status"], &ask["holder"]), (&json!("pending"), &json!("alice")));
    repo.coord_json("bob", ["take", "--lock", "db", "--reason", "now"]).refused("too_early");
    let answer = repo.json("alice", ["answer", "--lock", "db", "--release"]);
    assert_eq!(answer["granted"][0]["holder"], "bob");
    assert_eq!(answer["granted"][0]["lock"], "db");
    repo.coord_json("alice", ["ask", "--lock", "nobody", "--reason", "x"]).refused("not_held");
    repo.coord("alice", ["ask", "--reason", "for what?"]).exits(129);
    verified(&repo);
}

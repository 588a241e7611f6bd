//! A lost hold is reported at once, and the others are kept.

use super::*;

/// 1/SAFETY-2-live: the next renewal is minutes away, and the command has ended long before it.
#[test]
fn a_loss_is_seen_before_the_next_renewal() {
    let repo = Repo::new();
    let held = Held::begin(&repo, "alice", &["--lock", "x", "--ttl", "24h"], ENDLESS);
    let started = held.command().unwrap();
    repo.coord("bob", FORCE).done();
    repo.coord("bob", ["with", "--lock", "x", "--", "true"]).done();
    let output = held.finish().exits(128 + 15);
    output.says("no longer yours").says("the command is ended");
    until(|| is_gone(started));
    nothing_is_left(&repo);
}

/// A take-over ends the command as well, and what was handed on keeps nothing else held.
#[test]
fn whatever_ends_it_ends_the_command_and_frees_the_rest() {
    let repo = Repo::new();
    let held = Held::begin(&repo, "alice", &["--lock", "x", "--lock", "y"], ENDLESS);
    let id = repo.list(&["--lock", "x"])[0]["id"].as_str().unwrap().to_owned();
    repo.coord("alice", ["transfer", "--to", "carol", &id]).done();
    held.finish().exits(128 + 15).says("which 'carol' holds");
    assert_eq!(texts(&repo.holds().into(), "lock"), ["x"], "and 'y' is free");
}

/// That it was lost is said even if the command ends before anybody has looked.
#[test]
fn a_loss_is_told_when_the_command_has_ended() {
    let repo = Repo::new();
    let script = "trap '' TERM; git coord --as bob release --lock x --force --reason r; exit 7";
    let output = with(&repo, "alice", &["--lock", "x"], &["sh", "-c", script]);
    output.exits(7).says("no longer yours");
    nothing_is_left(&repo);
}

/// `--keep-going` goes on without what is lost, and with what is not.
#[test]
fn what_is_not_lost_is_renewed_on() {
    let repo = Repo::new();
    let options = ["--lock", "x", "--lock", "y", "--ttl", "3s", "--keep-going"];
    let held = Held::begin(&repo, "alice", &options, ENDLESS);
    repo.coord("bob", FORCE).done();
    let renewals = || repo.events("renewed").iter().filter(|it| it["data"]["lock"] == "y").count();
    let before = renewals();
    // Three lives of it at least.
    until(|| renewals() >= before + 10);
    assert_eq!(texts(&repo.holds().into(), "lock"), ["y"]);
    held.signal(Signal::TERM);
    held.finish().exits(128 + 15).says("the command goes on without it");
    assert_eq!(repo.events(event::EXPIRED).len(), 0);
    assert_eq!(repo.holds().len(), 0);
}

/// What is left of a group that was killed may wait for somebody else to count it; we do not.
#[test]
fn a_zombie_of_somebody_else_is_not_waited_for() {
    let repo = Repo::new();
    // Leaves the group, and a child in it that it never asks about: a shell would, so the child
    // ends when there is none any more.
    let stray = "sleep 1 & echo $$ > \"$0.stray\"; exec setsid sleep 600";
    let script = format!("sh -c '{stray}' \"$0\" >/dev/null 2>&1 & echo $$ > \"$0\"; wait");
    let held = Held::begin(&repo, "alice", &["--lock", "x"], &script);
    let stray = held.sign.with_extension("stray");
    let stray = || Pid::from_raw(fs::read_to_string(&stray).ok()?.trim_end().parse().ok()?);
    until(|| stray().is_some_and(has_zombie_child));
    repo.coord("bob", FORCE).done();
    held.finish().exits(128 + 15).says("the command is ended");
    kill_process(stray().unwrap(), Signal::KILL).expect("it is still there");
}

/// Tells whether a process has become the leader of a session, and has a zombie child.
fn has_zombie_child(parent: Pid) -> bool {
    let parent = parent.as_raw_nonzero().to_string();
    let listed = std::process::Command::new("ps").args(["-eo", "pid=,ppid=,stat="]).output();
    let listed = String::from_utf8(listed.unwrap().stdout).unwrap();
    let processes = || listed.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let leads = |words: &[&str]| words[0] == parent && words[2].contains('s');
    let is_zombie = |words: &[&str]| words[1] == parent && words[2].starts_with('Z');
    processes().any(|words| leads(&words)) && processes().any(|words| is_zombie(&words))
}

/// 3/FORCE-4: whose command runs under `with` is not silent, whatever the clock says; when it has
/// ended, nothing is held that one could wait for.
#[test]
fn a_running_command_is_a_sign_of_life() {
    let repo = Repo::new();
    let held = Held::begin(&repo, "alice", &["--lock", "x", "--ttl", "2h"], ENDLESS);
    repo.pass("21m");
    repo.json("bob", ["ask", "--lock", "x", "--reason", "r"]);
    let words = ["take", "--lock", "x", "--reason", "r"];
    let early = repo.coord_json("bob", words).refused("too_early");
    assert!(early["refusal"]["message"].as_str().unwrap().contains("under 'with'"), "{early:#}");
    let alice = |answer: Value| {
        let all = answer["agents"].as_array().unwrap().clone();
        all.into_iter().find(|one| one["agent"] == "alice").unwrap()
    };
    assert_eq!(alice(repo.json("bob", ["agents"]))["alive"], true);
    let no = repo.coord_json("bob", ["reserve", "--lock", "x"]).refused(refusal::HELD);
    assert_eq!(no["conflicts"][0]["held"]["alive"], true);
    held.kill();
    assert_eq!(alice(repo.json("bob", ["agents"]))["alive"], false);
    assert_eq!(repo.json("bob", ["status"])["asks"][0]["status"], "free");
    let taken = repo.json("bob", words);
    assert_eq!((&taken["taken"], &taken["granted"][0]["holder"]), (&json!([]), &json!("bob")));
    repo.coord("ops", ["ledger", "verify"]).done();
}

/// 3/MON-D1: who runs something or waits for something leaves signs of life meanwhile.
#[test]
fn who_takes_long_is_seen_again_and_again() {
    let repo = Repo::new();
    let begun = repo.now();
    let held = Held::begin(&repo, "alice", &["--lock", "x", "--ttl", "1h"], ENDLESS);
    let waiting = Waiting::begin(&repo, "bob", &["--lock", "x"]);
    let asks = repo.call("carol").args(["ask", "--lock", "x", "--reason", "r", "--wait", "10m"]);
    let asking = asks.command().spawn().unwrap();
    let seen = |agent: &str| {
        let file = repo.git_dir().join(format!("coord/presence/{agent}.json"));
        let text = fs::read_to_string(file).unwrap_or_default();
        serde_json::from_str::<Value>(&text).unwrap_or_default()["last_seen"].clone()
    };
    for agent in ["alice", "bob", "carol"] {
        until(|| seen(agent).as_str().is_some_and(|at| at[..19] > begun[..19]));
    }
    held.signal(Signal::TERM);
    held.finish().exits(128 + 15);
    waiting.finish().done();
    // Bob waited for it, and carol only asked.
    asks.finish(asking).exits(exit::NO);
}

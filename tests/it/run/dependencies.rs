//! Runs that are parts of others, and runs that wait for others.

use super::{NONE, list};
use crate::support::Repo;
use crate::support::contract::{RUNS, refusal};

/// One entry ends a run and everything below it.
#[test]
fn a_cancel_takes_what_lies_below_with_it() {
    let repo = Repo::new();
    let top = repo.create_run(&[]);
    let middle = repo.create_run(&["--parent", &top]);
    let below = repo.create_run(&["--parent", &middle]);
    let done = repo.create_run(&["--parent", &top]);
    repo.advance(&done, 3);
    let other = repo.create_run(&[]);
    let dispatch = super::id(&repo.run_json("dispatch add", &below, &NONE), "dispatch");
    let before = repo.json("ann", ["ledger", "log", RUNS])["entries"].as_array().unwrap().len();
    let answer = repo.run_json("cancel", &top, &["--reason", "no money"]);
    assert_eq!(list(&answer["cascaded"]), [middle.as_str(), below.as_str()]);
    assert_eq!(list(&answer["cancelled_dispatches"]), [dispatch.as_str()]);
    let after = repo.json("ann", ["ledger", "log", RUNS])["entries"].as_array().unwrap().len();
    assert_eq!(after, before + 1);
    for (run, status) in [
        (&top, "cancelled"),
        (&middle, "cancelled"),
        (&below, "cancelled"),
        (&done, "completed"),
        (&other, "active"),
    ] {
        assert_eq!(repo.run_json("show", run, &NONE)["run"]["status"], status);
        repo.replays(run);
    }
    let event = &repo.run_events(&below, "run_cancelled")[0];
    assert_eq!(event["data"]["with"], top.as_str());
    assert_eq!(repo.run_json("show", &below, &NONE)["run"]["ended"]["with"], top.as_str());
}

#[test]
fn what_fails_calls_its_parts_off() {
    let repo = Repo::new();
    let top = repo.create_run(&[]);
    let part = repo.create_run(&["--parent", &top]);
    repo.run("fail", &top, &["--reason", "broken"]).done();
    let status = |run: &str| repo.run_json("show", run, &NONE)["run"]["status"].clone();
    assert_eq!((status(&top), status(&part)), ("failed".into(), "cancelled".into()));
    let again = ["run", "create", "--goal", "late", "--parent", &top];
    repo.coord_json("ann", again).refused(refusal::RUN_OVER);
}

/// A run waits for its parts and for what it comes after; nobody may come to wait for itself.
#[test]
fn nobody_waits_for_itself() {
    let repo = Repo::new();
    let top = repo.create_run(&[]);
    let create = |options: &[&str]| {
        let words = ["run", "create", "--goal", "g", "--phases", "draft,done"];
        repo.coord_json("ann", words.iter().chain(options))
    };
    let told = create(&["--parent", &top, "--after", &top]).refused("cycle");
    assert_eq!(told["refusal"]["path"].as_array().unwrap().len(), 3, "{told:#}");
    let later = repo.create_run(&["--after", &top]);
    let latest = repo.create_run(&["--after", &later]);
    create(&["--parent", &top, "--after", &latest]).refused("cycle");
    repo.run("set", &top, &["--after", &latest]).refused("cycle");
    repo.run("set", &top, &["--after", &top]).refused("cycle");
    create(&["--parent", &latest, "--after", &top]).done();
    let other = repo.create_run(&[]);
    repo.run("set", &top, &["--after", &other]).done();
    repo.run("set", &top, &["--after", &other]).done();
    repo.run("set", &other, &["--after", &latest]).refused("cycle");
    for run in [&top, &later, &latest, &other] {
        repo.replays(run);
    }
}

/// What ended for good is not waited for.
#[test]
fn nobody_waits_for_what_has_ended() {
    let repo = Repo::new();
    let over = repo.create_run(&[]);
    repo.run("cancel", &over, &["--reason", "x"]).done();
    let words = ["run", "create", "--goal", "g", "--after", &over];
    repo.coord_json("ann", words).refused(refusal::RUN_OVER);
}

/// What was called off never comes to a phase: whoever waits for it can stop to.
#[test]
fn what_is_waited_for_can_be_let_go() {
    let repo = Repo::new();
    let (first, other) = (repo.create_run(&[]), repo.create_run(&[]));
    let later = repo.create_run(&["--after", &first, "--after", &other]);
    repo.run("cancel", &first, &["--reason", "x"]).done();
    let shut = repo.run("advance", &later, &NONE).refused(refusal::BLOCKED);
    let next = list(&shut["refusal"]["next"][0]).join(" ");
    assert_eq!(next, format!("git coord run set {later} --not-after {first}"));
    let words: Vec<&str> = list(&shut["refusal"]["next"][0])[2..].to_vec();
    repo.coord("ann", words).done();
    assert_eq!(list(&repo.run_json("show", &later, &NONE)["run"]["after"]), [other.as_str()]);
    repo.run("set", &later, &["--not-after", &first]).done();
    repo.run("set", &later, &["--not-after", "zzzzzzzz"]).exits(4);
    repo.advance(&other, 1);
    repo.advance(&later, 1);
    repo.replays(&later);
}

/// 4/F2-callers: a part goes on only while what it is a part of does.
#[test]
fn a_part_is_not_rolled_back_alone_once_all_is_over() {
    let repo = Repo::new();
    let (top, part) = {
        let top = repo.create_run(&[]);
        let part = repo.create_run(&["--parent", &top]);
        (top, part)
    };
    repo.advance(&part, 3);
    repo.advance(&top, 3);
    let back = ["--to", "draft", "--reason", "again"];
    let no = repo.run("rollback", &part, &back).refused(refusal::RUN_OVER);
    assert_eq!(
        (&no["refusal"]["parent"], &no["refusal"]["status"]),
        (&top.as_str().into(), &"completed".into())
    );
    repo.run("rollback", &top, &["--to", "ship", "--reason", "again"]).done();
    repo.run("rollback", &part, &back).done();
    repo.run("advance", &top, &NONE).refused(refusal::BLOCKED);
    repo.advance(&part, 3);
    repo.run("cancel", &top, &["--reason", "no money"]).done();
    repo.run("rollback", &part, &back).refused(refusal::RUN_OVER);
    assert_eq!(repo.run_json("show", &part, &NONE)["run"]["status"], "completed");
    for run in [&top, &part] {
        repo.replays(run);
    }
}

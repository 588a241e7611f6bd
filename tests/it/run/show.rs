//! The display of a run, for people and for programs.

use super::NONE;
use crate::support::{Repo, texts};

#[test]
fn a_timeline_tells_when_who_how_long_and_why() {
    let repo = Repo::new();
    repo.coord("ann", ["run", "create", "--goal", "paging", "--id", "k3v9x2ab"]).done();
    repo.pass("10m");
    repo.coord("ann", ["run", "advance", "k3"]).exits(1);
    repo.coord("bob", ["run", "artifact", "add", "k3", "--path", "docs/guide.md"]).done();
    repo.coord("bob", ["run", "advance", "k3"]).done();
    repo.pass("5m");
    let back = ["run", "rollback", "k3", "--to", "brainstorm", "--reason", "too early"];
    repo.coord("ann", back).done();
    repo.coord("ann", ["run", "skip", "k3", "polish", "--reason", "small"]).done();
    let shown = repo.coord("bob", ["run", "show", "k3"]).done();
    for said in [
        "run k3v9x2ab: paging",
        "active at 'brainstorm', made by ann",
        "ann  brainstorm           10m",
        "gate to 'brainstorm-reviewed' blocked: 'brainstorm' has no artifact",
        "gate to 'brainstorm-reviewed' passed: 'brainstorm' has an artifact, and was rolled back",
        "bob  brainstorm-reviewed  rolled back after 5m",
        "ahead: brainstorm-reviewed, strategized, planned, executing, review, polish (skipped:",
        "next: 'brainstorm-reviewed', the gate is open",
    ] {
        shown.says(said);
    }
    let json = repo.json("bob", ["run", "show", "k3"]);
    let timeline = json["timeline"].as_array().unwrap();
    let kinds: Vec<&str> = timeline.iter().map(|one| one["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["visit", "gate", "gate", "visit", "rollback", "visit"]);
    assert_eq!(json["ahead"]["to_phase"], "brainstorm-reviewed");
}

/// Reservations that are made for a run are found from it.
#[test]
fn reservations_of_a_run_are_shown_with_it() {
    let repo = Repo::new();
    let run = repo.create_run(&[]);
    repo.reserve_with("bob", &["src/api/**", "--run", &run]);
    repo.reserve("eve", "docs/**");
    let shown = repo.run_json("show", &run, &NONE);
    assert_eq!(texts(&shown["reservations"], "pattern"), ["src/api/**"]);
    repo.coord("ann", ["run", "show", &run]).done().says("reserved for it:").says("src/api/**");
    let kinds = |run: &str| -> Vec<String> {
        let events = repo.coord("ann", ["events", "--json", "--run", run]).done().json_lines();
        events.iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(kinds(&run), ["granted", "run_created"]);
    assert_eq!(kinds(&run[..6]), kinds(&run), "the beginning of an id is enough");
    repo.reserve_with("bob", &["tests/**", "--run", &run[..6]]);
    let shown = repo.run_json("show", &run, &NONE);
    assert_eq!(texts(&shown["reservations"], "pattern").len(), 2, "and likewise when it is made");
    assert_eq!(kinds(&run).len(), 3);
    repo.reserve_with("bob", &["lib/**", "--run", "a run of another tool"]);
    repo.pass("1h");
    let shown = repo.run_json("show", &run, &NONE);
    assert_eq!(texts(&shown["reservations"], "pattern"), [""; 0], "what has ended holds nothing");
}

#[test]
fn status_shows_the_active_runs() {
    let repo = Repo::new();
    let run = repo.create_run(&[]);
    let over = repo.create_run(&[]);
    repo.run("cancel", &over, &["--reason", "x"]).done();
    let status = repo.json("bob", ["status"]);
    assert_eq!(texts(&status["runs"], "id"), [run.as_str()]);
    repo.coord("bob", ["status"]).done().says("Runs:").says(&run);
}

/// What was given up, why, what was passed over and what was completed before is there to be seen.
#[test]
fn a_rollback_is_shown_with_what_it_took_along() {
    let repo = Repo::new();
    let run = repo.create_run(&[]);
    let path = ["--path", "docs/guide.md", "--phase", "ship"];
    let artifact = super::id(&repo.run_json("artifact add", &run, &path), "artifact");
    let dispatch =
        super::id(&repo.run_json("dispatch add", &run, &["--phase", "ship"]), "dispatch");
    let member = ["--name", "bob", "--phase", "ship"];
    let agent = super::id(&repo.run_json("agent add", &run, &member), "agent");
    repo.run("skip", &run, &["review", "--reason", "small"]).done();
    repo.advance(&run, 2);
    repo.pass("1m");
    let back = ["--to", "draft", "--reason", "wrong plan", "--keep-skips"];
    repo.run("rollback", &run, &back).done();
    repo.pass("1m");
    repo.run("artifact add", &run, &path).done();
    repo.advance(&run, 1);
    let shown = repo.coord("bob", ["run", "show", &run]).done();
    shown
        .says("went back from 'done' to 'draft': wrong plan; gave up")
        .says(&format!("artifacts {artifact}, dispatches {dispatch}, agents {agent}"))
        .says("passed over: review (by ann: small)")
        .says("completed before: ");
    let json = repo.run_json("show", &run, &NONE);
    let timeline = json["timeline"].as_array().unwrap();
    let rollback = timeline.iter().find(|one| one["kind"] == "rollback").unwrap();
    assert_eq!((&rollback["reason"], &rollback["by"]), (&"wrong plan".into(), &"ann".into()));
    assert_eq!(super::list(&rollback["artifacts"]), [artifact.as_str()], "and not the one since");
    assert_eq!(super::list(&rollback["phases"]), ["review", "ship", "done"]);
    repo.replays(&run);
}

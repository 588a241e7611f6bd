//! A run from its beginning to its end.

use super::{NONE, list};
use crate::support::contract::{RUNS, exit, refusal};
use crate::support::{Repo, texts};

#[test]
fn a_run_goes_from_the_first_phase_to_the_last() {
    let repo = Repo::new();
    let run = repo.create_run(&[]);
    assert_eq!(repo.phase_of(&run), "draft");
    for phase in ["review", "ship"] {
        let answer = repo.run_json("advance", &run, &NONE);
        assert_eq!((&answer["to_phase"], &answer["outcome"]), (&phase.into(), &"advanced".into()));
        assert_eq!(answer["run"]["status"], "active");
    }
    repo.pass("5m");
    let done = repo.run_json("advance", &run, &NONE);
    assert_eq!(
        (&done["run"]["status"], &done["run"]["phase"]),
        (&"completed".into(), &"done".into())
    );
    assert_eq!(done["run"]["completed_at"], repo.now());
    repo.run("advance", &run, &NONE).refused(refusal::RUN_OVER);
    repo.replays(&run);
}

#[test]
fn the_default_chain_has_nine_phases() {
    let repo = Repo::new();
    let answer = repo.json("ann", ["run", "create", "--goal", "the usual"]);
    let phases = list(&answer["run"]["phases"]);
    assert_eq!(phases.len(), 9);
    assert_eq!((phases[0], phases[8]), ("brainstorm", "done"));
}

#[test]
fn a_create_that_is_repeated_finds_its_run() {
    let repo = Repo::new();
    let create =
        |goal: &str| repo.coord_json("ann", ["run", "create", "--goal", goal, "--id", "k3v9x2ab"]);
    assert_eq!(create("one").done().json()["created"], true);
    assert_eq!(create("one").done().json()["created"], false);
    create("another").refused("id_taken");
    assert_eq!(repo.events("run_created").len(), 1);
}

/// Whatever is asked for is part of the wish, and what has become of it is not.
#[test]
fn a_create_with_anything_else_is_another_wish() {
    let repo = Repo::new();
    let gates = |check: &str| {
        let rule = format!(r#"{{"check":"{check}"}}"#);
        format!(r#"[{{"from":"a","to":"b","rules":[{rule}]}},{{"from":"b","to":"c","rules":[]}}]"#)
    };
    repo.write("gates.json", &gates("artifact_exists"));
    repo.write("others.json", &gates("verdict_exists"));
    let (first, second) = (repo.create_run(&[]), repo.create_run(&[]));
    let create = |more: &[&str]| {
        let words = ["run", "create", "--goal", "one", "--id", "k3v9x2ab", "--phases", "a,b,c"];
        let usual = ["--gates", "gates.json", "--after", &first[..7], "--after", &second];
        repo.coord_json(
            "ann",
            words
                .iter()
                .chain(if more.contains(&"--gates") { &usual[2..] } else { &usual })
                .chain(more),
        )
    };
    assert_eq!(create(&[]).done().json()["created"], true);
    for more in [
        &["--budget", "10"][..],
        &["--budget", "10", "--enforce-budget"],
        &["--manual"],
        &["--max-agents", "2"],
        &["--complexity", "5"],
        &["--scope", "api"],
        &["--metadata", "ticket=A-1"],
        &["--parent", &first],
        &["--gates", "others.json"],
    ] {
        create(more).refused("id_taken");
    }
    repo.run("cancel", &first, &["--reason", "x"]).done();
    repo.run("set", "k3v9x2ab", &["--complexity", "5", "--not-after", &second]).done();
    assert_eq!(create(&[]).done().json()["created"], false, "the same wish, whatever came of it");
    repo.replays("k3v9x2ab");
}

#[test]
fn scope_and_facts_of_its_own_are_kept_and_shown() {
    let repo = Repo::new();
    let run =
        repo.create_run(&["--scope", "api", "--metadata", "ticket=A-1", "--metadata", "x=a=b"]);
    let shown = repo.run_json("show", &run, &NONE);
    assert_eq!(shown["run"]["scope"], "api");
    assert_eq!(shown["run"]["metadata"], serde_json::json!({ "ticket": "A-1", "x": "a=b" }));
    repo.coord("bob", ["run", "show", &run]).done().says("scope: api").says("ticket: A-1");
    for bad in ["novalue", "=x", "a b=c", "k=", "k=a\nb"] {
        let words = ["run", "create", "--goal", "g", "--metadata", bad];
        repo.coord("ann", words).exits(exit::USAGE);
    }
    repo.replays(&run);
}

#[test]
fn lists_show_the_active_and_current_the_newest_of_them() {
    let repo = Repo::new();
    repo.coord("ann", ["run", "current"]).exits(exit::NOTHING);
    let first = repo.create_run(&[]);
    repo.pass("1m");
    let second = repo.create_run(&[]);
    let ids = |options: &[&str]| {
        texts(&repo.json("bob", ["run", "list"].iter().chain(options))["runs"], "id")
    };
    assert_eq!(ids(&[]), [second.clone(), first.clone()], "the newest first");
    let current = || repo.json("bob", ["run", "current"])["run"]["id"].clone();
    assert_eq!(current(), second.as_str());
    repo.run("cancel", &second, &["--reason", "enough"]).done();
    assert_eq!((ids(&[]), current()), (vec![first.clone()], first.clone().into()));
    assert_eq!(ids(&["--all"]), [second, first.clone()]);
    // 4/F2-callers: one that was completed and rolled back is there again.
    repo.advance(&first, 3);
    assert_eq!(ids(&[]), [""; 0]);
    repo.run("rollback", &first, &["--to", "review", "--reason", "not done"]).done();
    assert_eq!((ids(&[]), current()), (vec![first.clone()], first.into()));
}

/// 4/INV-2: cancelled and failed never change again.
#[test]
fn the_end_is_the_end() {
    let repo = Repo::new();
    for (verb, status) in [("cancel", "cancelled"), ("fail", "failed")] {
        let run = repo.create_run(&[]);
        let dispatch = super::id(&repo.run_json("dispatch add", &run, &NONE), "dispatch");
        repo.run("agent add", &run, &["--name", "bob"]).done();
        repo.advance(&run, 1);
        let ended = repo.run_json(verb, &run, &["--reason", "over"]);
        assert_eq!(ended["run"]["status"], status);
        assert_eq!(list(&ended["cancelled_dispatches"]), [dispatch.as_str()]);
        assert_eq!(ended["failed_agents"].as_array().unwrap().len(), 1);
        let entries = repo.json("ann", ["ledger", "log", RUNS])["entries"].clone();
        for (verb, options) in [
            ("advance", &[][..]),
            ("skip", &["ship", "--reason", "x"]),
            ("unskip", &["ship", "--reason", "x"]),
            ("rollback", &["--to", "draft", "--reason", "x"]),
            ("artifact add", &["--path", "docs/guide.md"]),
            ("verdict add", &["--result", "clean"]),
            ("agent add", &["--name", "eve"]),
            ("dispatch add", &[]),
            ("set", &["--complexity", "5"]),
            ("gate override", &["--reason", "x", "--category", "expedient"]),
        ] {
            repo.run(verb, &run, options).refused(refusal::RUN_OVER);
        }
        let update = [dispatch.as_str(), "--status", "completed"];
        repo.run("dispatch update", &run, &update).refused("cancelled_with_run");
        let other = if verb == "cancel" { "fail" } else { "cancel" };
        repo.run(other, &run, &["--reason", "x"]).refused(refusal::RUN_OVER);
        let again = repo.run_json(verb, &run, &["--reason", "over"]);
        assert_eq!(again["changed"], false, "what is so already is no fault");
        assert_eq!(repo.json("ann", ["ledger", "log", RUNS])["entries"], entries);
        repo.replays(&run);
    }
}

#[test]
fn a_manual_run_waits_for_a_word() {
    let repo = Repo::new();
    let run = repo.create_run(&["--manual"]);
    for _ in 0..2 {
        repo.run("advance", &run, &NONE).refused("paused");
    }
    assert_eq!(repo.run_events(&run, "run_paused").len(), 1, "told once");
    assert!(repo.run_json("show", &run, &NONE)["run"]["paused_at"].is_string());
    let on = repo.run_json("advance", &run, &["--reason", "seen and liked"]);
    assert_eq!(on["run"]["phase"], "review");
    assert!(on["run"]["paused_at"].is_null());
    let event = &repo.run_events(&run, "run_advanced")[0];
    assert_eq!(event["data"]["because"], "seen and liked");
    repo.replays(&run);
}

#[test]
fn skipped_phases_are_passed_over() {
    let repo = Repo::new();
    let run = repo.create_run(&[]);
    let skip = |phase: &str| repo.run("skip", &run, &[phase, "--reason", "small"]);
    assert_eq!(skip("review").done().json()["changed"], true);
    assert_eq!(skip("review").done().json()["changed"], false);
    skip("draft").refused("not_ahead");
    skip("done").refused("last_phase");
    skip("nowhere").exits(exit::NOTHING);
    assert_eq!(repo.run_json("advance", &run, &NONE)["to_phase"], "ship");
    skip("review").refused("not_ahead");
    let second = repo.create_run(&[]);
    repo.run("skip", &second, &["review", "--reason", "small"]).done();
    let unskip = || repo.run_json("unskip", &second, &["review", "--reason", "it grew"]);
    assert_eq!(
        (unskip()["changed"].clone(), unskip()["changed"].clone()),
        (true.into(), false.into())
    );
    assert_eq!(repo.run_json("advance", &second, &NONE)["to_phase"], "review");
    for run in [run, second] {
        repo.replays(&run);
    }
}

#[test]
fn what_may_change_changes() {
    let repo = Repo::new();
    let run = repo.create_run(&["--manual", "--budget", "100"]);
    repo.run("advance", &run, &NONE).refused("paused");
    let set = ["--manual", "false", "--budget", "200", "--complexity", "5", "--max-agents", "2"];
    let answer = repo.run_json("set", &run, &set);
    assert_eq!(answer["run"]["budget"]["tokens"], 200);
    assert_eq!(
        (&answer["run"]["complexity"], &answer["run"]["max_agents"]),
        (&5.into(), &2.into())
    );
    repo.run_json("set", &run, &set);
    assert_eq!(repo.run_events(&run, "run_changed").len(), 1, "nothing changed the second time");
    repo.advance(&run, 1);
    repo.replays(&run);
}

/// 4/INV-4: numbers grow, nothing is removed, and a consumer of all ledgers resumes.
#[test]
fn a_consumer_sees_each_event_of_a_run_once() {
    let repo = Repo::new();
    let run = repo.create_run(&[]);
    let read = || repo.coord("", ["events", "--json", "--consumer", "c"]).done().json_lines();
    assert_eq!(read().len(), 1);
    repo.advance(&run, 3);
    repo.run("rollback", &run, &["--to", "draft", "--reason", "again"]).done();
    let seen = read();
    let numbers: Vec<u64> = seen.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "{numbers:?}");
    let kinds: Vec<&str> = seen.iter().map(|event| event["type"].as_str().unwrap()).collect();
    let moved = ["run_advanced"; 3].into_iter().chain(["run_completed", "run_rolled_back"]);
    assert_eq!(kinds, moved.collect::<Vec<_>>());
    assert!(read().is_empty());
    assert_eq!(repo.events("").len(), 6);
}

#[test]
fn a_prefix_is_enough_and_an_ambiguous_one_is_told() {
    let repo = Repo::new();
    for run in ["aaaaaaa1", "aaaaaaa2", "bbbbbbb1"] {
        repo.create_run(&["--id", run]);
    }
    repo.advance("b", 1);
    assert_eq!(repo.phase_of("bbbb"), "review");
    let told = repo.run("advance", "aaa", &NONE).refused("ambiguous");
    assert_eq!(list(&told["refusal"]["ids"]), ["aaaaaaa1", "aaaaaaa2"]);
    for missing in ["zzz", "zzzzzzzz"] {
        repo.run("advance", missing, &NONE).exits(exit::NOTHING);
        repo.run("show", missing, &NONE).exits(exit::NOTHING);
    }
}

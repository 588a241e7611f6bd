//! Rollback: one act, complete.

use serde_json::{Value, json};

use super::{NONE, id, list};
use crate::support::contract::{RUNS, exit, refusal};
use crate::support::{Repo, texts};

const BACK: [&str; 4] = ["--to", "draft", "--reason", "wrong plan"];

/// Creates a run at its third phase with something of every kind in each of the three.
fn in_full(repo: &Repo) -> (String, [Vec<String>; 2]) {
    let run = repo.create_run(&[]);
    let (mut dispatches, mut agents) = (Vec::new(), Vec::new());
    for (number, phase) in ["draft", "review", "ship"].into_iter().enumerate() {
        let path = format!("docs/{phase}.md");
        repo.run("artifact add", &run, &["--path", &path, "--phase", phase]).done();
        repo.run("verdict add", &run, &["--result", "clean", "--phase", phase]).done();
        let name = format!("bob{number}");
        let agent = repo.run_json("agent add", &run, &["--name", &name, "--phase", phase]);
        agents.push(id(&agent, "agent"));
        let dispatch = repo.run_json("dispatch add", &run, &["--phase", phase]);
        dispatches.push(id(&dispatch, "dispatch"));
    }
    repo.run("dispatch update", &run, &[&dispatches[1], "--status", "running"]).done();
    repo.advance(&run, 2);
    (run, [dispatches, agents])
}

/// 4/F4, 4/F5, 4/F6, 4/F10: everything that goes, goes in one entry, with an event for each
/// dispatch that says what it truly was; the phase that is gone back to keeps what it has.
#[test]
fn a_rollback_is_one_entry() {
    let repo = Repo::new();
    let (run, [dispatches, agents]) = in_full(&repo);
    let before = repo.json("ann", ["ledger", "log", RUNS])["entries"].as_array().unwrap().len();
    let done = repo.run_json("rollback", &run, &BACK);
    let after = repo.json("ann", ["ledger", "log", RUNS])["entries"].as_array().unwrap().len();
    assert_eq!(after, before + 1);
    assert_eq!((&done["from_phase"], &done["to_phase"]), (&"ship".into(), &"draft".into()));
    assert_eq!(list(&done["rolled_back_phases"]), ["review", "ship"]);
    assert_eq!(done["marked_artifacts"].as_array().unwrap().len(), 2);
    assert_eq!(done["marked_verdicts"].as_array().unwrap().len(), 2);
    assert_eq!(list(&done["cancelled_dispatches"]), [&dispatches[1], &dispatches[2]]);
    assert_eq!(list(&done["failed_agents"]), [&agents[1], &agents[2]], "4/F10: no others");
    let cancelled = repo.run_events(&run, "dispatch_cancelled");
    let told: Vec<(&Value, &Value)> =
        cancelled.iter().map(|event| (&event["subject"], &event["data"]["from"])).collect();
    let subjects = [Value::from(dispatches[1].clone()), Value::from(dispatches[2].clone())];
    assert_eq!(told, [(&subjects[0], &"running".into()), (&subjects[1], &"spawned".into())]);
    let left = texts(&repo.run_json("dispatch list", &run, &NONE)["dispatches"], "id");
    assert_eq!(left, [dispatches[0].clone()]);
    repo.replays(&run);
}

/// 4/F6: whoever still works on it is told what happened, with the event.
#[test]
fn a_later_update_of_a_cancelled_dispatch_is_told_of_the_rollback() {
    let repo = Repo::new();
    let (run, [dispatches, _]) = in_full(&repo);
    repo.run("rollback", &run, &BACK).done();
    for status in ["running", "completed", "cancelled"] {
        let update = [dispatches[1].as_str(), "--status", status];
        let no = repo.run("dispatch update", &run, &update).refused("cancelled_by_rollback");
        assert!(no["refusal"]["message"].as_str().unwrap().contains("cancelled by rollback"));
        let event = &no["refusal"]["event"];
        assert_eq!(
            (&event["type"], &event["actor"]),
            (&"dispatch_cancelled".into(), &"ann".into())
        );
        let recorded = repo.run_events(&run, "dispatch_cancelled");
        let told = recorded.iter().find(|one| one["subject"] == dispatches[1].as_str());
        assert_eq!(Some(event), told, "the very event");
        assert_eq!(
            (&event["data"]["from"], &event["data"]["because"]),
            (&"running".into(), &"wrong plan".into())
        );
    }
    let words = ["run", "dispatch", "update", &run, &dispatches[1], "--status", "running"];
    let no = repo.coord("bob", words).exits(exit::NO);
    no.says("cancelled by rollback: wrong plan").says("of runs: dispatch_cancelled by ann at");
    repo.pass("40d");
    repo.advance(&run, 1);
    repo.coord("ops", ["ledger", "compact", RUNS]).done();
    let update = [dispatches[1].as_str(), "--status", "running"];
    let no = repo.run("dispatch update", &run, &update).refused("cancelled_by_rollback");
    assert!(no["refusal"]["event"]["seq"].is_u64(), "what was set aside is found: {no:#}");
}

#[test]
fn every_agent_goes_if_that_is_wished() {
    let repo = Repo::new();
    let (run, [_, agents]) = in_full(&repo);
    let done = repo.run_json("rollback", &run, &[&BACK[..], &["--all-agents"]].concat());
    let mut failed = list(&done["failed_agents"]);
    failed.sort_unstable();
    let mut all: Vec<&str> = agents.iter().map(String::as_str).collect();
    all.sort_unstable();
    assert_eq!(failed, all);
    repo.replays(&run);
}

/// 4/PLAN-phase: the plan is what happens, and nothing happens: it shows the run as it is.
#[test]
fn a_dry_run_tells_and_does_nothing() {
    let repo = Repo::new();
    let (run, _) = in_full(&repo);
    let log = || repo.json("ann", ["ledger", "log", RUNS])["entries"].clone();
    let before = log();
    let present = repo.run_json("show", &run, &NONE)["run"].clone();
    let mut plan = repo.run_json("rollback", &run, &[&BACK[..], &["--dry-run"]].concat());
    repo.coord("ann", ["run", "rollback", &run].iter().chain(&BACK).chain(&["--dry-run"]))
        .done()
        .says("would go back");
    assert_eq!(log(), before);
    assert_eq!(plan["run"], present);
    assert_eq!((&plan["run"]["phase"], &plan["to_phase"]), (&json!("ship"), &json!("draft")));
    let mut done = repo.run_json("rollback", &run, &BACK);
    assert_eq!(done["run"]["phase"], "draft");
    plan["dry_run"] = false.into();
    plan["run"] = done["run"].clone();
    let written = ["op", "entry"].map(|name| done.as_object_mut().unwrap().remove(name));
    assert!(written.iter().all(Option::is_some));
    assert_eq!(plan, done);
}

/// 4/F3, 4/INV-6, 4/TEST-2: what was rolled back opens no gate.
#[test]
fn rolled_back_artifacts_open_no_gate() {
    let repo = Repo::new();
    let gates = r#"[
        {"from":"draft","to":"review","rules":[]},
        {"from":"review","to":"ship","rules":[
            {"check":"artifact_exists"},{"check":"verdict_exists"}
        ]},
        {"from":"ship","to":"done","rules":[]}
    ]"#;
    repo.write("gates.json", gates);
    let run = repo.create_run(&["--gates", "gates.json"]);
    let work = || {
        repo.run("artifact add", &run, &["--path", "docs/guide.md"]).done();
        repo.run("verdict add", &run, &["--result", "clean"]).done();
    };
    repo.advance(&run, 1);
    work();
    repo.advance(&run, 1);
    repo.run("rollback", &run, &BACK).done();
    repo.advance(&run, 1);
    let shut = repo.run("advance", &run, &NONE).refused(refusal::BLOCKED);
    assert_eq!(shut["evidence"][0]["found"]["artifacts"], 0, "{shut:#}");
    work();
    repo.advance(&run, 1);
    repo.replays(&run);
}

/// 4/F2, 4/INV-3: completed to active is the one way back, and the first completion is never lost.
#[test]
fn a_completed_run_is_active_again_and_its_completion_is_history() {
    let repo = Repo::new();
    let run = repo.create_run(&[]);
    repo.advance(&run, 3);
    let first = repo.now();
    repo.pass("1h");
    let back = repo.run_json("rollback", &run, &["--to", "ship", "--reason", "a bug"]);
    assert_eq!(
        (&back["run"]["status"], &back["run"]["completed_at"]),
        (&"active".into(), &Value::Null)
    );
    let rolled_back = repo.now();
    repo.pass("1h");
    repo.advance(&run, 1);
    let shown = repo.run_json("show", &run, &NONE);
    let completions = &shown["completions"];
    assert_eq!(
        (&completions[0]["at"], &completions[0]["rolled_back_at"]),
        (&first.into(), &rolled_back.into())
    );
    assert_eq!(
        (&completions[1]["at"], &completions[1]["rolled_back_at"]),
        (&repo.now().into(), &Value::Null)
    );
    assert_eq!(shown["run"]["completed_at"], repo.now());
    assert_eq!(repo.run_events(&run, "run_completed").len(), 2);
    repo.replays(&run);
}

/// 4/F9, 4/TEST-4: skips of the phases given up go, unless they are to stay; others stay.
#[test]
fn skips_of_rolled_back_phases_go_and_can_be_kept() {
    let repo = Repo::new();
    for keep in [false, true] {
        let run = repo.json("ann", ["run", "create", "--goal", "g", "--phases", "a,b,c,d,e,f"]);
        let run = id(&run, "run");
        for phase in ["b", "c", "e"] {
            repo.run("skip", &run, &[phase, "--reason", "small"]).done();
        }
        repo.advance(&run, 1);
        assert_eq!(repo.phase_of(&run), "d", "b and c are passed over");
        let options = ["--to", "a", "--reason", "again", "--keep-skips"];
        let done = repo.run_json("rollback", &run, &options[..if keep { 5 } else { 4 }]);
        let cleared: &[&str] = if keep { &[] } else { &["b", "c"] };
        assert_eq!(list(&done["cleared_skips"]), cleared);
        assert_eq!(repo.run_events(&run, "phase_unskipped").len(), cleared.len());
        let next = repo.run_json("advance", &run, &NONE);
        assert_eq!(next["to_phase"], if keep { "d" } else { "b" });
        let phases = repo.run_json("show", &run, &NONE)["phases"].clone();
        assert_eq!(phases[4]["skip"]["reason"], "small", "a skip that lies ahead stays");
        repo.replays(&run);
    }
}

/// 4/TEST-3, 7/ROLLBACK-TWICE: the same rollback again is no second act.
#[test]
fn a_rollback_to_where_it_is_does_nothing() {
    let repo = Repo::new();
    let run = repo.create_run(&[]);
    repo.advance(&run, 2);
    repo.run("rollback", &run, &BACK).done();
    let again = repo.run_json("rollback", &run, &[&BACK[..], &["--expect", "ship"]].concat());
    assert_eq!(again["rolled_back_phases"], Value::Array(Vec::new()));
    assert_eq!(repo.run_events(&run, "run_rolled_back").len(), 1);
    repo.coord("ann", ["run", "rollback", &run].iter().chain(&BACK))
        .done()
        .says("already at 'draft'");
}

/// 4/F7, 4/F1-toctou: what was expected is what is guarded.
#[test]
fn what_does_not_fit_is_refused() {
    let repo = Repo::new();
    let run = repo.create_run(&[]);
    repo.advance(&run, 1);
    let back = |to: &str, more: &[&str]| {
        repo.run("rollback", &run, &[&["--to", to, "--reason", "x"], more].concat())
    };
    back("ship", &[]).refused("not_behind");
    back("nowhere", &[]).exits(exit::NOTHING);
    let no = back("draft", &["--expect", "ship"]).refused(refusal::PHASE_CHANGED);
    assert_eq!(
        (&no["refusal"]["expected"], &no["refusal"]["found"]),
        (&"ship".into(), &"review".into())
    );
    let no = repo.run("advance", &run, &["--expect", "draft"]).refused(refusal::PHASE_CHANGED);
    assert!(no["refusal"]["message"].as_str().unwrap().starts_with("phase changed"));
    assert_eq!(repo.phase_of(&run), "review");
    repo.coord("ann", ["run", "rollback", &run, "--to", "draft"]).exits(exit::USAGE);
}

/// 4/F9: a run does not stand in a phase that it passes over, whatever is kept.
#[test]
fn a_skipped_phase_that_is_gone_back_to_is_not_skipped() {
    let repo = Repo::new();
    for keep in [false, true] {
        let run = repo.create_run(&[]);
        repo.run("skip", &run, &["review", "--reason", "small"]).done();
        repo.advance(&run, 1);
        let options = ["--to", "review", "--reason", "it grew", "--keep-skips"];
        let done = repo.run_json("rollback", &run, &options[..if keep { 5 } else { 4 }]);
        assert_eq!(list(&done["cleared_skips"]), ["review"]);
        assert_eq!(repo.run_json("show", &run, &NONE)["phases"][1]["skip"], Value::Null);
        repo.replays(&run);
    }
}

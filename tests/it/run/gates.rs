//! Gates: seven kinds, custom rules, evidence, overrides and signals.

use serde_json::{Value, json};

use super::NONE;
use crate::support::Repo;
use crate::support::contract::{exit, refusal};

/// Creates a run with these rules between its first phases and none elsewhere.
fn with_rules(repo: &Repo, rules: &Value, more: &[&str]) -> String {
    let gates = json!([
        { "from": "draft", "to": "review", "rules": rules },
        { "from": "review", "to": "ship", "rules": [] },
        { "from": "ship", "to": "done", "rules": [] },
    ]);
    let file = repo.world().join("tmp/gates.json");
    std::fs::write(&file, gates.to_string()).unwrap();
    let file = file.display().to_string();
    repo.create_run(&[&["--gates", &file], more].concat())
}

/// Fails unless the gate is shut in a dry run and for an advance alike, for this reason.
#[track_caller]
fn is_shut(repo: &Repo, run: &str, check: &str) {
    let dry = repo.run("gate check", run, &NONE).refused(refusal::BLOCKED);
    let real = repo.run("advance", run, &NONE).refused(refusal::BLOCKED);
    assert_eq!(dry["evidence"], real["evidence"], "one gate, asked twice");
    let failed = real["evidence"].as_array().unwrap().iter().find(|one| one["passed"] == false);
    assert_eq!(failed.expect("something is shut")["check"], check, "{real:#}");
}

#[track_caller]
fn opens(repo: &Repo, run: &str) {
    let dry = repo.run_json("gate check", run, &NONE);
    assert_eq!(dry["open"], true);
    let real = repo.run_json("advance", run, &NONE);
    assert_eq!(dry["evidence"], real["evidence"]);
    repo.replays(run);
}

#[test]
fn an_artifact_opens_the_gate_that_asks_for_one() {
    let repo = Repo::new();
    let run = with_rules(&repo, &json!([{ "check": "artifact_exists" }]), &[]);
    is_shut(&repo, &run, "artifact_exists");
    repo.run("artifact add", &run, &["--path", "docs/guide.md", "--phase", "ship"]).done();
    is_shut(&repo, &run, "artifact_exists");
    repo.run("artifact add", &run, &["--path", "docs/guide.md"]).done();
    opens(&repo, &run);
}

#[test]
fn agents_that_work_shut_the_gate_that_asks_for_them() {
    let repo = Repo::new();
    let run = with_rules(&repo, &json!([{ "check": "agents_complete" }]), &[]);
    repo.run("agent add", &run, &["--name", "bob"]).done();
    repo.run("agent add", &run, &["--name", "eve", "--phase", "ship"]).done();
    is_shut(&repo, &run, "agents_complete");
    repo.run("agent finish", &run, &["bob", "--status", "completed"]).done();
    opens(&repo, &run);
}

#[test]
fn verdicts_open_gates_and_only_the_newest_is_clean() {
    let repo = Repo::new();
    let rules = json!([{ "check": "verdict_exists" }, { "check": "verdict_clean" }]);
    let run = with_rules(&repo, &rules, &[]);
    let verdict = |result: &str| repo.run("verdict add", &run, &["--result", result]).done();
    is_shut(&repo, &run, "verdict_exists");
    verdict("clean");
    verdict("findings");
    is_shut(&repo, &run, "verdict_clean");
    verdict("clean");
    opens(&repo, &run);
}

/// The gate and the question are one comparison: exactly the budget is not exceeded.
#[test]
fn a_budget_shuts_the_gate_when_it_is_exceeded() {
    let repo = Repo::new();
    let run = with_rules(&repo, &json!([]), &["--budget", "100", "--enforce-budget"]);
    let dispatch = super::id(&repo.run_json("dispatch add", &run, &NONE), "dispatch");
    let spend = |tokens: &str| {
        let update = [dispatch.as_str(), "--status", "running", "--tokens-in", tokens];
        repo.run("dispatch update", &run, &update).done();
    };
    spend("101");
    is_shut(&repo, &run, "budget_not_exceeded");
    repo.run("budget", &run, &NONE).refused("budget_exceeded");
    spend("100");
    repo.run("budget", &run, &NONE).done();
    opens(&repo, &run);
}

/// 4/F2-callers: a part that was completed and rolled back is not at the phase any more.
#[test]
fn parts_and_upstreams_shut_gates_until_they_are_there() {
    let repo = Repo::new();
    let parent = repo.create_run(&[]);
    let child = repo.create_run(&["--parent", &parent]);
    let later = repo.create_run(&["--after", &parent]);
    is_shut(&repo, &parent, "children_at_phase");
    is_shut(&repo, &later, "upstreams_at_phase");
    repo.advance(&child, 3);
    repo.run("rollback", &child, &["--to", "draft", "--reason", "not yet"]).done();
    is_shut(&repo, &parent, "children_at_phase");
    repo.advance(&child, 1);
    opens(&repo, &parent);
    opens(&repo, &later);
    is_shut(&repo, &parent, "children_at_phase");
    repo.run("cancel", &child, &["--reason", "not needed"]).done();
    opens(&repo, &parent);
}

#[test]
fn the_usual_gates_ask_for_an_artifact_first() {
    let repo = Repo::new();
    let run = repo.json("ann", ["run", "create", "--goal", "usual"])["run"]["id"].clone();
    let run = run.as_str().unwrap();
    is_shut(&repo, run, "artifact_exists");
    repo.run("artifact add", run, &["--path", "docs/guide.md"]).done();
    opens(&repo, run);
    let rules = repo.run_json("gate rules", run, &NONE);
    assert_eq!(
        (&rules["source"], &rules["gates"][5]["rules"][0]["check"]),
        (&"default".into(), &"verdict_exists".into())
    );
}

/// What is skipped is not asked for, and everything else is.
#[test]
fn a_skipped_phase_takes_its_questions_with_it() {
    let repo = Repo::new();
    let gates = json!([
        { "from": "draft", "to": "review", "rules": [] },
        { "from": "review", "to": "ship", "rules": [
            { "check": "verdict_exists" }, { "check": "artifact_exists", "phase": "draft" },
        ] },
        { "from": "ship", "to": "done", "rules": [] },
    ]);
    repo.write("gates.json", &gates.to_string());
    let run = repo.create_run(&["--gates", "gates.json"]);
    repo.run("skip", &run, &["review", "--reason", "small"]).done();
    let shut = repo.run("advance", &run, &NONE).refused(refusal::BLOCKED);
    assert_eq!(shut["evidence"].as_array().unwrap().len(), 1, "{shut:#}");
    assert_eq!(shut["evidence"][0]["phase"], "draft");
    repo.run("artifact add", &run, &["--path", "docs/guide.md"]).done();
    assert_eq!(repo.run_json("advance", &run, &NONE)["to_phase"], "ship");
}

#[test]
fn a_priority_says_how_much_a_gate_weighs() {
    let repo = Repo::new();
    let rules = json!([{ "check": "artifact_exists" }]);
    for (priority, code, asked) in
        [("0", exit::NO, 1), ("1", exit::NO, 1), ("2", 0, 1), ("3", 0, 1), ("4", 0, 0)]
    {
        let run = with_rules(&repo, &rules, &[]);
        let answer = repo.run("advance", &run, &["--priority", priority]).exits(code).json();
        assert_eq!(answer["evidence"].as_array().unwrap().len(), asked, "{priority}: {answer:#}");
        repo.replays(&run);
    }
}

/// Evidence is stored with what the gate said, and a gate that says the same again is told once.
#[test]
fn what_a_gate_said_is_kept_with_its_evidence() {
    let repo = Repo::new();
    let run = with_rules(&repo, &json!([{ "check": "artifact_exists" }]), &[]);
    for _ in 0..3 {
        is_shut(&repo, &run, "artifact_exists");
    }
    assert_eq!(repo.run_events(&run, "run_blocked").len(), 1);
    repo.run("artifact add", &run, &["--path", "docs/guide.md"]).done();
    repo.advance(&run, 1);
    let shown = repo.run_json("show", &run, &NONE);
    let gates: Vec<&Value> =
        shown["timeline"].as_array().unwrap().iter().filter(|one| one["kind"] == "gate").collect();
    let outcomes: Vec<&Value> = gates.iter().map(|gate| &gate["outcome"]).collect();
    assert_eq!(outcomes, ["blocked", "passed"]);
    assert_eq!(gates[1]["evidence"][0]["found"]["artifacts"], 1);
}

/// A justified override says that the gate was wrong, a rollback that it missed something.
#[test]
fn overrides_and_rollbacks_judge_the_gates() {
    let repo = Repo::new();
    let rules = json!([{ "check": "artifact_exists" }]);
    let signals = |run: &str| repo.run_json("gate signals", run, &NONE)["signals"][0].clone();
    let count =
        |signals: &Value| ["tp", "fp", "tn", "fn"].map(|name| signals[name].as_u64().unwrap());
    let run = with_rules(&repo, &rules, &[]);
    is_shut(&repo, &run, "artifact_exists");
    assert_eq!(count(&signals(&run)), [1, 0, 0, 0]);
    let past = ["--reason", "it is in the wiki", "--category", "justified"];
    let answer = repo.run_json("gate override", &run, &past);
    assert_eq!(answer["run"]["phase"], "review");
    assert_eq!(count(&signals(&run)), [0, 1, 0, 0]);
    let event = &repo.run_events(&run, "gate_overridden")[0];
    assert_eq!(event["data"]["because"], "it is in the wiki");
    assert_eq!(
        (&event["data"]["category"], &event["data"]["evidence"][0]["passed"]),
        (&"justified".into(), &false.into())
    );
    repo.run("gate override", &run, &past).refused("gate_open");
    let second = with_rules(&repo, &rules, &[]);
    repo.run("artifact add", &second, &["--path", "docs/guide.md"]).done();
    repo.advance(&second, 1);
    assert_eq!(count(&signals(&second)), [0, 0, 1, 0]);
    repo.run("rollback", &second, &["--to", "draft", "--reason", "wrong"]).done();
    assert_eq!(count(&signals(&second)), [0, 0, 0, 1]);
    for run in [run, second] {
        repo.replays(&run);
    }
}

#[test]
fn gates_of_ones_own_must_fit() {
    let repo = Repo::new();
    let create = |gates: &str| {
        repo.write("gates.json", gates);
        let words = ["run", "create", "--goal", "g", "--phases", "a,b,c", "--gates", "gates.json"];
        repo.coord("ann", words)
    };
    let pair = |from: &str, to: &str| format!(r#"{{"from":"{from}","to":"{to}","rules":[]}}"#);
    let (ab, bc, ac) = (pair("a", "b"), pair("b", "c"), pair("a", "c"));
    create(&format!("[{ab},{bc}]")).done();
    for (bad, word) in [
        ("not json".to_owned(), "not gates"),
        ("{}".to_owned(), "not gates"),
        (format!("[{ab}]"), "no gate from 'b' to 'c'"),
        (format!("[{ab},{bc},{ac}]"), "no neighbours"),
        (format!("[{ab},{ab},{bc}]"), "stands twice"),
        (r#"[{"from":"a","to":"b","rules":[{"check":"luck"}]}]"#.to_owned(), "luck"),
        (
            r#"[{"from":"a","to":"b","rules":[{"check":"artifact_exists","phase":"z"}]}]"#
                .to_owned(),
            "'z'",
        ),
    ] {
        create(&bad).exits(exit::USAGE).says(word);
    }
    let missing = ["run", "create", "--goal", "g", "--gates", "no-such-file"];
    repo.coord("ann", missing).exits(exit::USAGE).says("no-such-file");
}

/// What came of an earlier visit is not judged again by a later one.
#[test]
fn signals_judge_each_visit_by_itself() {
    let repo = Repo::new();
    let run = with_rules(&repo, &json!([{ "check": "verdict_clean" }]), &[]);
    let count = || {
        let signals = repo.run_json("gate signals", &run, &NONE)["signals"][0].clone();
        ["tp", "fp", "tn", "fn"].map(|name| signals[name].as_u64().unwrap())
    };
    let verdict = |result: &str| repo.run("verdict add", &run, &["--result", result]).done();
    let back = || repo.run("rollback", &run, &["--to", "draft", "--reason", "again"]).done();
    let past = |category: &str| {
        repo.run("gate override", &run, &["--reason", "x", "--category", category]).done()
    };
    is_shut(&repo, &run, "verdict_clean");
    verdict("clean");
    repo.advance(&run, 1);
    back();
    verdict("findings");
    assert_eq!(count(), [1, 0, 0, 1]);
    past("justified");
    assert_eq!(
        count(),
        [1, 1, 0, 1],
        "nobody was in the way before, and the first block was right"
    );
    back();
    past("expedient");
    assert_eq!(count(), [2, 1, 0, 1], "it was right, and somebody had to go on");
    repo.replays(&run);
}

/// 4/SIGNAL-warned: a gate that only warned was shut, and a rollback shows that it was right.
#[test]
fn a_gate_that_warned_was_shut() {
    let repo = Repo::new();
    let run = with_rules(&repo, &json!([{ "check": "artifact_exists" }]), &[]);
    let count = || {
        let signals = repo.run_json("gate signals", &run, &NONE)["signals"][0].clone();
        ["tp", "fp", "tn", "fn"].map(|name| signals[name].as_u64().unwrap())
    };
    repo.run("advance", &run, &["--priority", "2"]).done();
    let gate = &repo.run_events(&run, "run_advanced")[0]["data"]["gate"];
    assert_eq!(gate["outcome"], "warned");
    assert_eq!(count(), [1, 0, 0, 0]);
    repo.run("rollback", &run, &["--to", "draft", "--reason", "again"]).done();
    assert_eq!(count(), [1, 0, 0, 0]);
    assert_eq!(repo.run_events(&run, "run_rolled_back")[0]["data"]["missed"], Value::Null);
    repo.replays(&run);
}

/// Who does not ask a gate leaves that on the record.
#[test]
fn a_gate_that_nobody_asked_is_told() {
    let repo = Repo::new();
    let run = with_rules(&repo, &json!([{ "check": "artifact_exists" }]), &[]);
    repo.run("advance", &run, &["--priority", "4"]).done();
    let gate = &repo.run_events(&run, "run_advanced")[0]["data"]["gate"];
    assert_eq!((&gate["outcome"], &gate["tier"]), (&"waived".into(), &"none".into()));
    repo.coord("ann", ["run", "show", &run]).done().says("gate to 'review' waived: nobody asked");
    repo.run("advance", &run, &["--priority", "4"]).done();
    let second = &repo.run_events(&run, "run_advanced")[1]["data"];
    assert_eq!(second["gate"], Value::Null, "there was nothing to ask");
    repo.replays(&run);
}

/// A run's own rules stand over those of the repository, and those over the usual ones.
#[test]
fn a_repository_gives_its_runs_gates() {
    let repo = Repo::new();
    let rule = |check: &str| json!([{ "check": check }]);
    let gates = json!([
        { "from": "draft", "to": "review", "rules": rule("verdict_exists") },
        { "from": "planned", "to": "executing", "rules": [] },
    ]);
    repo.write("own/gates.json", &gates.to_string());
    repo.git(["config", "coord.runGates", "own/gates.json"]);
    let run = repo.create_run(&[]);
    assert_eq!(repo.run_json("gate rules", &run, &NONE)["source"], "repository");
    is_shut(&repo, &run, "verdict_exists");
    repo.write("own/gates.json", "[]");
    is_shut(&repo, &run, "verdict_exists");
    repo.run("verdict add", &run, &["--result", "findings"]).done();
    opens(&repo, &run);
    repo.write("own/gates.json", &gates.to_string());
    let own = with_rules(&repo, &json!([]), &[]);
    assert_eq!(repo.run_json("gate rules", &own, &NONE)["source"], "run");
    opens(&repo, &own);
    let usual = repo.json("ann", ["run", "create", "--goal", "usual"])["run"]["id"].clone();
    let rules = repo.run_json("gate rules", usual.as_str().unwrap(), &NONE);
    assert_eq!(rules["gates"][0]["rules"][0]["check"], "artifact_exists", "the usual one");
    assert_eq!(rules["gates"][3]["rules"], json!([]), "the repository's");
    let elsewhere = ["run", "create", "--goal", "g", "--phases", "a,b"];
    let other = repo.json("ann", elsewhere)["run"]["id"].clone();
    let rules = repo.run_json("gate rules", other.as_str().unwrap(), &NONE);
    assert_eq!(rules["source"], "default", "it says nothing of such phases");
    for (bad, word) in [("{}", "not gates"), ("", "not gates")] {
        repo.write("own/gates.json", bad);
        repo.coord("ann", elsewhere).exits(exit::USAGE).says("coord.runGates").says(word);
    }
    repo.git(["config", "coord.runGates", "own/none.json"]);
    repo.coord("ann", elsewhere).exits(exit::USAGE).says("no such file");
}

/// However many parts a run has and however much is asked of them, it can be said, and got past.
#[test]
fn a_gate_with_many_parts_can_be_recorded() {
    let repo = Repo::new();
    let phases: Vec<String> = (0..33).map(|number| format!("p{number}")).collect();
    let rules: Vec<Value> =
        (1..33).map(|to| json!({ "check": "children_at_phase", "phase": phases[to] })).collect();
    let pair = |from: usize| {
        let rules = if from == 0 { json!(rules) } else { json!([]) };
        json!({ "from": phases[from], "to": phases[from + 1], "rules": rules })
    };
    let gates: Vec<Value> = (0..32).map(pair).collect();
    repo.write("gates.json", &json!(gates).to_string());
    let chain = phases.join(",");
    let create = |more: &[&str]| {
        let words = ["run", "create", "--goal", "g", "--phases", &chain];
        super::id(&repo.json("ann", words.iter().chain(more)), "run")
    };
    let run = create(&["--gates", "gates.json"]);
    for _ in 0..12 {
        create(&["--parent", &run]);
    }
    let shut = repo.run("advance", &run, &NONE).refused(refusal::BLOCKED);
    let found = &shut["evidence"][0]["found"];
    assert_eq!((&found["count"], found["behind"].as_array().unwrap().len()), (&12.into(), 5));
    repo.coord("ann", ["run", "gate", "check", &run]).exits(exit::NO).says("and 9 more");
    repo.run("advance", &run, &["--priority", "2"]).done();
    repo.replays(&run);
}

//! A golden ledger of runs: every command about runs, and every shape of document.

use git_coord::core::ids::{Derived as _, OpId};
use git_coord::core::run::names::DispatchId;
use serde_json::{Value, json};

use super::scenario::Step;

/// The steps of the story, a minute after each other. `$8` is the dispatch that the eighth step
/// makes.
const STORY: &str = r#"
ann: run create
{"goal": "new endpoints", "phases": ["draft", "review", "ship", "done"], "complexity": 4,
 "budget": {"tokens": 1000, "warn_percent": 80, "enforced": true}, "max_agents": 3,
 "id": "k3v9x2ab",
 "gates": [
   {"from": "draft", "to": "review", "rules": [{"check": "artifact_exists"}]},
   {"from": "review", "to": "ship", "rules": [
     {"check": "verdict_exists"}, {"check": "verdict_clean", "phase": "review"},
     {"check": "agents_complete"}, {"check": "budget_not_exceeded"}]},
   {"from": "ship", "to": "done", "rules": []}]}

ann: run advance
{"run": "k3v9x2ab", "priority": 1}

ann: run artifact add
{"run": "k3v9x2ab", "path": "docs/plan.md", "type": "plan",
 "sha256": "abababababababababababababababababababababababababababababababab"}

ann: run artifact add
{"run": "k3v9x2ab", "path": {"bytes": "Y2Fm6S94"}}

ann: run advance
{"run": "k3v9x2ab", "priority": 1}

ann: run agent add
{"run": "k3v9x2ab", "name": "bob"}

ann: run agent add
{"run": "k3v9x2ab", "name": "eve", "phase": "ship"}

ann: run dispatch add
{"run": "k3v9x2ab", "agent": "bob"}

bob: run dispatch update
{"run": "k3v9x2ab", "dispatch": "$8", "status": "running", "commit": "3f9c2ab1",
 "tokens_in": 700, "tokens_out": 150, "tokens_cache": 4000}

ann: run dispatch add
{"run": "k3v9x2ab", "phase": "review"}

bob: run dispatch update
{"run": "k3v9x2ab", "dispatch": "$10", "status": "completed", "tokens_in": 200}

ann: run verdict add
{"run": "k3v9x2ab", "result": "findings", "note": "two things"}

ann: run advance
{"run": "k3v9x2ab", "priority": 1}

ops: run gate override
{"run": "k3v9x2ab", "reason": "it has to ship", "category": "expedient", "expect": "review"}

ann: run create
{"goal": "its other half", "phases": ["draft", "review", "ship", "done"], "complexity": 3,
 "manual": true, "id": "m2p8q0cd", "parent": "k3v9x2ab", "repository_gates": [
   {"from": "review", "to": "ship", "rules": [{"check": "artifact_exists"}]}]}

ann: run create
{"goal": "afterwards", "phases": ["draft", "review", "ship", "done"], "complexity": 1,
 "id": "z9y8x7w6", "after": ["k3v9x2ab"], "scope": "api", "metadata": {"ticket": "A-1"}}

ann: run advance
{"run": "m2p8q0cd", "priority": 1}

ann: run skip
{"run": "m2p8q0cd", "phase": "review", "reason": "small", "skip": true}

ann: run skip
{"run": "m2p8q0cd", "phase": "ship", "reason": "small", "skip": true}

ann: run skip
{"run": "m2p8q0cd", "phase": "ship", "reason": "it grew", "skip": false}

ann: run advance
{"run": "m2p8q0cd", "priority": 2, "reason": "seen"}

ann: run advance
{"run": "m2p8q0cd", "priority": 2, "reason": "seen"}

ann: run advance
{"run": "k3v9x2ab", "priority": 2, "reason": "seen"}

ops: run rollback
{"run": "k3v9x2ab", "to": "draft", "reason": "the wrong plan", "expect": "done"}

ann: run set
{"run": "k3v9x2ab", "budget": 5000, "complexity": 5, "after": ["m2p8q0cd"]}

ann: run agent add
{"run": "k3v9x2ab", "name": "mia"}

mia: run agent finish
{"run": "k3v9x2ab", "agent": "mia", "status": "completed"}

ann: run advance
{"run": "k3v9x2ab", "priority": 4, "reason": "seen"}

ops: run rollback
{"run": "k3v9x2ab", "to": "draft", "reason": "again", "keep_skips": true, "all_agents": true}

ops: rollback
{"to": "@26", "reason": "a step too far"}

ops: run end
{"run": "z9y8x7w6", "ending": "failed", "reason": "nobody wants it"}

ann: run set
{"run": "k3v9x2ab", "not_after": ["m2p8q0cd"]}
"#;

pub(super) fn runs() -> Vec<Step> {
    STORY.trim().split("\n\n").zip(0..).map(|(told, minutes)| step(told, minutes)).collect()
}

fn step(told: &'static str, minutes: i64) -> Step {
    let (who, rest) = told.split_once(": ").expect("who does it");
    let (word, input) = rest.split_once('\n').expect("what is done");
    let mut input: Value = serde_json::from_str(input).expect("the input is JSON");
    let made_by = input["dispatch"].as_str().and_then(|id| id.strip_prefix('$'));
    if let Some(number) = made_by.map(|number| number.parse().expect("the number of a step")) {
        input["dispatch"] = json!(DispatchId::derive(&OpId::from_bits(number), 0));
    }
    Step(minutes, who, json!({ "command": word, "input": input }))
}

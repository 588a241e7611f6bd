//! Commands on reservations with exceptions, and on ones that end in passing. Rules 3 decide them
//! otherwise than rules 2.

use serde_json::{Value, json};

use super::scenario::{Step, merge, reserve};

/// The most exceptions that a reservation can have.
const EXCEPTIONS_MAX: usize = 64;

pub(super) fn of_rules_2() -> Vec<Step> {
    let mut steps = steps(&json!({}));
    // Rules 3 say that nothing is in the way, and that the reservation stays as it is.
    let shared_only_by_exception = ask("alice", &json!({ "patterns": ["**/main.rs"] }));
    steps.push(Step(32, "kim", shared_only_by_exception));
    let by_hook = release(&json!({ "paths": ["x/last"], "via": "hook" }));
    steps.push(Step(33, "heidi", by_hook));
    steps
}

pub(super) fn of_rules_3() -> Vec<Step> {
    steps(&json!({ "whole": true }))
}

/// Lists commands that both rules allow, some of which are decided otherwise. `more` is said by an
/// answer that rules 3 would refuse without it.
fn steps(more: &Value) -> Vec<Step> {
    let passing: Vec<String> = (0..12).map(|number| format!("passing/{number}")).collect();
    let mut steps = vec![
        Step(0, "dave", reserve(&json!(passing), &json!({ "ttl": 60 }))),
        Step(10, "alice", reserve(&json!(["src/*.rs"]), &json!({}))),
        Step(11, "alice", release(&json!({ "paths": ["src/main.rs"], "files": ["src/main.rs"] }))),
        Step(12, "carol", ask("alice", &json!({ "hold": SRC, "holder": "alice" }))),
        Step(13, "alice", answer("src/*.rs", &json!({}))),
        Step(14, "ivan", reserve(&json!(["w/*.rs"]), &json!({}))),
        Step(15, "ivan", release(&json!({ "paths": ["w/m*"] }))),
        // Nothing is left after this one, as rules 3 see.
        Step(16, "ivan", release(&json!({ "paths": ["w/[!m]*"] }))),
        Step(17, "erin", reserve(&json!(["lib/**"]), &json!({}))),
        Step(18, "erin", release(&json!({ "paths": names("lib", EXCEPTIONS_MAX - 1) }))),
        Step(19, "frank", ask("erin", &json!({ "patterns": ["lib/y"] }))),
        Step(20, "grace", ask("erin", &json!({ "patterns": ["lib/z"] }))),
        Step(21, "erin", answer("lib/y", &json!({}))),
        Step(22, "erin", answer("lib/z", more)),
        Step(23, "heidi", reserve(&json!(["x/**"]), &json!({ "via": "ask", "ttl": 7200 }))),
        Step(24, "heidi", release(&json!({ "paths": names("x", EXCEPTIONS_MAX) }))),
        // The holder is told that all of it would be free.
        Step(25, "judy", ask("heidi", &json!({ "patterns": ["x/y"] }))),
        Step(26, "judy", ask("heidi", &json!({ "patterns": ["x/y"], "urgent": true }))),
        Step(27, "alice", reserve(&json!(["pkg/*.rs"]), &json!({}))),
    ];
    steps.push(Step(28, "alice", release(&json!({ "paths": ["pkg/main.rs"] }))));
    let other = (0..3).map(|number| Step(29 + number, "bob", one(number)));
    steps.extend(other);
    steps
}

/// The id of the reservation of `src/*.rs`, which follows from the act.
const SRC: &str = "3tucl60o";

fn names(directory: &str, count: usize) -> Vec<String> {
    (0..count).map(|number| format!("{directory}/{number}")).collect()
}

/// Reserves something else, and sweeps in passing.
fn one(number: i64) -> Value {
    reserve(&json!([format!("other/{number}")]), &json!({}))
}

fn release(input: &Value) -> Value {
    json!({ "command": "release", "input": input })
}

fn ask(holder: &str, more: &Value) -> Value {
    let mut input = json!({ "holder": holder, "reason": "to go on", "ttl": 900 });
    merge(&mut input, more);
    json!({ "command": "ask", "input": input })
}

fn answer(path: &str, more: &Value) -> Value {
    let mut input = json!({ "patterns": [path], "verdict": "release" });
    merge(&mut input, more);
    json!({ "command": "answer", "input": input })
}

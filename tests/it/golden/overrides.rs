//! Every command about overrides, and every shape of their documents.

use serde_json::{Value, json};

use super::scenario::{Step, merge};

fn of(word: &str, input: &Value) -> Value {
    json!({ "command": format!("override {word}"), "input": input })
}

fn row(agent: &str, session: &str, more: &Value) -> Value {
    let mut input = json!({
        "agent": agent, "source_kind": "agent", "event": "override", "session": session,
        "project": "golden",
    });
    merge(&mut input, more);
    of("evidence add", &input)
}

fn sample(session: &str, rate: f64) -> Value {
    let metrics = json!({ "override_rate": rate, "fp_rate": 0.3333, "density": 2.5 });
    of("canary sample", &json!({ "agent": "fd-style", "session": session, "metrics": metrics }))
}

fn set(name: &str, value: &Value) -> Value {
    of("thresholds", &json!({ "name": name, "value": value }))
}

pub(super) fn steps() -> Vec<Step> {
    let wrong = json!({
        "reason": "agent_wrong", "context": "flagged unwrap() in a test",
        "source_version": "1f0e3dad99", "lineage": [7, "e-1"],
    });
    let used = json!({ "event": "agent_dispatch", "findings": 3, "source_kind": "skill" });
    let scope = json!({ "domains": ["web"], "file_patterns": ["gen/**"], "later": true });
    let apply = json!({
        "agent": "fd-style", "reason": "it's \"wrong\" $(here)", "evidence": ["a", 3],
        "scope": scope, "source": "human",
    });
    let document = json!({
        "entries": [
            { "agent": "fd-old", "action": "exclude", "evidence_ids": [1], "team": "platform",
              "canary": { "status": "active", "window_uses": 5,
                          "expires_at": "2026-02-01T00:00:00Z" } },
            { "agent": "fd-older", "action": "propose", "created_by": "interspect" },
        ],
        "unknown": { "$schema": "v1" },
    });
    let guard = json!({
        "agent": "fd-safety", "reason": "x", "source": "human", "cross_cutting": true,
        "confirmed": true,
    });
    let overlay = json!({
        "agent": "fd-perf", "id": "wording", "body": "Leave tests\nalone.", "evidence": ["e"],
        "source": "human",
    });
    let revert = json!({
        "target": { "agent": "fd-perf" }, "reason": "it found a bug", "block": "it is good",
    });
    let wording = json!({ "agent": "fd-perf", "id": "wording" });
    let propose = json!({ "agent": "fd-perf", "reason": "slow", "source": "human" });
    vec![
        Step(0, "ann", set("quarantine_hours", &json!(0.0))),
        Step(1, "ann", set("min_baseline", &json!(1.0))),
        Step(2, "ann", set("canary_uses", &json!(2.0))),
        Step(3, "ann", set("noise_floor", &json!(0.05))),
        Step(4, "ann", row("fd-style", "s1", &wrong)),
        Step(5, "ann", row("fd-style", "s1", &used)),
        Step(6, "bob", row("fd-style", "s2", &wrong)),
        Step(7, "ann", of("apply", &apply)),
        Step(8, "bob", of("propose", &propose)),
        Step(9, "ann", of("approve", &json!({ "agent": "fd-perf" }))),
        Step(10, "ann", sample("t1", 0.9)),
        Step(11, "ann", sample("t2", 1.0)),
        Step(12, "bob", of("revert", &revert)),
        Step(13, "bob", of("overlay add", &overlay)),
        Step(14, "bob", of("block", &json!({ "agent": "fd-perf", "reason": "really" }))),
        Step(15, "bob", of("unblock", &json!({ "agent": "fd-perf" }))),
        Step(16, "ann", of("import", &document)),
        Step(17, "ann", of("apply", &guard)),
        Step(18, "ann", set("autonomy", &json!(true))),
        Step(19, "ann", set("breaker_reverts", &json!(1.0))),
        Step(20, "ann", of("revert", &json!({ "target": { "agent": "fd-safety" } }))),
        Step(21, "ann", of("overlay disable", &wording)),
        Step(
            22,
            "ann",
            of(
                "revert",
                &json!({
                    "target": { "act": "00000000000000000000000000000008" },
                }),
            ),
        ),
        Step(
            23,
            "ops",
            json!({
                "command": "rollback", "input": { "to": "@21", "reason": "too early" },
            }),
        ),
        Step(24, "ops", of("reset", &json!({ "scope": "modifications" }))),
        Step(50_000, "ops", of("canary check", &json!({}))),
    ]
}

//! `coord.recordConflicts`: a refused request leaves an event.

use serde_json::{Value, json};

use crate::support::Repo;
use crate::support::contract::{exit, refusal};

const CONFLICT: &str = "conflict";

fn recording() -> Repo {
    let repo = Repo::new();
    repo.git(["config", "coord.recordConflicts", "true"]);
    repo
}

/// 1/CONFLICT-event: the event names asker, target, hold, holder and reason, and nothing else
/// changes.
#[test]
fn a_refused_request_leaves_a_conflict() {
    let repo = recording();
    let hold = repo.reserve_id("bob", "src/**");
    let before = repo.json("ann", ["list"])["reservations"].clone();
    let asked = ["reserve", "docs", "src/main.rs", "--reason", "a fix", "--run", "R-1"];
    repo.coord_json("ann", asked).refused(refusal::HELD);
    let events = repo.events(CONFLICT);
    assert_eq!(events.len(), 1, "{events:#?}");
    let event = &events[0];
    assert_eq!((&event["actor"], &event["subject"]), (&json!("ann"), &json!(hold)));
    let expected = json!({
        "pattern": "src/main.rs", "kind": "file", "holder": "bob", "held": { "pattern": "src/**" },
        "reason": "a fix", "run": "R-1",
    });
    assert_eq!(event["data"], expected);
    assert_eq!(repo.json("ann", ["list"])["reservations"], before);
    repo.coord("ops", ["ledger", "verify"]).done();
    repo.coord("ann", ["ledger", "log", "reservations"]).done().says("refuse src/main.rs to ann");
}

/// 1/CONFLICT-event: whoever asks, and however: for each target, after a wait, for a lock, by an
/// edit. A request that is granted leaves none.
#[test]
fn every_refusal_counts_and_no_grant() {
    let repo = recording();
    repo.git(["config", "coord.enabled", "true"]);
    repo.reserve("bob", "src/**");
    repo.reserve_with("bob", &["--lock", "deploy"]);
    let count = || repo.events(CONFLICT).len();
    repo.coord("ann", ["reserve", "docs"]).done();
    assert_eq!(count(), 0);
    repo.coord("ann", ["reserve", "--each", "README.md", "src/main.rs"]).exits(exit::NO);
    assert_eq!(count(), 1);
    repo.coord("ann", ["reserve", "src/main.rs", "--wait=1s"]).exits(exit::NO);
    assert_eq!(count(), 2);
    repo.coord("ann", ["reserve", "--lock", "deploy"]).exits(exit::NO);
    assert_eq!(count(), 3);
    assert_eq!(repo.events(CONFLICT)[2]["data"]["lock"], "deploy");
    repo.call("").args(["hook", "claude"]).input(edit(&repo, "src/main.rs")).run().done();
    assert_eq!(count(), 4);
    assert_eq!(repo.events(CONFLICT)[3]["actor"], "claude:carol");
    repo.coord("ops", ["ledger", "verify"]).done();
}

/// 1/CONFLICT-event: unless the user wants it, a refusal leaves nothing.
#[test]
fn a_refusal_leaves_nothing_by_default() {
    let repo = Repo::new();
    repo.reserve("bob", "src/**");
    let entries = repo.entry_count();
    repo.coord("ann", ["reserve", "src/main.rs"]).exits(exit::NO);
    assert_eq!(repo.entry_count(), entries);
}

fn edit(repo: &Repo, path: &str) -> String {
    let payload: Value = json!({
        "session_id": "carol",
        "transcript_path": "/transcript.jsonl",
        "cwd": repo.work(),
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Edit",
        "tool_input": {
            "file_path": repo.work().join(path), "old_string": "a", "new_string": "b",
        },
    });
    payload.to_string()
}

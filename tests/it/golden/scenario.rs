//! The commands of a golden ledger: every command and every shape of document, with fixed ops,
//! times and host, so that the same program always writes the same bytes.

use std::path::Path;
use std::time::Duration;

use git_coord::core::command::{Command, Request};
use git_coord::core::ids::OpId;
use git_coord::core::ledger::LedgerName;
use git_coord::core::pattern::Case;
use git_coord::core::time::Timestamp;
use git_coord::store::git::Git;
use git_coord::store::git::packs::Budget;
use git_coord::store::git::repository::Repository;
use git_coord::store::ledger::Ledger;
use git_coord::store::ledger::entry::Committer;
use git_coord::store::ledger::transact::WriteOptions;
use git_coord::store::os::files::Files;
use git_coord::store::os::shared_mode::SharedMode;
use serde_json::{Value, json};

use super::overrides;
use super::runs::runs;

/// The start of every golden ledger: 2026-01-05T10:00:00Z.
const START_MILLIS: i64 = 1_767_607_200_000;
const MINUTE_MILLIS: i64 = 60_000;

/// A golden ledger that this version can write.
pub(super) struct Scenario {
    pub(super) name: &'static str,
    pub(super) ledger: LedgerName,
    case: Case,
    steps: fn() -> Vec<Step>,
}

pub(super) const SCENARIOS: [Scenario; 4] = [
    Scenario::of_reservations("plain", Case::Sensitive, plain),
    Scenario::of_reservations("folded", Case::Folded, folded),
    Scenario {
        name: "overrides",
        ledger: LedgerName::Overrides,
        case: Case::Sensitive,
        steps: overrides::steps,
    },
    Scenario { name: "runs", ledger: LedgerName::Runs, case: Case::Sensitive, steps: runs },
];

impl Scenario {
    const fn of_reservations(name: &'static str, case: Case, steps: fn() -> Vec<Step>) -> Scenario {
        Scenario { name, ledger: LedgerName::Reservations, case, steps }
    }
}

/// One command: minutes after the start, the actor, and the command as entries record it.
pub(super) struct Step(pub(super) i64, pub(super) &'static str, pub(super) Value);

fn reserve(patterns: &Value, more: &Value) -> Value {
    let mut input = json!({
        "patterns": patterns, "mode": "exclusive", "ttl": 3600, "via": "command", "scope": "all",
    });
    merge(&mut input, more);
    json!({ "command": "reserve", "input": input })
}

pub(super) fn merge(into: &mut Value, more: &Value) {
    for (key, value) in more.as_object().expect("more fields are an object") {
        into[key] = value.clone();
    }
}

/// Returns a name that is longer than a tree node's may be.
fn long_name() -> String {
    "n".repeat(220)
}

fn plain() -> Vec<Step> {
    let about = json!({ "reason": "new endpoints", "task": "T-1", "run": "R-1", "ttl": 900 });
    let shared = json!({ "mode": "shared", "request_id": "request-1" });
    let hook = json!({ "mode": "shared", "via": "hook", "worktree": "side" });
    let not_utf8 = json!({ "bytes": "Y2Fm6S94" });
    let odd = json!([
        ".git",
        ".gitmodules",
        "a\\\\.git",
        "a%b",
        "+plus",
        "@at",
        "é/ü",
        not_utf8,
        long_name(),
    ]);
    let many: Vec<String> = (0..60)
        .map(|number| format!("generated/{}/file-{number}.rs", "deep/".repeat(10)))
        .collect();
    let each = json!({ "scope": "each", "files": ["src/main.rs"] });
    vec![
        Step(0, "alice", reserve(&json!(["src/api/**"]), &about)),
        Step(1, "bob", reserve(&json!(["docs/**", "[a-z]*.md"]), &shared)),
        Step(2, "carol", reserve(&json!(["docs/guide.md"]), &hook)),
        Step(3, "alice", reserve(&odd, &json!({}))),
        Step(4, "alice", json!({ "command": "renew", "input": { "mine": true, "ttl": 5400 } })),
        Step(5, "dave", reserve(&json!(many), &json!({}))),
        Step(6, "dave", json!({ "command": "release", "input": { "paths": ["generated"] } })),
        Step(7, "alice", reserve(&json!(["src/**"]), &json!({}))),
        Step(8, "bob", reserve(&json!(["[a-z]*.md"]), &json!({}))),
        Step(
            9,
            "ops",
            json!({
                "command": "transfer",
                "input": {
                    "from": "alice", "to": "erin", "paths": ["src/**"], "force": "shift ends",
                },
            }),
        ),
        Step(
            10,
            "ops",
            json!({
                "command": "release", "input": { "paths": ["docs"], "force": "gone home" },
            }),
        ),
        Step(120, "ops", json!({ "command": "sweep", "input": { "older_than_seconds": 60 } })),
        Step(121, "team/frank:1@host", reserve(&json!(["src/main.rs", "lib/?[!x]*"]), &each)),
        Step(122, "team/frank:1@host", json!({ "command": "release", "input": { "mine": true } })),
        Step(
            123,
            "ops",
            json!({
                "command": "rollback", "input": { "to": "@12", "reason": "released too early" },
            }),
        ),
        Step(
            124,
            "ops",
            json!({
                "command": "rollback", "input": { "to": "@11", "reason": "and back again" },
            }),
        ),
        // The clock of this one is behind: the entry before counts as the time.
        Step(100, "grace", reserve(&json!(["src/late.rs", "**/*.toml"]), &json!({}))),
        Step(
            125,
            "grace",
            json!({ "command": "renew", "input": { "ids": ["hfj1"], "ttl": 86400 } }),
        ),
    ]
}

fn folded() -> Vec<Step> {
    vec![
        Step(0, "alice", reserve(&json!(["SRC/Api/**", "Straße"]), &json!({}))),
        Step(1, "alice", reserve(&json!(["src/api/main.rs"]), &json!({ "ttl": 86400 }))),
        Step(2, "bob", reserve(&json!(["README.md"]), &json!({ "ttl": 86400 }))),
        Step(3, "bob", json!({ "command": "release", "input": { "paths": ["readme.MD"] } })),
    ]
}

/// Returns the clock of a step, as a request records it.
pub(super) fn clock(minutes: i64) -> Timestamp {
    Timestamp::from_millis(START_MILLIS + minutes * MINUTE_MILLIS)
}

/// Returns the time of the stored answers: a minute after the last step.
pub(super) fn asked_at(scenario: &Scenario) -> Timestamp {
    let last = (scenario.steps)().iter().map(|step| step.0).max();
    clock(last.expect("a scenario has steps") + 1)
}

/// Runs a scenario in a new bare repository.
pub(super) fn play(scenario: &Scenario, home: &Path) {
    play_steps(scenario.ledger, scenario.case, &(scenario.steps)(), home);
}

pub(super) fn play_steps(name: LedgerName, case: Case, steps: &[Step], home: &Path) {
    let repository = Repository::make_empty(home).unwrap();
    let files = Files { fsync: false, shared: SharedMode::Umask };
    let backend = Git::open(&repository, files).unwrap();
    let writing = WriteOptions {
        committer: Committer::new("Golden", "golden@example.org"),
        turns: None,
        wait: Duration::from_secs(5),
        case,
        clock_skew: Duration::from_secs(300),
        maintenance: Budget::COMMAND,
    };
    let ledger = Ledger::new(&backend, name, writing);
    let mut entries = Vec::new();
    for (number, Step(minutes, actor, command)) in steps.iter().enumerate() {
        let mut request = command.clone();
        if let Some(place) = command["input"]["to"].as_str().and_then(|to| to.strip_prefix('@')) {
            request["input"]["to"] = json!(entries[place.parse::<usize>().unwrap()]);
        }
        merge(
            &mut request,
            &json!({ "actor": actor, "host": "golden", "clock": clock(*minutes), "rules": 1 }),
        );
        let request: Request<Command> = serde_json::from_value(request).unwrap();
        let op = OpId::from_bits(number as u128 + 1);
        let committed = ledger.transact(&request, &op, None).unwrap();
        entries.push(committed.entry.expect("every step changes something").to_string());
    }
}

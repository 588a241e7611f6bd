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

use super::exceptions;
use super::overrides;
use super::runs::runs;

/// The start of every golden ledger: 2026-01-05T10:00:00Z.
const START_MILLIS: i64 = 1_767_607_200_000;
const MINUTE_MILLIS: i64 = 60_000;

/// A golden ledger that this version can write.
pub(super) struct Scenario {
    pub(super) name: &'static str,
    /// The format that is shown.
    pub(super) format: u64,
    /// The rules that the commands are decided by.
    rules: u64,
    pub(super) ledger: LedgerName,
    pub(super) begins: Beginning,
    steps: fn() -> Vec<Step>,
}

/// The settings of a new ledger.
#[derive(Clone, Copy)]
pub(super) struct Beginning {
    pub(super) case: Case,
    pub(super) format: u64,
}

pub(super) const SCENARIOS: [Scenario; 13] = [
    Scenario::of_reservations("plain", 1, Case::Sensitive, plain),
    Scenario::of_reservations("folded", 1, Case::Folded, folded),
    Scenario::of("overrides", 1, LedgerName::Overrides, overrides::steps),
    Scenario::of("runs", 1, LedgerName::Runs, runs),
    Scenario::of_reservations("plain", 2, Case::Sensitive, plain),
    Scenario::of_reservations("folded", 2, Case::Folded, folded),
    Scenario::of("overrides", 2, LedgerName::Overrides, overrides::steps),
    Scenario::of("runs", 2, LedgerName::Runs, runs),
    Scenario::of_reservations("wide", 2, Case::Sensitive, wide),
    Scenario::of_reservations("exceptions", 2, Case::Sensitive, exceptions::of_rules_2),
    Scenario {
        rules: 3,
        ..Scenario::of_reservations("exactly", 2, Case::Sensitive, exceptions::of_rules_3)
    },
    Scenario { rules: 4, ..Scenario::of_reservations("leaps", 2, Case::Sensitive, leaps) },
    Scenario {
        begins: Beginning { case: Case::Sensitive, format: 1 },
        ..Scenario::of_reservations("upgraded", 2, Case::Sensitive, upgraded)
    },
];

impl Scenario {
    const fn of(
        name: &'static str,
        format: u64,
        ledger: LedgerName,
        steps: fn() -> Vec<Step>,
    ) -> Scenario {
        Scenario {
            name,
            format,
            rules: format,
            ledger,
            begins: Beginning { case: Case::Sensitive, format },
            steps,
        }
    }

    const fn of_reservations(
        name: &'static str,
        format: u64,
        case: Case,
        steps: fn() -> Vec<Step>,
    ) -> Scenario {
        let begins = Beginning { case, format };
        Scenario { begins, ..Scenario::of(name, format, LedgerName::Reservations, steps) }
    }
}

/// One command: minutes after the start, the actor, and the command as entries record it.
pub(super) struct Step(pub(super) i64, pub(super) &'static str, pub(super) Value);

pub(super) fn reserve(patterns: &Value, more: &Value) -> Value {
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

/// Lists commands after a leap of the time, which is in doubt for a day: rules 4 carry it along.
fn leaps() -> Vec<Step> {
    const DAY: i64 = 24 * 60;
    let sweep = || json!({ "command": "sweep", "input": { "older_than_seconds": 0 } });
    vec![
        Step(0, "alice", reserve(&json!(["src"]), &json!({}))),
        Step(3 * DAY, "bob", reserve(&json!(["src/a"]), &json!({ "ttl": 60 }))),
        Step(3 * DAY + 2, "carol", reserve(&json!(["src/b"]), &json!({}))),
        Step(3 * DAY + 3, "bob", sweep()),
        Step(4 * DAY, "carol", reserve(&json!(["docs"]), &json!({ "ttl": 7200 }))),
        Step(4 * DAY + 63, "dave", sweep()),
        Step(4 * DAY + 64, "dave", reserve(&json!(["x"]), &json!({}))),
    ]
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

/// Makes a directory wide and narrow again, with files, exceptions and a pattern beside them.
fn wide() -> Vec<Step> {
    let names = |numbers: std::ops::Range<u32>| -> Vec<String> {
        numbers.map(|number| format!("src/file-{number}.rs")).collect()
    };
    let release = |input: Value| json!({ "command": "release", "input": input });
    let files = |numbers: std::ops::Range<u32>| json!({ "files": names(numbers) });
    vec![
        Step(0, "alice", reserve(&json!(names(0..10)), &files(0..10))),
        Step(1, "bob", reserve(&json!(["docs"]), &json!({}))),
        Step(2, "bob", release(json!({ "paths": ["docs/a.md"] }))),
        Step(3, "carol", reserve(&json!(names(10..70)), &files(10..70))),
        Step(4, "dave", reserve(&json!(["src/*.toml", "lib/new"]), &json!({ "new": ["lib/new"] }))),
        Step(5, "carol", release(json!({ "paths": names(15..70) }))),
    ]
}

/// Brings a ledger of format 1 to format 2 and goes on, over the upgrade and back.
fn upgraded() -> Vec<Step> {
    let many: Vec<String> = (0..40).map(|number| format!("src/file-{number}.rs")).collect();
    let rollback =
        |to: &str| json!({ "command": "rollback", "input": { "to": to, "reason": "as it was" } });
    vec![
        Step(0, "alice", reserve(&json!(many), &json!({ "files": many }))),
        Step(1, "bob", reserve(&json!(["docs/**"]), &json!({ "request_id": "request-1" }))),
        Step(2, "ops", json!({ "command": "upgrade", "input": { "to": 2 } })),
        Step(3, "alice", json!({ "command": "release", "input": { "mine": true } })),
        Step(4, "ops", rollback("@0")),
        Step(5, "bob", reserve(&json!(["docs/**"]), &json!({}))),
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
    play_steps(scenario.ledger, scenario.begins, scenario.rules, &(scenario.steps)(), home);
}

/// Runs commands by the given rules.
pub(super) fn play_steps(
    name: LedgerName,
    begins: Beginning,
    rules: u64,
    steps: &[Step],
    home: &Path,
) {
    let repository = Repository::make_empty(home).unwrap();
    let files = Files { fsync: false, shared: SharedMode::Umask };
    let backend = Git::open(&repository, files).unwrap();
    let writing = WriteOptions {
        committer: Committer::new("Golden", "golden@example.org"),
        turns: None,
        wait: Duration::from_secs(5),
        case: begins.case,
        format: begins.format,
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
            &json!({ "actor": actor, "host": "golden", "clock": clock(*minutes), "rules": rules }),
        );
        let request: Request<Command> = serde_json::from_value(request).unwrap();
        let op = OpId::from_bits(number as u128 + 1);
        let committed = ledger.transact(&request, &op, None).unwrap();
        entries.push(committed.entry.expect("every step changes something").to_string());
    }
}

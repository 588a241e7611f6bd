//! Recorded commands, one a line: each is refused or round-trips, and its decision leaves a state
//! that keeps every law.

use std::collections::BTreeMap;

use git_coord::core::command::{Command, Request, decide};
use git_coord::core::decision::Env;
use git_coord::core::documents::{Key, apply};
use git_coord::core::ids::OpId;
use git_coord::core::laws;
use git_coord::core::ledger::LedgerName;
use git_coord::core::pattern::Case;
use git_coord::core::time::Timestamp;
use git_coord::store::ledger::decode_request;
use serde_json::Value;

/// The law that detects a forged detection. The result of a detection comes with the command, so it
/// cannot be decided again.
const FORGED: &str = "the fingerprint is not that of its structure";

/// The maximum number of commands in an input. More only take time.
const COMMANDS_MAX: usize = 6;

/// Reads each line of the input as a command, and decides on them in each ledger.
pub(super) fn check(input: &[u8]) {
    let lines = input.split(|&byte| byte == b'\n').take(COMMANDS_MAX);
    let requests: Vec<Request<Command>> = lines.filter_map(read).collect();
    for ledger in LedgerName::ALL {
        check_decisions(&requests, ledger);
    }
}

fn read(line: &[u8]) -> Option<Request<Command>> {
    let value: Value = serde_json::from_slice(line).ok()?;
    let request = decode_request(value).ok()?;
    let written = serde_json::to_value(&request).expect("because a request is plain data");
    let again = decode_request(written.clone()).expect("because we wrote it");
    assert_eq!(again, request);
    assert_eq!(serde_json::to_value(&again).ok(), Some(written.clone()));
    check_bounds(&written);
    Some(request)
}

/// Checks that nothing in a command can disturb a terminal or break out of its line.
fn check_bounds(value: &Value) {
    match value {
        Value::String(text) => assert!(!text.contains('\u{1b}'), "{text:?}"),
        Value::Array(values) => values.iter().for_each(check_bounds),
        Value::Object(fields) => fields.values().for_each(check_bounds),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Decides each command, and applies its changes.
fn check_decisions(requests: &[Request<Command>], ledger: LedgerName) {
    let mut documents: BTreeMap<Key, Vec<u8>> = BTreeMap::new();
    let mut fence = 0;
    let mut now = Timestamp::from_millis(0);
    for (op, request) in (1..).zip(requests) {
        if request.command.reads_entry().is_some() {
            continue;
        }
        now = now.max(request.clock);
        let env = Env {
            ledger,
            rules: request.rules,
            actor: &request.actor,
            host: &request.host,
            now,
            before: None,
            leap: None,
            skew: request.skew(),
            before_by: None,
            asked_at: request.asked_at,
            last: None,
            place: request.place.as_ref(),
            op: &OpId::from_bits(op),
            fence,
            case: Case::Sensitive,
            gone: &request.gone,
            earlier: None,
        };
        let Ok(decided) = decide(&request.command, &documents, env) else { continue };
        let Some(changes) = decided.changes else { continue };
        apply(&mut documents, &changes.edits);
        fence = changes.fence;
        assert!(!changes.events.is_empty());
        let faults = laws::faults(ledger, &documents, now, Case::Sensitive);
        let faults = faults.expect("because it is in memory");
        if faults.iter().any(|fault| fault.what == FORGED) {
            return;
        }
        assert_eq!(faults, [], "{:?}", request.command);
    }
}

//! No secret in the words of a request gets into a ledger, whatever the door of the request.

use std::collections::BTreeSet;
use std::path::Path;

use git_coord::core::command::{Command, Request};
use git_coord::core::redact::REDACTED;
use git_coord::core::text::Line;
use git_coord::core::time::Timestamp;
use serde_json::{Value, json};

use crate::support::Repo;

/// Secrets by their key, by their announcement, and by their own shape.
const SECRETS: [&str; 4] = [
    "password=hunter2-hunter2",
    "Authorization: Bearer 0123456789abcdef0123",
    "ghp_0123456789abcdefghij0123456789ABCDEF",
    "postgres://coord:hunter2-hunter2@db.example.org/x",
];
/// Parts of the secrets. Each secret contains one of them, and nothing else here does.
const TRACES: [&str; 3] = ["hunter2", "0123456789abcdef0123", "0123456789abcdefghij"];

/// Names, which would change their meaning if a part was left out.
const NAMES: [&str; 23] = [
    "agent",
    "archives",
    "changes",
    "domains",
    "expect",
    "files",
    "forgotten",
    "from",
    "gates",
    "holder",
    "kept_at",
    "locks",
    "met",
    "name",
    "path",
    "paths",
    "patterns",
    "phase",
    "phases",
    "repository_gates",
    "request_id",
    "to",
    "worktree",
];

/// The commands that carry free text.
const WITH_WORDS: [&str; 30] = [
    "adopt",
    "answer",
    "ask",
    "conflict",
    "domain set",
    "domain unset",
    "override apply",
    "override block",
    "override canary sample",
    "override evidence add",
    "override import",
    "override overlay add",
    "override propose",
    "override revert",
    "release",
    "repair",
    "reserve",
    "rollback",
    "run advance",
    "run artifact add",
    "run create",
    "run end",
    "run gate override",
    "run rollback",
    "run skip",
    "run verdict add",
    "send",
    "take",
    "transfer",
    "undo",
];

/// Commands that the golden ledgers do not record.
const MORE: [&str; 19] = [
    r#"{"command":"upgrade","input":{"to":2}}"#,
    r#"{"command":"drop archives","input":{"archives":["refs/coord/archive/x"]}}"#,
    r#"{"command":"adopt","input":{"changes":[{"path":"src","from":"a"}],"reason":"r"}}"#,
    r#"{"command":"undo","input":{"act":"00000000000000000000000000000001","changes":[],
        "reason":"r"}}"#,
    r#"{"command":"repair","input":{"lost":"x","why":"damaged","kept_at":"a ref"}}"#,
    r#"{"command":"conflict","input":{"met":[{"pattern":"src","hold":"6qfl6iux"}],"reason":"r",
        "task":"t","run":"R-1","via":"command"}}"#,
    r#"{"command":"leave","input":{"ticket":"6qfl6iux"}}"#,
    r#"{"command":"ask","input":{"patterns":["src"],"reason":"r","ttl":900}}"#,
    r#"{"command":"answer","input":{"patterns":["src"],"verdict":"release"}}"#,
    r#"{"command":"answer","input":{"patterns":["src"],"verdict":{"refuse":{"reason":"r"}}}}"#,
    r#"{"command":"answer","input":{"patterns":["src"],
        "verdict":{"defer":{"seconds":9,"reason":"r"}}}}"#,
    r#"{"command":"take","input":{"patterns":["src"],"reason":"r"}}"#,
    r#"{"command":"send","input":{"to":["a"],"type":"note","subject":"s","body":"b"}}"#,
    r#"{"command":"acknowledge","input":{"messages":["mwl2k1ky"]}}"#,
    r#"{"command":"prune","input":{"older_than_seconds":1}}"#,
    r#"{"command":"domain detect","input":{"domains":[],"fingerprint":
        "1:000000000001:806f2ae243307d8fd0eba6f36587168618dcc7906c1cfd1f5f9d1a51f68523de",
        "structure":{"manifests":{},"signals":{}},"cut_short":false,"force":false}}"#,
    r#"{"command":"domain set","input":{"domains":["ml-pipeline"],"source":"human",
        "reason":"I know","confidence":0.8}}"#,
    r#"{"command":"domain unset","input":{"reason":"never mind"}}"#,
    r#"{"command":"domain agents","input":{"forgotten":[".claude/agents/fd-one.md"]}}"#,
];

/// Lists every command, most of them as the golden ledgers record them.
fn samples() -> Vec<Value> {
    let mut samples: Vec<Value> =
        MORE.iter().map(|sample| serde_json::from_str(sample).unwrap()).collect();
    for sample in &samples {
        serde_json::from_value::<Command>(sample.clone()).expect("it is a command");
    }
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/v1");
    for ledger in ["plain", "folded", "overrides", "runs"] {
        let export = std::fs::read(golden.join(ledger).join("ledger.fast-export")).unwrap();
        for line in export.split(|byte| *byte == b'\n') {
            if line.starts_with(br#"{"command":"#)
                && let Ok(sample) = serde_json::from_slice::<Value>(line)
                && sample["input"].is_object()
            {
                samples.push(sample);
            }
        }
    }
    samples
}

/// Lists the paths to every text in a value, including its keys.
fn texts(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::String(_) => found.push(at.to_owned()),
        Value::Array(items) => {
            for (number, item) in items.iter().enumerate() {
                texts(item, &format!("{at}/{number}"), found);
            }
        }
        Value::Object(fields) => {
            for (key, field) in fields {
                texts(field, &format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")), found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn has_secret(command: &Command) -> bool {
    let mut value = serde_json::to_value(command).unwrap();
    let fields = value["input"].as_object_mut().unwrap();
    fields.retain(|key, _| !NAMES.contains(&key.as_str()));
    let text = value.to_string();
    TRACES.iter().any(|trace| text.contains(trace))
}

/// The fate of a secret in a command.
enum Fate {
    /// The command or the text does not exist.
    NotThere,
    KeptOut,
    /// The secret is left out without a message.
    Untold,
    Recorded,
}

fn fate(sample: &Value) -> Fate {
    let Ok(command) = serde_json::from_value::<Command>(sample.clone()) else {
        return Fate::NotThere;
    };
    if !has_secret(&command) {
        return Fate::NotThere;
    }
    let (actor, host) = ("bob".parse().unwrap(), Line::new("host").unwrap());
    match Request::cleaned(command, actor, host, Timestamp::from_millis(0)) {
        Ok((request, _)) if has_secret(&request.command) => Fate::Recorded,
        // An import tells what it leaves out of its document in its answer.
        Ok((request, _)) if matches!(request.command, Command::Import(_)) => Fate::KeptOut,
        Ok((_, left_out)) if left_out.is_empty() => Fate::Untold,
        Ok(_) | Err(_) => Fate::KeptOut,
    }
}

/// 8/SECRETS: whatever text of whatever command has a secret in it, a request has not. A command
/// that is deserialised, as a client would send it, is no exception.
#[test]
fn no_text_of_any_command_brings_a_secret_into_a_request() {
    let samples = samples();
    let mut keys = BTreeSet::new();
    for sample in &samples {
        let fields = sample["input"].as_object().unwrap();
        keys.extend(fields.keys().filter(|key| !NAMES.contains(&key.as_str())).cloned());
    }
    let (mut commands, mut with_words) = (BTreeSet::new(), BTreeSet::new());
    let (mut recorded, mut untold) = (BTreeSet::new(), BTreeSet::new());
    for sample in &samples {
        let name = sample["command"].as_str().unwrap();
        commands.insert(name);
        for secret in SECRETS {
            let mut ways = Vec::new();
            texts(&sample["input"], "/input", &mut ways);
            // And texts that this sample could have had as well.
            ways.extend(keys.iter().map(|key| format!("/input/{key}")));
            for way in ways {
                let (mut changed, key) = (sample.clone(), way.strip_prefix("/input/").unwrap());
                match changed.pointer_mut(&way) {
                    Some(text) => *text = json!(secret),
                    None => changed["input"][key] = json!(secret),
                }
                match fate(&changed) {
                    Fate::NotThere => {}
                    Fate::KeptOut => drop(with_words.insert(name)),
                    Fate::Untold => drop(untold.insert((name, way))),
                    Fate::Recorded => drop(recorded.insert((name, way))),
                }
            }
        }
    }
    assert!(recorded.is_empty(), "{recorded:#?}");
    assert!(untold.is_empty(), "{untold:#?}");
    let without: Vec<_> = Command::WORDS.iter().filter(|word| !commands.contains(**word)).collect();
    assert!(without.is_empty(), "there is no sample of {without:?}");
    assert_eq!(with_words, WITH_WORDS.into(), "those with words of others");
}

/// 8/SECRETS: through the program, what is recorded and what is answered.
#[test]
fn no_reason_task_or_message_brings_a_secret_into_a_ledger() {
    let repo = Repo::new();
    let secret = SECRETS[0];
    let told = repo.coord("ann", ["reserve", "src", "--reason", secret, "--task", secret]).done();
    told.says("warning: what looks like a secret was left out of the reason and the task");
    let plain = repo.coord("ann", ["reserve", "docs", "--reason", "no secret"]).done();
    assert!(!plain.stderr.contains("warning:"), "{plain:#?}");
    let asked = repo.json("bob", ["ask", "src", "--reason", secret]);
    let thread = asked["thread"].as_str().unwrap();
    repo.coord("ann", ["answer", thread, "--refuse", "--reason", secret]).done();
    repo.coord("ann", ["send", "bob", "--subject", secret, "--body", secret]).done();
    repo.coord("ann", ["run", "create", "--goal", secret, "--id", "k3v9x2ab"]).done();
    repo.coord("ann", ["run", "cancel", "k3v9x2ab", "--reason", secret]).done();
    repo.coord("ann", ["domain", "set", "rust-library", "--source", "human", "--reason", secret])
        .done();
    repo.coord("ann", ["release", "--mine"]).done();

    let objects = repo.git(["cat-file", "--batch-all-objects", "--batch"]);
    assert!(!objects.contains("hunter2") && objects.contains(REDACTED), "{objects}");
    repo.coord("ops", ["ledger", "verify"]).done();
}

//! The ledger of domains as it was once written, kept byte for byte (4/F8): every later version
//! must read it and decide it in the same way.

use std::path::Path;
use std::time::Duration;

use git_coord::core::command::{Command, Request};
use git_coord::core::domain::structure::Structure;
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

use super::project::DOMAINS_REF;
use crate::support::Repo;

/// 2026-01-05T10:00:00Z
const START_MILLIS: i64 = 1_767_607_200_000;
const MINUTE_MILLIS: i64 = 60_000;

/// The formats, each with the rules that came with it and the stored ledger.
const FORMATS: [(u64, &str); 2] = [(1, "golden.fast-export"), (2, "golden-2.fast-export")];

fn stored(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/domain").join(name)
}

fn detect(manifest: &str, list: &str, after: Option<u128>) -> Value {
    let structure: Structure = serde_json::from_value(json!({
        "manifests": { "package.json": manifest },
        "signals": { ".": ["dir src/routes", "file *.proto"] },
    }))
    .unwrap();
    let mut input = json!({
        "domains": [
            {
                "name": "web-api", "confidence": 0.45, "primary": true,
                "signals": ["dir src/routes", "framework express"],
            },
            { "name": "cli-tool", "confidence": 0.3, "primary": false, "paths": ["tools/x"] },
        ],
        "fingerprint": structure.fingerprint(list),
        "structure": structure,
        "cut_short": false,
        "head": "1".repeat(40),
        "force": false,
    });
    if let Some(op) = after {
        input["after"] = json!(OpId::from_bits(op));
    }
    json!({ "command": "domain detect", "input": input })
}

fn steps() -> Vec<Value> {
    let agent = |name: &str, content: &str| {
        json!({
            "path": format!(".claude/agents/{name}.md"), "agent": name, "domain": "web-api",
            "content": content.repeat(64), "generator": 1,
        })
    };
    vec![
        detect(&"a".repeat(40), "000000000001", None),
        detect(&"b".repeat(40), "000000000001", Some(1)),
        detect(&"b".repeat(40), "000000000002", None),
        json!({
            "command": "domain set",
            "input": {
                "domains": ["ml-pipeline"], "source": "human", "reason": "I know",
                "confidence": 0.8,
            },
        }),
        json!({ "command": "domain unset", "input": { "reason": "never mind" } }),
        json!({
            "command": "domain agents",
            "input": { "written": [agent("fd-one", "0"), agent("fd-two", "1")] },
        }),
        json!({
            "command": "domain agents",
            "input": {
                "accepted": [{ "path": ".claude/agents/fd-one.md", "content": "2".repeat(64) }],
                "forgotten": [".claude/agents/fd-two.md"],
            },
        }),
        json!({ "command": "rollback", "input": { "to": "@0", "reason": "a mistake" } }),
    ]
}

fn play(home: &Path, format: u64) {
    let repository = Repository::make_empty(home).unwrap();
    let files = Files { fsync: false, shared: SharedMode::Umask };
    let backend = Git::open(&repository, files).unwrap();
    let writing = WriteOptions {
        committer: Committer::new("Golden", "golden@example.org"),
        turns: None,
        wait: Duration::from_secs(5),
        case: Case::Sensitive,
        format,
        clock_skew: Duration::from_secs(300),
        maintenance: Budget::COMMAND,
    };
    let ledger = Ledger::new(&backend, LedgerName::Domains, writing);
    let mut entries: Vec<String> = Vec::new();
    for (number, mut request) in steps().into_iter().enumerate() {
        if request["command"] == "rollback" {
            request["input"]["to"] = json!(entries[0]);
        }
        let minutes = i64::try_from(number).unwrap();
        let clock = Timestamp::from_millis(START_MILLIS + minutes * MINUTE_MILLIS);
        for (key, value) in
            [("actor", json!("ada")), ("host", json!("golden")), ("clock", json!(clock))]
        {
            request[key] = value;
        }
        request["rules"] = json!(format);
        let request: Request<Command> = serde_json::from_value(request).unwrap();
        let op = OpId::from_bits(number as u128 + 1);
        let committed = ledger.transact(&request, &op, None).unwrap();
        entries.push(committed.entry.expect("every step changes something").to_string());
    }
}

fn exported(home: &Path) -> String {
    let words = ["fast-export", "--show-original-ids", DOMAINS_REF];
    Repo::new().git_call(words).dir(home).run_unproven().done().stdout
}

/// The same commands make the same bytes. What is stored is never replaced: where a decision
/// changes, `RULES` is raised and another ledger is stored beside this one.
#[test]
fn the_same_commands_make_the_golden_bytes() {
    for (format, name) in FORMATS {
        let (home, stored) = (tempfile::tempdir().unwrap(), stored(name));
        play(home.path(), format);
        let made = exported(home.path());
        if !stored.is_file() && std::env::var_os("UPDATE").is_some_and(|value| value == "1") {
            std::fs::write(&stored, &made).unwrap();
        }
        assert_eq!(made, std::fs::read_to_string(&stored).unwrap(), "{name}");
    }
}

/// Every entry is decided again without fault, and agents are not rolled back.
#[test]
fn golden_entries_are_decided_again_without_fault() {
    for (_, name) in FORMATS {
        is_decided_again_without_fault(name);
    }
}

#[track_caller]
fn is_decided_again_without_fault(name: &str) {
    let repo = Repo::new();
    let stream = std::fs::File::open(stored(name)).unwrap();
    let mut import = repo.git_call(["fast-import", "--quiet"]).command();
    let output = import.stdin(stream).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    repo.at("2026-01-05T11:00:00Z");
    let verified = repo.coord_json("ada", ["ledger", "verify", "domains"]).done();
    assert_eq!(verified.json()["entries"], steps().len());
    assert!(!verified.stderr.contains("later rules"), "{verified:#?}");
    let paths = repo.git(["ls-tree", "-r", "--name-only", DOMAINS_REF]);
    let expected =
        ["agents/+.claude/+agents/+fd-one.md", "agents/+.claude/+agents/+fd-two.md"].join("\n");
    assert!(paths.starts_with(&expected), "what was made stays known: {paths}");
    assert!(paths.contains("\ndetected/1-000000000001/") && paths.ends_with("\nformat"), "{paths}");
    assert_eq!(paths.lines().count(), 4, "{paths}");
}

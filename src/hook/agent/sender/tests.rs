//! Tests of who has sent a payload.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::*;

const SESSION: &str = "7f3a91c2-5b1d-4c7e-9a30-1f2e3d4c5b6a";

fn environment(pairs: &[(&str, &str)]) -> Environment {
    pairs.iter().copied().collect()
}

fn is_ours(payload: &Value, pairs: &[(&str, &str)]) -> bool {
    of_payload(payload.to_string().as_bytes(), &environment(pairs)).is_some()
}

/// Payloads that other agents were seen to send, with the name of the agent.
fn foreign_payloads() -> Vec<(PathBuf, Vec<u8>)> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/hook/payloads");
    let files =
        |directory: PathBuf| fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let is_own = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("claude-code"))
    };
    let foreign = files(root).filter(|path| path.is_dir() && !is_own(path));
    let all = foreign.flat_map(files).map(|path| (path.clone(), fs::read(path).unwrap()));
    all.collect()
}

/// What Claude Code has in a payload of that event.
fn claude(event: &str) -> Value {
    json!({
        "session_id": SESSION,
        "transcript_path": format!("/Users/ada/.claude/projects/-Users-ada-x/{SESSION}.jsonl"),
        "cwd": "/Users/ada/x",
        "permission_mode": "default",
        "hook_event_name": event,
    })
}

/// 8/NO-HARM: what is another agent's is known by the payload alone, whatever variables were
/// inherited from an agent that runs this one.
#[test]
fn no_payload_of_another_agent_is_taken_for_one_of_claude_code() {
    let all = foreign_payloads();
    assert!(all.len() > 100, "{} payloads", all.len());
    let nested = environment(&[("CLAUDE_PID", "7"), ("CLAUDE_CODE_SESSION_ID", SESSION)]);
    for (path, payload) in all {
        for environment in [&Environment::default(), &nested] {
            assert_eq!(of_payload(&payload, environment), None, "{}", path.display());
        }
    }
}

#[test]
fn what_is_no_payload_is_nobodys() {
    let broken: [&[u8]; 8] = [b"", b"null", b"[]", b"[1,2]", b"{}", b"{", b"\xff\xfe", b"\"Stop\""];
    for input in broken {
        assert_eq!(of_payload(input, &Environment::default()), None, "{}", input.escape_ascii());
    }
    for field in ["session_id", "hook_event_name"] {
        for value in [json!(7), json!(null), json!(["x"])] {
            let mut payload = claude("Stop");
            payload[field] = value;
            assert!(!is_ours(&payload, &[]), "{payload}");
        }
    }
}

#[test]
fn claude_code_is_known() {
    for event in ["PreToolUse", "PostToolUse", "SessionStart", "Stop", "SessionEnd", "Tomorrow"] {
        assert!(is_ours(&claude(event), &[]), "{event}");
        // Run from a shell of another agent it inherits that one's variables.
        for name in FOREIGN_VARIABLES {
            assert!(is_ours(&claude(event), &[(name, "1")]), "{event} {name}");
        }
    }
    // Fields that it may have one day make it no other.
    for field in ["timestamp", "turn_id"] {
        let mut payload = claude("Stop");
        payload[field] = json!("x");
        assert!(is_ours(&payload, &[]), "{field}");
    }
}

#[test]
fn without_a_transcript_the_variables_of_another_count() {
    let payload = json!({ "session_id": SESSION, "hook_event_name": "Stop" });
    assert!(is_ours(&payload, &[]));
    for name in FOREIGN_VARIABLES {
        assert!(is_ours(&payload, &[(name, "")]), "{name}");
        assert!(!is_ours(&payload, &[(name, "1")]), "{name}");
    }
}

#[test]
fn who_sends_what_cannot_be_read_is_told_by_name_or_by_variables() {
    let claude = Some(Dialect::Claude);
    for (named, pairs, expected) in [
        (None, &[][..], None),
        (None, &[("CLAUDE_PID", "7")][..], claude),
        (None, &[("CLAUDE_CODE_SESSION_ID", SESSION)], claude),
        (None, &[("CLAUDE_PID", "7"), ("COPILOT_CLI", "1")], None),
        (claude, &[], claude),
        (claude, &[("CURSOR_VERSION", "1.0.0")], None),
    ] {
        assert_eq!(of_unread(named, &environment(pairs)), expected, "{named:?} {pairs:?}");
    }
}

//! Tests of the dialect.

use std::os::unix::ffi::OsStrExt as _;

use super::*;

fn payload(rest: &str) -> Vec<u8> {
    format!("{{\"session_id\":\"7f3a91c2-0000-4000-8000-000000000000\",{rest}}}").into_bytes()
}

fn edit_of(path: &[u8]) -> Vec<u8> {
    let before = payload("\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Edit\"");
    let before = &before[..before.len() - 1];
    [before, b",\"tool_input\":{\"file_path\":\"", path, b"\",\"old_string\":\"\\ud800 \xff\"}}"]
        .concat()
}

fn event(rest: &str) -> Event {
    decode(&payload(rest)).unwrap().event
}

#[test]
fn a_session_and_its_subagent_have_names() {
    let stop = "\"hook_event_name\":\"Stop\"";
    assert_eq!(decode(&payload(stop)).unwrap().session.name().as_str(), "claude:7f3a91c2");
    let sub = decode(&payload(&format!("{stop},\"agent_id\":\"a/b c\""))).unwrap().session.name();
    assert_eq!(sub.as_str(), "claude:7f3a91c2/a-b-c");
    let none = decode(&payload(&format!("{stop},\"agent_id\":null"))).unwrap().session.name();
    assert_eq!(none.as_str(), "claude:7f3a91c2");
}

#[test]
fn events_that_are_no_matter_of_ours_are_let_pass() {
    for rest in [
        "\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Read\",\"tool_input\":7",
        "\"hook_event_name\":\"SubagentStart\"",
        "\"hook_event_name\":\"SubagentStop\"",
        "\"hook_event_name\":\"EventOfTomorrow\"",
    ] {
        assert_eq!(event(rest), Event::Other, "{rest}");
    }
}

fn shell_end(rest: &str) -> ShellEnd {
    match event(rest) {
        Event::ShellRan(end) => end,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_shell_command_took_what_it_took() {
    for name in ["PostToolUse", "PostToolUseFailure"] {
        let ran = format!("\"hook_event_name\":\"{name}\",\"tool_name\":\"Bash\"");
        assert_eq!(shell_end(&ran), ShellEnd::default());
        let took = shell_end(&format!("{ran},\"duration_ms\":1500")).took;
        assert_eq!(took, Some(Duration::from_millis(1_500)));
        assert_eq!(shell_end(&format!("{ran},\"duration_ms\":-1")).took, None);
    }
}

/// The files that a command has changed count only if all of them are told, whatever else is in the
/// response.
#[test]
fn a_shell_command_changed_what_is_told() {
    let ran = "\"hook_event_name\":\"PostToolUse\",\"tool_name\":\"Bash\"";
    let told = |response: &str| shell_end(&format!("{ran},\"tool_response\":{response}")).changed;
    for response in [
        "\"text\"",
        "null",
        "{}",
        "{\"stdout\":\"\\ud800\"}",
        "{\"bashEditDiff\":null}",
        "{\"bashEditDiff\":{}}",
        "{\"bashEditDiff\":{\"changedFiles\":[],\"skipped\":true}}",
        "{\"bashEditDiff\":{\"changedFiles\":[\"a\"]}}",
        "{\"bashEditDiff\":{\"changedFiles\":7}}",
    ] {
        assert_eq!(told(response), None, "{response}");
    }
    let some = "{\"stdout\":\"\",\"bashEditDiff\":{\"changedFiles\":[\"/w/a\"],\"more\":1}}";
    assert_eq!(told(some), Some(vec!["/w/a".into()]));
    assert_eq!(told("{\"bashEditDiff\":{\"changedFiles\":[]}}"), Some(Vec::new()));
}

/// 8/TURN: an error of the API ends a turn, and after an interrupt the next thing is a prompt.
#[test]
fn a_turn_begins_and_ends() {
    for (name, is) in [
        ("UserPromptSubmit", Event::TurnBegins),
        ("Stop", Event::TurnEnd),
        ("StopFailure", Event::TurnEnd),
        ("SessionEnd", Event::SessionEnd),
    ] {
        let more = "\"prompt\":\"\\ud800 \",\"error\":\"x\",\"reason\":\"other\"";
        assert_eq!(event(&format!("\"hook_event_name\":\"{name}\",{more}")), is);
    }
}

#[test]
fn a_call_of_any_tool_is_heard_of_afterwards() {
    for name in ["PostToolUse", "PostToolUseFailure"] {
        let ran = format!("\"hook_event_name\":\"{name}\",\"tool_name\":\"Read\"");
        assert_eq!(event(&format!("{ran},\"tool_input\":7")), Event::ToolRan);
    }
}

#[test]
fn an_edit_that_failed_is_over() {
    let failed = "\"hook_event_name\":\"PostToolUseFailure\",\"tool_name\":\"Edit\"";
    let input = ",\"tool_input\":{\"file_path\":\"/w/a\"}";
    assert_eq!(event(&format!("{failed}{input}")), Event::CallEnds(None));
}

/// 3/BASH: names are bytes; what the edit writes is not looked at.
#[test]
fn paths_of_any_bytes_are_read() {
    for (spelled, meant) in [
        (&b"/w/$(whoami).go"[..], &b"/w/$(whoami).go"[..]),
        (b"/w/a\\nb\\\"c'.rs", b"/w/a\nb\"c'.rs"),
        (b"/w/\xff.rs", b"/w/\xff.rs"),
        (b"/w/\\udcff.rs", "/w/\u{fffd}.rs".as_bytes()),
        (b"/w/\\ud83d\\ude00", "/w/\u{1f600}".as_bytes()),
        (b"/w/./a/../../x//y", b"/x/y"),
        (b"/../../x", b"/x"),
    ] {
        let Event::Edit(path) = decode(&edit_of(spelled)).unwrap().event else {
            panic!("no edit: {}", spelled.escape_ascii());
        };
        assert_eq!(path.as_os_str().as_bytes(), meant, "{}", spelled.escape_ascii());
    }
}

#[test]
fn what_is_not_documented_is_unreadable() {
    for input in [
        &b""[..],
        b"null",
        b"[]",
        b"{",
        b"\xff\xfe",
        b"{\"session_id\":\"\",\"hook_event_name\":\"Stop\"}",
        b"{\"session_id\":7,\"hook_event_name\":\"Stop\"}",
        b"{\"hook_event_name\":\"Stop\"}",
        b"{\"session_id\":\"x\"}",
    ] {
        assert!(decode(input).is_err(), "{}", input.escape_ascii());
    }
    let edit = "\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Write\"";
    for rest in ["", ",\"tool_input\":{}", ",\"tool_input\":{\"file_path\":7}"] {
        assert!(decode(&payload(&format!("{edit}{rest}"))).is_err(), "{rest}");
    }
    assert!(decode(&edit_of(b"relative.rs")).is_err());
}

#[test]
fn silence_is_no_answer_and_never_an_approval() {
    assert_eq!(encode(GATE, &Verdict::Silence), None);
    let denied = encode(GATE, &Verdict::Deny("no".to_owned())).unwrap();
    assert_eq!(denied["hookSpecificOutput"]["permissionDecision"], "deny");
    for verdict in [Verdict::Tell("x".to_owned()), Verdict::Warn("x".to_owned())] {
        let told = encode(GATE, &verdict).unwrap();
        assert_eq!(told["hookSpecificOutput"]["additionalContext"], "x");
        assert!(told["hookSpecificOutput"].get("permissionDecision").is_none());
    }
}

//! 8/NO-HARM: other agents run what is installed for Claude Code too, because they read its
//! settings or its plugin. To them any output and any exit code but 0 may mean a refusal.

use std::fs;

use super::*;
use crate::support::contract::LOCAL_DIR;

const SETTINGS: &str = ".claude/settings.local.json";

/// Lists every payload that another agent was seen to send, with the agent's directory.
fn foreign_payloads(repo: &Repo) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/hook/payloads");
    let entries = |path: &Path| -> Vec<PathBuf> {
        fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect()
    };
    let work = repo.work().display().to_string();
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap().replace("$REPO", &work);
        (path.strip_prefix(&root).unwrap().display().to_string(), text)
    };
    let is_foreign = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap();
        path.is_dir() && !name.starts_with("claude-code-")
    };
    let agents = entries(&root).into_iter().filter(is_foreign);
    let mut all: Vec<_> = agents.flat_map(|agent| entries(&agent)).map(read).collect();
    all.sort();
    all
}

fn called(repo: &Repo, name: &str) -> Call {
    repo.call("").args(["hook", name])
}

/// All of it is let pass without a word, and leaves nothing behind: held files, open ones, the
/// beginnings and ends of sessions.
#[test]
fn payloads_of_other_agents_get_no_answer() {
    let repo = enabled();
    repo.reserve("alice", "src");
    let tip = repo.tip();
    let noted = [LOCAL_DIR, "presence"].iter().collect::<PathBuf>();
    fs::remove_dir_all(repo.git_dir().join(&noted)).unwrap();
    for (path, payload) in foreign_payloads(&repo) {
        for name in ["auto", "claude"] {
            let output = called(&repo, name).input(payload.clone()).run_unproven();
            assert_eq!(
                (output.code, &*output.stdout, &*output.stderr),
                (exit::DONE, "", ""),
                "{name} {path}: {output:#?}"
            );
        }
    }
    assert_eq!(repo.tip(), tip);
    assert!(!repo.git_dir().join(noted).exists(), "nobody was seen");
}

/// What nobody sends is let pass as well, also where what cannot be checked is refused: a refusal
/// in the wrong form would be in another agent's way and no refusal to it.
#[test]
fn what_is_no_payload_gets_no_answer() {
    let repo = enabled();
    repo.git(["config", "coord.hook.failClosed", "true"]);
    let inputs: [Vec<u8>; 7] = [
        Vec::new(),
        b"\xff\xfe\x00".to_vec(),
        b"{\"session_id\":".to_vec(),
        b"[1,2]".to_vec(),
        b"{\"toolName\":\"edit\",\"toolArgs\":\"*** Begin Patch\"}".to_vec(),
        vec![b'['; 100_000],
        vec![b'x'; 17 << 20],
    ];
    for input in inputs {
        silent(&called(&repo, "auto").input(input.clone()).run());
        let copilot = called(&repo, "claude").env("COPILOT_CLI", "1");
        silent(&copilot.input(input).run());
    }
}

/// A payload of Claude Code is answered, whichever way the hook is called, and also where Claude
/// Code was started from a shell of another agent.
#[test]
fn claude_code_is_answered() {
    let repo = enabled();
    repo.reserve("alice", "src");
    let edit = |pairs: &[(&str, &str)], name: &str| {
        let file = repo.work().join("src/main.rs");
        let payload = json!({
            "session_id": ONE,
            "transcript_path": format!("/Users/ada/.claude/projects/-Users-ada-x/{ONE}.jsonl"),
            "cwd": repo.work(),
            "permission_mode": "default",
            "hook_event_name": "PreToolUse",
            "tool_name": "Edit",
            "tool_input": { "file_path": file, "old_string": "a", "new_string": "b" },
        });
        let call = called(&repo, name).input(payload.to_string());
        pairs.iter().fold(call, |call, (key, value)| call.env(key, value)).run()
    };
    for name in ["auto", "claude"] {
        assert!(denial(&edit(&[], name)).contains("alice holds"));
        let nested = [("COPILOT_CLI", "1"), ("QWEN_CODE_SESSION_ID", "x")];
        assert!(denial(&edit(&nested, name)).contains("alice holds"));
    }
}

/// Returns the command that `install` has written for an edit, and the payload of an edit that is
/// refused.
fn installed(repo: &Repo) -> (String, String) {
    repo.call("").args(["install", "--agents", "claude"]).run_unproven().done();
    repo.reserve("alice", "src");
    let settings = fs::read(repo.work().join(SETTINGS)).unwrap();
    let settings: Value = serde_json::from_slice(&settings).unwrap();
    let handler = &settings["hooks"]["PreToolUse"][0]["hooks"][0];
    assert!(handler.get("args").is_none(), "{handler}");
    let payload = json!({
        "session_id": ONE,
        "hook_event_name": "PreToolUse",
        "tool_name": "Edit",
        "tool_input": { "file_path": repo.work().join("src/main.rs") },
    });
    (handler["command"].as_str().unwrap().to_owned(), payload.to_string())
}

fn shell(repo: &Repo, script: &str) -> Call {
    repo.call("").program("sh").args(["-c", script])
}

/// The entry is for a shell, with the payload on stdin or, as Cursor has it, in a here-document
/// that belongs to the last command of the line.
#[test]
fn what_is_installed_reads_its_payload_in_each_shell() {
    let repo = Repo::new();
    let (command, payload) = installed(&repo);
    denial(&shell(&repo, &command).input(payload.clone()).run());
    let here_document = format!("{command} <<'EOF'\n{payload}\nEOF\n");
    denial(&shell(&repo, &here_document).run());
}

/// To Copilot any exit code but 0 is a refusal, also that of a shell that finds no program. Where
/// what cannot be checked is refused, that is what the user wants.
#[test]
fn what_is_installed_bars_nothing_where_the_program_is_missing() {
    let repo = Repo::new();
    let (command, payload) = installed(&repo);
    let machine = std::env::var_os("PATH").unwrap();
    let has_ours = |place: &PathBuf| place.join("git-coord").exists();
    let others = std::env::split_paths(&machine).filter(|place| !has_ours(place));
    let path = std::env::join_paths(others).unwrap();
    let without = |command: &str| shell(&repo, command).env("PATH", &path).input(payload.clone());
    silent(&without(&command).run());
    repo.git(["config", "coord.hook.failClosed", "true"]);
    let (command, _) = installed(&repo);
    assert_eq!(without(&command).run().code, 127);
}

/// An entry of an earlier version, which Copilot and Cursor run as the bare program, is named by
/// doctor and replaced by install, and the way back is still the same.
#[test]
fn what_an_earlier_version_has_installed_is_replaced() {
    let repo = Repo::new();
    let (command, _) = installed(&repo);
    let path = repo.work().join(SETTINGS);
    let now: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let as_before = |value: &str| {
        let old = json!({"type": "command", "command": "git-coord", "args": ["hook", "claude"]});
        let new = json!({"type": "command", "command": command, "timeout": 5});
        value.replace(&new.to_string(), &old.to_string())
    };
    fs::write(&path, as_before(&now.to_string())).unwrap();
    repo.coord("ops", ["doctor"]).says("calls git coord in an old form");
    repo.call("").args(["install", "--agents", "claude"]).run_unproven().done();
    let again: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    assert_eq!(again, now);
    let healthy = repo.coord("ops", ["doctor"]);
    assert!(!healthy.stdout.contains("old form"), "{healthy:#?}");
    fs::write(&path, as_before(&now.to_string())).unwrap();
    repo.call("").args(["uninstall"]).run_unproven().done();
    assert!(!path.exists());
}

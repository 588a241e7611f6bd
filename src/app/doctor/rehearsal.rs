//! A made-up edit that has to be refused, sent through what agents call.
//!
//! That a hook is written down somewhere does not show that it works: the program may not be on the
//! agent's `PATH`, or be an old one. So doctor makes a repository of its own in a temporary
//! directory, where somebody holds a file, and asks as an agent would.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::store::repository::make_scratch;

/// What agents are told to run.
const PROGRAM: &str = "git-coord";
const HELD: &str = "held.txt";
/// Variables of the caller that would lead to its own repository, or make it the holder.
const ELSEWHERE: [&str; 9] = [
    "GIT_COMMON_DIR",
    "GIT_COORD_AGENT",
    "GIT_DIR",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_WORK_TREE",
];

/// Refuses a made-up edit, or says in a sentence why not.
pub(super) fn refuse_an_edit() -> Result<(), String> {
    let home = tempfile::tempdir().map_err(|error| format!("no temporary directory: {error}"))?;
    let top = home.path().join("scratch");
    make_scratch(&top, &[HELD]).map_err(|error| error.to_string())?;
    run(&top, &["--as", "somebody", "-q", "reserve", HELD], None)?;
    let payload = json!({
        "session_id": "doctor",
        "hook_event_name": "PreToolUse",
        "tool_name": "Edit",
        "tool_input": { "file_path": top.join(HELD) },
    });
    let answer = run(&top, &["hook", "claude"], Some(&payload))?;
    let answer: Value = serde_json::from_str(&answer).unwrap_or_default();
    if answer["hookSpecificOutput"]["permissionDecision"] == "deny" {
        return Ok(());
    }
    Err(format!("'{PROGRAM} hook claude' let an edit pass that somebody else's reservation bars"))
}

/// What the program prints that agents would run, in that repository and no other.
fn run(top: &Path, words: &[&str], input: Option<&Value>) -> Result<String, String> {
    let failed = |error: std::io::Error| {
        format!("agents cannot run '{PROGRAM}': {error}; is it on the PATH that they have?")
    };
    let mut command = Command::new(PROGRAM);
    for name in ELSEWHERE {
        command.env_remove(name);
    }
    command.envs([
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_KEY_0", "coord.enabled"),
        ("GIT_CONFIG_VALUE_0", "true"),
    ]);
    command.args(words).current_dir(top);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(failed)?;
    if let (Some(mut stdin), Some(input)) = (child.stdin.take(), input) {
        // A program that does not read says what it says anyway.
        stdin.write_all(input.to_string().as_bytes()).ok();
    }
    let output = child.wait_with_output().map_err(failed)?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

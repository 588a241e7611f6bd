//! A made-up edit that must be refused, sent through the command that Claude Code would run for it,
//! and made-up work that must be saved before git throws it away.
//!
//! A hook in a settings file may still not work: the program may not be on the agent's `PATH`, be
//! too old, or hang. So doctor makes a repository in a temporary directory, in which another agent
//! holds a file, and runs the configured command as Claude Code does. It runs only the command that
//! `install` writes.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::app::install::handlers::Handler;
use crate::app::install::plan::{MONITOR, MONITOR_CALL};
use crate::store::git::repository::make_scratch;
use crate::store::layout::rescues;
use crate::store::os::probe::{Probe, ProbeError, Probed};

const HELD: &str = "held.txt";
/// Longer than a hook ever takes, and short enough for a person to wait.
const LIMIT: Duration = Duration::from_secs(5);
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

/// Checks that a made-up edit in a session of the work tree is refused; otherwise returns why not,
/// in a sentence. `program` is this one, and makes the reservation that is in the way.
pub(super) fn refuse_an_edit(handler: &Handler, top: &Path, program: &Path) -> Result<(), String> {
    let home = tempfile::tempdir().map_err(|error| format!("no temporary directory: {error}"))?;
    let scratch = home.path().join("scratch");
    make_scratch(&scratch, &[HELD]).map_err(|error| error.to_string())?;
    let reserve = ["--as", "somebody", "-q", "reserve", HELD].map(OsString::from);
    let reserve: Vec<OsString> = std::iter::once(program.into()).chain(reserve).collect();
    let made = run(&reserve, &scratch, top, LIMIT, "");
    let made = made.map_err(|error| format!("no reservation could be made up: {error}"))?;
    if made.code != Some(0) {
        return Err(format!("no reservation could be made up: {}", first_line(&made.stderr)));
    }
    let payload = json!({
        "session_id": "doctor",
        "cwd": top,
        "hook_event_name": "PreToolUse",
        "tool_name": "Edit",
        "tool_input": { "file_path": scratch.join(HELD) },
    });
    let limit = LIMIT.min(Duration::from_secs(handler.timeout));
    let called = handler.shown();
    let failed = |why: String| format!("Claude Code would run '{called}' before an edit: {why}");
    let written = handler.as_installed().ok_or("install would not write it so")?;
    let words = ["sh", "-c", written].map(OsString::from);
    let tried = run(&words, top, top, limit, &payload.to_string());
    let tried = tried.map_err(|error| failed(error.to_string()))?;
    let answer: Value = serde_json::from_str(&tried.stdout).unwrap_or_default();
    if answer["hookSpecificOutput"]["permissionDecision"] == "deny" {
        return Ok(());
    }
    Err(failed(match first_line(&tried.stderr) {
        "" => "it let an edit pass that somebody else's reservation bars".to_owned(),
        said => format!("it let an edit pass that is barred, and said: {said}"),
    }))
}

/// Checks that work is saved before a git of a terminal throws it away; otherwise returns why not,
/// in a sentence. Git runs the command that `install --terminal` writes, and no other.
pub(super) fn save_before_git(top: &Path) -> Result<(), String> {
    let home = tempfile::tempdir().map_err(|error| format!("no temporary directory: {error}"))?;
    let scratch = home.path().join("scratch");
    make_scratch(&scratch, &[HELD]).map_err(|error| error.to_string())?;
    let said = |script: String| {
        let words = ["sh", "-c", &script].map(OsString::from);
        let tried = run(&words, &scratch, top, LIMIT, "");
        tried.map_err(|error| format!("no work could be made up: {error}"))
    };
    let lost = said(format!("echo work >{HELD} && git reset --quiet --hard"))?;
    let saved = said(format!("git for-each-ref {}", rescues(None)))?;
    if lost.code == Some(0) && !saved.stdout.is_empty() {
        return Ok(());
    }
    let why = match first_line(&lost.stderr) {
        "" => "nothing was saved before 'git reset --hard'".to_owned(),
        said => format!("nothing was saved before 'git reset --hard', and it said: {said}"),
    };
    Err(format!("{MONITOR} calls git coord, but {why}"))
}

/// Runs the command as Claude Code does in that project, with hooks that act in the made-up
/// repository.
fn run(
    words: &[OsString],
    directory: &Path,
    project: &Path,
    limit: Duration,
    input: &str,
) -> Result<Probed, ProbeError> {
    let set = [
        ("GIT_CONFIG_COUNT", OsStr::new("2")),
        ("GIT_CONFIG_KEY_0", OsStr::new("coord.enabled")),
        ("GIT_CONFIG_VALUE_0", OsStr::new("true")),
        ("GIT_CONFIG_KEY_1", OsStr::new(MONITOR)),
        ("GIT_CONFIG_VALUE_1", OsStr::new(MONITOR_CALL)),
        ("CLAUDE_PROJECT_DIR", project.as_os_str()),
    ];
    Probe { words, directory, set: &set, unset: &ELSEWHERE, input: input.as_bytes(), limit }.run()
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

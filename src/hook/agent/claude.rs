//! Claude Code: JSON with `hook_event_name` on stdin, `hookSpecificOutput` on stdout.
//!
//! Reads only the fields that it needs. The text that an edit writes may be anything, even invalid
//! UTF-8, and is skipped.

use std::ffi::OsString;
use std::fmt;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde_json::{Value, json};

use super::{Call, Event, ShellEnd, Unreadable, Verdict};
use crate::app::identity::Session;

/// The first part of the names of its sessions.
const KIND: &str = "claude";
const NAME: &str = "Claude Code";
/// The tools that change one file. `MultiEdit` is gone from the product, not from its kin.
const EDIT_TOOLS: [&str; 4] = ["Edit", "Write", "MultiEdit", "NotebookEdit"];
const SHELL_TOOL: &str = "Bash";
/// The event before an edit or a command.
pub(super) const GATE: &str = "PreToolUse";
/// The beginning of a path from the home directory.
const HOME: &str = "~";

/// The fields of every payload.
#[derive(serde::Deserialize)]
struct Head {
    session_id: String,
    hook_event_name: String,
    #[serde(default)]
    agent_id: Option<String>,
    #[serde(default)]
    cwd: Option<PathText>,
    #[serde(default)]
    tool_name: Option<String>,
    #[serde(default)]
    tool_use_id: Option<String>,
    #[serde(default)]
    duration_ms: Option<f64>,
}

/// The further fields of an edit's payload.
#[derive(serde::Deserialize)]
struct Edit {
    tool_input: EditInput,
}

#[derive(serde::Deserialize)]
struct EditInput {
    #[serde(default)]
    file_path: Option<PathText>,
    #[serde(default)]
    notebook_path: Option<PathText>,
}

/// The further fields of a shell command's payload.
#[derive(serde::Deserialize)]
struct Shell {
    tool_input: ShellInput,
}

#[derive(serde::Deserialize)]
struct ShellInput {
    command: String,
}

/// The further fields of the payload after a shell command.
#[derive(serde::Deserialize)]
struct ShellAfter {
    #[serde(default)]
    tool_response: Option<ShellResponse>,
}

#[derive(serde::Deserialize)]
struct ShellResponse {
    #[serde(rename = "bashEditDiff", default)]
    diff: Option<EditDiff>,
}

/// The files that a command has changed, in some modes of newer versions.
#[derive(serde::Deserialize)]
struct EditDiff {
    #[serde(rename = "changedFiles", default)]
    changed: Option<Vec<PathText>>,
    /// Set if nobody has looked.
    #[serde(default)]
    skipped: bool,
}

/// Tells whether a payload looks like one of Claude Code's.
pub(super) fn is_its_shape(input: &[u8]) -> bool {
    serde_json::from_slice::<Head>(input).is_ok()
}

pub(super) fn decode(input: &[u8]) -> Result<Call, Unreadable> {
    let head: Head = serde_json::from_slice(input).map_err(malformed)?;
    if !head.session_id.contains(|letter: char| letter.is_ascii_alphanumeric()) {
        return Err(malformed("its session has no id"));
    }
    let subagent = head.agent_id.as_deref().filter(|id| !id.is_empty());
    let tool = head.tool_name.as_deref().unwrap_or_default();
    let directory = head.cwd.map(|text| text.0).filter(|path| path.is_absolute());
    let edited = || edited_file(input, directory.as_deref());
    let event = match head.hook_event_name.as_str() {
        "SessionStart" => Event::SessionStart,
        GATE if EDIT_TOOLS.contains(&tool) => Event::Edit(edited()?),
        GATE if tool == SHELL_TOOL => Event::CallBegins(shell_command(input)),
        // That it is over is worth knowing even where it is not told of what.
        "PostToolUse" if EDIT_TOOLS.contains(&tool) => Event::CallEnds(edited().ok()),
        "PostToolUse" | "PostToolUseFailure" if tool == SHELL_TOOL => {
            let changed = files_changed(input);
            Event::ShellRan(ShellEnd { took: duration(head.duration_ms), changed })
        }
        // An edit that has failed may have changed nothing: the end of the turn shows it.
        "PostToolUseFailure" if EDIT_TOOLS.contains(&tool) => Event::CallEnds(None),
        "PostToolUse" | "PostToolUseFailure" => Event::ToolRan,
        "UserPromptSubmit" => Event::TurnBegins,
        "Stop" | "StopFailure" => Event::TurnEnd,
        // Without its id the whole session would be meant.
        "SubagentStart" if subagent.is_some() => Event::SubagentStart,
        "SubagentStop" if subagent.is_some() => Event::SubagentEnd,
        "SessionEnd" => Event::SessionEnd,
        _ => Event::Other,
    };
    Ok(Call {
        session: Session::new(KIND, &head.session_id, subagent),
        directory,
        name: head.hook_event_name,
        event,
        tool_use: head.tool_use_id.unwrap_or_default(),
    })
}

pub(super) fn encode(name: &str, verdict: &Verdict) -> Option<Value> {
    let told = |text: &str| json!({ "hookEventName": name, "additionalContext": text });
    Some(match verdict {
        Verdict::Silence => return None,
        Verdict::Deny(reason) => json!({
            "hookSpecificOutput": {
                "hookEventName": name,
                "permissionDecision": "deny",
                "permissionDecisionReason": reason,
            }
        }),
        Verdict::Tell(text) => json!({ "hookSpecificOutput": told(text) }),
        Verdict::Warn(text) => json!({ "systemMessage": text, "hookSpecificOutput": told(text) }),
    })
}

fn malformed(why: impl fmt::Display) -> Unreadable {
    Unreadable::Malformed { agent: NAME, why: why.to_string() }
}

/// Finds the file of an edit that was made from that directory.
fn edited_file(input: &[u8], directory: Option<&Path>) -> Result<PathBuf, Unreadable> {
    let Edit { tool_input: EditInput { file_path, notebook_path } } =
        serde_json::from_slice(input).map_err(malformed)?;
    let path = file_path.or(notebook_path).ok_or_else(|| malformed("an edit names no file"))?.0;
    if path.is_absolute() {
        return Ok(without_dots(&path));
    }
    // The home directory is not known here; a file of that name is not what was meant.
    let is_below = |path: &Path| path.iter().next().is_some_and(|first| first != HOME);
    let directory = directory.filter(|_| is_below(&path)).ok_or_else(|| {
        malformed("the path of an edit is not absolute, and does not tell from where it leads")
    })?;
    Ok(without_dots(&directory.join(path)))
}

/// Reads the text of a shell command. A payload without one still tells that a call begins.
fn shell_command(input: &[u8]) -> Option<String> {
    serde_json::from_slice::<Shell>(input).ok().map(|shell| shell.tool_input.command)
}

/// Reads the files that a command has changed; none if nothing tells them all.
fn files_changed(input: &[u8]) -> Option<Vec<PathBuf>> {
    let after: ShellAfter = serde_json::from_slice(input).ok()?;
    let diff = after.tool_response?.diff.filter(|diff| !diff.skipped)?;
    let paths: Vec<PathBuf> = diff.changed?.into_iter().map(|path| path.0).collect();
    paths.iter().all(|path| path.is_absolute()).then_some(paths)
}

/// Resolves `.` and `..` as Claude Code does: by the letters of the path, whatever the links are.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            other => plain.push(other),
        }
    }
    plain
}

fn duration(millis: Option<f64>) -> Option<Duration> {
    Duration::try_from_secs_f64(millis? / 1_000.0).ok()
}

/// A path in JSON. Half of a surrogate pair stands for no character, and Claude Code's own file
/// calls put U+FFFD in its place.
pub(super) struct PathText(pub(super) PathBuf);

impl<'de> Deserialize<'de> for PathText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<PathText, D::Error> {
        deserializer.deserialize_bytes(PathVisitor)
    }
}

struct PathVisitor;

impl Visitor<'_> for PathVisitor {
    type Value = PathText;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a path")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<PathText, E> {
        let mut path = bytes.to_vec();
        for at in 0..path.len().saturating_sub(2) {
            if path[at] == 0xed && path[at + 1] >= 0xa0 {
                path[at..at + 3].copy_from_slice("\u{fffd}".as_bytes());
            }
        }
        Ok(PathText(OsString::from_vec(path).into()))
    }
}

#[cfg(test)]
mod tests;

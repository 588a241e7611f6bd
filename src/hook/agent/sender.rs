//! The sender of a payload. Agents read each other's settings and run the hooks in them, with
//! payloads that look alike and with rules of their own about exit codes and output. So a payload
//! that is not surely for us gets no answer at all.
//!
//! Pure: a payload and the environment in, a dialect or none out.

use std::ffi::OsStr;
use std::path::Path;

use serde::de::IgnoredAny;

use super::Dialect;
use super::claude::{self, PathText};
use crate::core::environment::Environment;

/// Variables that other agents set for the hooks that they run.
const FOREIGN_VARIABLES: [&str; 4] =
    ["COPILOT_CLI", "CURSOR_VERSION", "GEMINI_SESSION_ID", "QWEN_CODE_SESSION_ID"];
/// Variables that Claude Code sets for the hooks that it runs, and for all of its shell commands.
const CLAUDE_VARIABLES: [&str; 2] = ["CLAUDE_CODE_SESSION_ID", "CLAUDE_PID"];
/// The beginning of the name of a transcript of Codex.
const CODEX_TRANSCRIPT: &str = "rollout-";

/// The fields that tell one agent from another.
#[derive(serde::Deserialize)]
struct Marks {
    #[serde(default)]
    session_id: Option<PathText>,
    #[serde(default)]
    transcript_path: Option<PathText>,
    /// Sent by Cursor.
    #[serde(default)]
    cursor_version: Option<IgnoredAny>,
    /// Sent by Codex.
    #[serde(default)]
    turn_id: Option<IgnoredAny>,
    /// Sent by Gemini, Qwen and Copilot.
    #[serde(default)]
    timestamp: Option<IgnoredAny>,
}

impl Marks {
    /// Tells whether the transcript lies where Claude Code keeps it: named after the session, in
    /// the directory of a project.
    fn has_transcript_of_claude(&self) -> bool {
        let (Some(transcript), Some(session)) = (&self.transcript_path, &self.session_id) else {
            return false;
        };
        let projects = transcript.0.ancestors().nth(2).and_then(Path::file_name);
        let is_by_session = transcript.0.file_stem() == Some(session.0.as_os_str());
        is_by_session && projects == Some(OsStr::new("projects"))
    }

    fn has_transcript_of_codex(&self) -> bool {
        let name = self.transcript_path.as_ref().and_then(|path| path.0.file_name());
        name.is_some_and(|name| name.as_encoded_bytes().starts_with(CODEX_TRANSCRIPT.as_bytes()))
    }

    fn is_foreign(&self, environment: &Environment) -> bool {
        let is_of_another = self.turn_id.is_some()
            || self.timestamp.is_some()
            || self.has_transcript_of_codex()
            // Claude Code may be run from a shell of another agent, and always has a transcript.
            || (self.transcript_path.is_none() && is_run_by_another(environment));
        self.cursor_version.is_some() || (is_of_another && !self.has_transcript_of_claude())
    }
}

/// Recognizes the dialect of a payload; none if it is not surely one that we speak.
pub(super) fn of_payload(input: &[u8], environment: &Environment) -> Option<Dialect> {
    let marks: Marks = serde_json::from_slice(input).ok()?;
    let is_claude = claude::is_its_shape(input) && !marks.is_foreign(environment);
    is_claude.then_some(Dialect::Claude)
}

/// Guesses the dialect of a payload that could not be read: the named one, or that of the agent
/// whose variables are set; none if those of another agent are set.
pub(super) fn of_unread(named: Option<Dialect>, environment: &Environment) -> Option<Dialect> {
    let by_variables = || has_any(environment, &CLAUDE_VARIABLES).then_some(Dialect::Claude);
    if is_run_by_another(environment) { None } else { named.or_else(by_variables) }
}

fn is_run_by_another(environment: &Environment) -> bool {
    has_any(environment, &FOREIGN_VARIABLES)
}

fn has_any(environment: &Environment, names: &[&str]) -> bool {
    names.iter().any(|name| environment.non_empty(name).is_some())
}

#[cfg(test)]
mod tests;

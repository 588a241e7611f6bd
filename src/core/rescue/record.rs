//! The message of a snapshot's commit: a line for people, and a line of JSON for programs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::ids::AgentName;
use crate::core::pattern::Pattern;
use crate::core::redact::redact;
use crate::core::text::Line;
use crate::core::time::Timestamp;
use crate::core::words::words;

/// The beginning of the line of JSON. No subject line begins like this.
const JSON_START: &str = "{\"rescue\":";
/// The largest number of characters of a command that are kept.
const COMMAND_CHARS_MAX: usize = 200;
/// The largest number of owners, and of files that were left out, that a message names.
const NAMED_MAX: usize = 1_000;

words! {
    /// The occasion of a snapshot.
    pub enum Why {
        /// A turn or a session has ended.
        Turn = "turn",
        /// A command was about to run that throws work away.
        Verb = "verb",
        /// Somebody asked for it.
        Asked = "asked",
        /// A file was about to be replaced by a saved one.
        Restore = "restore",
        /// Git was about to work on the files, for somebody in a terminal.
        Terminal = "terminal",
    }
}

words! {
    /// The place that commits were dropped from.
    pub enum DroppedFrom {
        Stash = "stash",
        /// A branch, also the one that is checked out.
        Branch = "branch",
    }
}

/// The commits that a command was about to drop. They are the last parents of the snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    pub from: DroppedFrom,
    /// The number of those parents: one for a branch, and one for each entry of the stash.
    pub parents: usize,
}

/// An agent to whom a saved change belonged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SavedOwner")]
pub struct Owner {
    pub agent: AgentName,
    pub path: Pattern,
}

/// A changed file that a snapshot does not have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    pub path: Pattern,
    pub bytes: u64,
}

/// The facts about a snapshot that its tree does not tell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    #[serde(rename = "rescue")]
    pub why: Why,
    pub at: Timestamp,
    /// The linked worktree whose files were saved; absent for the main one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub worktree: Option<Line>,
    /// The agent that caused it, which need not own anything in it.
    pub agent: AgentName,
    /// The command that was about to run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub command: Option<String>,
    /// The reason that somebody gave.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<Line>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub owners: Vec<Owner>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub left_out: Vec<LeftOut>,
    /// Set if it keeps commits, and no files of the worktree.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub dropped: Option<Dropped>,
}

impl Record {
    /// Records a snapshot without owners and omissions.
    pub fn new(why: Why, at: Timestamp, agent: AgentName, worktree: Option<Line>) -> Record {
        let (command, reason, owners, left_out) = (None, None, Vec::new(), Vec::new());
        let dropped = None;
        Record { why, at, worktree, agent, command, reason, owners, left_out, dropped }
    }

    /// Records the command that was about to run, without secrets.
    #[must_use]
    pub fn before_command(self, command: &str) -> Record {
        let clean = redact(command);
        let line: String = clean.split_whitespace().collect::<Vec<_>>().join(" ");
        let command = line.chars().take(COMMAND_CHARS_MAX).collect();
        Record { command: Some(command), ..self }
    }

    /// Formats the message of the commit. `files` is the number of files that were saved.
    pub fn to_message(&self, files: usize) -> String {
        let mut named = self.clone();
        named.owners.truncate(NAMED_MAX);
        named.left_out.truncate(NAMED_MAX);
        let count = match self.dropped {
            Some(Dropped { from: DroppedFrom::Branch, .. }) => "dropped commits".to_owned(),
            Some(Dropped { from: DroppedFrom::Stash, .. }) => "entries of the stash".to_owned(),
            None if files == 1 => "1 file".to_owned(),
            None => format!("{files} files"),
        };
        let occasion = match self.why {
            Why::Turn => "at the end of a turn",
            Why::Verb => "before a command",
            Why::Asked => "as asked",
            Why::Restore => "before a file is brought back",
            Why::Terminal => "before git goes on",
        };
        let json = serde_json::to_string(&named).expect("a record is plain data");
        format!("save {count} {occasion} for {}\n\n{json}\n", self.agent)
    }

    /// Reads the message of a commit; `None` if it is not that of a snapshot.
    pub fn of_message(message: &str) -> Option<Record> {
        let json = message.lines().find(|line| line.starts_with(JSON_START))?;
        serde_json::from_str(json).ok()
    }
}

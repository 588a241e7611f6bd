//! The decision whether a saved file may take the place of the present one.

use schemars::JsonSchema;
use serde::Serialize;

use crate::core::domain::tree_path::is_git_spelling;
use crate::core::text::is_disguise;

/// The present state of a path, compared with the saved content that is to come there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Present {
    /// It is as it was saved.
    Same,
    /// Nothing is there, or what the newest commit has.
    Committed,
    /// A change that no commit has. `can_be_saved` is false if it does not fit into a snapshot.
    Uncommitted { can_be_saved: bool },
    /// A directory, another repository, or a symbolic link on the way to it.
    NoFile,
}

/// The step that brings a path back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Nothing: it is there already.
    Leave,
    Write,
    /// Save what is there, and write then.
    SaveAndWrite,
    Refuse(Reason),
}

/// The reason why a file is not brought back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "NotRestored")]
pub enum Reason {
    /// An uncommitted change is there.
    Changed,
    /// An uncommitted change is there, and cannot be saved before it is replaced.
    CannotBeSaved,
    /// Another agent holds it.
    Held,
    /// No file can be written there.
    NoFile,
}

impl Reason {
    /// Describes the reason, after the path.
    pub fn text(self) -> &'static str {
        match self {
            Reason::Changed => "has an uncommitted change",
            Reason::CannotBeSaved => "has an uncommitted change that cannot be saved first",
            Reason::Held => "is held by another agent",
            Reason::NoFile => "is no place for a file",
        }
    }
}

/// Decides about one path. `is_forced` is set if the caller has said that changes may be replaced;
/// they are saved first. A reservation of another agent is in the way in any case.
pub fn step(present: Present, is_held: bool, is_forced: bool) -> Step {
    match present {
        Present::Same => Step::Leave,
        Present::NoFile => Step::Refuse(Reason::NoFile),
        _ if is_held => Step::Refuse(Reason::Held),
        Present::Committed => Step::Write,
        Present::Uncommitted { .. } if !is_forced => Step::Refuse(Reason::Changed),
        Present::Uncommitted { can_be_saved: false } => Step::Refuse(Reason::CannotBeSaved),
        Present::Uncommitted { can_be_saved: true } => Step::SaveAndWrite,
    }
}

/// Tells whether a path can only lead to a file of the work tree: it is relative, has no `.` and
/// `..`, and no name that a file system could take for `.git`.
pub fn is_plain(path: &[u8]) -> bool {
    path.split(|byte| *byte == b'/').all(|name| {
        let text = String::from_utf8_lossy(name);
        let seen: String = text.chars().filter(|c| !is_disguise(*c)).collect();
        !matches!(name, b"" | b"." | b"..") && !name.contains(&0) && !is_git_spelling(&seen)
    })
}

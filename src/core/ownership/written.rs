//! Files that changed while a shell command ran: whose they are now.
//!
//! Nothing tells surely who has written a file. So a shell command takes nothing from an agent
//! whose edit passed the gate, and of several shell commands the last one owns.

use super::standing::Standing;
use super::{Left, Note, Via};
use crate::core::ids::{AgentName, HoldId};

/// The fate of a path that changed while a shell command of an agent ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// The path is as a note says that it was left: it is known who has written it.
    Known,
    /// Another agent holds the path, or has changed it: it stays theirs.
    Theirs,
    /// The agent has changed the path before.
    Own,
    /// Nobody's change, or that of an earlier shell command: it is the agent's from now on.
    Claimed,
}

/// Decides about a path, given its state, the notes on it and the holds of others in the way.
pub fn written(
    by: &AgentName,
    now: Left,
    notes: &[(&Note, Standing)],
    held: &[&HoldId],
) -> Written {
    let live = || notes.iter().filter(|(note, _)| !note.by_shell && !note.lost);
    let is_strange = |note: &Note| !note.agent.is_one_with(by);
    if live().any(|(note, _)| note.left == Some(now)) {
        return Written::Known;
    }
    let is_by_shell = |hold: &HoldId| {
        live().any(|(note, _)| gives_way(note, by, now) && note.hold.as_ref() == Some(hold))
    };
    if !held.iter().all(|hold| is_by_shell(hold)) {
        return Written::Theirs;
    }
    if live().any(|(note, _)| !is_strange(note)) {
        return Written::Own;
    }
    let is_theirs = |(note, standing): &&(&Note, Standing)| {
        let is_made = matches!(standing, Standing::Owned | Standing::Lost);
        is_made && is_strange(note) && !gives_way(note, by, now)
    };
    if live().any(|it| is_theirs(&it)) { Written::Theirs } else { Written::Claimed }
}

/// Tells whether a note is over once another agent has written the file: that of a shell command
/// says who wrote last, and the file was written since.
pub fn gives_way(note: &Note, to: &AgentName, now: Left) -> bool {
    note.via == Via::Shell && !note.agent.is_one_with(to) && note.left != Some(now)
}

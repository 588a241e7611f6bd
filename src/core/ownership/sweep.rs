//! The changes of others that a commit would take along.

use super::standing::Standing;
use super::{Content, Note};
use crate::core::ids::AgentName;

/// Finds the notes of others on a path whose changes a commit of this staged content would take
/// along.
///
/// An agent's own notes, those of its session and those of its subagents are not in its way; those
/// of its siblings are. Where the staged content is exactly what the committer left before the
/// other's first edit, nothing of the other's is in it.
pub fn taken_along<'n>(
    committer: &AgentName,
    staged: &Content,
    notes: &[(&'n Note, Standing)],
) -> Vec<&'n Note> {
    let left_by_committer =
        |note: &&Note| note.agent.is_one_with(committer) && note.content.as_ref() == Some(staged);
    let own: Vec<&Note> = notes.iter().map(|(note, _)| *note).filter(left_by_committer).collect();
    let is_taken = |(note, standing): &&(&'n Note, Standing)| {
        let is_in_it = match standing {
            Standing::Owned => !own.iter().any(|own| own.at < note.since),
            // It was staged before it went.
            Standing::Lost => note.content.as_ref() == Some(staged),
            Standing::Settled | Standing::Unmade => false,
        };
        is_in_it && !note.agent.is_one_with(committer)
    };
    notes.iter().filter(is_taken).map(|(note, _)| *note).collect()
}

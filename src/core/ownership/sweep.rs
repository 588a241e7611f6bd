//! The changes of others that a commit would take along.

use super::standing::Standing;
use super::{Content, Note};
use crate::core::ids::AgentName;
use crate::core::reservation::check::shared_by;
use crate::core::reservation::paths::Comparing;
use crate::core::reservation::{Hold, Target};

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

/// Tells whether two agents share a path, given the live holds that meet it. They have agreed to
/// work on it together, so neither needs the other's consent for a commit.
pub fn is_shared(agents: [&AgentName; 2], path: &Target, meeting: &[Hold], by: Comparing) -> bool {
    let shares = |agent: &AgentName| {
        let of_agent = meeting.iter().filter(|hold| hold.holder.is_one_with(agent));
        let own: Vec<Hold> = of_agent.cloned().collect();
        shared_by(&own, path, by).is_some()
    };
    agents.into_iter().all(shares)
}

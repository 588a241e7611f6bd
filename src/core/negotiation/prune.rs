//! `sweep --threads`: removes old threads that are over, with all their messages.

use serde::{Deserialize, Serialize};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::{Documents, ReadError, walk};
use crate::core::limits::PRUNED_PER_ENTRY_MAX;
use crate::core::negotiation::ids::{MessageId, ThreadId};
use crate::core::negotiation::thread_index::{self, Found, INBOX, UNREAD};
use crate::core::negotiation::{Thread, events};
use crate::core::time::{Timestamp, span};

/// A request to remove old threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prune {
    /// Limits the removal to threads in which nothing happened for so long.
    pub older_than_seconds: u64,
}

/// The threads that were removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    pub pruned: Vec<Thread>,
    /// The number of old threads that are left for the next entry.
    pub remaining: usize,
}

impl Decide for Prune {
    type Answer = Pruned;

    fn decide(&self, act: &mut Act<'_>) -> Result<Pruned, No> {
        let mut due = self.due(act, act.env.now)?;
        let remaining = due.len().saturating_sub(PRUNED_PER_ENTRY_MAX);
        due.truncate(PRUNED_PER_ENTRY_MAX);
        for thread in &due {
            forget(act, &thread.id)?;
        }
        Ok(Pruned { pruned: due, remaining })
    }

    fn summary(&self, answer: &Pruned, env: &Env<'_>) -> String {
        let (count, age) = (answer.pruned.len(), span(self.older_than_seconds));
        format!("prune {count} threads older than {age} by {}", env.actor)
    }
}

impl Prune {
    /// Finds the threads that would be removed. Threads that cannot be read stay.
    pub fn due(&self, documents: &dyn Documents, now: Timestamp) -> Result<Vec<Thread>, ReadError> {
        let mut due = Vec::new();
        for id in thread_index::all(documents)? {
            let Some(Found::Whole(thread)) =
                thread_index::found(thread_index::thread(documents, &id))?
            else {
                continue;
            };
            if thread.open().is_some() {
                continue;
            }
            let last = last_activity(documents, &thread)?;
            if last.is_some_and(|last| now >= last.plus_seconds(self.older_than_seconds)) {
                due.push(thread);
            }
        }
        Ok(due)
    }
}

/// Returns the time when something last happened in a thread; none if its last message cannot be
/// read.
fn last_activity(
    documents: &dyn Documents,
    thread: &Thread,
) -> Result<Option<Timestamp>, ReadError> {
    let outcome = thread.asked.as_ref().and_then(|asked| asked.outcome.as_ref());
    let own = outcome.map_or(thread.opened_at, |outcome| outcome.at);
    let Some(last) = thread_index::messages_of(documents, &thread.id)?.pop() else {
        return Ok(Some(own));
    };
    Ok(match thread_index::message(documents, &thread.id, &last)? {
        Some(Found::Whole(message)) => Some(message.at.max(own)),
        Some(Found::Damaged(_)) | None => None,
    })
}

fn forget(act: &mut Act<'_>, id: &ThreadId) -> Result<(), ReadError> {
    let messages: Vec<MessageId> = thread_index::messages_of(act, id)?;
    for message in &messages {
        let Some(Found::Whole(message)) = thread_index::message(act, id, message)? else {
            continue;
        };
        for agent in &message.to {
            act.remove(thread_index::link(INBOX, agent, &message.id));
            act.remove(thread_index::link(UNREAD, agent, &message.id));
        }
    }
    for key in walk(act, &thread_index::thread_dir(id))? {
        act.remove(key);
    }
    events::pruned(act, id, &messages);
    Ok(())
}

//! `sweep`: expired holds go, each with its event. Time is read here, it never acts by itself.

use serde::{Deserialize, Serialize};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::{Documents, ReadError};
use crate::core::limits::SWEPT_PER_ENTRY_MAX;
use crate::core::reservation::{Hold, facts, index, named, requests};
use crate::core::time::{Timestamp, span};

/// What is to be swept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sweep {
    /// Only what expired at least so long ago.
    pub older_than_seconds: u64,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// What is gone.
    pub swept: Vec<Hold>,
    /// How many more there are for the next entry.
    pub remaining: usize,
}

impl Decide for Sweep {
    type Answer = Swept;

    fn decide(&self, act: &mut Act<'_>) -> Result<Swept, No> {
        let mut due = self.due(act, act.env.now)?;
        let remaining = due.len().saturating_sub(SWEPT_PER_ENTRY_MAX);
        due.truncate(SWEPT_PER_ENTRY_MAX);
        Ok(Swept { swept: remove_expired(act, &mut due), remaining })
    }

    fn summary(&self, answer: &Swept, env: &Env<'_>) -> String {
        let patterns = named(&answer.swept);
        let limit = match self.older_than_seconds {
            0 => String::new(),
            seconds => format!(" expired more than {} ago", span(seconds)),
        };
        format!("sweep {patterns}{limit} by {}", env.actor)
    }
}

impl Sweep {
    /// The holds that a sweep would remove.
    pub fn due(&self, documents: &dyn Documents, now: Timestamp) -> Result<Vec<Hold>, ReadError> {
        let mut holds = index::all(documents)?;
        holds.retain(|hold| now >= hold.expires_at.plus_seconds(self.older_than_seconds));
        Ok(holds)
    }
}

/// Removes the expired ones among the holds, with an event each, and gives them back.
pub fn remove_expired(act: &mut Act<'_>, holds: &mut Vec<Hold>) -> Vec<Hold> {
    let now = act.env.now;
    let gone: Vec<Hold> = holds.extract_if(.., |hold| !hold.is_live(now)).collect();
    for hold in &gone {
        index::remove(act, hold);
        facts::expired(act, hold);
    }
    gone
}

/// What every write does besides its own work: one shard of ids and one of requests, so that what
/// nobody meets is swept too. The op is random, and so all shards get their turn.
pub fn in_passing(act: &mut Act<'_>) -> Result<(), ReadError> {
    let turn = act.env.op.turn();
    match index::shard(act, turn) {
        Ok(mut holds) => drop(remove_expired(act, &mut holds)),
        // What nobody asked about must not stop a write that is about something else.
        Err(ReadError::Damaged { .. }) => {}
        Err(error) => return Err(error),
    }
    requests::forget_old(act, turn)
}

//! `sweep`: removes holds that have ended, with an event each. Only a write like this one acts on
//! the passing of time.

use serde::{Deserialize, Serialize};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::{Documents, ReadError};
use crate::core::limits::SWEPT_PER_ENTRY_MAX;
use crate::core::reservation::process::Gone;
use crate::core::reservation::{Hold, events, index, named, requests, tickets};
use crate::core::time::{Timestamp, span};

/// A request to remove holds that have ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sweep {
    /// Limits the sweep to holds that expired at least so long ago.
    pub older_than_seconds: u64,
}

/// The holds that a sweep removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    pub swept: Vec<Hold>,
    /// The number of ended holds that are left for the next entry.
    pub remaining: usize,
}

impl Decide for Sweep {
    type Answer = Swept;

    fn decide(&self, act: &mut Act<'_>) -> Result<Swept, No> {
        tickets::remove_ended(act)?;
        let mut due = self.due(act, act.env.now, act.env.gone)?;
        let remaining = due.len().saturating_sub(SWEPT_PER_ENTRY_MAX);
        due.truncate(SWEPT_PER_ENTRY_MAX);
        Ok(Swept { swept: remove_ended(act, &mut due), remaining })
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
    /// Finds the holds that this sweep would remove.
    pub fn due(
        &self,
        documents: &dyn Documents,
        now: Timestamp,
        gone: &Gone,
    ) -> Result<Vec<Hold>, ReadError> {
        let mut holds = index::all(documents)?;
        // Nobody knows since when a process has ended.
        let ended_with_process = |hold: &Hold| self.older_than_seconds == 0 && gone.has_hold(hold);
        holds.retain(|hold| {
            now >= hold.expires_at.plus_seconds(self.older_than_seconds) || ended_with_process(hold)
        });
        Ok(holds)
    }
}

/// Removes and returns the holds that have ended, with an event each: their time is over, or their
/// process is known to have ended.
pub fn remove_ended(act: &mut Act<'_>, holds: &mut Vec<Hold>) -> Vec<Hold> {
    let Env { now, gone, .. } = act.env;
    let has_ended = |hold: &mut Hold| !hold.is_live(now) || gone.has_hold(hold);
    let ended: Vec<Hold> = holds.extract_if(.., has_ended).collect();
    for hold in &ended {
        index::remove(act, hold);
        events::expired(act, hold);
    }
    ended
}

/// Sweeps one shard of ids and one of requests, along with every write, so that documents that
/// nobody meets go too. The op is random, so every shard gets its turn.
pub fn in_passing(act: &mut Act<'_>) -> Result<(), ReadError> {
    let turn = act.env.op.turn();
    match index::shard(act, turn) {
        Ok(mut holds) => drop(remove_ended(act, &mut holds)),
        // Damage that nobody asked about must not stop a write that is about something else.
        Err(ReadError::Damaged { .. }) => {}
        Err(error) => return Err(error),
    }
    tickets::remove_ended(act)?;
    requests::forget_old(act, turn)
}

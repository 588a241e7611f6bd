//! `sweep`: removes holds that have ended, with an event each. Only a write like this one acts on
//! the passing of time.

use serde::{Deserialize, Serialize};

use crate::core::clock;
use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::{Documents, ReadError};
use crate::core::limits::{SWEPT_IN_PASSING_MAX, SWEPT_PER_ENTRY_MAX};
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
        for hold in &due {
            remove(act, hold);
        }
        Ok(Swept { swept: due, remaining })
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

/// Takes the holds that have ended out of the list, and removes them from the ledger with an event
/// each: their time is over, or their process is known to have ended. While the time is in doubt,
/// holds whose time seems to be over stay in the ledger.
pub fn remove_ended(act: &mut Act<'_>, holds: &mut Vec<Hold>) -> Vec<Hold> {
    let Env { now, gone, .. } = act.env;
    let has_ended = |hold: &mut Hold| !hold.is_live(now) || gone.has_hold(hold);
    let ended: Vec<Hold> = holds.extract_if(.., has_ended).collect();
    let is_in_doubt = is_time_in_doubt(act.env);
    for hold in ended.iter().filter(|hold| !is_in_doubt || gone.has_hold(hold)) {
        remove(act, hold);
    }
    ended
}

fn remove(act: &mut Act<'_>, hold: &Hold) {
    index::remove(act, hold);
    events::expired(act, hold);
}

/// Tells whether the time may be that of a wrong clock, which must not end the holds of others.
fn is_time_in_doubt(env: Env<'_>) -> bool {
    env.rules >= 2 && clock::leaps(env.now, env.before)
}

/// Tells whether a hold that nobody asked about is over, even if this clock is the wrong one: the
/// entry before, which another agent wrote, says so too. An agent's own hold is its own affair. A
/// hold that is dated ahead stays until somebody wants its target.
fn is_surely_over(env: Env<'_>, hold: &Hold) -> bool {
    let is_by_another = env.before_by.is_some_and(|agent| agent != env.actor);
    let is_agreed = is_by_another && env.before.is_some_and(|before| hold.is_over(before));
    hold.is_over(env.now) && (env.rules < 2 || is_agreed || hold.holder == *env.actor)
}

/// Chooses a few of the documents of the share that has its turn. Turns are random, so every
/// document gets one. A decision that makes several holds looks at more. Before rules 3 a share was
/// looked at as a whole.
pub fn few_of<T>(mut share: Vec<T>, act: &Act<'_>) -> Vec<T> {
    if act.env.rules < 3 {
        return share;
    }
    let made = act.events().iter().filter(|event| event.kind == "granted").count();
    few(&mut share, SWEPT_IN_PASSING_MAX * made.max(1), act.env.op.turn());
    share
}

/// Leaves so many of the items, which follow from all bits of the turn.
fn few<T>(share: &mut Vec<T>, count: usize, turn: u64) {
    if share.len() <= count {
        return;
    }
    // Some bits of the turn have chosen the share. These depend on all of them.
    let mixed = turn.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    let first = usize::try_from(mixed).unwrap_or_default() % share.len();
    share.rotate_left(first);
    share.truncate(count);
}

/// Sweeps a few of the holds and of the requests, along with every write, so that documents that
/// nobody meets go too.
pub fn in_passing(act: &mut Act<'_>) -> Result<(), ReadError> {
    if is_time_in_doubt(act.env) {
        return Ok(());
    }
    let turn = act.env.op.turn();
    let env = act.env;
    match index::share(act, turn, |share| few_of(share, act)) {
        Ok(mut holds) => {
            holds.retain(|hold| is_surely_over(env, hold) || env.gone.has_hold(hold));
            remove_ended(act, &mut holds);
        }
        // Damage that nobody asked about must not stop a write that is about something else.
        Err(ReadError::Damaged { .. }) => {}
        Err(error) => return Err(error),
    }
    tickets::remove_ended(act)?;
    requests::forget_old(act, turn)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever bits of a turn choose a share, every document of it gets its turn, and a
    /// write looks at few.
    #[test]
    fn every_document_of_a_share_gets_its_turn() {
        for shift in [0, 16, 32, 48, 56] {
            for share in 1..=16_usize {
                let mut seen = vec![false; share];
                let mut random = 1_u64;
                for _ in 0..500 {
                    random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    // The byte that chose the share is always the same.
                    let turn = (random ^ random >> 33) & !(0xff << shift) | 0x5a << shift;
                    let mut chosen: Vec<usize> = (0..share).collect();
                    few(&mut chosen, SWEPT_IN_PASSING_MAX, turn);
                    assert!(chosen.len() <= SWEPT_IN_PASSING_MAX);
                    for index in chosen {
                        seen[index] = true;
                    }
                }
                assert!(seen.iter().all(|seen| *seen), "{seen:?} of {share}, byte at {shift}");
            }
        }
    }
}

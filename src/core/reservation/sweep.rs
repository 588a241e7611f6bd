//! `sweep`: removes holds that have ended, with an event each. Only a write like this one acts on
//! the passing of time.

use serde::{Deserialize, Serialize};

use crate::core::clock::{self, Leap};
use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::{Documents, ReadError};
use crate::core::ids::AgentName;
use crate::core::limits::{SWEPT_IN_PASSING_MAX, SWEPT_PER_ENTRY_MAX};
use crate::core::place::Skew;
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
    /// The number of holds of others that stay because the clock may be wrong.
    pub doubted: usize,
}

/// The holds that a sweep would remove, and those that it leaves to a clock that is surely right.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Due {
    pub holds: Vec<Hold>,
    pub doubted: usize,
}

/// The clock of a sweep, and what is known of it.
#[derive(Clone, Copy)]
pub struct Judge<'a> {
    pub agent: &'a AgentName,
    pub now: Timestamp,
    /// The leap of the time that is in doubt.
    pub leap: Option<Leap>,
    pub skew: Skew<'a>,
    pub gone: &'a Gone,
}

impl<'a> Judge<'a> {
    fn of(env: Env<'a>) -> Judge<'a> {
        let Env { actor, now, leap, skew, gone, .. } = env;
        Judge { agent: actor, now, leap, skew, gone }
    }

    /// Tells whether the hold counts no more for this agent. The own clock decides on own holds.
    fn has_ended(&self, hold: &Hold) -> bool {
        let counts = if hold.holder == *self.agent {
            hold.is_live(self.now)
        } else {
            hold.counts_at(self.now, self.skew)
        };
        !counts || self.gone.has_hold(hold)
    }

    /// Tells whether this clock may end the hold. While its time is in doubt, it does not end what
    /// others had when the time leapt or got since.
    fn may_end(&self, hold: &Hold) -> bool {
        let is_own = hold.holder == *self.agent;
        let was_over = |leap: Leap| hold.is_over_for(leap.from, self.skew);
        // A clock that is ahead sees nothing dated ahead that is not.
        let is_dated_ahead = !hold.is_over(self.now);
        is_own || is_dated_ahead || self.gone.has_hold(hold) || self.leap.is_none_or(was_over)
    }
}

impl Decide for Sweep {
    type Answer = Swept;

    fn decide(&self, act: &mut Act<'_>) -> Result<Swept, No> {
        tickets::remove_ended(act)?;
        let Due { holds: mut due, doubted } = self.due(act, Judge::of(act.env))?;
        let remaining = due.len().saturating_sub(SWEPT_PER_ENTRY_MAX);
        due.truncate(SWEPT_PER_ENTRY_MAX);
        for hold in &due {
            remove(act, hold);
        }
        Ok(Swept { swept: due, remaining, doubted })
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
    pub fn due(&self, documents: &dyn Documents, judge: Judge<'_>) -> Result<Due, ReadError> {
        let mut holds = index::all(documents)?;
        let Judge { now, gone, skew, .. } = judge;
        // Nobody knows since when a process has ended.
        let ended_with_process = |hold: &Hold| self.older_than_seconds == 0 && gone.has_hold(hold);
        let is_old = |hold: &Hold| {
            let of_place = skew.against(hold.about.place.as_ref());
            let more = if hold.holder == *judge.agent { 0 } else { of_place };
            now >= hold.expires_at.plus_seconds(self.older_than_seconds).plus_seconds(more)
        };
        holds.retain(|hold| is_old(hold) || ended_with_process(hold));
        let count = holds.len();
        holds.retain(|hold| judge.may_end(hold));
        Ok(Due { doubted: count - holds.len(), holds })
    }
}

/// Takes the holds that have ended out of the list, and removes them from the ledger with an event
/// each: their time is over, or their process is known to have ended. While the time is in doubt,
/// holds of others whose time seems to be over stay in the ledger.
pub fn remove_ended(act: &mut Act<'_>, holds: &mut Vec<Hold>) -> Vec<Hold> {
    let env = act.env;
    let judge = Judge::of(env);
    let ended: Vec<Hold> = holds.extract_if(.., |hold| judge.has_ended(hold)).collect();
    let may_end = |hold: &&Hold| match env.rules {
        ..4 => !has_leapt(env) || env.gone.has_hold(hold),
        _ => judge.may_end(hold),
    };
    for hold in ended.iter().filter(may_end) {
        remove(act, hold);
    }
    ended
}

fn remove(act: &mut Act<'_>, hold: &Hold) {
    index::remove(act, hold);
    events::expired(act, hold);
}

/// Tells whether the time has leapt since the entry before, so that it may be that of a wrong
/// clock. Before rules 4 the next entry forgot it.
fn has_leapt(env: Env<'_>) -> bool {
    env.rules >= 2 && clock::leaps(env.now, env.before)
}

/// Tells whether a hold that nobody asked about is over, even if this clock is the wrong one: the
/// entry before, which another agent wrote, says so too. An agent's own hold is its own affair. A
/// hold that is dated ahead stays until somebody wants its target.
fn is_surely_over(env: Env<'_>, hold: &Hold) -> bool {
    let is_over = |now: Timestamp| hold.is_over_for(now, env.skew);
    let is_by_another = env.before_by.is_some_and(|agent| agent != env.actor);
    let is_agreed = is_by_another && env.before.is_some_and(is_over);
    let is_own = hold.holder == *env.actor;
    hold.is_over(env.now) && (env.rules < 2 || (is_agreed && is_over(env.now)) || is_own)
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
    if has_leapt(act.env) {
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
mod tests;

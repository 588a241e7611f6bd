//! `release`: ends holds of the asker, or by force those of another agent, with a recorded reason.

use serde::{Deserialize, Serialize};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::ids::{HoldIdPrefix, LockName};
use crate::core::limits::EXCEPTIONS_MAX;
use crate::core::pattern::Pattern;
use crate::core::refusal::{Refusal, within};
use crate::core::reservation::index::Whose;
use crate::core::reservation::select::{self, Named, Selection};
use crate::core::reservation::target::targets;
use crate::core::reservation::word::{Meant, Missing, Wider, meant};
use crate::core::reservation::{Hold, events, index, named, named_targets, narrow, sweep};
use crate::core::text::Line;

/// A request to end holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Release {
    #[serde(flatten)]
    pub which: Selection,
    /// The reason why holds of other agents may be released too.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub force: Option<Line>,
}

/// The holds that were released, and those that were not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Released {
    pub released: Vec<Hold>,
    /// Ids that were named and name no live hold (any more).
    pub missing: Vec<HoldIdPrefix>,
    /// Locks that were named and that nobody holds (any more).
    pub missing_locks: Vec<LockName>,
    /// Own holds that reach beyond a named path and stay as they are: all of them under rules 1,
    /// and those whose rest could not be kept.
    pub wider: Vec<Hold>,
    /// Own holds that reached beyond a named path and go on without it, as they are now.
    pub narrowed: Vec<Hold>,
    /// Words that name nothing which may be released.
    pub missing_words: Vec<Missing>,
    /// The live holds of the asker and its subagents, if words were missing and nothing else was
    /// done.
    pub own: Vec<Hold>,
    /// The paths that were meant.
    pub paths: Vec<Pattern>,
}

impl Decide for Release {
    type Answer = Released;

    fn decide(&self, act: &mut Act<'_>) -> Result<Released, No> {
        let how = (act.env.comparing(), Wider::Counts);
        let Meant { which, missing } =
            meant(act, &self.which, how, act.env.now, |hold| self.may_release(act, hold))?;
        let mut answer =
            Released { missing_words: missing, paths: which.paths.clone(), ..Released::default() };
        let mut chosen = Vec::new();
        for found in select::by_ids(act, &which.ids)? {
            match found {
                Named::Missing(id) => answer.missing.push(id),
                Named::Hold(hold) => chosen.push(*hold),
            }
        }
        for name in &which.locks {
            let mut holds = select::by_lock(act, name)?;
            if !holds.iter().any(|hold| hold.is_live(act.env.now)) {
                answer.missing_locks.push(name.clone());
            }
            // Agents that share a lock release only their own hold. The refusal is for an asker
            // that has none.
            if holds.iter().any(|hold| self.may_release(act, hold)) {
                holds.retain(|hold| self.may_release(act, hold));
            }
            holds.retain(|hold| hold.is_live(act.env.now) || self.may_release(act, hold));
            chosen.extend(holds);
        }
        let strangers: Vec<Hold> =
            chosen.iter().filter(|hold| !self.may_release(act, hold)).cloned().collect();
        if !strangers.is_empty() {
            return Err(Refusal::NotYours { holds: strangers, at: act.env.now }.into());
        }
        let by_path = select::by_paths(act, &which, act.env.comparing(), |hold| {
            self.may_release(act, hold) && which.means(hold)
        })?;
        chosen.extend(by_path.inside);
        if which.mine {
            let whose = if which.alone { Whose::Own } else { Whose::Session };
            let own = index::of_agent(act, act.env.actor, whose)?;
            chosen.extend(own.into_iter().filter(|hold| which.means(hold)));
        }
        let mut chosen = select::once(chosen);
        // A hold that expired before it was released is reported as missing, and gets the event
        // `expired`.
        for hold in sweep::remove_ended(act, &mut chosen) {
            let named = |id: &&HoldIdPrefix| hold.id.as_str().starts_with(id.as_str());
            answer.missing.extend(which.ids.iter().find(named).cloned());
        }
        for hold in &chosen {
            index::remove(act, hold);
            let forced = self.force.as_ref().filter(|_| !act.env.actor.covers(&hold.holder));
            events::released(act, hold, forced);
        }
        if act.env.rules >= 2 {
            self.narrow(act, by_path.wider, &mut answer)?;
            answer.released.extend(chosen);
            return with_own(act, answer);
        }
        let stays =
            |hold: &Hold| hold.is_live(act.env.now) && chosen.iter().all(|gone| gone.id != hold.id);
        answer.wider = select::once(by_path.wider).into_iter().filter(stays).collect();
        answer.released = chosen;
        Ok(answer)
    }

    fn summary(&self, answer: &Released, env: &Env<'_>) -> String {
        let given = targets(&answer.paths, &[], &self.which.facts);
        let patterns = match answer.released.as_slice() {
            [] if !answer.narrowed.is_empty() => named_targets(&given),
            released => named(released),
        };
        let stranger = answer.released.iter().find(|hold| !env.actor.covers(&hold.holder));
        match (stranger, &self.force) {
            (Some(hold), Some(reason)) => {
                format!("release {patterns} of {} by force of {}: {reason}", hold.holder, env.actor)
            }
            _ => format!("release {patterns} of {}", env.actor),
        }
    }
}

impl Release {
    /// Frees the named paths from holds that reach beyond them. A command is refused where the rest
    /// of a hold could not be kept, because its caller named only a path. For a hook such a hold
    /// stays as it is: it ends with the turn anyway. Before rules 3 it ended then.
    fn narrow(&self, act: &mut Act<'_>, wider: Vec<Hold>, answer: &mut Released) -> Result<(), No> {
        let given = targets(&answer.paths, &[], &self.which.facts);
        for hold in select::once(wider) {
            // An earlier part of this act may have ended it.
            let Some(hold) = index::by_id(act, &hold.id)?.filter(|hold| hold.is_live(act.env.now))
            else {
                continue;
            };
            let is_by_command = self.which.via.is_none();
            let may_stay = is_by_command || act.env.rules >= 3;
            if may_stay && narrow::loses_rest(&hold, &given, act.env.comparing()) {
                if is_by_command {
                    let count = EXCEPTIONS_MAX + 1;
                    within("exceptions of one reservation", count, EXCEPTIONS_MAX)?;
                }
                answer.wider.push(hold);
                continue;
            }
            let forced = self.force.as_ref().filter(|_| !act.env.actor.covers(&hold.holder));
            let freed = narrow::free(act, hold, &given, forced);
            match freed.rest {
                Some(rest) => answer.narrowed.push(rest),
                None => answer.released.push(freed.hold),
            }
        }
        Ok(())
    }

    fn may_release(&self, act: &Act<'_>, hold: &Hold) -> bool {
        let is_forced = self.force.is_some() && self.which.saw(hold);
        is_forced || act.env.actor.covers(&hold.holder)
    }
}

/// Adds what the asker does hold if all that it named are words without a meaning.
fn with_own(act: &Act<'_>, mut answer: Released) -> Result<Released, No> {
    let is_idle = answer.released.is_empty() && answer.narrowed.is_empty();
    if is_idle && !answer.missing_words.is_empty() {
        answer.own = index::of_agent(act, act.env.actor, Whose::Session)?;
        answer.own.retain(|hold| hold.is_live(act.env.now));
    }
    Ok(answer)
}

//! `release`: one's own, or another's by force, which is recorded with a reason.

use serde::{Deserialize, Serialize};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::ids::{HoldIdPrefix, LockName};
use crate::core::refusal::Refusal;
use crate::core::reservation::index::Whose;
use crate::core::reservation::select::{self, Named, Selection};
use crate::core::reservation::{Hold, events, index, named, sweep};
use crate::core::text::Line;

/// What is to be let go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Release {
    /// Which holds.
    #[serde(flatten)]
    pub which: Selection,
    /// Why another's holds may be released too.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub force: Option<Line>,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Released {
    /// What is free now.
    pub released: Vec<Hold>,
    /// What was named and is not there (any more).
    pub missing: Vec<HoldIdPrefix>,
    /// Locks that were named and that nobody holds (any more).
    pub missing_locks: Vec<LockName>,
    /// Own holds that reach beyond the path that was named, and stay.
    pub wider: Vec<Hold>,
}

impl Decide for Release {
    type Answer = Released;

    fn decide(&self, act: &mut Act<'_>) -> Result<Released, No> {
        let mut answer = Released::default();
        let mut chosen = Vec::new();
        for found in select::by_ids(act, &self.which.ids)? {
            match found {
                Named::Missing(id) => answer.missing.push(id),
                Named::Hold(hold) => chosen.push(*hold),
            }
        }
        for name in &self.which.locks {
            let mut holds = select::by_lock(act, name)?;
            if !holds.iter().any(|hold| hold.is_live(act.env.now)) {
                answer.missing_locks.push(name.clone());
            }
            // Those who share a lock let go of their own; only one who has none there is told.
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
        let by_path = select::by_paths(act, &self.which.paths, act.env.case, |hold| {
            self.may_release(act, hold) && self.which.means(hold)
        })?;
        chosen.extend(by_path.inside);
        if self.which.mine {
            let whose = if self.which.alone { Whose::Own } else { Whose::Session };
            let own = index::of_agent(act, act.env.actor, whose)?;
            chosen.extend(own.into_iter().filter(|hold| self.which.means(hold)));
        }
        let mut chosen = select::once(chosen);
        // An id that ran out before it was released was free already: the event says so.
        for hold in sweep::remove_ended(act, &mut chosen) {
            let named = |id: &&HoldIdPrefix| hold.id.as_str().starts_with(id.as_str());
            answer.missing.extend(self.which.ids.iter().find(named).cloned());
        }
        for hold in &chosen {
            index::remove(act, hold);
            let forced = self.force.as_ref().filter(|_| !act.env.actor.covers(&hold.holder));
            events::released(act, hold, forced);
        }
        let stays =
            |hold: &Hold| hold.is_live(act.env.now) && chosen.iter().all(|gone| gone.id != hold.id);
        answer.wider = select::once(by_path.wider).into_iter().filter(stays).collect();
        answer.released = chosen;
        Ok(answer)
    }

    fn summary(&self, answer: &Released, env: &Env<'_>) -> String {
        let patterns = named(&answer.released);
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
    fn may_release(&self, act: &Act<'_>, hold: &Hold) -> bool {
        self.force.is_some() || act.env.actor.covers(&hold.holder)
    }
}

//! Decides on one target of a request: grants a hold, renews or absorbs the asker's own, or names
//! the holds in the way.
//!
//! An own hold that covers the target is renewed. Own holds that the target covers are absorbed
//! into the new one. A hold that merely overlaps stays beside it. Otherwise an agent that holds
//! `src/a.rs` and asks for `src/**` could be told "renewed" and be protected from nothing.

use crate::core::decision::{Act, No};
use crate::core::documents::Documents as _;
use crate::core::pattern::Pattern;
use crate::core::refusal::Conflict;
use crate::core::reservation::check::{in_the_way_of_edit, shared_by};
use crate::core::reservation::reserve::{Grant, Reserve, Scope, is_at_limit};
use crate::core::reservation::target::Reach;
use crate::core::reservation::{About, Hold, Target, events, index, sweep};

/// The decision on one target.
pub(super) enum Claim {
    Granted {
        grant: Box<Grant>,
        /// Edits of the target in other worktrees.
        elsewhere: Vec<Conflict>,
    },
    Blocked(Vec<Conflict>),
    EditedElsewhere(Vec<Conflict>),
    OverLimit,
}

impl Reserve {
    pub(super) fn claim(&self, act: &mut Act<'_>, target: &Target) -> Result<Claim, No> {
        let mut meeting = index::meeting(act, target, act.env.comparing())?;
        sweep::remove_ended(act, &mut meeting);
        let (conflicts, elsewhere) = self.obstacles(act, target, &meeting);
        if !conflicts.is_empty() {
            return Ok(Claim::Blocked(conflicts));
        }
        if !elsewhere.is_empty() && act.env.rules < 2 {
            return Ok(Claim::EditedElsewhere(elsewhere));
        }
        if let Some(hold) = self.shared_by_session(act, target, &meeting) {
            let grant = Box::new(Grant { hold, renewed: true });
            return Ok(Claim::Granted { grant, elsewhere });
        }
        // A hold that goes with a process ends with it. So such a hold and the other holds of the
        // same agent never become part of each other.
        meeting.retain(|hold| self.process.is_none() && self.may_absorb(act, hold));
        let grant = match self.covering(act, target, &meeting) {
            Some((hold, _)) if self.with_edit && self.is_held_for_long(act, &hold) => {
                Grant { hold, renewed: true }
            }
            Some((hold, extent)) => self.extend(act, hold, target, extent)?,
            None if self.scope == Scope::Each && is_at_limit(act)? => return Ok(Claim::OverLimit),
            None => self.grant(act, target, &meeting)?,
        };
        Ok(Claim::Granted { grant: Box::new(grant), elsewhere })
    }

    /// Returns the holds in the way of a target, and the edits of it in other worktrees.
    fn obstacles(
        &self,
        act: &Act<'_>,
        target: &Target,
        meeting: &[Hold],
    ) -> (Vec<Conflict>, Vec<Conflict>) {
        let conflicts = self.asker(act.env).conflicts(target, meeting);
        if !self.with_edit {
            return (conflicts, Vec::new());
        }
        let about = self.about.at(act.env.place);
        let is_elsewhere = |conflict: &Conflict| about.is_edit_elsewhere(&conflict.held);
        let (elsewhere, conflicts): (Vec<_>, Vec<_>) =
            conflicts.into_iter().partition(is_elsewhere);
        if act.env.rules < 2 {
            return (conflicts, elsewhere);
        }
        let own = of_session(act, meeting);
        (in_the_way_of_edit(conflicts, &own, act.env.comparing()), elsewhere)
    }

    /// Finds the shared hold under which an edit passes, if that is another agent's of the asker's
    /// session, or one that goes with a process. An exclusive hold for the edit would stand against
    /// the others who share the path.
    fn shared_by_session(&self, act: &Act<'_>, target: &Target, meeting: &[Hold]) -> Option<Hold> {
        if !self.with_edit || act.env.rules < 2 {
            return None;
        }
        let own = of_session(act, meeting);
        let hold = shared_by(&own, target, act.env.comparing())?;
        (!self.may_absorb(act, hold)).then(|| hold.clone())
    }

    /// Tells whether the hold is the asker's own, so that it and the request can become one. A hold
    /// that came with an edit elsewhere protects another work tree.
    fn may_absorb(&self, act: &Act<'_>, hold: &Hold) -> bool {
        let about = self.about.at(act.env.place);
        let is_elsewhere = self.with_edit && about.is_edit_elsewhere(hold);
        hold.holder == *act.env.actor
            && hold.process.is_none()
            && !(act.env.rules >= 2 && is_elsewhere)
    }

    /// Tells whether the request can renew this hold of the asker instead of getting one of its
    /// own. A hold that ends with the turn is not what a command asks for.
    fn may_renew(&self, act: &Act<'_>, hold: &Hold) -> bool {
        act.env.rules < 2 || self.about.via.ends_with_turn() || !hold.about.via.ends_with_turn()
    }

    /// Finds an own hold on exactly this target, or else one that already gives what is asked for.
    fn covering(&self, act: &Act<'_>, target: &Target, own: &[Hold]) -> Option<(Hold, Extent)> {
        let asked = target.reach(act.env.comparing());
        let mut wider = None;
        // An agent that shares a path may edit it under its shared hold.
        let edits = self.with_edit && act.env.rules >= 2;
        for hold in own.iter().filter(|hold| self.may_renew(act, hold)) {
            let held = hold.target.reach(act.env.comparing());
            let covers = held.covers(&asked);
            let leaves_out = target.paths().is_some_and(|paths| !paths.except.is_empty());
            let is_same_pattern =
                act.env.rules >= 2 && !leaves_out && hold.target.pattern() == target.pattern();
            if !edits && covers && (is_same_pattern || asked.covers(&held)) {
                return Some((hold.clone(), Extent::Same));
            }
            let gives = edits || hold.mode.gives(self.mode);
            if gives && (covers || self.is_file_inside(target, &held)) {
                wider = wider.or(Some((hold.clone(), Extent::Wider)));
            }
        }
        wider
    }

    /// Tells whether the hold lasts for more than half of the time that is asked for.
    fn is_held_for_long(&self, act: &Act<'_>, hold: &Hold) -> bool {
        hold.expires_at.seconds_since(act.env.now) * 2 > self.ttl.as_seconds()
    }

    /// Tells whether the target is an existing file that the hold matches. A file has nothing below
    /// it, so a hold that matches its path covers all of it.
    fn is_file_inside(&self, target: &Target, held: &Reach<'_>) -> bool {
        let file = target.pattern().filter(|pattern| self.facts.files.contains(pattern));
        file.and_then(Pattern::literal_path).is_some_and(|path| held.matches(&path))
    }

    fn extend(
        &self,
        act: &mut Act<'_>,
        mut hold: Hold,
        target: &Target,
        extent: Extent,
    ) -> Result<Grant, No> {
        hold.expires_at = hold.expires_at.max(act.env.end_after(self.ttl)?);
        if extent == Extent::Wider {
            index::put(act, &hold);
            events::renewed(act, &hold);
            return Ok(Grant { hold, renewed: true });
        }
        if act.env.rules >= 2 {
            // The path may have become a file since.
            hold.target = target.clone();
        }
        let About { reason, task, run, .. } = &self.about;
        hold.about.reason = reason.clone().or(hold.about.reason);
        hold.about.task = task.clone().or(hold.about.task);
        hold.about.run = run.clone().or(hold.about.run);
        if hold.mode == self.mode {
            events::renewed(act, &hold);
        } else {
            hold.mode = self.mode;
            hold.fence = act.new_fence();
            events::mode_changed(act, &hold);
        }
        index::put(act, &hold);
        Ok(Grant { hold, renewed: true })
    }

    fn grant(&self, act: &mut Act<'_>, target: &Target, own: &[Hold]) -> Result<Grant, No> {
        let id = act.new_id(|documents, id| Ok(documents.get(&index::id_key(id))?.is_some()))?;
        let reach = target.reach(act.env.comparing());
        let mut expires_at = act.env.end_after(self.ttl)?;
        let narrower = own.iter().filter(|hold| {
            self.mode.gives(hold.mode) && reach.covers(&hold.target.reach(act.env.comparing()))
        });
        for hold in narrower.cloned().collect::<Vec<_>>() {
            expires_at = expires_at.max(hold.expires_at);
            index::remove(act, &hold);
            events::absorbed(act, &hold, &id);
        }
        let hold = Hold {
            id,
            holder: act.env.actor.clone(),
            target: target.clone(),
            mode: self.mode,
            about: self.about.at(act.env.place),
            process: self.process.clone(),
            shell: self.shell.clone(),
            granted_at: act.env.now,
            expires_at,
            fence: act.new_fence(),
            unknown: serde_json::Map::new(),
        };
        index::put(act, &hold);
        events::granted(act, &hold);
        Ok(Grant { hold, renewed: false })
    }
}

/// The relation of an own hold to the target that is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    Same,
    Wider,
}

/// Returns the holds of the asker and its session.
fn of_session(act: &Act<'_>, holds: &[Hold]) -> Vec<Hold> {
    let is_own = |hold: &&Hold| act.env.actor.is_one_with(&hold.holder);
    holds.iter().filter(is_own).cloned().collect()
}

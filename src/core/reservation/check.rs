//! Conflict checks: what every grant asks, and what `check` answers.

use crate::core::decision::Env;
use crate::core::documents::{Documents, ReadError};
use crate::core::ids::AgentName;
use crate::core::place::Skew;
use crate::core::refusal::Conflict;
use crate::core::reservation::paths::Comparing;
use crate::core::reservation::process::Process;
use crate::core::reservation::{About, Hold, Mode, Target, Via, index};
use crate::core::time::Timestamp;

/// An agent that asks for a hold, and the kind of hold that it asks for.
#[derive(Clone, Copy, Debug)]
pub struct Asker<'a> {
    pub agent: &'a AgentName,
    pub mode: Mode,
    pub now: Timestamp,
    /// The judge of when holds of other places end.
    pub skew: Skew<'a>,
    /// The process that the hold is to end with, if any.
    pub process: Option<&'a Process>,
    /// The origin of the hold, if it comes with an edit: it protects only its own work tree then.
    pub edit: Option<&'a About>,
}

impl<'a> Asker<'a> {
    /// Makes an agent that asks for an exclusive hold of its own, everywhere.
    pub fn exclusive(agent: &'a AgentName, now: Timestamp) -> Asker<'a> {
        let skew = Skew::default();
        Asker { agent, mode: Mode::Exclusive, now, skew, process: None, edit: None }
    }

    /// Makes an agent that asks for an exclusive hold of its own in a decision.
    pub fn of(env: Env<'a>, agent: &'a AgentName) -> Asker<'a> {
        Asker { skew: env.skew, ..Asker::exclusive(agent, env.now) }
    }

    /// Makes the agent that would ask for a hold like this one.
    pub fn like(hold: &'a Hold, now: Timestamp) -> Asker<'a> {
        let edit = (hold.about.via == Via::Hook).then_some(&hold.about);
        Asker { mode: hold.mode, edit, ..Asker::exclusive(&hold.holder, now) }
    }
}

impl Asker<'_> {
    /// Tells whether the hold is live, belongs to a stranger, and has a mode that excludes the mode
    /// that is asked for. Two edits in different work trees do not stand in each other's way.
    pub fn is_blocked_by(&self, hold: &Hold) -> bool {
        hold.counts_at(self.now, self.skew)
            && self.is_stranger_to(&hold.holder, hold.process.as_ref())
            && self.mode.excludes(hold.mode)
            && !self.edit.is_some_and(|about| about.is_edit_elsewhere(hold))
    }

    /// Tells whether the two can stand in each other's way: they are different agents, or two
    /// processes of one agent, each of which wants to be alone with what it holds.
    pub fn is_stranger_to(&self, agent: &AgentName, process: Option<&Process>) -> bool {
        let are_two_processes = self.process.is_some() && process.is_some();
        !agent.is_one_with(self.agent) || (are_two_processes && process != self.process)
    }

    /// Returns the conflicts of a target with the holds that meet it.
    pub fn conflicts(&self, target: &Target, meeting: &[Hold]) -> Vec<Conflict> {
        meeting
            .iter()
            .filter(|hold| self.is_blocked_by(hold))
            .map(|hold| Conflict { target: target.clone(), held: hold.clone() })
            .collect()
    }
}

/// Leaves out the conflicts that are none for an edit or a commit of a file: agents that share a
/// file may all edit it. `own` are the live holds of the agent and its session.
pub fn in_the_way_of_edit(conflicts: Vec<Conflict>, own: &[Hold], by: Comparing) -> Vec<Conflict> {
    let is_obstacle = |conflict: &Conflict| {
        conflict.held.mode == Mode::Exclusive || shared_by(own, &conflict.target, by).is_none()
    };
    conflicts.into_iter().filter(is_obstacle).collect()
}

/// Leaves out the conflicts that are none for an edit or a commit, given what the asker and its
/// session share now.
pub fn without_shared(
    documents: &dyn Documents,
    conflicts: Vec<Conflict>,
    asker: Asker<'_>,
    by: impl Into<Comparing>,
) -> Result<Vec<Conflict>, ReadError> {
    let by = by.into();
    let mut own = Vec::new();
    for conflict in conflicts.iter().filter(|conflict| conflict.held.mode == Mode::Shared) {
        let mut meeting = index::meeting(documents, &conflict.target, by)?;
        meeting.retain(|it| it.is_live(asker.now) && it.holder.is_one_with(asker.agent));
        own.extend(meeting);
    }
    Ok(in_the_way_of_edit(conflicts, &own, by))
}

/// Finds a shared hold on all of the target.
pub fn shared_by<'h>(own: &'h [Hold], target: &Target, by: Comparing) -> Option<&'h Hold> {
    let target = target.reach(by);
    let is_shared = |hold: &&Hold| hold.mode == Mode::Shared;
    own.iter().filter(is_shared).find(|hold| hold.target.reach(by).covers(&target))
}

/// Finds every hold that stands in the way of the targets.
pub fn check(
    documents: &dyn Documents,
    targets: &[Target],
    asker: Asker<'_>,
    by: impl Into<Comparing>,
) -> Result<Vec<Conflict>, ReadError> {
    let by = by.into();
    let mut conflicts = Vec::new();
    for target in targets {
        let meeting = index::meeting(documents, target, by)?;
        conflicts.extend(asker.conflicts(target, &meeting));
    }
    Ok(conflicts)
}

//! Conflict checks: what every grant asks, and what `check` answers.

use crate::core::documents::{Documents, ReadError};
use crate::core::ids::AgentName;
use crate::core::pattern::Case;
use crate::core::refusal::Conflict;
use crate::core::reservation::process::Process;
use crate::core::reservation::{Hold, Mode, Target, index};
use crate::core::time::Timestamp;

/// An agent that asks for a hold, and the kind of hold that it asks for.
#[derive(Clone, Copy, Debug)]
pub struct Asker<'a> {
    pub agent: &'a AgentName,
    pub mode: Mode,
    pub now: Timestamp,
    /// The process that the hold is to end with, if any.
    pub process: Option<&'a Process>,
}

impl Asker<'_> {
    /// Tells whether the hold is live, belongs to a stranger, and has a mode that excludes the mode
    /// that is asked for.
    pub fn is_blocked_by(&self, hold: &Hold) -> bool {
        hold.is_live(self.now)
            && self.is_stranger_to(&hold.holder, hold.process.as_ref())
            && self.mode.excludes(hold.mode)
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

/// Finds every hold that stands in the way of the targets.
pub fn check(
    documents: &dyn Documents,
    targets: &[Target],
    asker: Asker<'_>,
    case: Case,
) -> Result<Vec<Conflict>, ReadError> {
    let mut conflicts = Vec::new();
    for target in targets {
        let meeting = index::meeting(documents, target, case)?;
        conflicts.extend(asker.conflicts(target, &meeting));
    }
    Ok(conflicts)
}

//! Would I get it? The question that every grant asks, and the one that `check` answers.

use crate::core::documents::{Documents, ReadError};
use crate::core::ids::AgentName;
use crate::core::pattern::Case;
use crate::core::refusal::Conflict;
use crate::core::reservation::process::Process;
use crate::core::reservation::{Hold, Mode, Target, index};
use crate::core::time::Timestamp;

/// Who asks for what kind of hold, when.
#[derive(Clone, Copy, Debug)]
pub struct Asker<'a> {
    /// Who asks.
    pub agent: &'a AgentName,
    /// For what kind of hold.
    pub mode: Mode,
    /// When.
    pub now: Timestamp,
    /// The process that the hold is to go with, if it is to go with one.
    pub process: Option<&'a Process>,
}

impl Asker<'_> {
    /// Whether a hold is live, of one who can stand in the way, and of a mode that excludes what
    /// is asked for.
    pub fn is_blocked_by(&self, hold: &Hold) -> bool {
        hold.is_live(self.now)
            && self.is_stranger_to(&hold.holder, hold.process.as_ref())
            && self.mode.excludes(hold.mode)
    }

    /// Whether the two can stand in each other's way: different agents, or two processes of one,
    /// each of which wants to be alone with what it holds.
    pub fn is_stranger_to(&self, agent: &AgentName, process: Option<&Process>) -> bool {
        let are_two_processes = self.process.is_some() && process.is_some();
        !agent.is_one_with(self.agent) || (are_two_processes && process != self.process)
    }

    /// The conflicts of a target with the holds that meet it.
    pub fn conflicts(&self, target: &Target, meeting: &[Hold]) -> Vec<Conflict> {
        meeting
            .iter()
            .filter(|hold| self.is_blocked_by(hold))
            .map(|hold| Conflict { target: target.clone(), held: hold.clone() })
            .collect()
    }
}

/// Everything that stands in the way of the targets.
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

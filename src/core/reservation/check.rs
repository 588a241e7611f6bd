//! Would I get it? The question that every grant asks, and the one that `check` answers.

use crate::core::documents::{Documents, ReadError};
use crate::core::ids::AgentName;
use crate::core::pattern::Case;
use crate::core::refusal::Conflict;
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
}

impl Asker<'_> {
    /// Whether a hold is live, a stranger's, and of a mode that excludes what is asked for.
    pub fn is_blocked_by(&self, hold: &Hold) -> bool {
        hold.is_live(self.now)
            && !hold.holder.is_one_with(self.agent)
            && self.mode.excludes(hold.mode)
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

//! What rollbacks of a run gave up.
//!
//! Everything that belongs to a phase carries the step of the run at which it was added. A rollback
//! at that step or a later one that gave its phase up took it along, whether or not it still went
//! on: so a dispatch that was done by then is known to be of an earlier round without being
//! written again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::core::decision::Act;
use crate::core::documents::{Documents, ReadError, read};
use crate::core::ids::AgentName;
use crate::core::run::names::PhaseName;
use crate::core::run::{Run, index};
use crate::core::text::Line;
use crate::core::time::Timestamp;

/// One time that a run went back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RollbackRecord {
    /// How many phases the run had come to.
    pub step: u32,
    /// Where it was.
    pub from: PhaseName,
    /// Where it went.
    pub to: PhaseName,
    /// The phases that were given up.
    pub phases: Vec<PhaseName>,
    /// Why.
    pub reason: Line,
    /// When.
    pub at: Timestamp,
    /// By whom.
    pub by: AgentName,
    /// Fields of a later version, kept as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

impl RollbackRecord {
    /// Whether it took along what was added to a phase at a step.
    pub fn took(&self, phase: &PhaseName, step: u32) -> bool {
        step <= self.step && self.phases.contains(phase)
    }

    /// Writes it as the newest one of the run.
    pub(super) fn put(&self, act: &mut Act<'_>, run: &mut Run) {
        run.rollbacks += 1;
        act.put(index::rollback(&run.id, run.rollbacks), self);
    }

    /// Every time that a run went back, in order.
    pub fn of_run(documents: &dyn Documents, run: &Run) -> Result<Vec<RollbackRecord>, ReadError> {
        let mut found = Vec::new();
        for number in 1..=run.rollbacks {
            found.extend(read(documents, &index::rollback(&run.id, number))?);
        }
        Ok(found)
    }
}

/// The rollback that took along what was added to a phase at a step; none if it still counts.
/// Only those since then are read.
pub fn taken_by(
    documents: &dyn Documents,
    run: &Run,
    phase: &PhaseName,
    step: u32,
) -> Result<Option<RollbackRecord>, ReadError> {
    let mut found = None;
    for number in (1..=run.rollbacks).rev() {
        let Some(rollback) = read::<RollbackRecord>(documents, &index::rollback(&run.id, number))?
        else {
            continue;
        };
        if rollback.step < step {
            break;
        }
        if rollback.took(phase, step) {
            found = Some(rollback);
        }
    }
    Ok(found)
}

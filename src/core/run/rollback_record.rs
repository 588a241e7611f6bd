//! The records of a run's rollbacks, which tell what each gave up.
//!
//! Everything that belongs to a phase carries the step of the run at which it was added. A rollback
//! at that step or a later one that gave up the phase took it along, finished or not. So a dispatch
//! that was finished by then is known to be of an earlier round, and need not be written again.

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

/// The record of one rollback of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RollbackRecord {
    /// The number of phases that the run had come to.
    pub step: u32,
    /// The phase that the run was at.
    pub from: PhaseName,
    /// The phase that the run went back to.
    pub to: PhaseName,
    /// The phases that were given up.
    pub phases: Vec<PhaseName>,
    /// The reason, in the words of the agent that rolled back.
    pub reason: Line,
    /// The time of the rollback.
    pub at: Timestamp,
    /// The agent that rolled back.
    pub by: AgentName,
    /// Fields of a later version, kept as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

impl RollbackRecord {
    /// Tells whether the rollback took along things that were added to a phase at a step.
    pub fn took(&self, phase: &PhaseName, step: u32) -> bool {
        step <= self.step && self.phases.contains(phase)
    }

    /// Writes the record as the newest one of the run.
    pub(super) fn put(&self, act: &mut Act<'_>, run: &mut Run) {
        run.rollbacks += 1;
        act.put(index::rollback(&run.id, run.rollbacks), self);
    }

    /// Reads all rollback records of a run, in order.
    pub fn of_run(documents: &dyn Documents, run: &Run) -> Result<Vec<RollbackRecord>, ReadError> {
        let mut found = Vec::new();
        for number in 1..=run.rollbacks {
            found.extend(read(documents, &index::rollback(&run.id, number))?);
        }
        Ok(found)
    }
}

/// Finds the rollback that took along things that were added to a phase at a step; `None` if they
/// still count. Only rollbacks since that step are read.
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

//! Runs: pieces of work that go through phases.
//!
//! A [`Run`] is at one phase of its [`chain`]. Artifacts, dispatches, agents and verdicts belong to
//! phases; a gate stands between one phase and the next. [`rollback`] goes back to an earlier
//! phase, and takes along everything that belongs to the phases it gives up, in one act.
//!
//! One file a verb, each a pure decision. [`index`] places the documents: a run's own document is
//! small, and all others stand below its phases. Each phase has a [`tally`](phase), so a gate reads
//! a count and never counts. [`events`] writes the events, [`replay`] follows them to the [`state`]
//! that the documents must have, and [`laws`] checks what must be true of every state.

pub mod advance;
pub mod agent;
pub mod artifact;
pub mod bounds;
pub mod budget;
pub mod chain;
pub mod create;
pub mod dependencies;
pub mod dispatch;
pub mod end;
pub mod events;
pub mod gate;
pub mod gates;
pub mod index;
pub mod laws;
pub mod names;
pub mod override_gate;
pub mod part;
pub mod phase;
pub mod record;
pub mod refusal;
pub mod replay;
pub mod rollback;
pub mod rollback_record;
pub mod set;
pub mod skip;
pub mod state;
#[cfg(test)]
mod tests;
pub mod verdict;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::core::ids::AgentName;
use crate::core::run::artifact::ContentHash;
use crate::core::run::budget::{Budget, Tokens};
use crate::core::run::chain::Chain;
use crate::core::run::gates::Source;
use crate::core::run::names::{MetadataKey, PhaseName, RunId};
use crate::core::run::refusal::Refusal;
use crate::core::text::Line;
use crate::core::time::Timestamp;
use crate::core::words::words;

words! {
    /// The status of a run.
    #[derive(Default)]
    pub enum Status {
        /// The run goes on.
        #[default]
        Active = "active",
        /// The run reached its last phase. Only a rollback leads back from here.
        Completed = "completed",
        /// The run was cancelled, for good.
        Cancelled = "cancelled",
        /// The run failed, for good.
        Failed = "failed",
    }
}

words! {
    /// The standing of an artifact or a verdict: it counts, or its phase was rolled back.
    #[derive(Default)]
    pub enum Standing {
        /// It counts.
        #[default]
        Active = "active",
        /// The phase that it belongs to was rolled back.
        RolledBack = "rolled_back",
    }
}

/// The end of a run that was cancelled or failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ended {
    /// The time of the end.
    pub at: Timestamp,
    /// The agent that ended the run.
    pub by: AgentName,
    /// The reason, in the agent's words.
    pub reason: Line,
    /// The parent run whose end also ended this one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub with: Option<RunId>,
}

/// A piece of work that goes through phases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    pub id: RunId,
    /// The purpose of the run.
    pub goal: Line,
    #[serde(default)]
    pub status: Status,
    /// The phase that the run is at.
    pub phase: PhaseName,
    /// The phases that the run goes through, in order.
    pub phases: Chain,
    /// The number of phases that the run has come to; a phase that it came to twice counts twice.
    #[serde(default)]
    pub steps: u32,
    /// The estimated difficulty, from 1 to 5.
    pub complexity: u8,
    /// True if every step needs somebody's approval.
    #[serde(skip_serializing_if = "is_default", default)]
    pub manual: bool,
    /// The number of agents that may work in the run at once.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub max_agents: Option<u32>,
    /// The number of tokens that the run may spend.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub budget: Option<Budget>,
    /// The tokens that the dispatches of the run have spent.
    #[serde(default)]
    pub spent: Tokens,
    /// The run that this one is a part of.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub parent: Option<RunId>,
    /// The number of runs that are parts of this one.
    #[serde(skip_serializing_if = "is_default", default)]
    pub children: u32,
    /// The runs that this one waits for.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub after: Vec<RunId>,
    /// The origin of the gates.
    #[serde(skip_serializing_if = "is_default", default)]
    pub gates_from: Source,
    /// The part of the project that the run is about, as people name it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub scope: Option<Line>,
    /// Values by name that the caller keeps with the run. Nothing here depends on them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub metadata: BTreeMap<MetadataKey, Line>,
    /// A hash of the request that created the run. A request with the same hash means this run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub wish: Option<ContentHash>,
    pub created_at: Timestamp,
    pub created_by: AgentName,
    /// The time since when the run waits for somebody's approval.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub paused_at: Option<Timestamp>,
    /// The time of the completion, if the run is completed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub completed_at: Option<Timestamp>,
    /// The number of completions, including those that were rolled back.
    #[serde(skip_serializing_if = "is_default", default)]
    pub completions: u32,
    /// The number of rollbacks.
    #[serde(skip_serializing_if = "is_default", default)]
    pub rollbacks: u32,
    /// The end of the run, if it was cancelled or failed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ended: Option<Ended>,
    /// Fields of a later version, kept as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

/// Tells whether a value is the default, which is not stored.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Run {
    /// Returns the place of the current phase in the chain; the first if the phase is not in it.
    pub fn place(&self) -> usize {
        self.phases.place(&self.phase).unwrap_or(0)
    }

    /// Refuses unless the run is active.
    pub fn must_be_active(&self) -> Result<(), Refusal> {
        if self.status == Status::Active { Ok(()) } else { Err(self.over()) }
    }

    /// Refuses if the run was cancelled or failed.
    pub fn must_not_have_ended(&self) -> Result<(), Refusal> {
        match self.status {
            Status::Active | Status::Completed => Ok(()),
            Status::Cancelled | Status::Failed => Err(self.over()),
        }
    }

    fn over(&self) -> Refusal {
        Refusal::Over { run: self.id.clone(), status: self.status }
    }

    /// Refuses unless the run is at the phase that the asker saw.
    pub fn must_be_at(&self, expected: Option<&PhaseName>) -> Result<(), Refusal> {
        match expected {
            Some(expected) if *expected != self.phase => Err(Refusal::PhaseChanged {
                run: self.id.clone(),
                expected: expected.clone(),
                found: self.phase.clone(),
            }),
            _ => Ok(()),
        }
    }

    /// Returns the place of a phase; refuses if the run has no such phase.
    pub fn place_of(&self, phase: &PhaseName) -> Result<usize, Refusal> {
        self.phases.place(phase).ok_or_else(|| Refusal::NoPhase {
            run: self.id.clone(),
            phase: phase.clone(),
            phases: self.phases.names().to_vec(),
        })
    }

    /// Returns the place of a phase, or of the current one if none is named.
    pub fn place_or_present(&self, phase: Option<&PhaseName>) -> Result<usize, Refusal> {
        phase.map_or_else(|| Ok(self.place()), |phase| self.place_of(phase))
    }
}

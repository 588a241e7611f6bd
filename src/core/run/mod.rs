//! Runs: pieces of work that go through phases.
//!
//! A [`Run`] is at one phase of its [`chain`]. Artifacts, dispatches, agents and verdicts belong to
//! phases; a gate stands between one phase and the next. [`rollback`] goes back to an earlier
//! phase, and everything that belongs to the phases it gives up goes with it, in one act.
//!
//! One file a verb, each a pure decision. [`index`] says where the documents stand: a run's own is
//! small, and all others stand below its phases, with a [`tally`](phase) each, so that a gate never
//! counts what it can read. [`events`] writes the events, [`replay`] follows them to what the
//! documents say of the [`state`], [`laws`] say what must be true of every state.

pub mod advance;
pub mod agent;
pub mod artifact;
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

/// How a run stands.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It goes on.
    #[default]
    Active,
    /// It reached its last phase. Only a rollback leads back from here.
    Completed,
    /// It was called off, for good.
    Cancelled,
    /// It came to nothing, for good.
    Failed,
}

impl Status {
    /// The word that is stored and shown.
    pub fn name(self) -> &'static str {
        match self {
            Status::Active => "active",
            Status::Completed => "completed",
            Status::Cancelled => "cancelled",
            Status::Failed => "failed",
        }
    }
}

/// Whether something still counts, or was rolled back.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It counts.
    #[default]
    Active,
    /// Its phase was rolled back.
    RolledBack,
}

impl Standing {
    /// The word that is stored and shown.
    pub fn name(self) -> &'static str {
        match self {
            Standing::Active => "active",
            Standing::RolledBack => "rolled_back",
        }
    }
}

/// The end of a run that was called off or came to nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ended {
    /// When.
    pub at: Timestamp,
    /// By whom.
    pub by: AgentName,
    /// Why.
    pub reason: Line,
    /// The run above it that was ended, where that is why.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub with: Option<RunId>,
}

/// A piece of work that goes through phases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    pub id: RunId,
    /// What it is for.
    pub goal: Line,
    #[serde(default)]
    pub status: Status,
    /// The phase that it is at.
    pub phase: PhaseName,
    /// The phases that it goes through, in order.
    pub phases: Chain,
    /// How many phases it has come to, those that it came to again included.
    #[serde(default)]
    pub steps: u32,
    /// How hard it is thought to be, from 1 to 5.
    pub complexity: u8,
    /// Whether every step needs somebody's word.
    #[serde(skip_serializing_if = "is_default", default)]
    pub manual: bool,
    /// How many agents may work in it at once.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub max_agents: Option<u32>,
    /// What it may spend.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub budget: Option<Budget>,
    /// What its dispatches have spent.
    #[serde(default)]
    pub spent: Tokens,
    /// The run that it is a part of.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub parent: Option<RunId>,
    /// How many runs are parts of it.
    #[serde(skip_serializing_if = "is_default", default)]
    pub children: u32,
    /// The runs that it waits for.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub after: Vec<RunId>,
    /// Whose gates it has.
    #[serde(skip_serializing_if = "is_default", default)]
    pub gates_from: Source,
    /// What it is about: a part of the project, as people name it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub scope: Option<Line>,
    /// Facts of its own, by name, which nothing here depends on.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub metadata: BTreeMap<MetadataKey, Line>,
    /// What was asked for when it was made, as a hash: the same wish again is for this run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub wish: Option<ContentHash>,
    pub created_at: Timestamp,
    pub created_by: AgentName,
    /// Since when it waits for somebody's word.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub paused_at: Option<Timestamp>,
    /// When it was completed, if it is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub completed_at: Option<Timestamp>,
    /// How often it was completed, rolled back since or not.
    #[serde(skip_serializing_if = "is_default", default)]
    pub completions: u32,
    /// How often it was rolled back.
    #[serde(skip_serializing_if = "is_default", default)]
    pub rollbacks: u32,
    /// How it ended, if it was cancelled or failed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ended: Option<Ended>,
    /// Fields of a later version, kept as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

/// What says nothing is not stored.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Run {
    /// The place of its phase in its chain; the first if a stranger wrote another one.
    pub fn place(&self) -> usize {
        self.phases.place(&self.phase).unwrap_or(0)
    }

    /// Refuses what only an active run may do.
    pub fn must_be_active(&self) -> Result<(), Refusal> {
        if self.status == Status::Active { Ok(()) } else { Err(self.over()) }
    }

    /// Refuses what a run may not do that is over for good.
    pub fn must_not_have_ended(&self) -> Result<(), Refusal> {
        match self.status {
            Status::Active | Status::Completed => Ok(()),
            Status::Cancelled | Status::Failed => Err(self.over()),
        }
    }

    fn over(&self) -> Refusal {
        Refusal::Over { run: self.id.clone(), status: self.status }
    }

    /// Refuses if it is not at the phase that the asker saw.
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

    /// The place of a phase that somebody named.
    pub fn place_of(&self, phase: &PhaseName) -> Result<usize, Refusal> {
        self.phases.place(phase).ok_or_else(|| Refusal::NoPhase {
            run: self.id.clone(),
            phase: phase.clone(),
            phases: self.phases.names().to_vec(),
        })
    }

    /// The place of a phase that somebody named, or of the present one.
    pub fn place_or_present(&self, phase: Option<&PhaseName>) -> Result<usize, Refusal> {
        phase.map_or_else(|| Ok(self.place()), |phase| self.place_of(phase))
    }
}

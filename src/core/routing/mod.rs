//! Routing overrides: the review agents that a router leaves out in this repository.
//!
//! An [`Override`] says that an agent is left out, or that somebody proposes so. An override in
//! force has a [`Modification`], the record of how it came into force, and may be on trial, which
//! is a [`Canary`](canary::Canary). One decision writes all three, and one takes them back.
//!
//! Each verb is one file ([`propose`], [`approve`], [`apply`], [`revert`], [`block`], [`evidence`],
//! [`sample`], [`canary`], [`overlay`], [`thresholds`], [`reset`], [`import`]) with a pure
//! decision. [`index`] maps documents to keys, [`events`] builds the events, and [`laws`] hold in
//! every state. [`classify`] and [`metrics`] evaluate evidence, [`autonomy`] limits what programs
//! do without a person, [`route`] is the reader's side, and [`document`] reads documents of other
//! tools. [`text`], [`phrases`] and `foreign` remove secrets and refuse instructions.

pub mod apply;
pub mod approve;
pub mod autonomy;
pub mod block;
pub mod canary;
pub mod classify;
pub mod document;
pub mod events;
pub mod evidence;
pub mod export;
pub(in crate::core) mod foreign;
pub mod import;
pub mod index;
pub mod laws;
pub mod manifest;
pub mod metrics;
pub mod names;
pub mod overlay;
pub mod phrases;
pub mod propose;
pub mod ratio;
mod record;
pub mod refusal;
pub mod reset;
pub mod revert;
pub mod route;
pub mod sample;
pub mod text;
pub mod thresholds;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::core::ids::{AgentName, OpId};
use crate::core::pattern::Pattern;
use crate::core::routing::canary::Status;
use crate::core::routing::names::{EvidenceRef, RecordId, RoutedName, Word};
use crate::core::routing::ratio::Ratio;
use crate::core::routing::text::refuse_secrets;
use crate::core::text::BadText;
use crate::core::text::Line;
use crate::core::time::Timestamp;

/// Most overrides of one ledger.
pub const OVERRIDES_MAX: usize = 1_000;
/// Most domains, patterns or references to evidence of one override.
pub const LIST_MAX: usize = 200;

/// The request of an override to a router.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Leave the agent out.
    Exclude,
    /// Show that somebody proposes to leave the agent out.
    Propose,
}

/// The reviews that an override applies to. Every condition must hold; without conditions it
/// applies to all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Scope {
    /// The review belongs to one of these domains.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub domains: Vec<Line>,
    /// All paths of the review are within these patterns.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub file_patterns: Vec<Pattern>,
    /// Fields of a later version, preserved as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

impl Scope {
    /// Tells whether the scope has no condition and no unknown field.
    pub fn is_empty(&self) -> bool {
        self.domains.is_empty() && self.file_patterns.is_empty() && self.unknown.is_empty()
    }

    /// Refuses patterns with a secret in them: a pattern without its secret would mean other paths.
    pub fn refuse_secrets(&self) -> Result<(), BadText> {
        self.file_patterns
            .iter()
            .try_for_each(|pattern| refuse_secrets(&String::from_utf8_lossy(pattern.as_bytes())))
    }
}

/// The trial of an override, as readers of the exported document see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Trial {
    /// The state of the trial.
    pub status: Status,
    /// The number of samples that end the trial.
    pub window_uses: u64,
    /// The time at which the trial ends at the latest.
    pub expires_at: Timestamp,
    /// Fields of a later version, preserved as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

/// An override: an entry of the exported document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Override {
    /// The review agent.
    pub agent: RoutedName,
    /// The request to routers.
    pub action: Action,
    /// The reason for the override.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<Line>,
    /// The evidence that the override rests on.
    #[serde(default)]
    pub evidence_ids: Vec<EvidenceRef>,
    /// The time at which it was first proposed or applied.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub created: Option<Timestamp>,
    /// The decider: `human`, or the name of a program. Missing reads as `human`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub created_by: Option<Line>,
    /// The time at which it came into force.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub approved: Option<Timestamp>,
    /// The share of the agent's overridden findings that were wrong, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub confidence: Option<Ratio>,
    /// The reviews that it applies to; all if absent.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub scope: Option<Scope>,
    /// The trial of the override.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub canary: Option<Trial>,
    /// The agent that acted.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub by: Option<AgentName>,
    /// Fields of a later version or of another tool, preserved as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

impl Override {
    /// Tells whether routers leave the agent out.
    pub fn is_in_force(&self) -> bool {
        self.action == Action::Exclude
    }

    /// Returns the time at which it came into force, or was proposed.
    pub fn since(&self) -> Option<Timestamp> {
        self.approved.or(self.created)
    }
}

/// The state of a modification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ModificationStatus {
    /// It is in force.
    Applied,
    /// Somebody took it back.
    Reverted,
}

/// The kind of a modification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// An agent that routers leave out.
    Routing,
    /// An additional text for an agent.
    Overlay,
}

/// The last change of a modification that is in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Update {
    /// The decider: `human`, or the name of a program.
    pub source: Line,
    /// The agent that acted.
    pub by: AgentName,
    /// The time of the change.
    pub at: Timestamp,
    /// The number of changes that programs made in a row, each within the window of the rate limit
    /// after the one before.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub automatic: u64,
    /// Fields of a later version, preserved as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The record of a change that came into force, and of its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Modification {
    /// The id of the record; its canary has the same id.
    pub id: RecordId,
    /// The agent, or the agent and its overlay: `fd-safety`, `fd-safety/wording`.
    pub group_id: Line,
    /// The review agent.
    pub agent: RoutedName,
    /// The time for which the change is meant to stay: always `persistent`.
    pub tier: Line,
    /// The kind of the change.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// The key of the document that was changed.
    pub target: Line,
    /// The act that made the change. It names the entry by its `Coord-Op`.
    pub op: OpId,
    /// The confidence at the time of the change.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub confidence: Option<Ratio>,
    /// The reason for the change.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub summary: Option<Line>,
    /// The state of the change.
    pub status: ModificationStatus,
    /// The decider: `human`, or the name of a program.
    pub created_by: Line,
    /// The agent that acted.
    pub by: AgentName,
    /// The time of the change.
    pub at: Timestamp,
    /// The last update, if there was one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub updated: Option<Update>,
    /// The time at which the change was reverted.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reverted_at: Option<Timestamp>,
    /// The agent that reverted it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reverted_by: Option<AgentName>,
    /// Fields of a later version, preserved as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

impl Modification {
    pub fn is_applied(&self) -> bool {
        self.status == ModificationStatus::Applied
    }

    /// Tells whether a program made the change by itself.
    pub fn is_automatic(&self) -> bool {
        self.created_by.as_str() != Word::HUMAN
    }
}

/// A block: the agent must not be left out, no matter what the evidence says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Block {
    /// The review agent.
    pub agent: RoutedName,
    /// The reason for the block.
    pub reason: Line,
    /// The time of the block.
    pub at: Timestamp,
    /// The agent that blocked it.
    pub by: AgentName,
    /// Fields of a later version, preserved as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

/// Merges two lists in order, without repetition.
fn merged(old: &[EvidenceRef], new: &[EvidenceRef]) -> Vec<EvidenceRef> {
    let mut all = old.to_vec();
    for item in new {
        if !all.contains(item) {
            all.push(item.clone());
        }
    }
    all
}

//! Routing overrides: which review agents a router leaves out here, on whose word, and on trial.
//!
//! An [`Override`] says that an agent is to be left out, or that somebody proposes so. One that is
//! in force has a [`Modification`], the record of how it came to be, and may be on trial, which is
//! a [`Canary`](canary::Canary). All three are written by one decision and taken back by one.
//!
//! One file a verb ([`propose`], [`approve`], [`apply`], [`revert`], [`block`], [`evidence`],
//! [`sample`], [`canary`], [`overlay`], [`thresholds`], [`reset`], [`import`]), each a pure
//! decision. [`index`] is where documents stand, [`events`] the events they leave, [`laws`] what
//! must be true of every state. [`classify`] and [`metrics`] make sense of evidence, [`autonomy`]
//! says what may be done without a person, [`route`] is the reader's side, [`document`] reads what
//! other tools keep. [`text`], [`phrases`] and `foreign` keep secrets and instructions
//! out.

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
use crate::core::routing::text::keep_out_secrets;
use crate::core::text::BadText;
use crate::core::text::Line;
use crate::core::time::Timestamp;

/// Overrides that one ledger holds.
pub const OVERRIDES_MAX: usize = 1_000;
/// Domains, patterns or references to evidence of one override.
pub const LIST_MAX: usize = 200;

/// What an override asks of a router.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Leave the agent out.
    Exclude,
    /// Show that somebody wants it left out.
    Propose,
}

/// Where an override counts: in all of these, and everywhere if nothing is named.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Scope {
    /// One of these domains.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub domains: Vec<Line>,
    /// And within these paths.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub file_patterns: Vec<Pattern>,
    /// Fields of a later version, kept as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

impl Scope {
    /// Whether it limits nothing and says nothing.
    pub fn is_empty(&self) -> bool {
        self.domains.is_empty() && self.file_patterns.is_empty() && self.unknown.is_empty()
    }

    /// Refuses patterns with a secret in them: they cannot be cleaned and mean the same.
    pub fn keep_out_secrets(&self) -> Result<(), BadText> {
        self.file_patterns
            .iter()
            .try_for_each(|pattern| keep_out_secrets(&String::from_utf8_lossy(pattern.as_bytes())))
    }
}

/// The trial of an override as readers of the exported document see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Trial {
    /// How it stands.
    pub status: Status,
    /// After so many samples there is a verdict.
    pub window_uses: u64,
    /// And then at the latest.
    pub expires_at: Timestamp,
    /// Fields of a later version, kept as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

/// One override: an entry of the exported document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Override {
    /// The agent.
    pub agent: RoutedName,
    /// What is asked of routers.
    pub action: Action,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<Line>,
    /// What it rests on.
    #[serde(default)]
    pub evidence_ids: Vec<EvidenceRef>,
    /// When it was proposed or applied first.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub created: Option<Timestamp>,
    /// What decided: `human`, or the program that did. Missing reads as `human`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub created_by: Option<Line>,
    /// When it came into force.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub approved: Option<Timestamp>,
    /// How often the agent was wrong where it was overridden, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub confidence: Option<Ratio>,
    /// Where it counts; everywhere if absent.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub scope: Option<Scope>,
    /// Its trial.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub canary: Option<Trial>,
    /// Who acted.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub by: Option<AgentName>,
    /// Fields of a later version or of another tool, kept as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

impl Override {
    /// Whether routers leave the agent out.
    pub fn is_in_force(&self) -> bool {
        self.action == Action::Exclude
    }

    /// Since when.
    pub fn since(&self) -> Option<Timestamp> {
        self.approved.or(self.created)
    }
}

/// Whether a change still stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// It is in force.
    Applied,
    /// It was taken back.
    Reverted,
}

/// What was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Whom a router leaves out.
    Routing,
    /// What an agent is told besides.
    Overlay,
}

/// The last change to what is said about something that is in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Update {
    /// What decided: `human`, or the program that did.
    pub source: Line,
    /// Who acted.
    pub by: AgentName,
    /// When.
    pub at: Timestamp,
    /// How many of its kind programs made by themselves, none of them longer after the one before
    /// than the rate limit looks back.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub automatic: u64,
    /// Fields of a later version, kept as they are.
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
    /// Its name; its canary has the same.
    pub id: RecordId,
    /// The agent, or the agent and its overlay: `fd-safety`, `fd-safety/wording`.
    pub group_id: Line,
    /// The agent.
    pub agent: RoutedName,
    /// How long it is meant to stay.
    pub tier: Line,
    /// What was changed.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// The document that was changed.
    pub target: Line,
    /// The act that did it, which names the entry: its `Coord-Op`.
    pub op: OpId,
    /// How sure it was.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub confidence: Option<Ratio>,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub summary: Option<Line>,
    /// Whether it still stands.
    pub status: Standing,
    /// What decided: `human`, or the program that did.
    pub created_by: Line,
    /// Who acted.
    pub by: AgentName,
    /// When.
    pub at: Timestamp,
    /// Who brought it up to date last, if anybody did.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub updated: Option<Update>,
    /// When it was taken back.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reverted_at: Option<Timestamp>,
    /// By whom.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reverted_by: Option<AgentName>,
    /// Fields of a later version, kept as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

impl Modification {
    /// Whether it is in force.
    pub fn is_applied(&self) -> bool {
        self.status == Standing::Applied
    }

    /// Whether a program did it by itself.
    pub fn is_automatic(&self) -> bool {
        self.created_by.as_str() != Word::HUMAN
    }
}

/// An agent that is not to be left out, whatever the evidence says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Block {
    /// The agent.
    pub agent: RoutedName,
    /// Why.
    pub reason: Line,
    /// Since when.
    pub at: Timestamp,
    /// Who said so.
    pub by: AgentName,
    /// Fields of a later version, kept as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

/// Of two lists one that has all of both, in order, each once.
fn united(old: &[EvidenceRef], new: &[EvidenceRef]) -> Vec<EvidenceRef> {
    let mut all = old.to_vec();
    for item in new {
        if !all.contains(item) {
            all.push(item.clone());
        }
    }
    all
}

//! The parts that `propose`, `approve` and `apply` share: the basis of an override, and the answer.

use std::ffi::OsString;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Map;

use crate::app::answer::Note;
use crate::app::problem::Problem;
use crate::app::routing::roster::Roster;
use crate::app::routing::view::TrialView;
use crate::app::{Ctx, specs};
use crate::core::environment::Environment;
use crate::core::ids::AgentName;
use crate::core::pattern::{Case, Reading};
use crate::core::routing::apply::InForce;
use crate::core::routing::names::{EvidenceRef, RoutedName, Word};
use crate::core::routing::{Modification, Override, Scope};
use crate::core::text::Line;

/// The basis of an override: its evidence, its scope and its source.
#[derive(Clone, Copy)]
pub struct Basis<'r> {
    pub evidence: &'r [EvidenceRef],
    /// Only in these domains.
    pub domains: &'r [Line],
    /// Only for paths within these patterns, relative to the caller's directory.
    pub paths: &'r [OsString],
    /// `human`, or the name of the program that acts by itself.
    pub source: &'r Word,
}

impl Basis<'_> {
    /// Builds the scope; none if the override counts everywhere.
    pub(super) fn scope(&self, ctx: &Ctx) -> Result<Option<Scope>, Problem> {
        let scope = Scope {
            domains: self.domains.to_vec(),
            file_patterns: specs::patterns(ctx.repository(), self.paths, Reading::Glob)?,
            unknown: Map::new(),
        };
        Ok(Some(scope).filter(|scope| !scope.is_empty()))
    }
}

/// Removes repeated pieces of evidence.
pub(super) fn each_once(evidence: &[EvidenceRef]) -> Vec<EvidenceRef> {
    let mut all = Vec::new();
    for id in evidence {
        if !all.contains(id) {
            all.push(id.clone());
        }
    }
    all
}

/// The answer to `propose`, `approve` and `apply`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OverrideChange")]
pub struct Body {
    pub outcome: Became,
    /// The override as it is now.
    #[serde(rename = "override")]
    pub entry: Override,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub in_force: Option<InForceView>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<Earlier>,
}

/// The effect of a request on an override.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Became {
    Proposed,
    /// It came into force.
    Applied,
    /// It was in force; its reason, evidence or scope has changed.
    Updated,
    /// It was there already, and stays as it was.
    Already,
}

/// The record and the trial of an override that came into force.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InForceView {
    /// The record of the change.
    pub record: Modification,
    /// The trial that began.
    pub trial: TrialView,
    /// Other agents that are on trial at the same time.
    pub also_on_trial: Vec<RoutedName>,
}

/// An earlier request that put the override in force.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Earlier {
    /// The agent that applied it.
    pub by: AgentName,
    /// A sentence about that.
    pub message: String,
}

impl Body {
    /// Shows an override alone.
    pub(super) fn of(outcome: Became, entry: Override) -> Body {
        Body { outcome, entry, in_force: None, earlier: None }
    }
}

impl From<InForce> for Body {
    fn from(made: InForce) -> Body {
        let InForce { entry, record, canary, also_on_trial, .. } = made;
        let in_force = Some(InForceView {
            record,
            trial: TrialView::decided(canary, Vec::new()),
            also_on_trial,
        });
        Body { in_force, ..Body::of(Became::Applied, entry) }
    }
}

/// Warns about an agent that the roster does not have. The request goes on: the roster may be out
/// of date.
pub(super) fn stranger(ctx: &Ctx, environment: &Environment, agent: &RoutedName) -> Vec<Note> {
    let roster = Roster::read(ctx, environment);
    let mut notes: Vec<Note> = roster.warnings.iter().map(Note::warning).collect();
    if roster.lacks(agent) {
        let text = format!("the roster has no agent '{agent}'; is the name right?");
        notes.push(Note::warning(text));
    }
    notes
}

/// Warns about a scope that has every path in it.
pub(super) fn everywhere(entry: &Override) -> Option<Note> {
    let pattern = entry.scope.as_ref()?.everywhere(Case::Sensitive)?.shown();
    let agent = &entry.agent;
    let text = format!("'{pattern}' is every path: '{agent}' is left out everywhere");
    Some(Note::warning(text))
}

/// Warns about an override that came into force if its agent reviews across everything, or if
/// others are on trial at the same time.
pub(super) fn in_force_notes(made: &InForce, cross_cutting: bool) -> Vec<Note> {
    let mut notes = Vec::new();
    if cross_cutting {
        let text = format!("'{}' reviews what cuts across everything", made.entry.agent);
        notes.push(Note::warning(text));
    }
    if !made.also_on_trial.is_empty() {
        let quoted = made.also_on_trial.iter().map(|name| format!("'{name}'"));
        let names = quoted.collect::<Vec<_>>().join(", ");
        let text = format!("also on trial: {names}; what is measured is measured of all");
        notes.push(Note::warning(text));
    }
    notes
}

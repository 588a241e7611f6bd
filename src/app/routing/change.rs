//! The parts that `propose`, `approve` and `apply` share: what an override rests on, and the
//! answer.

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
use crate::core::pattern::Reading;
use crate::core::routing::apply::InForce;
use crate::core::routing::names::{EvidenceRef, RoutedName, Word};
use crate::core::routing::{Modification, Override, Scope};
use crate::core::text::Line;

/// What an override rests on, where it counts, and what decides.
#[derive(Clone, Copy)]
pub struct Basis<'r> {
    pub evidence: &'r [EvidenceRef],
    /// Only in these domains.
    pub domains: &'r [Line],
    /// Only for paths within these patterns, relative to where the caller stands.
    pub paths: &'r [OsString],
    /// `human`, or the program that acts by itself.
    pub source: &'r Word,
}

impl Basis<'_> {
    /// Finds where the override counts; everywhere where nothing is said.
    pub(super) fn scope(&self, ctx: &Ctx) -> Result<Option<Scope>, Problem> {
        let scope = Scope {
            domains: self.domains.to_vec(),
            file_patterns: specs::patterns(ctx.repository(), self.paths, Reading::Glob)?,
            unknown: Map::new(),
        };
        Ok(Some(scope).filter(|scope| !scope.is_empty()))
    }
}

/// Names each piece of evidence once.
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

/// What the request made of the override.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Became {
    Proposed,
    /// It came into force.
    Applied,
    /// It was in force, and more is said about it now.
    Updated,
    /// It was there, and stays as it was.
    Already,
}

/// What came into force with an override.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InForceView {
    /// The record of the change.
    pub record: Modification,
    /// The trial that began.
    pub trial: TrialView,
    /// Other agents that are on trial.
    pub also_on_trial: Vec<RoutedName>,
}

/// The application that came first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Earlier {
    /// The agent that applied it.
    pub by: AgentName,
    /// A sentence that says so.
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

/// Warns about an agent that the roster does not have. The request goes on: the roster may be
/// behind.
pub(super) fn stranger(ctx: &Ctx, environment: &Environment, agent: &RoutedName) -> Vec<Note> {
    let roster = Roster::read(ctx, environment);
    let mut notes: Vec<Note> = roster.warnings.iter().map(Note::warning).collect();
    if roster.lacks(agent) {
        let text = format!("the roster has no agent '{agent}'; is the name right?");
        notes.push(Note::warning(text));
    }
    notes
}

/// Warns about an override that came into force: it reaches far, or others are on trial as well.
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

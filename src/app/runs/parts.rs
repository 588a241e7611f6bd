//! Lists the parts of a run's phases: agents, artifacts, dispatches or verdicts.

use schemars::JsonSchema;
use serde::Serialize;

use super::{damage, find, read};
use crate::app::Ctx;
use crate::app::answer::Answer;
use crate::app::error::AppError;
use crate::app::problem::Problem;
use crate::core::documents::{Documents, ReadError};
use crate::core::refusal::Refusal;
use crate::core::run::Run;
use crate::core::run::agent::Member;
use crate::core::run::artifact::Artifact;
use crate::core::run::dispatch::Dispatch;
use crate::core::run::index::{self, Readable};
use crate::core::run::names::{IdPrefix, PhaseName};
use crate::core::run::part::Part;
use crate::core::run::verdict::Verdict;

/// A choice of parts of a run.
pub struct Request<'r> {
    pub run: &'r IdPrefix,
    pub kind: Kind,
    /// Only those of this phase.
    pub phase: Option<&'r PhaseName>,
    /// Also those that a rollback or the end of the run has closed.
    pub all: bool,
}

/// The kinds of parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Agents,
    Artifacts,
    Dispatches,
    Verdicts,
}

/// The answer to `run agent list`, `run artifact list`, `run dispatch list` and `run verdict list`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    pub run: Run,
    #[serde(flatten)]
    pub parts: Parts,
}

/// Parts of one kind, the oldest first; artifacts and verdicts by phase.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Parts {
    Agents(Vec<Member>),
    Artifacts(Vec<Artifact>),
    Dispatches(Vec<Dispatch>),
    Verdicts(Vec<Verdict>),
}

/// Lists the parts that were chosen.
pub fn list(ctx: &Ctx, request: &Request<'_>) -> Result<Answer<Body>, Problem> {
    let reading = read(ctx)?;
    let run = find(&reading, request.run)?;
    let documents = &reading.base.snapshot;
    let Request { kind, phase, all, .. } = *request;
    let (parts, damaged) = match kind {
        Kind::Agents => listed(parts(documents, &run, phase, all)?, Parts::Agents),
        Kind::Artifacts => listed(parts(documents, &run, phase, all)?, Parts::Artifacts),
        Kind::Dispatches => listed(parts(documents, &run, phase, all)?, Parts::Dispatches),
        Kind::Verdicts => listed(parts(documents, &run, phase, all)?, Parts::Verdicts),
    };
    Ok(Answer::read(Body { run, parts }, reading.now).noting(damage(&damaged)))
}

fn listed<T>(readable: Readable<T>, parts: fn(Vec<T>) -> Parts) -> (Parts, Vec<ReadError>) {
    (parts(readable.found), readable.damaged)
}

/// Reads the parts of a run that count, or all of them, by the directories that have them.
pub(super) fn parts<T: Part>(
    documents: &dyn Documents,
    run: &Run,
    phase: Option<&PhaseName>,
    all: bool,
) -> Result<Readable<T>, AppError> {
    let places = match phase {
        None => (0..run.phases.names().len()).collect(),
        Some(phase) => vec![run.place_of(phase).map_err(Refusal::from)?],
    };
    let is_wanted =
        |part: &T| (all || part.counts()) && phase.is_none_or(|wanted| wanted == part.phase());
    let mut readable = Readable { found: Vec::new(), damaged: Vec::new() };
    for dir in T::dirs(run, &places) {
        let Readable { mut found, damaged } = index::readable::<T>(documents, &dir)?;
        found.retain(is_wanted);
        found.sort_by(|one, other| one.age().cmp(&other.age()));
        readable.found.extend(found);
        readable.damaged.extend(damaged);
    }
    Ok(readable)
}

/// Reads every part of a run, also those that do not count.
pub(super) fn all_parts<T: Part>(documents: &dyn Documents, run: &Run) -> Result<Vec<T>, AppError> {
    Ok(parts(documents, run, None, true)?.found)
}

//! One run as a whole: what happened, where it stands, what is next.

use schemars::JsonSchema;
use serde::Serialize;

use crate::app::answer::Answer;
use crate::app::error::AppError;
use crate::app::problem::Problem;
use crate::app::runs::parts::all_parts;
use crate::app::runs::{Ahead, ahead, find, read};
use crate::app::view::HoldView;
use crate::app::{Ctx, Reading, reservations};
use crate::core::documents::Documents;
use crate::core::run::agent::Member;
use crate::core::run::artifact::Artifact;
use crate::core::run::dispatch::{Cause, Dispatch};
use crate::core::run::names::{
    ArtifactId, DispatchId, IdPrefix, MemberId, PhaseName, RunId, VerdictId,
};
use crate::core::run::phase::{self, Tally, Visit};
use crate::core::run::record::{self, Record};
use crate::core::run::rollback::Completion;
use crate::core::run::rollback_record::RollbackRecord;
use crate::core::run::skip::{self, Skip};
use crate::core::run::verdict::Verdict;
use crate::core::run::{Run, dependencies, index};

/// The answer to `run show`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    pub run: Run,
    /// Its phases in order.
    pub phases: Vec<PhaseShown>,
    /// What happened, in order.
    pub timeline: Vec<Moment>,
    /// Each time that it was completed, rolled back since or not.
    pub completions: Vec<Completion>,
    /// The runs that are parts of it.
    pub children: Vec<Run>,
    /// The runs that it waits for.
    pub upstreams: Vec<Run>,
    /// The reservations that are made for it.
    pub reservations: Vec<HoldView>,
    /// The gate before the next phase; absent once the run is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<Ahead>,
}

/// A phase of a run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Phase")]
pub struct PhaseShown {
    #[serde(flatten)]
    pub tally: Tally,
    #[serde(rename = "phase")]
    pub name: PhaseName,
    /// Why the run passes over it, if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skip: Option<Skip>,
}

/// Something that happened to a run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Moment {
    /// It was at a phase.
    Visit {
        #[serde(flatten)]
        visit: Visit,
        phase: PhaseName,
    },
    /// A gate was asked.
    Gate(Record),
    /// It went back.
    Rollback {
        #[serde(flatten)]
        rollback: RollbackRecord,
        #[serde(flatten)]
        taken: TakenAlong,
    },
}

/// What a rollback took along.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TakenAlong {
    /// Artifacts that do not count since.
    pub artifacts: Vec<ArtifactId>,
    /// Verdicts that do not count since.
    pub verdicts: Vec<VerdictId>,
    /// Dispatches that it cancelled.
    pub dispatches: Vec<DispatchId>,
    /// Agents that it failed.
    pub agents: Vec<MemberId>,
}

impl Moment {
    /// Orders visits by the run's steps, then what gates said in each and how it ended.
    fn order(&self) -> (u32, u8) {
        match self {
            Moment::Visit { visit, .. } => (visit.step, 0),
            Moment::Gate(record) => (record.step, 1),
            Moment::Rollback { rollback, .. } => (rollback.step, 2),
        }
    }
}

/// Looks at the run whose id begins so.
pub fn show(ctx: &Ctx, prefix: &IdPrefix) -> Result<Answer<Body>, Problem> {
    let reading = read(ctx)?;
    let run = find(&reading, prefix)?;
    Ok(Answer::read(body(ctx, &reading, run)?, reading.now))
}

fn body(ctx: &Ctx, reading: &Reading<'_>, run: Run) -> Result<Body, AppError> {
    let documents = &reading.base.snapshot;
    let mut phases = Vec::new();
    let mut timeline = Vec::new();
    for (place, name) in run.phases.names().iter().enumerate() {
        let visits: Vec<Visit> = index::all(documents, &phase::visits(&run, place))?;
        timeline
            .extend(visits.into_iter().map(|visit| Moment::Visit { visit, phase: name.clone() }));
        let records: Vec<Record> = index::all(documents, &record::records(&run, place))?;
        timeline.extend(records.into_iter().map(Moment::Gate));
        phases.push(PhaseShown {
            name: name.clone(),
            tally: Tally::of(documents, &run, place)?,
            skip: skip::of(documents, &run, place)?,
        });
    }
    timeline.extend(rollbacks(documents, &run)?);
    timeline.sort_by_key(Moment::order);
    let children = dependencies::children(documents, &run)?;
    let holds = reservations::of_run(ctx, run.id.as_str())?;
    Ok(Body {
        phases,
        timeline,
        completions: Completion::of_run(documents, &run)?,
        children: runs(documents, &children)?,
        upstreams: runs(documents, &run.after)?,
        reservations: HoldView::all(holds, reading.now),
        next: ahead(documents, &run)?,
        run,
    })
}

/// Finds every rollback with what it took along. A run that never went back is not searched for
/// that.
fn rollbacks(documents: &dyn Documents, run: &Run) -> Result<Vec<Moment>, AppError> {
    let rollbacks = RollbackRecord::of_run(documents, run)?;
    if rollbacks.is_empty() {
        return Ok(Vec::new());
    }
    let mut taken = vec![TakenAlong::default(); rollbacks.len()];
    let by = |phase: &PhaseName, step: u32| {
        rollbacks.iter().position(|rollback| rollback.took(phase, step))
    };
    for artifact in all_parts::<Artifact>(documents, run)? {
        if let Some(number) = by(&artifact.phase, artifact.step) {
            taken[number].artifacts.push(artifact.id);
        }
    }
    for verdict in all_parts::<Verdict>(documents, run)? {
        if let Some(number) = by(&verdict.phase, verdict.step) {
            taken[number].verdicts.push(verdict.id);
        }
    }
    for dispatch in all_parts::<Dispatch>(documents, run)? {
        let is_cancelled =
            dispatch.cancelled.as_ref().is_some_and(|one| one.cause == Cause::Rollback);
        if let Some(number) = by(&dispatch.phase, dispatch.step).filter(|_| is_cancelled) {
            taken[number].dispatches.push(dispatch.id);
        }
    }
    for member in all_parts::<Member>(documents, run)? {
        // One of another phase can be failed too, if all are: by whom is told by when.
        let failed_with = |rollback: &RollbackRecord| {
            let ended_then = member.ended_at == Some(rollback.at);
            member.because.is_some() && ended_then && member.step <= rollback.step
        };
        if let Some(number) = rollbacks.iter().position(failed_with) {
            taken[number].agents.push(member.id);
        }
    }
    let moment = |(rollback, taken)| Moment::Rollback { rollback, taken };
    Ok(rollbacks.into_iter().zip(taken).map(moment).collect())
}

fn runs(documents: &dyn Documents, ids: &[RunId]) -> Result<Vec<Run>, AppError> {
    let mut runs = Vec::new();
    for id in ids {
        runs.extend(index::by_id(documents, id)?);
    }
    Ok(runs)
}

//! Shows one run as a whole: its history, its state and its next gate.

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
    /// Visits of phases, decisions of gates and rollbacks, in order.
    pub timeline: Vec<Moment>,
    /// Each time that it was completed, including those before a rollback.
    pub completions: Vec<Completion>,
    /// The runs that are parts of it.
    pub children: Vec<Run>,
    /// The runs that it waits for.
    pub upstreams: Vec<Run>,
    /// The live reservations for it.
    pub reservations: Vec<HoldView>,
    /// The gate before the next phase; absent once the run is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ahead: Option<Ahead>,
}

/// A phase of a run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Phase")]
pub struct PhaseShown {
    #[serde(flatten)]
    pub tally: Tally,
    #[serde(rename = "phase")]
    pub name: PhaseName,
    /// The reason why it is skipped; absent if it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skip: Option<Skip>,
}

/// An event in the history of a run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Moment {
    /// It was at a phase.
    Visit {
        #[serde(flatten)]
        visit: Visit,
        phase: PhaseName,
    },
    /// A gate was evaluated.
    Gate(Record),
    /// It was rolled back.
    Rollback {
        #[serde(flatten)]
        rollback: RollbackRecord,
        #[serde(flatten)]
        taken: TakenAlong,
    },
}

/// The parts of a run that a rollback closed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TakenAlong {
    /// The ids of artifacts that no longer count.
    pub artifacts: Vec<ArtifactId>,
    /// The ids of verdicts that no longer count.
    pub verdicts: Vec<VerdictId>,
    /// The ids of dispatches that it cancelled.
    pub dispatches: Vec<DispatchId>,
    /// The ids of the work of agents that it failed.
    pub agents: Vec<MemberId>,
}

impl Moment {
    /// Orders by the run's steps; in each step come the visit, then its gates, then its end.
    fn order(&self) -> (u32, u8) {
        match self {
            Moment::Visit { visit, .. } => (visit.step, 0),
            Moment::Gate(record) => (record.step, 1),
            Moment::Rollback { rollback, .. } => (rollback.step, 2),
        }
    }
}

/// Shows a run, which is named by the beginning of its id.
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
        ahead: ahead(documents, &run)?,
        run,
    })
}

/// Finds every rollback with the parts that it closed. A run without a rollback is not searched.
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
        // A rollback may fail the agents of other phases too, so the time tells which rollback it
        // was.
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

//! One run as a whole: what happened, where it stands, what is next.

use crate::app::error::AppError;
use crate::app::runs::{Ahead, Wanted, agents, ahead, artifacts, dispatches, find, read, verdicts};
use crate::app::{Ctx, reservations};
use crate::core::documents::Documents;
use crate::core::reservation::Hold;
use crate::core::run::dispatch::Cause;
use crate::core::run::given_up::Rollback;
use crate::core::run::names::{
    ArtifactId, DispatchId, IdPrefix, MemberId, PhaseName, RunId, VerdictId,
};
use crate::core::run::phase::{self, Tally, Visit};
use crate::core::run::record::{self, Record};
use crate::core::run::rollback::Completion;
use crate::core::run::skip::{self, Skip};
use crate::core::run::{Run, index, portfolio};
use crate::core::time::Timestamp;

/// A run as a whole.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The run.
    pub run: Run,
    /// Its phases in order.
    pub phases: Vec<PhaseShown>,
    /// What happened, in order.
    pub timeline: Vec<Moment>,
    /// When it was completed, rolled back since or not.
    pub completions: Vec<Completion>,
    /// The runs that are parts of it.
    pub children: Vec<Run>,
    /// The runs that it waits for.
    pub upstreams: Vec<Run>,
    /// What is reserved for it.
    pub holds: Vec<Hold>,
    /// What is next.
    pub ahead: Option<Ahead>,
    /// The time that counts.
    pub now: Timestamp,
}

/// One phase of it.
#[derive(Clone, Debug)]
pub struct PhaseShown {
    /// Which.
    pub name: PhaseName,
    /// What is in it.
    pub tally: Tally,
    /// Why it is passed over, if it is.
    pub skip: Option<Skip>,
}

/// Something that happened to a run.
#[derive(Clone, Debug)]
pub enum Moment {
    /// It was at a phase.
    Visit(PhaseName, Visit),
    /// A gate was asked.
    Gate(Record),
    /// It went back.
    Rollback(Rollback, TakenAlong),
}

/// What a rollback took along.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    /// Visits in the order of the run's steps, then what gates said in each and how it ended.
    fn order(&self) -> (u32, u8) {
        match self {
            Moment::Visit(_, visit) => (visit.step, 0),
            Moment::Gate(record) => (record.step, 1),
            Moment::Rollback(rollback, _) => (rollback.step, 2),
        }
    }
}

/// Looks at the run whose id begins so.
pub fn show(ctx: &Ctx, prefix: &IdPrefix) -> Result<Shown, AppError> {
    let reading = read(ctx)?;
    let run = find(&reading, prefix)?;
    let documents = &reading.base.snapshot;
    let mut phases = Vec::new();
    let mut timeline = Vec::new();
    for (place, name) in run.phases.names().iter().enumerate() {
        let visits: Vec<Visit> = index::all(documents, &phase::visits(&run, place))?;
        timeline.extend(visits.into_iter().map(|visit| Moment::Visit(name.clone(), visit)));
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
    let children = portfolio::children(documents, &run)?;
    let holds = reservations::of_run(ctx, run.id.as_str())?;
    Ok(Shown {
        phases,
        timeline,
        completions: Completion::of_run(documents, &run)?,
        children: runs(documents, &children)?,
        upstreams: runs(documents, &run.after)?,
        holds,
        ahead: ahead(documents, &run)?,
        now: reading.now,
        run,
    })
}

/// Every rollback with what it took along. A run that never went back is not searched for that.
fn rollbacks(documents: &dyn Documents, run: &Run) -> Result<Vec<Moment>, AppError> {
    let rollbacks = Rollback::of_run(documents, run)?;
    if rollbacks.is_empty() {
        return Ok(Vec::new());
    }
    let mut taken = vec![TakenAlong::default(); rollbacks.len()];
    let by = |phase: &PhaseName, step: u32| {
        rollbacks.iter().position(|rollback| rollback.took(phase, step))
    };
    let everything = Wanted { phase: None, all: true };
    for artifact in artifacts(documents, run, &everything)?.found {
        if let Some(number) = by(&artifact.phase, artifact.step) {
            taken[number].artifacts.push(artifact.id);
        }
    }
    for verdict in verdicts(documents, run, &everything)?.found {
        if let Some(number) = by(&verdict.phase, verdict.step) {
            taken[number].verdicts.push(verdict.id);
        }
    }
    for dispatch in dispatches(documents, run, &everything)?.found {
        let is_cancelled =
            dispatch.cancelled.as_ref().is_some_and(|one| one.cause == Cause::Rollback);
        if let Some(number) = by(&dispatch.phase, dispatch.step).filter(|_| is_cancelled) {
            taken[number].dispatches.push(dispatch.id);
        }
    }
    for member in agents(documents, run, &everything)?.found {
        // One of another phase can be failed too, if all are: by whom is told by when.
        let failed_with = |rollback: &Rollback| {
            let ended_then = member.ended_at == Some(rollback.at);
            member.because.is_some() && ended_then && member.step <= rollback.step
        };
        if let Some(number) = rollbacks.iter().position(failed_with) {
            taken[number].agents.push(member.id);
        }
    }
    Ok(rollbacks.into_iter().zip(taken).map(|(one, took)| Moment::Rollback(one, took)).collect())
}

fn runs(documents: &dyn Documents, ids: &[RunId]) -> Result<Vec<Run>, AppError> {
    let mut runs = Vec::new();
    for id in ids {
        runs.extend(index::by_id(documents, id)?);
    }
    Ok(runs)
}

//! One run as a whole: what happened, where it stands, what is next.

use crate::app::error::AppError;
use crate::app::runs::{Ahead, ahead, find, read};
use crate::app::{Ctx, reservations};
use crate::core::documents::Documents;
use crate::core::reservation::Hold;
use crate::core::run::names::{IdPrefix, PhaseName};
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
}

impl Moment {
    /// Visits in the order of the run's steps, and what gates said after the visit it belongs to.
    fn order(&self) -> (u32, bool) {
        match self {
            Moment::Visit(_, visit) => (visit.step, false),
            Moment::Gate(record) => (record.step, true),
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

fn runs(
    documents: &dyn Documents,
    ids: &[crate::core::run::names::RunId],
) -> Result<Vec<Run>, AppError> {
    let mut runs = Vec::new();
    for id in ids {
        runs.extend(index::by_id(documents, id)?);
    }
    Ok(runs)
}

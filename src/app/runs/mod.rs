//! Questions about runs. What changes them goes through [`Ctx::transact`].

pub mod cancelled;
pub mod code;
pub mod gates;
pub mod named;
pub mod replay;
pub mod show;

use crate::app::error::AppError;
use crate::app::{Ctx, Reading};
use crate::core::documents::{Documents, ReadError};
use crate::core::run::advance;
use crate::core::run::agent::{Member, MemberStatus};
use crate::core::run::artifact::{Artifact, ContentHash};
use crate::core::run::dispatch::{Dispatch, DispatchStatus};
use crate::core::run::gate::{self, Evidence};
use crate::core::run::index::{self, Readable};
use crate::core::run::names::{IdPrefix, PhaseName};

use crate::core::ledger::LedgerName;
use crate::core::run::record::{self, Record, Signals};
use crate::core::run::verdict::Verdict;
use crate::core::run::{Run, Standing, Status};

/// The runs now.
pub fn read(ctx: &Ctx) -> Result<Reading<'_>, AppError> {
    ctx.read_ledger(LedgerName::Runs)
}

/// The run whose id begins so.
pub fn find(reading: &Reading<'_>, prefix: &IdPrefix) -> Result<Run, AppError> {
    Ok(index::select(&reading.base.snapshot, prefix)?)
}

/// Whoever moves a run means the run as they see it: its id, and the phase that it is at, unless
/// they say which they expect. If it is elsewhere when the move is written, somebody was faster.
pub fn seen(
    ctx: &Ctx,
    prefix: &IdPrefix,
    expected: Option<&PhaseName>,
) -> Result<(IdPrefix, PhaseName), AppError> {
    let run = find(&read(ctx)?, prefix)?;
    Ok((named::prefix(&run.id), expected.unwrap_or(&run.phase).clone()))
}

/// The active runs, or all, the newest first.
pub fn list(ctx: &Ctx, all: bool) -> Result<Readable<Run>, AppError> {
    let reading = read(ctx)?;
    let documents = &reading.base.snapshot;
    let mut runs = if all { index::every_run(documents)? } else { index::active_runs(documents)? };
    runs.found.sort_by(|one, other| (other.created_at, &other.id).cmp(&(one.created_at, &one.id)));
    Ok(runs)
}

/// The active run that was made last.
pub fn current(ctx: &Ctx) -> Result<Run, AppError> {
    let runs = list(ctx, false)?.found.into_iter();
    let newest = runs.max_by_key(|run| (run.created_at, run.id.clone()));
    newest.ok_or_else(|| AppError::nothing("no_run", "no run is active"))
}

/// What stands between a run and its next phase.
#[derive(Clone, Debug)]
pub struct Ahead {
    /// The next phase that is not skipped.
    pub to: PhaseName,
    /// What the gate says.
    pub evidence: Vec<Evidence>,
}

impl Ahead {
    /// Whether the gate is open.
    pub fn is_open(&self) -> bool {
        self.evidence.iter().all(|evidence| evidence.passed)
    }
}

/// Asks the gate of an active run, as an advance would; none for a run that goes nowhere.
pub fn ahead(documents: &dyn Documents, run: &Run) -> Result<Option<Ahead>, ReadError> {
    if run.status != Status::Active {
        return Ok(None);
    }
    let to = advance::next(documents, run)?;
    let evidence = gate::evaluate(documents, run, run.place(), to)?;
    Ok(Some(Ahead { to: run.phases.at(to).clone(), evidence }))
}

/// How right the gates of a run were, by the phase before each.
pub fn signals(
    documents: &dyn Documents,
    run: &Run,
) -> Result<Vec<(PhaseName, Signals)>, AppError> {
    let mut found = Vec::new();
    for (place, phase) in run.phases.names().iter().enumerate() {
        let records: Vec<Record> = index::all(documents, &record::records(run, place))?;
        if !records.is_empty() {
            found.push((phase.clone(), record::signals(&records)));
        }
    }
    Ok(found)
}

/// Which parts of a run are wanted.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Only of this phase.
    pub phase: Option<PhaseName>,
    /// Also what was rolled back.
    pub all: bool,
}

impl Wanted {
    fn is_of_phase(&self, phase: &PhaseName) -> bool {
        self.phase.as_ref().is_none_or(|wanted| wanted == phase)
    }

    fn places(&self, run: &Run) -> Result<Vec<usize>, AppError> {
        match &self.phase {
            None => Ok((0..run.phases.names().len()).collect()),
            Some(phase) => {
                let place = run.place_of(phase).map_err(crate::core::refusal::Refusal::from)?;
                Ok(vec![place])
            }
        }
    }
}

/// The artifacts of a run, by phase and age.
pub fn artifacts(
    documents: &dyn Documents,
    run: &Run,
    wanted: &Wanted,
) -> Result<Readable<Artifact>, AppError> {
    let mut all = Readable { found: Vec::new(), damaged: Vec::new() };
    for place in wanted.places(run)? {
        let Readable { mut found, damaged } =
            index::readable::<Artifact>(documents, &index::artifacts(run, place))?;
        found.retain(|artifact| wanted.all || artifact.status == Standing::Active);
        found.sort_by(|one, other| (one.at, &one.id).cmp(&(other.at, &other.id)));
        all.found.extend(found);
        all.damaged.extend(damaged);
    }
    Ok(all)
}

/// The verdicts of a run, by phase and age.
pub fn verdicts(
    documents: &dyn Documents,
    run: &Run,
    wanted: &Wanted,
) -> Result<Readable<Verdict>, AppError> {
    let mut all = Readable { found: Vec::new(), damaged: Vec::new() };
    for place in wanted.places(run)? {
        let Readable { mut found, damaged } =
            index::readable::<Verdict>(documents, &index::verdicts(run, place))?;
        found.retain(|verdict| wanted.all || verdict.status == Standing::Active);
        found.sort_by(|one, other| (one.at, &one.id).cmp(&(other.at, &other.id)));
        all.found.extend(found);
        all.damaged.extend(damaged);
    }
    Ok(all)
}

/// The dispatches of a run, the oldest first.
pub fn dispatches(
    documents: &dyn Documents,
    run: &Run,
    wanted: &Wanted,
) -> Result<Readable<Dispatch>, AppError> {
    wanted.places(run)?;
    let mut all = index::readable::<Dispatch>(documents, &index::dispatches(&run.id))?;
    all.found.retain(|dispatch| {
        (wanted.all || dispatch.status != DispatchStatus::Cancelled)
            && wanted.is_of_phase(&dispatch.phase)
    });
    all.found.sort_by(|one, other| (one.at, &one.id).cmp(&(other.at, &other.id)));
    Ok(all)
}

/// The agents of a run, the oldest first.
pub fn agents(
    documents: &dyn Documents,
    run: &Run,
    wanted: &Wanted,
) -> Result<Readable<Member>, AppError> {
    wanted.places(run)?;
    let mut all = index::readable::<Member>(documents, &index::agents(&run.id))?;
    all.found.retain(|member| {
        let counts = member.status != MemberStatus::Failed || member.because.is_none();
        (wanted.all || counts) && wanted.is_of_phase(&member.phase)
    });
    all.found.sort_by(|one, other| (one.at, &one.id).cmp(&(other.at, &other.id)));
    Ok(all)
}

/// What a file of the work tree holds, if there is one.
pub fn content_of(ctx: &Ctx, path: &[u8]) -> Result<Option<ContentHash>, AppError> {
    let digest = ctx.repository().sha256_of(path)?;
    Ok(digest.map(|digest| digest.try_into().expect("a digest is one")))
}

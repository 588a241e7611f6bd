//! Runs: one file a verb, each with its request, its answer and its function.

pub mod advance;
pub mod agent;
pub mod artifact;
pub mod budget;
mod cancelled;
pub mod code;
pub mod create;
pub mod current;
pub mod dispatch;
pub mod end;
pub mod gate;
mod gates;
pub mod list;
pub mod named;
pub mod parts;
pub mod replay;
pub mod rollback;
pub mod set;
pub mod show;
pub mod skip;
pub mod verdict;

use schemars::JsonSchema;
use serde::Serialize;

use crate::app::answer::Note;
use crate::app::error::AppError;
use crate::app::problem::Problem;
use crate::app::{Ctx, Reading, WriteMode};
use crate::core::command::Command;
use crate::core::decision::Decide;
use crate::core::documents::{Documents, ReadError};
use crate::core::ledger::LedgerName;
use crate::core::run::advance::next;
use crate::core::run::gate::{Evidence, evaluate};
use crate::core::run::index::{self, Readable};
use crate::core::run::names::{IdPrefix, PhaseName};
use crate::core::run::{Run, Status};
use crate::store::ledger::transact::Committed;

/// Reads the runs as they are now.
pub fn read(ctx: &Ctx) -> Result<Reading<'_>, AppError> {
    ctx.read_ledger(LedgerName::Runs)
}

/// Finds a run by the beginning of its id.
pub fn find(reading: &Reading<'_>, prefix: &IdPrefix) -> Result<Run, AppError> {
    Ok(index::select(&reading.base.snapshot, prefix)?)
}

/// Resolves a request about a phase of a run: the full id, and the phase that the caller names or
/// else the present one. If the run has left that phase when a move is written, another agent was
/// faster.
fn seen(
    ctx: &Ctx,
    prefix: &IdPrefix,
    expected: Option<&PhaseName>,
) -> Result<(IdPrefix, PhaseName), AppError> {
    let run = find(&read(ctx)?, prefix)?;
    Ok((named::prefix(&run.id), expected.unwrap_or(&run.phase).clone()))
}

/// Writes a command about runs. If it is refused because another agent has ended a dispatch, the
/// problem names the event of that.
fn transact<C>(ctx: &Ctx, command: C) -> Result<Committed<C::Answer>, Problem>
where
    C: Decide + Clone + Into<Command>,
{
    let committed = ctx.transact(LedgerName::Runs, command, WriteMode::Plain);
    committed.map_err(|error| cancelled::problem(ctx, error))
}

/// Warns of each document that cannot be read, while the rest is shown.
fn damage(damaged: &[ReadError]) -> impl Iterator<Item = Note> {
    damaged.iter().map(|error| Note::warning(error.to_string()))
}

/// Reads the active runs, or all, the newest first.
pub fn list(ctx: &Ctx, all: bool) -> Result<Readable<Run>, AppError> {
    let reading = read(ctx)?;
    let documents = &reading.base.snapshot;
    let mut runs = if all { index::every_run(documents)? } else { index::active_runs(documents)? };
    runs.found.sort_by(|one, other| (other.created_at, &other.id).cmp(&(one.created_at, &one.id)));
    Ok(runs)
}

/// The gate between a run and its next phase.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "GateAhead")]
pub struct Ahead {
    /// The next phase that is not skipped.
    #[serde(rename = "to_phase")]
    pub to: PhaseName,
    /// True if the gate is open.
    pub open: bool,
    /// The findings of the gate.
    pub evidence: Vec<Evidence>,
}

/// Evaluates the gate of an active run as an advance would; none for a run that has no next phase.
pub fn ahead(documents: &dyn Documents, run: &Run) -> Result<Option<Ahead>, ReadError> {
    if run.status != Status::Active {
        return Ok(None);
    }
    let to = next(documents, run)?;
    let evidence = evaluate(documents, run, run.place(), to)?;
    let open = evidence.iter().all(|evidence| evidence.passed);
    Ok(Some(Ahead { to: run.phases.at(to).clone(), open, evidence }))
}

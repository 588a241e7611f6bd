//! Keeps refused requests on the record, with `coord.recordConflicts`.

use crate::app::error::AppError;
use crate::app::{Ctx, WriteMode};
use crate::core::ledger::LedgerName;
use crate::core::refusal::Conflict;
use crate::core::reservation::conflict::{Met, RECORDED_MAX, RecordConflict};
use crate::core::reservation::reserve::{Reserve, Reserved};
use crate::store::ledger::transact::Committed;

/// Records the conflicts of a request, if it had any and the user wants them recorded. A record
/// that cannot be written changes nothing about the answer.
pub(super) fn record(
    ctx: &Ctx,
    request: &Reserve,
    outcome: &Result<Committed<Reserved>, AppError>,
) {
    if !ctx.settings().record_conflicts {
        return;
    }
    let conflicts: &[Conflict] = match outcome {
        Ok(committed) if !committed.answer.replayed => &committed.answer.conflicts,
        Err(AppError::Held { conflicts, .. }) => conflicts,
        _ => &[],
    };
    if conflicts.is_empty() {
        return;
    }
    let met = conflicts.iter().take(RECORDED_MAX);
    let met =
        met.map(|Conflict { target, held }| Met { target: target.clone(), hold: held.id.clone() });
    let command = RecordConflict { met: met.collect(), about: request.about.clone() };
    ctx.transact(LedgerName::Reservations, command, WriteMode::Plain).ok();
}

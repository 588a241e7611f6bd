//! The event that tells of a dispatch which somebody else has ended.

use crate::app::Ctx;
use crate::app::error::AppError;
use crate::core::ledger::LedgerName;
use crate::core::run::facts;
use crate::core::run::names::{DispatchId, RunId};
use crate::store::git::object::ObjectId;
use crate::store::ledger::entry::Entry;
use crate::store::ledger::history::{Past, PastEntry};

/// Where an event stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The place in the chain.
    pub seq: u64,
    /// The entry that has it.
    pub entry: ObjectId,
}

/// Where it is told that a dispatch was cancelled; none where that is not in this clone.
pub fn told_at(ctx: &Ctx, run: &RunId, dispatch: &DispatchId) -> Result<Option<Place>, AppError> {
    let ledger = ctx.ledger(LedgerName::Runs)?;
    for item in Past::from(&ledger, ledger.now()?.id()) {
        let PastEntry { id, entry, .. } = item?;
        if let Some(seq) = place_in(&entry, run, dispatch) {
            return Ok(Some(Place { seq, entry: id }));
        }
    }
    Ok(None)
}

fn place_in(entry: &Entry, run: &RunId, dispatch: &DispatchId) -> Option<u64> {
    let events = &entry.message.events;
    let at = events.iter().position(|event| {
        event.kind == facts::DISPATCH_CANCELLED
            && event.subject.as_deref() == Some(dispatch.as_str())
            && event.text("run") == Some(run.as_str())
    })?;
    Some((entry.message.counters.seq + 1).saturating_sub((events.len() - at) as u64))
}

//! Finds the event of a dispatch that another agent has ended.

use serde_json::{Value, json};

use crate::app::Ctx;
use crate::app::error::AppError;
use crate::app::problem::{Hint, Problem};
use crate::core::ledger::LedgerName;
use crate::core::refusal::Refusal as AnyRefusal;
use crate::core::run::events;
use crate::core::run::names::{DispatchId, RunId};
use crate::core::run::refusal::Refusal;
use crate::store::git::object::ObjectId;
use crate::store::ledger::entry::Entry;
use crate::store::ledger::history::{Past, PastEntry};

/// The place of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    /// Its number in the chain.
    seq: u64,
    /// The entry that has it.
    entry: ObjectId,
}

/// Explains an error. If another agent has ended a dispatch, the problem names the event of that.
pub(super) fn problem(ctx: &Ctx, error: AppError) -> Problem {
    let place = match &error {
        AppError::Refused(AnyRefusal::Run(Refusal::DispatchCancelled {
            run, dispatch, ..
        })) => {
            // The refusal counts even if the event cannot be read.
            find_event(ctx, run, dispatch).ok().flatten()
        }
        _ => None,
    };
    let mut problem = Problem::from(error);
    if let Some(Place { seq, entry }) = place
        && let Some(event) = problem.details.get_mut("event")
    {
        event["seq"] = json!(seq);
        event["ledger"] = json!(LedgerName::Runs.as_str());
        event["entry"] = json!(entry.to_string());
        let text = |value: &Value| value.as_str().unwrap_or("?").to_owned();
        let (kind, by, at) = (text(&event["type"]), text(&event["actor"]), text(&event["at"]));
        let hint = format!("event {seq} of {}: {kind} by {by} at {at}", LedgerName::Runs);
        problem = problem.with_hint(Hint::plain(hint));
    }
    problem
}

/// Finds the event that cancelled a dispatch; none if this clone does not have it.
fn find_event(ctx: &Ctx, run: &RunId, dispatch: &DispatchId) -> Result<Option<Place>, AppError> {
    let ledger = ctx.ledger(LedgerName::Runs);
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
        event.kind == events::DISPATCH_CANCELLED
            && event.subject.as_deref() == Some(dispatch.as_str())
            && event.text("run") == Some(run.as_str())
    })?;
    Some((entry.message.counters.seq + 1).saturating_sub((events.len() - at) as u64))
}

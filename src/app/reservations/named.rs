//! Expands the beginnings of ids that people type, and finds the holds of others that the caller
//! acts on, before they are recorded: an entry must mean the same on every state.

use crate::app::Ctx;
use crate::app::error::AppError;
use crate::core::ids::{HoldId, HoldIdPrefix};
use crate::core::refusal::Refusal;
use crate::core::reservation::select::{self, Named, Selection};
use crate::core::reservation::{Hold, index};

/// The ids that were typed.
pub struct Typed {
    /// The full ids of reservations.
    pub ids: Vec<HoldIdPrefix>,
    /// The beginnings that fit no reservation.
    pub missing: Vec<HoldIdPrefix>,
}

/// Turns an id into a prefix.
pub fn prefix(id: &HoldId) -> HoldIdPrefix {
    id.as_str().parse().expect("an id is the beginning of itself")
}

/// Finds the full ids of reservations.
pub fn ids(ctx: &Ctx, typed: &[HoldIdPrefix]) -> Result<Typed, AppError> {
    let (whole, short): (Vec<_>, Vec<_>) =
        typed.iter().cloned().partition(|id| id.as_str().parse::<HoldId>().is_ok());
    let mut found = Typed { ids: whole, missing: Vec::new() };
    if short.is_empty() {
        return Ok(found);
    }
    let reading = ctx.read()?;
    for prefix_typed in short {
        match index::with_prefix(&reading.base.snapshot, &prefix_typed)?.as_slice() {
            [] => found.missing.push(prefix_typed),
            [only] => found.ids.push(prefix(only)),
            several => {
                let ids = several.to_vec();
                return Err(Refusal::Ambiguous { prefix: prefix_typed, ids }.into());
            }
        }
    }
    Ok(found)
}

/// Finds the holds of other agents that a selection means now.
pub fn of_others(ctx: &Ctx, which: &Selection) -> Result<Vec<HoldId>, AppError> {
    let reading = ctx.read()?;
    let documents = &reading.base.snapshot;
    let mut holds = Vec::new();
    for found in select::by_ids(documents, &which.ids)? {
        if let Named::Hold(hold) = found {
            holds.push(*hold);
        }
    }
    for name in &which.locks {
        holds.extend(select::by_lock(documents, name)?);
    }
    let by_path = select::by_paths(documents, which, reading.case, |_| true)?;
    holds.extend(by_path.inside.into_iter().chain(by_path.wider));
    holds.retain(|hold: &Hold| !ctx.actor().covers(&hold.holder));
    Ok(select::once(holds).into_iter().map(|hold| hold.id).collect())
}

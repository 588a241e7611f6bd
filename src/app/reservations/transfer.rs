//! Hands reservations over to another agent.

use std::ffi::OsString;

use schemars::JsonSchema;
use serde::Serialize;

use super::release::ids;
use crate::app::answer::Answer;
use crate::app::problem::Problem;
use crate::app::{Ctx, specs};
use crate::core::ids::{AgentName, HoldId, HoldIdPrefix, LockName};
use crate::core::ledger::LedgerName;
use crate::core::reservation::Hold;
use crate::core::reservation::select::Selection;
use crate::core::reservation::transfer::Transfer;
use crate::core::text::Line;

/// Reservations that are to change hands. Without a name, everything that the agent holds.
pub struct Request<'r> {
    pub ids: &'r [HoldIdPrefix],
    /// Those equal to or inside these paths, relative to where the caller stands.
    pub paths: &'r [OsString],
    pub locks: &'r [LockName],
    /// The present holder; the caller where it is not said.
    pub from: Option<&'r AgentName>,
    pub to: &'r AgentName,
    /// The reason to hand over also what another agent holds.
    pub force: Option<&'r Line>,
}

/// The answer to `transfer`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    /// How many reservations changed hands.
    pub transferred: usize,
    /// Their ids.
    pub ids: Vec<HoldId>,
    /// The holder before, for people.
    #[serde(skip)]
    pub from: AgentName,
    /// The reservations themselves, for people.
    #[serde(skip)]
    pub holds: Vec<Hold>,
}

/// Hands over all reservations that were named, or none.
pub fn transfer(ctx: &Ctx, request: &Request<'_>) -> Result<Answer<Body>, Problem> {
    let from = request.from.unwrap_or_else(|| ctx.actor()).clone();
    let command = Transfer {
        from: from.clone(),
        to: request.to.clone(),
        which: Selection {
            ids: request.ids.to_vec(),
            paths: specs::named(ctx.repository(), request.paths)?,
            locks: request.locks.to_vec(),
            ..Selection::default()
        },
        force: request.force.cloned(),
    };
    let committed = ctx.transact(LedgerName::Reservations, command, None)?;
    let body = |holds: Vec<Hold>| Body { transferred: holds.len(), ids: ids(&holds), from, holds };
    Ok(Answer::committed(committed, body))
}

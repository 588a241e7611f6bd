//! Hands reservations over to another agent.

use std::ffi::OsString;

use schemars::JsonSchema;
use serde::Serialize;

use super::release::ids;
use crate::app::answer::Answer;
use crate::app::path_facts::path_facts;
use crate::app::problem::Problem;
use crate::app::reservations::named::{self, Words};
use crate::app::{Ctx, WriteMode, specs};
use crate::core::ids::{AgentName, HoldId, LockName};
use crate::core::ledger::LedgerName;
use crate::core::reservation::Hold;
use crate::core::reservation::select::Selection;
use crate::core::reservation::transfer::Transfer;
use crate::core::text::Line;

/// Reservations to transfer; everything that the agent holds if none is named.
pub struct Request<'r> {
    /// Paths, patterns, ids and beginnings of ids. A path that is held comes first.
    pub words: &'r [OsString],
    /// Paths relative to the caller's directory; reservations of them or inside of them are meant.
    pub paths: &'r [OsString],
    pub locks: &'r [LockName],
    /// The present holder; the caller if none is given.
    pub from: Option<&'r AgentName>,
    pub to: &'r AgentName,
    /// The reason for a transfer by force of what another agent holds.
    pub force: Option<&'r Line>,
}

/// The answer to `transfer`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    /// The number of reservations that were transferred.
    pub transferred: usize,
    /// The ids of these reservations.
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
    let Words { words, patterns } = named::words(ctx, request.words)?;
    let paths = specs::named(ctx.repository(), request.paths)?;
    let mut command = Transfer {
        from: from.clone(),
        to: request.to.clone(),
        which: Selection {
            words,
            facts: path_facts(ctx.repository(), &[&patterns[..], &paths].concat()),
            paths,
            locks: request.locks.to_vec(),
            ..Selection::default()
        },
        force: request.force.cloned(),
    };
    // A refusal is told by the write, which knows more of the holders in the way.
    let seen = ctx.decide_only(LedgerName::Reservations, command.clone()).ok();
    command.which.seen = seen.map(|holds| ids(&holds));
    let committed = ctx.transact(LedgerName::Reservations, command, WriteMode::Plain)?;
    let body = |holds: Vec<Hold>| Body { transferred: holds.len(), ids: ids(&holds), from, holds };
    Ok(Answer::committed(committed, body))
}

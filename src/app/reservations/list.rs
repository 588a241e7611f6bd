//! Lists reservations, and the agents that wait for some.

use std::ffi::OsString;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Filter, Listed, find, waiting};
use crate::app::answer::{Answer, Note};
use crate::app::error::AppError;
use crate::app::path_facts::path_facts;
use crate::app::problem::Problem;
use crate::app::view::HoldView;
use crate::app::{Ctx, specs};
use crate::core::bounded::Limit;
use crate::core::damage::Damage;
use crate::core::ids::{AgentName, LockName};
use crate::core::reservation::target::targets;
use crate::core::reservation::tickets::Ticket;

/// A choice of reservations.
pub struct Request<'r> {
    /// Only those of this agent, with its subagents.
    pub holder: Option<&'r AgentName>,
    /// Only the caller's own.
    pub mine: bool,
    /// Only those that overlap this path or pattern.
    pub path: Option<&'r OsString>,
    /// Only those on this named lock.
    pub lock: Option<&'r LockName>,
    /// Only named locks.
    pub locks_only: bool,
    /// Also expired ones that are not yet swept.
    pub expired_too: bool,
    /// The largest number of reservations and of waiters in the answer; fifty if absent.
    pub limit: Option<Limit>,
}

impl Request<'_> {
    /// Checks that the request says what it means.
    pub fn check(&self) -> Result<(), AppError> {
        if self.mine && self.holder.is_some() {
            return Err(AppError::usage("--mine and --holder exclude each other"));
        }
        Ok(())
    }
}

/// The answer to `list`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    /// The reservations, the soonest to end first.
    pub reservations: Vec<HoldView>,
    /// The agents that wait, the first in line first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<Ticket>,
    /// True if rows were left out because of the limit.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
    /// The number of rows that were left out, for people.
    #[serde(skip)]
    pub left_out: usize,
    /// Documents that cannot be read, and are left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub damaged: Vec<Damage>,
}

/// Lists the reservations that were chosen.
pub fn list(ctx: &Ctx, request: &Request<'_>) -> Result<Answer<Body>, Problem> {
    request.check()?;
    let paths = specs::named(ctx.repository(), request.path.map_or(&[], std::slice::from_ref))?;
    let facts = path_facts(ctx.repository(), &paths);
    let mine = request.mine.then(|| ctx.actor().clone());
    let filter = Filter {
        holder: request.holder.cloned().or(mine),
        targets: targets(&paths, request.lock.map_or(&[], std::slice::from_ref), &facts),
        locks_only: request.locks_only,
        expired_too: request.expired_too,
    };
    let Listed { mut holds, mut damaged, now } = find(ctx, &filter)?;
    let (mut waiting, tickets) = waiting(ctx, &filter)?;
    damaged.extend(tickets);
    let rows = request.limit.unwrap_or(Limit::FIFTY).rows();
    let left_out = holds.len().saturating_sub(rows) + waiting.len().saturating_sub(rows);
    holds.truncate(rows);
    waiting.truncate(rows);
    let notes = Note::of_damage(&damaged);
    let (reservations, more) = (HoldView::all(holds, now), left_out > 0);
    let body = Body { reservations, waiting, more, left_out, damaged };
    Ok(Answer::read(body, now).noting(notes))
}

//! Reservations: one file a verb, each with its request, its answer and its function. This file has
//! the queries that several verbs and the hooks share.

pub mod check;
pub mod list;
pub mod named;
pub mod release;
pub mod renew;
pub mod reserve;
pub mod sweep;
pub mod terminals;
pub mod transfer;
pub mod undo;

use crate::app::Ctx;
use crate::app::dead_holders;
use crate::app::error::AppError;
use crate::core::damage::Damage;
use crate::core::documents::{Documents, ReadError};
use crate::core::ids::AgentName;
use crate::core::pattern::Case;
use crate::core::refusal::Conflict;
use crate::core::reservation::check::{Asker, check};
use crate::core::reservation::index::{self, Whose};
use crate::core::reservation::process::{Gone, GoneHold};
use crate::core::reservation::tickets::{self, Ticket};
use crate::core::reservation::{Hold, Target};
use crate::core::time::Timestamp;

/// Finds the reservations in the way of the targets, and the time of the reading.
pub fn in_the_way(ctx: &Ctx, targets: &[Target]) -> Result<(Vec<Conflict>, Timestamp), AppError> {
    let reading = ctx.read()?;
    let place = ctx.known_place();
    let skew = ctx.skew(place.as_ref());
    let asker = Asker { skew, ..Asker::exclusive(ctx.actor(), reading.now) };
    let mut conflicts = check(&reading.base.snapshot, targets, asker, reading.case)?;
    conflicts.retain(|conflict| !dead_holders::has_ended(ctx, &conflict.held));
    Ok((conflicts, reading.now))
}

/// A choice of holds.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only those of this agent and its subagents.
    pub holder: Option<AgentName>,
    /// Only those that meet one of these targets.
    pub targets: Vec<Target>,
    /// Only those on locks.
    pub locks_only: bool,
    /// Also those that have expired and are not yet swept.
    pub expired_too: bool,
}

/// The holds that were found.
#[derive(Clone, Debug)]
pub struct Listed {
    /// The holds, the soonest to end first.
    pub holds: Vec<Hold>,
    /// Documents that cannot be read.
    pub damaged: Vec<Damage>,
    pub now: Timestamp,
}

/// Finds the reservations that pass the filter. A damaged one is reported, and hides no other.
pub fn find(ctx: &Ctx, filter: &Filter) -> Result<Listed, AppError> {
    let reading = ctx.read()?;
    let documents = &reading.base.snapshot;
    let (mut holds, damaged) = match filter.look_up(documents, reading.case) {
        Err(ReadError::Damaged { key, why }) => {
            let (mut holds, mut damaged) = index::all_readable(documents)?;
            holds.retain(|hold| filter.is_about(hold, reading.case));
            if damaged.is_empty() {
                damaged.push(Damage { key: key.to_string(), why });
            }
            (holds, damaged)
        }
        found => (found?, Vec::new()),
    };
    if !filter.expired_too {
        dead_holders::keep_live(ctx, &mut holds, reading.now);
    }
    holds.retain(|hold| {
        (!filter.locks_only || hold.target.lock().is_some())
            && filter.holder.as_ref().is_none_or(|holder| holder.covers(&hold.holder))
    });
    holds.sort_by(|one, other| (one.expires_at, &one.id).cmp(&(other.expires_at, &other.id)));
    holds.dedup_by(|one, other| one.id == other.id);
    Ok(Listed { holds, damaged, now: reading.now })
}

impl Filter {
    /// Looks up candidates in the narrowest part of the index.
    fn look_up(&self, documents: &dyn Documents, case: Case) -> Result<Vec<Hold>, ReadError> {
        match (&self.holder, self.targets.as_slice()) {
            (_, targets @ [_, ..]) => {
                let mut holds = Vec::new();
                for target in targets {
                    holds.extend(index::meeting(documents, target, case)?);
                }
                Ok(holds)
            }
            (None, []) if self.locks_only => index::on_locks(documents),
            (Some(holder), []) => index::of_agent(documents, holder, Whose::Session),
            (None, []) => index::all(documents),
        }
    }

    /// Tells whether a reservation meets one of the targets; without targets, all do.
    fn is_about(&self, hold: &Hold, case: Case) -> bool {
        let reach = hold.target.reach(case);
        let meets = |target: &Target| target.reach(case).meets(&reach);
        self.targets.is_empty() || self.targets.iter().any(meets)
    }
}

/// Finds the live reservations of a run, the soonest to end first.
pub fn of_run(ctx: &Ctx, run: &str) -> Result<Vec<Hold>, AppError> {
    let mut holds = find(ctx, &Filter::default())?.holds;
    holds.retain(|hold| hold.about.run.as_ref().is_some_and(|of| of.as_str() == run));
    Ok(holds)
}

/// Finds all reservations whose process has ended.
fn ended(ctx: &Ctx) -> Result<Vec<GoneHold>, AppError> {
    Ok(dead_holders::among(ctx, &index::all(&ctx.read()?.base.snapshot)?))
}

/// Finds the tickets that pass the filter, the first in line first, and those that are damaged.
pub fn waiting(ctx: &Ctx, filter: &Filter) -> Result<(Vec<Ticket>, Vec<Damage>), AppError> {
    let reading = ctx.read()?;
    let (mut tickets, damaged) = tickets::found(&reading.base.snapshot)?;
    let gone = Gone { tickets: ctx.waiters().dead(), ..Gone::default() };
    tickets.retain(|ticket| {
        let is_for = |targets| ticket.shared_with(targets, reading.case.into()).is_some();
        ticket.is_live(reading.now, &gone)
            && (!filter.locks_only || !ticket.locks.is_empty())
            && (filter.targets.is_empty() || is_for(&filter.targets))
            && filter.holder.as_ref().is_none_or(|holder| holder.covers(&ticket.agent))
    });
    Ok((tickets, damaged))
}

//! Questions about reservations. What changes them goes through [`Ctx::transact`].

use crate::app::Ctx;
use crate::app::ended;
use crate::app::error::AppError;
use crate::core::damage::Damage;
use crate::core::ids::AgentName;
use crate::core::refusal::Conflict;
use crate::core::reservation::check::{self, Asker};
use crate::core::reservation::index::{self, Whose};
use crate::core::reservation::process::{Gone, GoneHold};
use crate::core::reservation::sweep::{Sweep, Swept};
use crate::core::reservation::tickets::{self, Ticket};
use crate::core::reservation::{Hold, Mode, Target};
use crate::core::time::Timestamp;
use crate::store::layout::LedgerName;
use crate::store::transact::Committed;

/// Everything that stands in the way of the targets, and the time that counted.
pub fn check(ctx: &Ctx, targets: &[Target]) -> Result<(Vec<Conflict>, Timestamp), AppError> {
    let reading = ctx.read()?;
    let asker =
        Asker { agent: ctx.actor(), mode: Mode::Exclusive, now: reading.now, process: None };
    let mut conflicts = check::check(&reading.base.snapshot, targets, asker, reading.case)?;
    conflicts.retain(|conflict| !ended::has_ended(&conflict.held));
    Ok((conflicts, reading.now))
}

/// Which holds a list shows.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only this agent's, with its subagents'.
    pub holder: Option<AgentName>,
    /// Only those that meet one of these.
    pub targets: Vec<Target>,
    /// Only those on locks.
    pub locks_only: bool,
    /// Also those that have expired and are not yet swept.
    pub expired_too: bool,
}

/// The holds that the filter lets through, the soonest to end first, and the time that counted.
pub fn list(ctx: &Ctx, filter: &Filter) -> Result<(Vec<Hold>, Timestamp), AppError> {
    let reading = ctx.read()?;
    let documents = &reading.base.snapshot;
    let mut holds = match (&filter.holder, filter.targets.as_slice()) {
        (_, targets @ [_, ..]) => {
            let mut holds = Vec::new();
            for target in targets {
                holds.extend(index::meeting(documents, target, reading.case)?);
            }
            holds
        }
        (None, []) if filter.locks_only => index::on_locks(documents)?,
        (Some(holder), []) => index::of_agent(documents, holder, Whose::Session)?,
        (None, []) => index::all(documents)?,
    };
    holds.retain(|hold| {
        (filter.expired_too || (hold.is_live(reading.now) && !ended::has_ended(hold)))
            && (!filter.locks_only || hold.target.lock().is_some())
            && filter.holder.as_ref().is_none_or(|holder| holder.covers(&hold.holder))
    });
    holds.sort_by(|one, other| (one.expires_at, &one.id).cmp(&(other.expires_at, &other.id)));
    holds.dedup_by(|one, other| one.id == other.id);
    Ok((holds, reading.now))
}

/// The live holds that belong to a run, the soonest to end first.
pub fn of_run(ctx: &Ctx, run: &str) -> Result<Vec<Hold>, AppError> {
    let (mut holds, _) = list(ctx, &Filter::default())?;
    holds.retain(|hold| hold.about.run.as_ref().is_some_and(|of| of.as_str() == run));
    Ok(holds)
}

/// The holds that a sweep would remove.
pub fn due_for_sweep(ctx: &Ctx, sweep: Sweep) -> Result<Vec<Hold>, AppError> {
    let reading = ctx.read()?;
    let gone = Gone { holds: ended(ctx)?, ..Gone::default() };
    Ok(sweep.due(&reading.base.snapshot, reading.now, &gone)?)
}

/// Removes what has ended.
pub fn sweep(ctx: &Ctx, sweep: Sweep) -> Result<Committed<Swept>, AppError> {
    ctx.transact_knowing(LedgerName::Reservations, sweep, None, ended(ctx)?)
}

/// All holds whose process is known to have ended.
fn ended(ctx: &Ctx) -> Result<Vec<GoneHold>, AppError> {
    Ok(ended::among(&index::all(&ctx.read()?.base.snapshot)?))
}

/// Those who wait and whom the filter lets through, the first in line first, and the places that
/// cannot be read.
pub fn waiting(ctx: &Ctx, filter: &Filter) -> Result<(Vec<Ticket>, Vec<Damage>), AppError> {
    let reading = ctx.read()?;
    let (mut tickets, damaged) = tickets::found(&reading.base.snapshot)?;
    let gone = Gone { tickets: ctx.waiters().dead(), ..Gone::default() };
    tickets.retain(|ticket| {
        let is_for = |targets| ticket.shared_with(targets, reading.case).is_some();
        ticket.is_live(reading.now, &gone)
            && (!filter.locks_only || !ticket.locks.is_empty())
            && (filter.targets.is_empty() || is_for(&filter.targets))
            && filter.holder.as_ref().is_none_or(|holder| holder.covers(&ticket.agent))
    });
    Ok((tickets, damaged))
}

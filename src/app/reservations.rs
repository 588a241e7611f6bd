//! Questions about reservations. What changes them goes through [`Ctx::transact`].

use crate::app::Ctx;
use crate::app::dead_holders;
use crate::app::error::AppError;
use crate::core::damage::Damage;
use crate::core::documents::{Documents, ReadError};
use crate::core::ids::AgentName;
use crate::core::ledger::LedgerName;
use crate::core::pattern::Case;
use crate::core::refusal::Conflict;
use crate::core::reservation::check::{self, Asker};
use crate::core::reservation::index::{self, Whose};
use crate::core::reservation::process::{Gone, GoneHold};
use crate::core::reservation::renew::{self, Asked, Lost, Why};
use crate::core::reservation::sweep::{Sweep, Swept};
use crate::core::reservation::tickets::{self, Ticket};
use crate::core::reservation::{Hold, Mode, Target};
use crate::core::time::Timestamp;
use crate::store::ledger::history::History;
use crate::store::ledger::transact::Committed;

/// Entries that are looked through for what somebody has lost.
const LOOKED_BACK_MAX: usize = 1_000;

/// Everything that stands in the way of the targets, and the time that counted.
pub fn check(ctx: &Ctx, targets: &[Target]) -> Result<(Vec<Conflict>, Timestamp), AppError> {
    let reading = ctx.read()?;
    let asker =
        Asker { agent: ctx.actor(), mode: Mode::Exclusive, now: reading.now, process: None };
    let mut conflicts = check::check(&reading.base.snapshot, targets, asker, reading.case)?;
    conflicts.retain(|conflict| !dead_holders::has_ended(ctx, &conflict.held));
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

/// Holds, and what stands beside them.
#[derive(Clone, Debug)]
pub struct Listed {
    /// The holds, the soonest to end first.
    pub holds: Vec<Hold>,
    /// What cannot be read.
    pub damaged: Vec<Damage>,
    /// The time that counted.
    pub now: Timestamp,
}

/// The holds that the filter lets through. What cannot be read is named, and hides no other.
pub fn list(ctx: &Ctx, filter: &Filter) -> Result<Listed, AppError> {
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
    holds.retain(|hold| {
        (filter.expired_too || (hold.is_live(reading.now) && !dead_holders::has_ended(ctx, hold)))
            && (!filter.locks_only || hold.target.lock().is_some())
            && filter.holder.as_ref().is_none_or(|holder| holder.covers(&hold.holder))
    });
    holds.sort_by(|one, other| (one.expires_at, &one.id).cmp(&(other.expires_at, &other.id)));
    holds.dedup_by(|one, other| one.id == other.id);
    Ok(Listed { holds, damaged, now: reading.now })
}

impl Filter {
    /// The holds that may be wanted, found where they stand.
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

    /// Whether a hold meets one of the targets, if there are any.
    fn is_about(&self, hold: &Hold, case: Case) -> bool {
        let reach = hold.target.reach(case);
        let meets = |target: &Target| target.reach(case).meets(&reach);
        self.targets.is_empty() || self.targets.iter().any(meets)
    }
}

/// The live holds that belong to a run, the soonest to end first.
pub fn of_run(ctx: &Ctx, run: &str) -> Result<Vec<Hold>, AppError> {
    let mut holds = list(ctx, &Filter::default())?.holds;
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

/// What the asker had and has no more, without its own doing: what has run out and is not yet
/// swept, and what others have taken or swept since its own last entry, as far back as is looked.
pub fn lost(ctx: &Ctx) -> Result<Vec<Lost>, AppError> {
    let reading = ctx.read()?;
    let mut own = index::of_agent(&reading.base.snapshot, ctx.actor(), Whose::Own)?;
    own.retain(|hold| !hold.is_live(reading.now));
    let expired = |hold: Hold| Lost {
        named: Asked::Id(hold.id.to_string()),
        why: Why::Expired(hold.expires_at),
    };
    let mut lost: Vec<Lost> = own.into_iter().map(expired).collect();
    let ledger = ctx.ledger(LedgerName::Reservations)?;
    let mut events = Vec::new();
    for item in History::from(&ledger, reading.base.id()).take(LOOKED_BACK_MAX) {
        let (_, entry) = item?;
        if entry.message.events.iter().any(|event| event.actor == *ctx.actor()) {
            break;
        }
        // Of what is told in one entry the last is the newest, too.
        events.extend(entry.message.events.into_iter().rev());
    }
    lost.extend(renew::lost_by(events.iter(), ctx.actor()));
    Ok(lost)
}

/// All holds whose process is known to have ended.
fn ended(ctx: &Ctx) -> Result<Vec<GoneHold>, AppError> {
    Ok(dead_holders::among(ctx, &index::all(&ctx.read()?.base.snapshot)?))
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

//! One screen: what is mine, what others hold, what was done to me.

use crate::app::domains::check;
use crate::app::error::{AppError, with_causes};
use crate::app::negotiation::view::RequestView;
use crate::app::negotiation::{self, Requests};
use crate::app::reservations::{self, Filter};
use crate::app::routing::view::{self, TrialView};
use crate::app::{Ctx, dead_holders, runs};
use crate::core::damage::Damage;
use crate::core::domain::freshness::Verdict;
use crate::core::domain::name::Name;
use crate::core::event::Event;
use crate::core::ledger::LedgerName;
use crate::core::reservation::tickets::Ticket;
use crate::core::reservation::{Hold, facts, index};
use crate::core::run::Run;
use crate::core::time::Timestamp;
use crate::store::git::object::ObjectId;
use crate::store::ledger::history::History;
use crate::store::worktree::sources::Which;

/// How far back, in entries, status looks for what was done to the asker.
const NOTICE_ENTRIES_MAX: usize = 200;
/// How old such a thing may be.
const NOTICE_AGE_SECONDS_MAX: u64 = 24 * 60 * 60;
/// How many are shown.
const NOTICES_MAX: usize = 5;

/// Open requests between others that are looked at.
const REQUESTS_LOOKED_AT_MAX: usize = 1_000;

/// Something that somebody did to a hold of the asker's.
#[derive(Clone, Debug)]
pub struct Notice {
    /// When.
    pub at: Timestamp,
    /// What.
    pub event: Event,
}

/// Where a ledger stands.
#[derive(Clone, Debug)]
pub struct Position {
    /// Which.
    pub ledger: LedgerName,
    /// Its newest entry.
    pub entry: ObjectId,
    /// The number of that.
    pub seq: u64,
    /// When it was decided.
    pub at: Timestamp,
}

/// How it stands with what is known of the project.
#[derive(Clone, Debug)]
pub struct Domains {
    /// Its domains, the primary one first.
    pub names: Vec<Name>,
    /// Whether that may not hold any more.
    pub is_stale: bool,
    /// Why that cannot be told, if it cannot.
    pub trouble: Option<String>,
}

/// The one screen.
#[derive(Clone, Debug)]
pub struct Status {
    /// The time that counts.
    pub now: Timestamp,
    /// The asker's live holds, with its subagents'.
    pub mine: Vec<Hold>,
    /// The live holds of others.
    pub others: Vec<Hold>,
    /// Those who wait, the first in line first.
    pub waiting: Vec<Ticket>,
    /// Expired holds that no write has met yet.
    pub expired: usize,
    /// The open requests that concern the asker.
    pub requests: Requests,
    /// Requests between others that have waited for long enough.
    pub overdue: Vec<RequestView>,
    /// What cannot be read, and stands in nobody's way.
    pub damaged: Vec<Damage>,
    /// How many messages the asker has not acknowledged.
    pub unread: usize,
    /// What was done to the asker lately, newest first.
    pub notices: Vec<Notice>,
    /// The active runs, the newest first.
    pub runs: Vec<Run>,
    /// Where the ledgers stand; none before the first entry.
    pub positions: Vec<Position>,
    /// How it stands with what is known of the project; none if nothing is.
    pub domains: Option<Domains>,
    /// Overrides on trial.
    pub trials: Vec<TrialView>,
    /// By how much the newest entry is ahead of this clock, if that is too much.
    pub clock_behind_seconds: Option<u64>,
}

/// Looks around.
pub fn status(ctx: &Ctx) -> Result<Status, AppError> {
    let reading = ctx.read()?;
    let (mut live, holds) = index::all_readable(&reading.base.snapshot)?;
    let all = live.len();
    live.retain(|hold| hold.is_live(reading.now) && !dead_holders::has_ended(ctx, hold));
    let expired = all - live.len();
    live.sort_by(|one, other| (one.expires_at, &one.id).cmp(&(other.expires_at, &other.id)));
    let (mine, others) = live.into_iter().partition(|hold| ctx.actor().covers(&hold.holder));
    let mut positions = Vec::new();
    for ledger in LedgerName::ALL {
        match position(ctx, ledger) {
            // Told below: what was detected can be detected again.
            Err(_) if ledger == LedgerName::Domains => {}
            found => positions.extend(found?),
        }
    }
    let ledger = ctx.ledger(LedgerName::Reservations)?;
    let requests = negotiation::requests(ctx, &reading)?;
    let (overdue, elsewhere) =
        negotiation::overdue_elsewhere(ctx, &reading, REQUESTS_LOOKED_AT_MAX)?;
    let (waiting, tickets) = reservations::waiting(ctx, &Filter::default())?;
    let damaged = [holds, requests.damaged.clone(), elsewhere, tickets].concat();
    Ok(Status {
        now: reading.now,
        mine,
        others,
        waiting,
        expired,
        requests,
        overdue,
        damaged,
        unread: negotiation::unread(ctx, &reading)?,
        notices: notices(ctx, reading.now)?,
        runs: runs::list(ctx, false)?.found,
        domains: domains(ctx)?,
        positions,
        trials: view::trials(ctx)?,
        clock_behind_seconds: ledger.seconds_ahead(&reading.base, ctx.clock()),
    })
}

/// Looks at the tree only where something is known of it. What keeps it from being told must not
/// keep the rest from being shown.
fn domains(ctx: &Ctx) -> Result<Option<Domains>, AppError> {
    if matches!(ctx.ledger(LedgerName::Domains)?.now().map(|base| base.id()), Ok(None)) {
        return Ok(None);
    }
    let standing = match check::check(ctx, Which::Usual) {
        Err(error) if error.is_failure() => {
            let trouble = Some(with_causes(&error));
            return Ok(Some(Domains { names: Vec::new(), is_stale: false, trouble }));
        }
        standing => standing?,
    };
    if standing.cache.is_empty() && standing.damaged.is_none() {
        return Ok(None);
    }
    let names = standing.cache.domains().iter().map(|found| found.name.clone());
    Ok(Some(Domains {
        names: names.collect(),
        is_stale: matches!(standing.verdict, Verdict::Stale(_)),
        trouble: standing.damaged.map(|damaged| damaged.why),
    }))
}

fn position(ctx: &Ctx, name: LedgerName) -> Result<Option<Position>, AppError> {
    let base = ctx.ledger(name)?.now()?;
    Ok(base.snapshot.tip().map(|tip| Position {
        ledger: name,
        entry: tip.id,
        seq: tip.head.counters.seq,
        at: tip.head.counters.at,
    }))
}

fn notices(ctx: &Ctx, now: Timestamp) -> Result<Vec<Notice>, AppError> {
    let ledger = ctx.ledger(LedgerName::Reservations)?;
    let mut notices = Vec::new();
    for item in History::from(&ledger, ledger.now()?.id()).take(NOTICE_ENTRIES_MAX) {
        let (_, entry) = item?;
        let at = entry.message.counters.at;
        if now.seconds_since(at) > NOTICE_AGE_SECONDS_MAX || notices.len() >= NOTICES_MAX {
            break;
        }
        let concerns =
            |event: &Event| facts::concerned(event).is_some_and(|agent| ctx.actor().covers(&agent));
        let events = entry.message.events.into_iter().filter(concerns);
        notices.extend(events.map(|event| Notice { at, event }));
    }
    notices.truncate(NOTICES_MAX);
    Ok(notices)
}

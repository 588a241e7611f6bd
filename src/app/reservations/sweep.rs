//! Removes expired reservations, and forgets old threads.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::ended;
use super::release::ids;
use crate::app::answer::{Answer, Note, Written};
use crate::app::error::AppError;
use crate::app::negotiation;
use crate::app::negotiation::view::RequestView;
use crate::app::presence::{LivenessProbe, forget_old};
use crate::app::problem::Problem;
use crate::app::{Ctx, WriteMode};
use crate::core::clock::LEAP_SECONDS;
use crate::core::ids::HoldId;
use crate::core::ledger::LedgerName;
use crate::core::negotiation::Thread;
use crate::core::negotiation::ids::ThreadId;
use crate::core::negotiation::prune::Prune;
use crate::core::reservation::Hold;
use crate::core::reservation::process::Gone;
use crate::core::reservation::sweep::{Due, Judge, Sweep};
use crate::store::ledger::transact::Committed;

/// The age of the reservations and threads to remove.
pub struct Request {
    /// The least time since a reservation expired.
    pub older_than: Duration,
    /// The least time since the last event of a closed thread; threads stay if it is absent.
    pub threads: Option<Duration>,
    pub dry_run: bool,
}

/// The answer to `sweep`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    /// The number of reservations that were removed.
    pub swept: usize,
    /// The ids of the reservations that were removed or, in a dry run, would be.
    pub ids: Vec<HoldId>,
    /// The number of reservations that are left to be removed: by a dry run, or because this clock
    /// may be wrong.
    pub remaining: usize,
    pub dry_run: bool,
    /// The threads that were forgotten or, in a dry run, would be.
    pub threads: Vec<ThreadId>,
    /// The reservations themselves, for people.
    #[serde(skip)]
    pub holds: Vec<Hold>,
    /// The threads themselves, for people.
    #[serde(skip)]
    pub pruned: Vec<RequestView>,
}

/// Removes reservations and threads that are old enough, in as many entries as it takes.
pub fn sweep(ctx: &Ctx, request: &Request) -> Result<Answer<Body>, Problem> {
    let sweep = Sweep { older_than_seconds: request.older_than.as_secs() };
    let prune = request.threads.map(|age| Prune { older_than_seconds: age.as_secs() });
    let (due, pruned, writes) = if request.dry_run {
        let pruned = prune.map_or(Ok(Vec::new()), |prune| negotiation::due_for_prune(ctx, prune));
        (due(ctx, sweep)?, pruned?, Writes::default())
    } else {
        carry_out(ctx, sweep, prune)?
    };
    let Due { holds, doubted } = due;
    let body = Body {
        swept: if request.dry_run { 0 } else { holds.len() },
        ids: ids(&holds),
        remaining: doubted + if request.dry_run { holds.len() } else { 0 },
        dry_run: request.dry_run,
        threads: pruned.iter().map(|thread| thread.id.clone()).collect(),
        holds,
        pruned: pruned.into_iter().map(|thread| view(ctx, thread)).collect(),
    };
    let mut answer = Answer::read(body, ctx.clock());
    answer.wrote(writes.last, writes.notices);
    Ok(answer.noting(in_doubt(doubted)))
}

/// Tells that reservations of others stay that this clock would end.
fn in_doubt(count: usize) -> Option<Note> {
    let hours = LEAP_SECONDS / 3_600;
    let stay =
        if count == 1 { "1 reservation stays" } else { &format!("{count} reservations stay") };
    let why = format!(
        "{stay} in the ledger, in nobody's way: nobody had written for more than {hours} hours, or \
         this clock is wrong; a sweep {hours} hours after the next entry removes them"
    );
    (count > 0).then(|| Note::plain(why))
}

fn view(ctx: &Ctx, thread: Thread) -> RequestView {
    RequestView::of(&LivenessProbe::new(ctx), thread, ctx.clock())
}

/// Finds the reservations that a sweep would remove.
fn due(ctx: &Ctx, sweep: Sweep) -> Result<Due, AppError> {
    let reading = ctx.read()?;
    let gone = Gone { holds: ended(ctx)?, ..Gone::default() };
    let place = ctx.known_place();
    let judge = Judge {
        agent: ctx.actor(),
        now: reading.now,
        leap: reading.base.leap_at(reading.now),
        skew: ctx.skew(place.as_ref()),
        gone: &gone,
    };
    Ok(sweep.due(&reading.base.snapshot, judge)?)
}

/// The writes of one request.
#[derive(Default)]
struct Writes {
    last: Option<Written>,
    notices: Vec<String>,
}

impl Writes {
    /// Adds a write, and returns its answer.
    fn add<A>(&mut self, committed: Committed<A>) -> A {
        let answer = Answer::committed(committed, |answer| answer);
        self.last = answer.written.or(self.last.take());
        self.notices.extend(answer.notes.into_iter().map(|note| note.text));
        answer.body
    }
}

fn carry_out(
    ctx: &Ctx,
    sweep: Sweep,
    prune: Option<Prune>,
) -> Result<(Due, Vec<Thread>, Writes), AppError> {
    let (mut due, mut pruned, mut writes) = (Due::default(), Vec::new(), Writes::default());
    loop {
        let committed =
            ctx.transact(LedgerName::Reservations, sweep, WriteMode::without(ended(ctx)?))?;
        let answer = writes.add(committed);
        due.holds.extend(answer.swept);
        due.doubted = answer.doubted;
        if answer.remaining == 0 {
            break;
        }
    }
    while let Some(prune) = prune {
        let answer = writes.add(ctx.transact(LedgerName::Reservations, prune, WriteMode::Plain)?);
        pruned.extend(answer.pruned);
        if answer.remaining == 0 {
            break;
        }
    }
    forget_old(ctx);
    Ok((due, pruned, writes))
}

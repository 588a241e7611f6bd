//! Shows one screen: the caller's reservations, those of others, and what others did to the
//! caller's.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::app::answer::{Answer, Note};
use crate::app::domains::check;
use crate::app::error::{AppError, with_causes};
use crate::app::negotiation::view::RequestView;
use crate::app::negotiation::{self, Requests};
use crate::app::problem::Problem;
use crate::app::reservations::{self, Filter};
use crate::app::routing::view::{self, TrialView};
use crate::app::view::HoldView;
use crate::app::{Ctx, Reading, dead_holders, runs};
use crate::core::damage::Damage;
use crate::core::domain::freshness::Verdict;
use crate::core::domain::name::Name;
use crate::core::domain::source_tree::Which;
use crate::core::event::Event;
use crate::core::ids::AgentName;
use crate::core::ledger::LedgerName;
use crate::core::reservation::tickets::Ticket;
use crate::core::reservation::{Hold, events, index};
use crate::core::run::Run;
use crate::core::time::Timestamp;
use crate::store::ledger::clock_notice;
use crate::store::ledger::history::History;

/// The largest number of entries that are searched for actions of others on the caller's
/// reservations.
const NOTICE_ENTRIES_MAX: usize = 200;
/// The greatest age of such an action.
const NOTICE_AGE_SECONDS_MAX: u64 = 24 * 60 * 60;
/// The largest number of such actions that are shown.
const NOTICES_MAX: usize = 5;

/// The largest number of reservations of the caller, of those of others, and of waiters.
const ROWS_MAX: usize = 10;

/// The largest number of open requests between others that are looked at.
const REQUESTS_LOOKED_AT_MAX: usize = 1_000;

/// The answer to `status`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    /// The name of the caller.
    pub agent: AgentName,
    /// The live reservations of the caller and its subagents, the soonest to end first, at most
    /// ten.
    pub mine: Vec<HoldView>,
    /// The number of these reservations in all.
    pub mine_count: usize,
    /// The live reservations of others, the soonest to end first, at most ten.
    pub others: Vec<HoldView>,
    /// The number of these reservations in all.
    pub others_count: usize,
    /// The agents that wait, the first in line first, at most ten.
    pub waiting: Vec<Ticket>,
    /// The number of agents that wait.
    pub waiting_count: usize,
    /// The number of reservations that have expired and are not yet swept.
    pub expired: usize,
    /// The oldest requests that wait for the caller's answer.
    pub to_answer: Vec<RequestView>,
    /// The number of requests that wait for the caller's answer.
    pub to_answer_count: usize,
    /// The oldest open requests of the caller.
    pub asks: Vec<RequestView>,
    /// The number of open requests of the caller.
    pub asks_count: usize,
    /// The oldest requests between others whose askers may take what they asked for.
    pub overdue: Vec<RequestView>,
    /// The number of these requests in all.
    pub overdue_count: usize,
    /// The number of messages that the caller has not acknowledged.
    pub unread: usize,
    /// Recent actions of others on the caller's reservations, the newest first.
    pub notices: Vec<Notice>,
    /// The active runs, the newest first.
    #[schemars(with = "Vec<Map<String, Value>>")]
    pub runs: Vec<Run>,
    /// The overrides on trial.
    pub trials: Vec<TrialView>,
    /// The newest entry of each ledger that has one.
    pub ledgers: Vec<Position>,
    /// Documents that cannot be read, and are passed over.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub damaged: Vec<Damage>,
    /// The kind of the project; absent if it was never detected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domains: Option<Domains>,
    /// The seconds by which this clock is behind the newest entry; absent unless they are too many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock_behind_seconds: Option<u64>,
    /// All open requests, for people.
    #[serde(skip)]
    pub requests: OpenRequests,
}

/// An action of another agent on a reservation of the caller.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Notice {
    pub at: Timestamp,
    pub event: Event,
}

/// The newest entry of a ledger.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Position {
    pub ledger: &'static str,
    /// The id of its commit.
    pub entry: String,
    /// The number of the entry.
    pub seq: u64,
    /// The time when it was decided.
    pub at: Timestamp,
}

/// The kind of the project as it was detected last.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Domains {
    /// Its domains, the primary one first.
    #[schemars(with = "Vec<String>")]
    pub names: Vec<Name>,
    /// True if the project has changed since.
    #[serde(rename = "stale")]
    pub is_stale: bool,
    /// The reason why that is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

/// All open requests.
#[derive(Debug)]
pub struct OpenRequests {
    pub own: Requests,
    /// Those between others whose askers may take what they asked for.
    pub overdue: Vec<RequestView>,
}

/// Collects everything for one screen.
pub fn status(ctx: &Ctx) -> Result<Answer<Body>, Problem> {
    let reading = ctx.read()?;
    let body = look(ctx, &reading)?;
    let clock = body.clock_behind_seconds.map(|seconds| Note::warning(clock_notice(seconds)));
    let damage = Note::of_damage(&body.damaged);
    Ok(Answer::read(body, reading.now).noting(clock).noting(damage))
}

fn look(ctx: &Ctx, reading: &Reading<'_>) -> Result<Body, AppError> {
    let now = reading.now;
    let (mut live, holds) = index::all_readable(&reading.base.snapshot)?;
    let all = live.len();
    dead_holders::keep_live(ctx, &mut live, now);
    let expired = all - live.len();
    live.sort_by(|one, other| (one.expires_at, &one.id).cmp(&(other.expires_at, &other.id)));
    let (mine, others): (Vec<Hold>, Vec<Hold>) =
        live.into_iter().partition(|hold| ctx.actor().covers(&hold.holder));
    let own = negotiation::requests(ctx, reading)?;
    let (overdue, elsewhere) =
        negotiation::overdue_elsewhere(ctx, reading, REQUESTS_LOOKED_AT_MAX)?;
    let (mut waiting, tickets) = reservations::waiting(ctx, &Filter::default())?;
    let [mine_count, others_count, waiting_count] = [mine.len(), others.len(), waiting.len()];
    waiting.truncate(ROWS_MAX);
    Ok(Body {
        agent: ctx.actor().clone(),
        mine: HoldView::all(mine.into_iter().take(ROWS_MAX), now),
        mine_count,
        others: HoldView::all(others.into_iter().take(ROWS_MAX), now),
        others_count,
        waiting,
        waiting_count,
        expired,
        to_answer: RequestView::bounded(&own.to_answer),
        to_answer_count: own.to_answer.len(),
        asks: RequestView::bounded(&own.made),
        asks_count: own.made.len(),
        overdue: RequestView::bounded(&overdue),
        overdue_count: overdue.len(),
        unread: negotiation::unread(ctx, reading)?,
        notices: notices(ctx, now)?,
        runs: runs::list(ctx, false)?.found,
        trials: view::trials(ctx)?,
        ledgers: positions(ctx)?,
        damaged: [holds, own.damaged.clone(), elsewhere, tickets].concat(),
        domains: domains(ctx)?,
        clock_behind_seconds: ctx
            .ledger(LedgerName::Reservations)
            .seconds_ahead(&reading.base, ctx.clock()),
        requests: OpenRequests { own, overdue },
    })
}

/// Tells the kind of the project. It looks at the tree only if something was detected before. A
/// failure here must not hide the rest of the screen.
fn domains(ctx: &Ctx) -> Result<Option<Domains>, AppError> {
    if matches!(ctx.ledger(LedgerName::Domains).now().map(|base| base.id()), Ok(None)) {
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

fn positions(ctx: &Ctx) -> Result<Vec<Position>, AppError> {
    let mut positions = Vec::new();
    for ledger in LedgerName::ALL {
        match position(ctx, ledger) {
            // `domains` reports the damage; the project can be detected again.
            Err(_) if ledger == LedgerName::Domains => {}
            found => positions.extend(found?),
        }
    }
    Ok(positions)
}

fn position(ctx: &Ctx, name: LedgerName) -> Result<Option<Position>, AppError> {
    let base = ctx.ledger(name).now()?;
    Ok(base.snapshot.tip().map(|tip| Position {
        ledger: name.as_str(),
        entry: tip.id.to_string(),
        seq: tip.head.counters.seq,
        at: tip.head.counters.at,
    }))
}

fn notices(ctx: &Ctx, now: Timestamp) -> Result<Vec<Notice>, AppError> {
    let ledger = ctx.ledger(LedgerName::Reservations);
    let mut notices = Vec::new();
    for item in History::from(&ledger, ledger.now()?.id()).take(NOTICE_ENTRIES_MAX) {
        let (_, entry) = item?;
        let at = entry.message.counters.at;
        if now.seconds_since(at) > NOTICE_AGE_SECONDS_MAX || notices.len() >= NOTICES_MAX {
            break;
        }
        let concerns = |event: &Event| {
            events::concerned(event).is_some_and(|agent| ctx.actor().covers(&agent))
        };
        let events = entry.message.events.into_iter().filter(concerns);
        notices.extend(events.map(|event| Notice { at, event }));
    }
    notices.truncate(NOTICES_MAX);
    Ok(notices)
}

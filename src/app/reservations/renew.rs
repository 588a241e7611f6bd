//! Extends reservations that are still the caller's.

use std::ffi::OsString;

use schemars::JsonSchema;
use serde::Serialize;

use crate::app::answer::Answer;
use crate::app::error::AppError;
use crate::app::next::command;
use crate::app::path_facts::path_facts;
use crate::app::problem::Problem;
use crate::app::reservations::named::{self, Words};
use crate::app::reservations::terminals;
use crate::app::view::HoldView;
use crate::app::wording::lost_text;
use crate::app::{Ctx, WriteMode};
use crate::core::ids::LockName;
use crate::core::ledger::LedgerName;
use crate::core::reservation::Hold;
use crate::core::reservation::index::{self, Whose};
use crate::core::reservation::renew::{Asked, Lost, Renew, Why, lost_by};
use crate::core::reservation::select::Selection;
use crate::core::time::Ttl;
use crate::store::ledger::history::History;

/// The largest number of entries that are searched for reservations that the caller has lost.
const SEARCHED_MAX: usize = 1_000;

/// Reservations that are to live longer.
pub struct Request<'r> {
    /// Paths, patterns, ids and beginnings of ids. A path that is held comes first.
    pub words: &'r [OsString],
    pub locks: &'r [LockName],
    /// Set to renew everything of the caller.
    pub mine: bool,
    /// The time to live from now on; `coord.ttl` if the caller gives none.
    pub ttl: Option<Ttl>,
}

impl Request<'_> {
    /// Checks that the request says what it means.
    pub fn check(&self) -> Result<(), AppError> {
        let names_some = !self.words.is_empty() || !self.locks.is_empty();
        match (names_some, self.mine) {
            (false, false) => Err(AppError::usage(
                "nothing to renew: name reservations by path or id, a lock with --lock, or all of \
                 yours with --mine",
            )),
            (true, true) => Err(AppError::usage("--mine goes with no path, no id and no --lock")),
            _ => Ok(()),
        }
    }
}

/// The answer to `renew`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    /// The reservations that live longer now.
    pub renewed: Vec<HoldView>,
    /// The reservations that are no longer the caller's.
    pub lost: Vec<Lost>,
}

/// Extends the reservations that were named, and reports those that were lost.
pub fn renew(ctx: &Ctx, request: &Request<'_>) -> Result<Answer<Body>, Problem> {
    request.check()?;
    let Words { words, patterns } = named::words(ctx, request.words)?;
    let which = Selection {
        words,
        facts: path_facts(ctx.repository(), &patterns),
        locks: request.locks.to_vec(),
        mine: request.mine,
        ..Selection::default()
    };
    let command = Renew { which, ttl: request.ttl.unwrap_or(ctx.settings().ttl) };
    // This has to come before the renewal, which is an entry of the caller too.
    let lost = if request.mine { lost(ctx)? } else { Vec::new() };
    let committed = ctx.transact(LedgerName::Reservations, command, WriteMode::Plain)?;
    let at = committed.at;
    let elsewhere = terminals::warnings(ctx, &committed.answer.renewed, |what, place| {
        format!("you hold {what} from {place}")
    });
    let answer = Answer::committed(committed, |answer| Body {
        renewed: HoldView::all(answer.renewed, at),
        lost: answer.lost.into_iter().chain(lost).collect(),
    })
    .noting(elsewhere);
    Ok(match refusal(&answer.body.lost) {
        Some(refusal) => answer.refused(refusal),
        None => answer,
    })
}

/// Explains that reservations are no longer the caller's, by the first of them.
fn refusal(lost: &[Lost]) -> Option<Problem> {
    let first = lost.first()?;
    let more = match lost.len() - 1 {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let message = format!("no longer yours: {}{more}", lost_text(first));
    Some(Problem::refused("lost", message).with_next(command(&["list", "--mine"])))
}

/// Finds the reservations that the caller lost: those that expired and are not yet swept, and those
/// that others took or swept since the caller's own last entry.
fn lost(ctx: &Ctx) -> Result<Vec<Lost>, AppError> {
    let reading = ctx.read()?;
    let mut own = index::of_agent(&reading.base.snapshot, ctx.actor(), Whose::Own)?;
    own.retain(|hold| !hold.is_live(reading.now));
    let expired = |hold: Hold| Lost {
        named: Asked::Id(hold.id.to_string()),
        why: Why::Expired { expired_at: hold.expires_at },
    };
    let mut lost: Vec<Lost> = own.into_iter().map(expired).collect();
    let ledger = ctx.ledger(LedgerName::Reservations);
    let mut events = Vec::new();
    for item in History::from(&ledger, reading.base.id()).take(SEARCHED_MAX) {
        let (_, entry) = item?;
        if entry.message.events.iter().any(|event| event.actor == *ctx.actor()) {
            break;
        }
        // The last event of an entry is its newest.
        events.extend(entry.message.events.into_iter().rev());
    }
    lost.extend(lost_by(events.iter(), ctx.actor()));
    Ok(lost)
}

//! Gives reservations back.

use std::ffi::OsString;

use schemars::JsonSchema;
use serde::Serialize;

use crate::app::answer::{Answer, Note};
use crate::app::error::AppError;
use crate::app::path_facts::path_facts;
use crate::app::problem::Problem;
use crate::app::reservations::named::{self, Words};
use crate::app::reservations::terminals;
use crate::app::wording::{held_by, own_holds};
use crate::app::{Ctx, WriteMode, specs};
use crate::core::ids::{HoldId, LockName};
use crate::core::ledger::LedgerName;
use crate::core::reservation::Hold;
use crate::core::reservation::release::{Release, Released};
use crate::core::reservation::select::Selection;
use crate::core::text::Line;
use crate::core::time::Timestamp;

/// Reservations that are to end.
pub struct Request<'r> {
    /// Paths, patterns, ids and beginnings of ids. A path that is held comes first.
    pub words: &'r [OsString],
    /// Paths relative to the caller's directory; reservations of them or inside of them are meant.
    pub paths: &'r [OsString],
    pub locks: &'r [LockName],
    /// Set to release everything of the caller.
    pub mine: bool,
    /// The reason for a release by force of what another agent holds.
    pub force: Option<&'r Line>,
}

impl Request<'_> {
    /// Checks that the request says what it means.
    pub fn check(&self) -> Result<(), AppError> {
        let names_some = !(self.words.is_empty() && self.paths.is_empty() && self.locks.is_empty());
        if !names_some && !self.mine {
            return Err(AppError::usage(
                "nothing to release: name reservations by path or id, a lock with --lock, or all \
                 of yours with --mine",
            ));
        }
        if self.mine && (names_some || self.force.is_some()) {
            let message = "--mine goes with no path, no id, no --lock and no --force";
            return Err(AppError::usage(message));
        }
        Ok(())
    }
}

/// The answer to `release`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    /// The number of reservations that ended.
    pub released: usize,
    /// The ids of these reservations.
    pub ids: Vec<HoldId>,
    /// The paths, ids and names of locks that name no reservation of the caller, or no longer one.
    pub missing: Vec<String>,
    /// Always empty: a reservation that covers more than the given paths goes on without them.
    pub wider: Vec<HoldId>,
    /// The ids of reservations that cover more than the given paths, and go on without them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub narrowed: Vec<HoldId>,
    /// The reservations themselves, for people.
    #[serde(skip)]
    pub holds: Released,
}

/// Ends the reservations that were named.
pub fn release(ctx: &Ctx, request: &Request<'_>) -> Result<Answer<Body>, Problem> {
    request.check()?;
    let Words { words, patterns } = named::words(ctx, request.words)?;
    let paths = specs::named(ctx.repository(), request.paths)?;
    let mut which = Selection {
        words,
        facts: path_facts(ctx.repository(), &[&patterns[..], &paths].concat()),
        paths,
        locks: request.locks.to_vec(),
        mine: request.mine,
        ..Selection::default()
    };
    if request.force.is_some() {
        which.seen = Some(named::of_others(ctx, &which)?);
    }
    let command = Release { which, force: request.force.cloned() };
    let committed = ctx.transact(LedgerName::Reservations, command, WriteMode::Plain)?;
    let Released { released, narrowed, .. } = &committed.answer;
    let given = released.iter().chain(narrowed);
    let elsewhere =
        terminals::warnings(ctx, given, |what, place| format!("{what} was held from {place}"));
    let mut answer = Answer::committed(committed, Body::from);
    answer.notes.extend(notes(&answer.body.holds, answer.at).map(Note::plain));
    Ok(answer.noting(elsewhere))
}

/// Says of the words that name nothing of the caller's who holds them, and what the caller holds.
fn notes(released: &Released, at: Timestamp) -> impl Iterator<Item = String> {
    let missing = &released.missing_words;
    let held = missing.iter().filter_map(|missing| held_by(missing, at));
    let is_idle = released.released.is_empty() && released.narrowed.is_empty();
    let own = (is_idle && !missing.is_empty()).then(|| own_holds(&released.own));
    held.chain(own).collect::<Vec<_>>().into_iter()
}

/// Lists the ids of holds.
pub fn ids(holds: &[Hold]) -> Vec<HoldId> {
    holds.iter().map(|hold| hold.id.clone()).collect()
}

impl From<Released> for Body {
    fn from(holds: Released) -> Body {
        let words = holds.missing_words.iter().map(|missing| missing.word.shown());
        let missing = words.chain(holds.missing.iter().map(ToString::to_string));
        Body {
            released: holds.released.len(),
            ids: ids(&holds.released),
            missing: missing.chain(holds.missing_locks.iter().map(ToString::to_string)).collect(),
            wider: ids(&holds.wider),
            narrowed: ids(&holds.narrowed),
            holds,
        }
    }
}

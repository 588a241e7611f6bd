//! Gives reservations back.

use std::ffi::OsString;

use schemars::JsonSchema;
use serde::Serialize;

use crate::app::answer::Answer;
use crate::app::error::AppError;
use crate::app::path_facts::path_facts;
use crate::app::problem::Problem;
use crate::app::reservations::named::{self, Typed};
use crate::app::reservations::terminals;
use crate::app::{Ctx, WriteMode, specs};
use crate::core::ids::{HoldId, HoldIdPrefix, LockName};
use crate::core::ledger::LedgerName;
use crate::core::reservation::Hold;
use crate::core::reservation::release::{Release, Released};
use crate::core::reservation::select::Selection;
use crate::core::text::Line;

/// Reservations that are to end.
pub struct Request<'r> {
    pub ids: &'r [HoldIdPrefix],
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
        let names_some = !(self.ids.is_empty() && self.paths.is_empty() && self.locks.is_empty());
        if !names_some && !self.mine {
            return Err(AppError::usage(
                "nothing to release: name reservations by id, a path with --path, a lock with \
                 --lock, or all of yours with --mine",
            ));
        }
        if self.mine && (names_some || self.force.is_some()) {
            let message = "--mine goes with no id, no --path, no --lock and no --force";
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
    /// The ids and the names of locks that name no reservation, or no longer one.
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
    let Typed { ids, missing } = named::ids(ctx, request.ids)?;
    let paths = specs::named(ctx.repository(), request.paths)?;
    let mut which = Selection {
        ids,
        facts: path_facts(ctx.repository(), &paths),
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
    let answer = Answer::committed(committed, |mut released: Released| {
        released.missing.extend(missing);
        Body::from(released)
    });
    Ok(answer.noting(elsewhere))
}

/// Lists the ids of holds.
pub fn ids(holds: &[Hold]) -> Vec<HoldId> {
    holds.iter().map(|hold| hold.id.clone()).collect()
}

impl From<Released> for Body {
    fn from(holds: Released) -> Body {
        let missing = holds.missing.iter().map(ToString::to_string);
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

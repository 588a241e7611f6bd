//! Restores the state of an earlier entry by a new entry.

use schemars::JsonSchema;
use serde::Serialize;

use super::resolve;
use crate::app::answer::Answer;
use crate::app::error::AppError;
use crate::app::problem::Problem;
use crate::app::{Ctx, WriteMode};
use crate::core::ids::{EntryName, HoldId};
use crate::core::ledger::LedgerName;
use crate::core::reservation::Hold;
use crate::core::rollback::{Rollback, RolledBack};
use crate::core::text::Line;
use crate::store::git::object::ObjectId;
use crate::store::ledger::history;

/// An entry to go back to.
pub struct Request<'r> {
    pub ledger: LedgerName,
    /// The entry, or the beginning of its name.
    pub to: &'r EntryName,
    pub reason: &'r Line,
    /// The entry that must be the newest.
    pub expect: Option<&'r EntryName>,
    pub dry_run: bool,
}

/// The answer to `ledger rollback`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    pub ledger: LedgerName,
    /// The entry whose state is restored.
    pub restored: ObjectId,
    /// The number of entries that are undone.
    pub undone: u64,
    /// The ids of reservations that ended.
    pub revoked: Vec<HoldId>,
    /// The ids of reservations that live again.
    pub regranted: Vec<HoldId>,
    /// The paths of the documents that were restored, in ledgers other than reservations.
    pub documents: Vec<String>,
    pub dry_run: bool,
    /// The reservations themselves, for people.
    #[serde(skip)]
    pub changed: RolledBack,
}

/// Restores the state of an entry, in one write.
pub fn rollback(ctx: &Ctx, request: &Request<'_>) -> Result<Answer<Body>, Problem> {
    let ledger = request.ledger;
    let restored = resolve(ctx, ledger, request.to)?;
    let undone = distance(ctx, ledger, restored)?;
    let newest = ctx.read_ledger(ledger)?.base;
    let (to, reason) = (name_of(restored), request.reason.clone());
    let command = Rollback { to, reason, expect: newest.counters().map(|last| last.op.clone()) };
    let ids = |holds: &[Hold]| holds.iter().map(|hold| hold.id.clone()).collect();
    let body = |changed: RolledBack| Body {
        ledger,
        restored,
        undone,
        revoked: ids(&changed.revoked),
        regranted: ids(&changed.regranted),
        documents: changed.restored.iter().map(ToString::to_string).collect(),
        dry_run: request.dry_run,
        changed,
    };
    if request.dry_run {
        return Ok(Answer::read(body(ctx.decide_only(ledger, command)?), ctx.clock()));
    }
    let expect = expected(ctx, request)?;
    let mode = expect.as_ref().map_or(WriteMode::Plain, WriteMode::Expecting);
    Ok(Answer::committed(ctx.transact(ledger, command, mode)?, body))
}

/// Counts the entries after `to`.
fn distance(ctx: &Ctx, ledger: LedgerName, to: ObjectId) -> Result<u64, AppError> {
    let opened = ctx.ledger(ledger);
    Ok(history::distance(&opened, opened.now()?.id(), to)?.unwrap_or(0))
}

fn expected(ctx: &Ctx, request: &Request<'_>) -> Result<Option<EntryName>, AppError> {
    let Some(name) = request.expect else { return Ok(None) };
    match resolve(ctx, request.ledger, name) {
        Ok(id) => Ok(Some(name_of(id))),
        // An entry that has left the ledger is not its newest; the decision refuses with that
        // reason.
        Err(error) if error.is_absence() => Ok(Some(name.clone())),
        Err(error) => Err(error),
    }
}

fn name_of(id: ObjectId) -> EntryName {
    id.to_string().parse().expect("an object id is an entry's name")
}

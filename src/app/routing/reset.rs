//! Deletes evidence and what was learnt from it.

use schemars::JsonSchema;
use serde::Serialize;

use crate::app::answer::Answer;
use crate::app::problem::Problem;
use crate::app::{Ctx, WriteMode};
use crate::core::documents::Key;
use crate::core::ledger::LedgerName;
use crate::core::routing::reset::{Area, Reset};

/// The area to delete.
pub struct Request {
    pub scope: Area,
    pub dry_run: bool,
}

/// The answer to `override reset`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Forgotten")]
pub struct Body {
    /// The names of the documents that were deleted or, in a dry run, would be.
    pub forgotten: Vec<String>,
    pub dry_run: bool,
}

/// Deletes an area, or lists what that would delete.
pub fn reset(ctx: &Ctx, request: &Request) -> Result<Answer<Body>, Problem> {
    let newest = ctx.read_ledger(LedgerName::Overrides)?.base;
    let up_to = newest.counters().map(|last| last.fence);
    let command = Reset { scope: request.scope, up_to };
    let body = |gone: Vec<Key>| Body {
        forgotten: gone.iter().map(ToString::to_string).collect(),
        dry_run: request.dry_run,
    };
    if request.dry_run {
        let gone = ctx.decide_only(LedgerName::Overrides, command)?;
        return Ok(Answer::read(body(gone), ctx.clock()));
    }
    Ok(Answer::committed(ctx.transact(LedgerName::Overrides, command, WriteMode::Plain)?, body))
}

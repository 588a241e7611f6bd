//! Lists the entries of a ledger, the newest first.

use schemars::JsonSchema;
use serde::Serialize;

use super::{EntryView, resolve};
use crate::app::Ctx;
use crate::app::answer::Answer;
use crate::app::error::AppError;
use crate::app::problem::Problem;
use crate::core::bounded::Limit;
use crate::core::ids::EntryName;
use crate::core::ledger::LedgerName;
use crate::store::error::StoreError;
use crate::store::git::object::ObjectId;
use crate::store::ledger::history::History;

/// The number of entries if the caller gives no limit.
pub const LIMIT_DEFAULT: Limit = Limit::HUNDRED;

/// A part of a ledger.
pub struct Request<'r> {
    pub ledger: LedgerName,
    /// The entry to begin with; the newest where none is named.
    pub from: Option<&'r EntryName>,
    /// The largest number of entries.
    pub limit: Limit,
}

/// The answer to `ledger log`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    pub ledger: LedgerName,
    /// The entries, the newest first.
    pub entries: Vec<EntryView>,
}

/// The answer before its entries, which are read one by one: there may be more than fit in memory.
#[derive(Debug, Serialize)]
pub struct Head {
    pub ledger: LedgerName,
    #[serde(skip)]
    pub entries: Vec<ObjectId>,
}

/// Finds the entries, and checks that all of them can be read.
pub fn log(ctx: &Ctx, request: &Request<'_>) -> Result<Answer<Head>, Problem> {
    let ledger = ctx.ledger(request.ledger);
    let tip = match request.from {
        Some(entry) => Some(resolve(ctx, request.ledger, entry)?),
        None => ctx.read_ledger(request.ledger)?.base.id(),
    };
    let found = History::from(&ledger, tip).take(request.limit.rows());
    let entries: Result<_, StoreError> = found.map(|item| item.map(|(id, _)| id)).collect();
    let head = Head { ledger: request.ledger, entries: entries.map_err(AppError::from)? };
    Ok(Answer::read(head, ctx.clock()))
}

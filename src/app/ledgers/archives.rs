//! Drops the chains that earlier compactions have kept.

use schemars::JsonSchema;
use serde::Serialize;

use crate::app::answer::{Note, Written};
use crate::app::error::AppError;
use crate::app::ledgers::compact::{KEEP_DEFAULT, Request};
use crate::app::{Ctx, WriteMode};
use crate::core::archives::{DropArchives, is_old};
use crate::core::ledger::LedgerName;
use crate::core::text::Line;
use crate::store::git::object::ObjectId;

/// Archives of a ledger that were dropped or, in a dry run, would be.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "DroppedArchives")]
pub struct DroppedView {
    /// The refs that kept them.
    pub dropped: Vec<String>,
    /// The size of what nothing else needs, which git can then free.
    pub bytes: u64,
    /// The entry that records it.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<Written>,
    /// The commands that free the room; each is a list of words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<Vec<String>>,
}

/// Drops the archives of a ledger that are older than the request keeps.
///
/// The entry comes first. A process that is killed after it has dropped nothing, and the next one
/// starts over: no archive goes without a record.
pub(super) fn drop_old(
    ctx: &Ctx,
    ledger: LedgerName,
    request: &Request,
    notes: &mut Vec<Note>,
) -> Result<DroppedView, AppError> {
    let opened = ctx.ledger(ledger);
    let backend = opened.backend();
    let prefix = ledger.archives();
    let mut old: Vec<(String, ObjectId)> = Vec::new();
    for reference in backend.refs_below(&prefix)? {
        let name = reference.strip_prefix(&prefix).unwrap_or_default();
        if is_old(name, ctx.clock(), request.keep.unwrap_or(KEEP_DEFAULT).as_secs())
            && let Some(tip) = backend.tip(&reference)?
        {
            old.push((reference, tip));
        }
    }
    let dropped: Vec<String> = old.iter().map(|(reference, _)| reference.clone()).collect();
    let mut view = DroppedView { dropped, bytes: 0, recorded: None, next: Vec::new() };
    if old.is_empty() {
        return Ok(view);
    }
    view.bytes = backend.disk_usage_without(&view.dropped)?;
    if request.dry_run {
        return Ok(view);
    }
    // No ref has a character that a line must not have.
    let archives = view.dropped.iter().flat_map(|reference| Line::new(reference)).collect();
    let committed = ctx.transact(ledger, DropArchives { archives }, WriteMode::Plain)?;
    notes.extend(committed.notices.iter().map(Note::warning));
    view.recorded = committed.entry.map(|entry| Written { op: committed.op, entry });
    for (reference, tip) in &old {
        backend.delete_ref(reference, tip)?;
    }
    view.next = vec![["git", "gc", "--prune=now"].map(str::to_owned).to_vec()];
    Ok(view)
}

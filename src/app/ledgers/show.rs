//! Shows one entry: its events, its command, and the documents that it changed.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{EntryView, actor_of, resolve};
use crate::app::Ctx;
use crate::app::answer::Answer;
use crate::app::error::AppError;
use crate::app::problem::Problem;
use crate::core::documents::{Documents as _, Key};
use crate::core::event::Event;
use crate::core::ids::EntryName;
use crate::core::ledger::LedgerName;
use crate::core::run;
use crate::store::git::object::ObjectId;
use crate::store::ledger::diff::changed;
use crate::store::ledger::entry::{EVENTS_DOCUMENT, Entry};
use crate::store::ledger::snapshot::read_entry;
use crate::store::ledger::{Base, recorded_command};

/// One entry, the newest where none is named.
pub struct Request<'r> {
    pub ledger: LedgerName,
    pub entry: Option<&'r EntryName>,
}

/// The answer to `ledger show`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    pub ledger: LedgerName,
    #[serde(flatten)]
    pub entry: EntryView<Vec<Event>>,
    /// The command as it was recorded; `ledger verify` decides it again.
    pub command: Value,
}

/// The answer to `ledger diff`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DiffBody {
    pub ledger: LedgerName,
    /// The id of the entry's commit.
    pub entry: ObjectId,
    /// The documents that it changed. A document with several paths is listed once.
    pub changes: Vec<Change>,
}

/// One document that an entry changed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Change {
    /// Its path in the tree of the entry.
    pub path: String,
    /// The document before the entry; absent if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Document>,
    /// The document after the entry; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Document>,
}

/// A document as JSON, or as text if it is not JSON.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Document {
    value: Value,
    #[serde(skip)]
    pub bytes: Vec<u8>,
}

impl From<Vec<u8>> for Document {
    fn from(bytes: Vec<u8>) -> Document {
        let text = |_| Value::from(String::from_utf8_lossy(&bytes));
        Document { value: serde_json::from_slice(&bytes).unwrap_or_else(text), bytes }
    }
}

/// Shows the events and the command of an entry.
pub fn show(ctx: &Ctx, request: &Request<'_>) -> Result<Answer<Body>, Problem> {
    let Found { id, entry, after, .. } = find(ctx, request)?;
    let command = recorded_command(&entry, &after).map_err(AppError::from)?;
    let actor = actor_of(&entry, &after);
    let entry = EntryView::new(id, entry, actor, |events| events);
    Ok(Answer::read(Body { ledger: request.ledger, entry, command }, ctx.clock()))
}

/// Shows the documents that an entry changed.
pub fn diff(ctx: &Ctx, request: &Request<'_>) -> Result<Answer<DiffBody>, Problem> {
    let Found { id, before, after, .. } = find(ctx, request)?;
    let changes = changes(&before, &after)?;
    let body = DiffBody { ledger: request.ledger, entry: id, changes };
    Ok(Answer::read(body, ctx.clock()))
}

/// An entry, between the states before and after it.
struct Found<'c> {
    id: ObjectId,
    entry: Entry,
    before: Base<'c>,
    after: Base<'c>,
}

fn find<'c>(ctx: &'c Ctx, request: &Request<'_>) -> Result<Found<'c>, AppError> {
    let ledger = request.ledger;
    let opened = ctx.ledger(ledger);
    let none = || AppError::nothing("no_entry", format!("'{ledger}' has no entries yet"));
    let id = match request.entry {
        Some(name) => resolve(ctx, ledger, name)?,
        None => opened.now()?.id().ok_or_else(none)?,
    };
    let after = opened.at(Some(id))?;
    let entry = read_entry(opened.backend(), &ledger.reference(), &id)?;
    let before = opened.at(entry.parent)?;
    Ok(Found { id, entry, before, after })
}

fn changes(before: &Base<'_>, after: &Base<'_>) -> Result<Vec<Change>, AppError> {
    let mut changes = Vec::new();
    for key in changed(&before.snapshot, &after.snapshot)?.into_iter().filter(is_first_link) {
        let [before, after] = [&before.snapshot, &after.snapshot].map(|state| state.get(&key));
        changes.push(Change {
            path: key.to_string(),
            before: before?.map(Document::from),
            after: after?.map(Document::from),
        });
    }
    Ok(changes)
}

/// Tells whether a key is the main one of a document. The directories of holders, paths and active
/// runs only link to documents, which have their main keys by id. Events are no document of the
/// state, even if they are stored as one.
fn is_first_link(key: &Key) -> bool {
    !matches!(key.parts().next(), Some("holders" | "paths" | EVENTS_DOCUMENT))
        && !run::index::is_link(key)
}

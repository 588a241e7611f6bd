//! The entries of ledgers: one file a verb, each with its request, its answer and the function that
//! does it.

pub mod archives;
pub mod compact;
pub mod log;
pub mod rollback;
pub mod show;
pub mod upgrade;
pub mod verify;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::app::Ctx;
use crate::app::error::AppError;
use crate::core::event::Event;
use crate::core::ids::{AgentName, EntryName, OpId};
use crate::core::ledger::LedgerName;
use crate::core::time::Timestamp;
use crate::store::git::object::ObjectId;
use crate::store::layout;
use crate::store::ledger::entry::{Counters, Entry, Message, Recorded};
use crate::store::ledger::history::{self, Found};
use crate::store::ledger::snapshot::read_entry;
use crate::store::ledger::{Base, recorded_command};

/// A pattern for every ref of ours.
pub const EVERY_REF: &str = layout::EVERY_REF;

/// An entry of a ledger, in short.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Entry")]
pub struct EntryView<E = usize> {
    /// The id of its commit.
    pub entry: ObjectId,
    /// Its number in the ledger.
    pub seq: u64,
    /// The id of the act that made it.
    pub op: OpId,
    pub at: Timestamp,
    /// A summary in a sentence.
    pub summary: String,
    /// The number of its events, or the events themselves.
    pub events: E,
    /// The agent that acted; absent if the entry does not name it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<AgentName>,
}

impl<E> EntryView<E> {
    fn new(
        id: ObjectId,
        entry: Entry,
        actor: Option<AgentName>,
        events: impl FnOnce(Vec<Event>) -> E,
    ) -> EntryView<E> {
        let Message { counters, summary, events: happened, .. } = entry.message;
        let Counters { seq, op, at, .. } = counters;
        EntryView { entry: id, seq, op, at, summary, events: events(happened), actor }
    }
}

/// Reads an entry.
pub fn entry(ctx: &Ctx, ledger: LedgerName, id: ObjectId) -> Result<EntryView, AppError> {
    let opened = ctx.ledger(ledger);
    let entry = read_entry(opened.backend(), &ledger.reference(), &id)?;
    let actor = match &entry.message.command {
        Recorded::Inline(command) => actor_in(command),
        Recorded::Document(_) => actor_of(&entry, &opened.at(Some(id))?),
    };
    Ok(EntryView::new(id, entry, actor, |events| events.len()))
}

fn actor_of(entry: &Entry, base: &Base<'_>) -> Option<AgentName> {
    actor_in(&recorded_command(entry, base).ok()?)
}

fn actor_in(command: &Value) -> Option<AgentName> {
    command["actor"].as_str()?.parse().ok()
}

/// Finds the entry of the ledger by the beginning of its id.
pub fn resolve(ctx: &Ctx, ledger: LedgerName, name: &EntryName) -> Result<ObjectId, AppError> {
    let opened = ctx.ledger(ledger);
    let tip = opened.now()?.id();
    match history::find(&opened, tip, name.as_str())? {
        Found::One(id) => Ok(id),
        Found::None => {
            Err(AppError::nothing("no_entry", format!("no entry '{name}' in '{ledger}'")))
        }
        Found::SetAside(archive) => Err(AppError::nothing(
            "entry_set_aside",
            format!(
                "entry '{name}' of '{ledger}' was set aside by a compaction; '{archive}' has it"
            ),
        )),
        Found::Several => {
            Err(AppError::Usage(format!("'{name}' is the beginning of several entries")))
        }
    }
}

//! The entries of a ledger: looked at, compared, checked, gone back to.

use std::time::Duration;

use serde_json::Value;

use crate::app::Ctx;
use crate::app::error::AppError;
use crate::core::documents::{Documents as _, Key};
use crate::core::ids::{AgentName, EntryName};
use crate::core::ledger::LedgerName;
use crate::core::rollback::{Rollback, RolledBack};
use crate::core::run;
use crate::core::text::Line;
use crate::store::git::object::ObjectId;
use crate::store::ledger::compact::{Compacted, Compaction};
use crate::store::ledger::diff;
use crate::store::ledger::entry::{Entry, Recorded};
use crate::store::ledger::history::{self, Found, History};
use crate::store::ledger::snapshot::read_entry;
use crate::store::ledger::transact::Committed;
use crate::store::ledger::verify::{self, Report};
use crate::store::ledger::{Base, recorded_command};

/// An entry with its name.
#[derive(Clone, Debug)]
pub struct NamedEntry {
    /// Its name.
    pub id: ObjectId,
    /// What it says.
    pub entry: Entry,
    /// Who acted.
    pub actor: Option<AgentName>,
}

/// The names of entries from one on back, the newest first; all of them can be read. What they say
/// is read one by one, however many they are.
pub fn log(
    ctx: &Ctx,
    name: LedgerName,
    from: Option<&EntryName>,
    limit: usize,
) -> Result<Vec<ObjectId>, AppError> {
    let ledger = ctx.ledger(name)?;
    let tip = match from {
        Some(entry) => Some(resolve(ctx, name, entry)?),
        None => ledger.now()?.id(),
    };
    let entries = History::from(&ledger, tip).take(limit);
    Ok(entries.map(|item| item.map(|(id, _)| id)).collect::<Result<_, _>>()?)
}

/// What an entry says, and who acted.
pub fn named(ctx: &Ctx, ledger: LedgerName, id: ObjectId) -> Result<NamedEntry, AppError> {
    let opened = ctx.ledger(ledger)?;
    let entry = read_entry(opened.backend(), &ledger.reference(), &id)?;
    let actor = match &entry.message.command {
        Recorded::Inline(command) => actor_in(command),
        Recorded::Document(_) => actor_of(&entry, &opened.at(Some(id))?),
    };
    Ok(NamedEntry { id, entry, actor })
}

fn actor_of(entry: &Entry, base: &Base<'_>) -> Option<AgentName> {
    actor_in(&recorded_command(entry, base).ok()?)
}

fn actor_in(command: &Value) -> Option<AgentName> {
    command["actor"].as_str()?.parse().ok()
}

/// One document that an entry changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Which.
    pub key: Key,
    /// Before the entry.
    pub before: Option<Vec<u8>>,
    /// After it.
    pub after: Option<Vec<u8>>,
}

/// An entry, what it decided, and what it changed.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The entry.
    pub named: NamedEntry,
    /// The recorded command.
    pub command: Value,
    /// The documents it changed. Where one document is linked under several names, once.
    pub changes: Vec<Change>,
}

/// One entry, the newest if none is named.
pub fn show(ctx: &Ctx, ledger: LedgerName, entry: Option<&EntryName>) -> Result<Shown, AppError> {
    let opened = ctx.ledger(ledger)?;
    let tip = opened.now()?.id();
    let id = match entry {
        Some(name) => resolve(ctx, ledger, name)?,
        None => tip.ok_or_else(|| {
            AppError::nothing("no_entry", format!("'{ledger}' has no entries yet"))
        })?,
    };
    let after = opened.at(Some(id))?;
    let entry = read_entry(opened.backend(), &ledger.reference(), &id)?;
    let before = opened.at(entry.parent)?;
    let command = recorded_command(&entry, &after)?;
    let actor = actor_of(&entry, &after);
    let changes = changes(&before, &after)?;
    Ok(Shown { named: NamedEntry { id, entry, actor }, command, changes })
}

fn changes(before: &Base<'_>, after: &Base<'_>) -> Result<Vec<Change>, AppError> {
    let keys = diff::changed(&before.snapshot, &after.snapshot)?;
    let mut changes = Vec::new();
    for key in keys.into_iter().filter(is_first_link) {
        let (before, after) = (before.snapshot.get(&key)?, after.snapshot.get(&key)?);
        changes.push(Change { key, before, after });
    }
    Ok(changes)
}

/// Holders and paths only link what stands under ids, and so do the lists of what goes on in runs.
fn is_first_link(key: &Key) -> bool {
    !matches!(key.parts().next(), Some("holders" | "paths")) && !run::index::is_link(key)
}

/// The entry of the ledger whose name begins so.
pub fn resolve(ctx: &Ctx, ledger: LedgerName, name: &EntryName) -> Result<ObjectId, AppError> {
    let opened = ctx.ledger(ledger)?;
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

/// A rollback that was made or only planned.
#[derive(Clone, Debug)]
pub struct RollbackOutcome {
    /// The entry that was made; `None` if it was only planned, or nothing had to change.
    pub entry: Option<ObjectId>,
    /// The entry that is restored.
    pub to: ObjectId,
    /// How many entries are undone.
    pub undone: u64,
    /// What happened to the state.
    pub changed: RolledBack,
    /// What the caller should be told besides.
    pub notices: Vec<String>,
}

/// What to go back to.
#[derive(Clone, Debug)]
pub struct RollbackTo {
    /// The entry, or the beginning of its name.
    pub to: EntryName,
    /// Why.
    pub reason: Line,
    /// What the newest entry must be.
    pub expect: Option<EntryName>,
    /// Whether to decide only.
    pub dry_run: bool,
}

/// Goes back to an earlier entry: one entry, one swap.
pub fn rollback(
    ctx: &Ctx,
    ledger: LedgerName,
    wanted: &RollbackTo,
) -> Result<RollbackOutcome, AppError> {
    let opened = ctx.ledger(ledger)?;
    let to = resolve(ctx, ledger, &wanted.to)?;
    let full = to.to_string().parse().expect("an object id is an entry's name");
    let command = Rollback { to: full, reason: wanted.reason.clone() };
    let base = opened.now()?;
    let undone = history::distance(&opened, base.id(), to)?.unwrap_or(0);
    if wanted.dry_run {
        let changed = opened.propose(&base, &ctx.request(command)?, &Ctx::new_op()?)?.answer;
        return Ok(RollbackOutcome { entry: None, to, undone, changed, notices: Vec::new() });
    }
    let expect = match &wanted.expect {
        None => None,
        // What is not in the ledger any more cannot be what is expected of it either.
        Some(name) => match resolve(ctx, ledger, name) {
            Ok(id) => Some(id.to_string().parse().expect("an object id is an entry's name")),
            Err(AppError::Nothing(_)) => Some(name.clone()),
            Err(error) => return Err(error),
        },
    };
    let Committed { answer, entry, notices, .. } =
        ctx.transact(ledger, command, expect.as_ref())?;
    Ok(RollbackOutcome { entry, to, undone, changed: answer, notices })
}

/// Puts a checkpoint in the place of what is older than `keep`; none if the chain would not become
/// shorter.
pub fn compact(
    ctx: &Ctx,
    ledger: LedgerName,
    keep: Duration,
    dry_run: bool,
) -> Result<Option<Compacted>, AppError> {
    let opened = ctx.ledger(ledger)?;
    let wanted = Compaction {
        actor: ctx.actor().clone(),
        host: ctx.host().clone(),
        clock: ctx.clock(),
        keep_seconds: keep.as_secs(),
    };
    if dry_run {
        return Ok(opened.dry_run(&wanted)?);
    }
    Ok(opened.compact(&wanted, &Ctx::new_op()?)?)
}

/// Whether the ledger is what it says.
pub fn verify(ctx: &Ctx, ledger: LedgerName) -> Result<Report, AppError> {
    Ok(verify::verify(&ctx.ledger(ledger)?, ctx.clock())?)
}

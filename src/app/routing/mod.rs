//! Routing overrides: one file a verb, each with its request, its answer and its function. [`view`]
//! has the forms that several answers share, [`roster`] lists the agents that exist, and
//! [`document`] reads the files of other tools. This file has the queries that several verbs share.

pub mod apply;
pub mod approve;
pub mod arguments;
pub mod block;
pub mod canary;
pub mod change;
pub mod document;
pub mod eligible;
pub mod evidence;
pub mod list;
pub mod overlay;
pub mod propose;
pub mod protected;
pub mod reset;
pub mod revert;
pub mod roster;
pub mod route;
pub mod status;
pub mod thresholds;
pub mod transfer;
pub mod view;

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use crate::app::error::AppError;
use crate::app::ledgers;
use crate::app::{Ctx, Reading};
use crate::core::ids::{EntryName, OpId};
use crate::core::ledger::LedgerName;
use crate::core::routing::apply::Confirmation;
use crate::core::routing::approve::mark;
use crate::core::routing::names::{RecordId, RoutedName};
use crate::core::routing::revert::{Target, applied};
use crate::core::routing::text::check_name;
use crate::core::routing::{Modification, index};
use crate::core::seen::Seen;
use crate::store::git::object::ObjectId;
use crate::store::ledger::history::{Past, PastEntry};
use crate::store::ledger::snapshot::read_entry;

/// The largest number of entries that are searched for an act.
const ENTRIES_MAX: usize = 20_000;
/// The fewest digits that can name an entry or an act.
const NAME_DIGITS_MIN: usize = 7;
/// The number of digits of an entry or an act that are shown.
const NAME_DIGITS_SHOWN: usize = 10;

/// Parses the name of an agent without the configured prefixes.
fn agent_name(ctx: &Ctx, text: &str) -> Result<RoutedName, AppError> {
    let name = RoutedName::without_prefixes(&ctx.settings().routing.prefixes, text)
        .map_err(|error| AppError::Usage(error.to_string()))?;
    check_name(name.as_str()).map_err(|error| AppError::Usage(error.to_string()))?;
    Ok(name)
}

/// Parses the name of an agent, if there is one.
fn some_agent(ctx: &Ctx, text: Option<&str>) -> Result<Option<RoutedName>, AppError> {
    text.map(|text| agent_name(ctx, text)).transpose()
}

/// Tells whether an override of the agent needs a confirmation.
fn confirmation(ctx: &Ctx, agent: &RoutedName, confirmed: bool) -> Confirmation {
    let listed = &ctx.settings().routing.cross_cutting;
    let cross_cutting = listed.iter().any(|name| name == agent.as_str());
    Confirmation { cross_cutting, confirmed: confirmed && cross_cutting }
}

/// Marks the override of an agent as it is now.
fn seen_override(ctx: &Ctx, agent: &RoutedName) -> Result<Seen, AppError> {
    let reading = ctx.read_ledger(LedgerName::Overrides)?;
    Ok(mark(index::override_of(&reading.base.snapshot, agent)?.as_ref()))
}

/// Finds the record of the agent's override that is in force.
fn seen(ctx: &Ctx, agent: &RoutedName) -> Result<Option<RecordId>, AppError> {
    let reading = ctx.read_ledger(LedgerName::Overrides)?;
    Ok(applied(&reading.base.snapshot, agent)?.map(|record| record.id))
}

/// Finds the target of a revert: text can name an agent, an act or an entry.
fn target(ctx: &Ctx, text: &str) -> Result<Target, AppError> {
    let reading = ctx.read_ledger(LedgerName::Overrides)?;
    let agent = agent_name(ctx, text);
    if let Ok(agent) = &agent
        && index::override_of(&reading.base.snapshot, agent)?.is_some()
    {
        return Ok(Target::Agent(agent.clone()));
    }
    let name: Option<EntryName> = text.to_ascii_lowercase().parse().ok();
    let Some(name) = name.filter(|name| name.as_str().len() >= NAME_DIGITS_MIN) else {
        return agent.map(Target::Agent);
    };
    if let Some(act) = recorded_act(ctx, &reading, &name)? {
        return Ok(Target::Act(act));
    }
    // No such act put anything in force that still is. The text may also be the name of an agent.
    match (ledgers::resolve(ctx, LedgerName::Overrides, &name), agent) {
        (Err(error), Ok(agent)) if error.is_absence() => Ok(Target::Agent(agent)),
        (resolved, _) => Ok(Target::Act(act_of(ctx, &resolved?)?)),
    }
}

/// Finds the act of that name among the records, or else the act of the entry of that name among
/// those whose overrides are in force. Only the name of an entry needs a search through the
/// history.
fn recorded_act(
    ctx: &Ctx,
    reading: &Reading<'_>,
    name: &EntryName,
) -> Result<Option<OpId>, AppError> {
    let records = index::modifications(&reading.base.snapshot)?;
    let acts: BTreeSet<&OpId> = records.iter().map(|record| &record.op).collect();
    let mut named: Vec<&OpId> =
        acts.into_iter().filter(|act| act.as_str().starts_with(name.as_str())).collect();
    let entries = if named.is_empty() {
        let in_force = records.iter().filter(|record| record.is_applied());
        entries_of(ctx, reading.base.id(), in_force.map(|record| record.op.clone()))
    } else {
        BTreeMap::new()
    };
    let of_entries = entries.iter().filter(|(_, id)| id.to_string().starts_with(name.as_str()));
    named.extend(of_entries.map(|(act, _)| act));
    match named.as_slice() {
        [] => Ok(None),
        [act] => Ok(Some((*act).clone())),
        _ => Err(AppError::Usage(format!("'{name}' is the beginning of several acts or entries"))),
    }
}

fn act_of(ctx: &Ctx, id: &ObjectId) -> Result<OpId, AppError> {
    let ledger = ctx.ledger(LedgerName::Overrides);
    let entry = read_entry(ledger.backend(), &ledger.name().reference(), id)?;
    Ok(entry.message.counters.op)
}

/// The act that put an override in force, and its entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PutBy {
    /// The id of the act.
    pub op: OpId,
    /// The id of its entry's commit; absent if the history does not reach back so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
}

impl PutBy {
    /// Shortens the id of the entry, or else of the act, so that it still works for a revert.
    pub fn short(&self) -> &str {
        &self.entry.as_deref().unwrap_or(self.op.as_str())[..NAME_DIGITS_SHOWN]
    }
}

/// Finds the entries of these acts in the chain of a tip, including entries that a compaction set
/// aside. This is for people only: where the history cannot be read, it finds less, and does not
/// fail.
fn entries_of(
    ctx: &Ctx,
    tip: Option<ObjectId>,
    acts: impl IntoIterator<Item = OpId>,
) -> BTreeMap<OpId, ObjectId> {
    let mut wanted: BTreeSet<OpId> = acts.into_iter().collect();
    let mut found = BTreeMap::new();
    let ledger = ctx.ledger(LedgerName::Overrides);
    let past = Past::from(&ledger, tip).map_while(Result::ok).take(ENTRIES_MAX);
    for PastEntry { id, entry, .. } in past {
        if wanted.is_empty() {
            break;
        }
        if let Some(act) = wanted.take(&entry.message.counters.op) {
            found.insert(act, id);
        }
    }
    found
}

/// Finds the act and the entry of each record.
fn put_by<'r>(
    ctx: &Ctx,
    tip: Option<ObjectId>,
    records: impl IntoIterator<Item = &'r Modification>,
) -> BTreeMap<RecordId, PutBy> {
    let acts: Vec<(RecordId, OpId)> =
        records.into_iter().map(|record| (record.id.clone(), record.op.clone())).collect();
    let entries = entries_of(ctx, tip, acts.iter().map(|(_, act)| act.clone()));
    let entry = |act: &OpId| entries.get(act).map(ToString::to_string);
    let put_by = |act: OpId| PutBy { entry: entry(&act), op: act };
    acts.into_iter().map(|(id, act)| (id, put_by(act))).collect()
}

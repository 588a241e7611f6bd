//! Routing overrides: one file a verb, each with its request, its answer and the function that does
//! it. [`view`] has the forms that several answers share, [`roster`] finds out which agents there
//! are, [`document`] reads what other tools keep. The questions that several verbs ask stand here.

pub mod apply;
pub mod approve;
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
use crate::core::routing::names::{RecordId, RoutedName};
use crate::core::routing::revert::{Target, applied};
use crate::core::routing::text::check_name;
use crate::core::routing::{Modification, index};
use crate::store::git::object::ObjectId;
use crate::store::ledger::history::{Past, PastEntry};
use crate::store::ledger::snapshot::read_entry;

/// How far back, in entries, an act is looked for.
const ENTRIES_MAX: usize = 20_000;
/// Fewer digits are the name of no entry and of no act.
const NAME_DIGITS_MIN: usize = 7;
/// So many digits are shown of an entry or an act.
const NAME_DIGITS_SHOWN: usize = 10;

/// Reads the name of an agent behind the configured prefixes.
fn agent_name(ctx: &Ctx, text: &str) -> Result<RoutedName, AppError> {
    let name = RoutedName::without_prefixes(&ctx.settings().routing.prefixes, text)
        .map_err(|error| AppError::Usage(error.to_string()))?;
    check_name(name.as_str()).map_err(|error| AppError::Usage(error.to_string()))?;
    Ok(name)
}

/// Reads the name of an agent that need not be given.
fn some_agent(ctx: &Ctx, text: Option<&str>) -> Result<Option<RoutedName>, AppError> {
    text.map(|text| agent_name(ctx, text)).transpose()
}

/// Tells whether leaving out that agent takes a confirmation.
fn confirmation(ctx: &Ctx, agent: &RoutedName, confirmed: bool) -> Confirmation {
    let listed = &ctx.settings().routing.cross_cutting;
    let cross_cutting = listed.iter().any(|name| name == agent.as_str());
    Confirmation { cross_cutting, confirmed: confirmed && cross_cutting }
}

/// Finds the record of the override of that agent that is in force now.
fn seen(ctx: &Ctx, agent: &RoutedName) -> Result<Option<RecordId>, AppError> {
    let reading = ctx.read_ledger(LedgerName::Overrides)?;
    Ok(applied(&reading.base.snapshot, agent)?.map(|record| record.id))
}

/// Finds what a person who typed an agent, an act or an entry wants taken back.
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
    // It put nothing in force that is there still. An agent may be called like an entry.
    match (ledgers::resolve(ctx, LedgerName::Overrides, &name), agent) {
        (Err(AppError::Nothing(_)), Ok(agent)) => Ok(Target::Agent(agent)),
        (resolved, _) => Ok(Target::Act(act_of(ctx, &resolved?)?)),
    }
}

/// Finds the act with that name among those that records name, or the one whose entry has it among
/// those that put in force what is there. Only the name of an entry is looked for in the past.
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
    let ledger = ctx.ledger(LedgerName::Overrides)?;
    let entry = read_entry(ledger.backend(), &ledger.name().reference(), id)?;
    Ok(entry.message.counters.op)
}

/// The act that put something in force, and its entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PutBy {
    /// The act, as the record names it.
    pub op: OpId,
    /// The entry that the act made; absent where the past cannot be read as far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
}

impl PutBy {
    /// Gives enough of the entry's name, or else of the act's, to take it back by.
    pub fn short(&self) -> &str {
        &self.entry.as_deref().unwrap_or(self.op.as_str())[..NAME_DIGITS_SHOWN]
    }
}

/// Finds the entries that these acts made, as seen from a tip, those that a compaction has set
/// aside included. The past is for people to look at: as far as it cannot be read, it tells less,
/// and is no reason to fail.
fn entries_of(
    ctx: &Ctx,
    tip: Option<ObjectId>,
    acts: impl IntoIterator<Item = OpId>,
) -> BTreeMap<OpId, ObjectId> {
    let mut wanted: BTreeSet<OpId> = acts.into_iter().collect();
    let mut found = BTreeMap::new();
    let Ok(ledger) = ctx.ledger(LedgerName::Overrides) else { return found };
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

/// Finds what put the things of these records in force.
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

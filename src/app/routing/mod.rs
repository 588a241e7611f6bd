//! Questions about routing overrides. What changes them goes through [`Ctx::transact`].

pub mod document;
pub mod reader;
pub mod roster;
pub mod view;

use std::collections::{BTreeMap, BTreeSet};

use crate::app::error::AppError;
use crate::app::ledgers;
use crate::app::{Ctx, Reading};
use crate::core::ids::{EntryName, OpId};
use crate::core::ledger::LedgerName;
use crate::core::routing::apply::Care;
use crate::core::routing::names::{RecordId, RoutedName};
use crate::core::routing::revert::{self, Target};
use crate::core::routing::text::keep_name;
use crate::core::routing::thresholds::Thresholds;
use crate::core::routing::{Modification, classify, evidence, index};
use crate::core::time::Timestamp;
use crate::store::git::object::ObjectId;
use crate::store::ledger::history::{Past, PastEntry};
use crate::store::ledger::snapshot::read_entry;

/// How far back, in entries, an act is looked for.
const ENTRIES_MAX: usize = 20_000;
/// Fewer digits are the name of no entry and of no act.
const NAME_DIGITS_MIN: usize = 7;
/// As many are shown of an act.
const NAME_DIGITS_SHOWN: usize = 10;

/// The name of an agent behind the configured prefixes.
pub fn agent_name(ctx: &Ctx, text: &str) -> Result<RoutedName, AppError> {
    let name = RoutedName::behind(&ctx.settings().routing.prefixes, text)
        .map_err(|error| AppError::Usage(error.to_string()))?;
    keep_name(name.as_str()).map_err(|error| AppError::Usage(error.to_string()))?;
    Ok(name)
}

/// Whether leaving out that agent takes a confirmation.
pub fn care(ctx: &Ctx, agent: &RoutedName, confirmed: bool) -> Care {
    let listed = &ctx.settings().routing.cross_cutting;
    let cross_cutting = listed.iter().any(|name| name == agent.as_str());
    Care { cross_cutting, confirmed: confirmed && cross_cutting }
}

/// The record of the override of that agent that is in force now.
pub fn seen(ctx: &Ctx, agent: &RoutedName) -> Result<Option<RecordId>, AppError> {
    let reading = ctx.read_ledger(LedgerName::Overrides)?;
    Ok(revert::applied(&reading.base.snapshot, agent)?.map(|record| record.id))
}

/// What a person who typed an agent, an act or an entry wants taken back.
pub fn target(ctx: &Ctx, text: &str) -> Result<Target, AppError> {
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

/// The act with that name among those that records name, or the one whose entry has it among those
/// that put in force what is there. Only the name of an entry is looked for in the past.
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PutBy {
    /// The act, as the record names it.
    pub act: OpId,
    /// The entry that it made, where the past can be read as far.
    pub entry: Option<ObjectId>,
}

impl PutBy {
    /// Enough of the entry's name, or else of the act's, to take it back by.
    pub fn short(&self) -> String {
        let act = || self.act.as_str()[..NAME_DIGITS_SHOWN].to_owned();
        self.entry.as_ref().map_or_else(act, ObjectId::short)
    }
}

/// The entries that these acts made, as seen from a tip, those that a compaction has set aside
/// included. The past is for people to look at: as far as it cannot be read, it tells less, and is
/// no reason to fail.
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

/// What put the things of these records in force.
pub fn put_by<'r>(
    ctx: &Ctx,
    tip: Option<ObjectId>,
    records: impl IntoIterator<Item = &'r Modification>,
) -> BTreeMap<RecordId, PutBy> {
    let acts: Vec<(RecordId, OpId)> =
        records.into_iter().map(|record| (record.id.clone(), record.op.clone())).collect();
    let entries = entries_of(ctx, tip, acts.iter().map(|(_, act)| act.clone()));
    let put_by = |act: OpId| PutBy { entry: entries.get(&act).copied(), act };
    acts.into_iter().map(|(id, act)| (id, put_by(act))).collect()
}

/// What is known about agents: the one that is named, or all with evidence, an override or a
/// block.
pub fn assessments(
    ctx: &Ctx,
    agent: Option<&RoutedName>,
) -> Result<(Vec<classify::Assessment>, Timestamp), AppError> {
    let reading = ctx.read_ledger(LedgerName::Overrides)?;
    let (documents, now) = (&reading.base.snapshot, reading.now);
    let mut agents = BTreeSet::new();
    if let Some(agent) = agent {
        agents.insert(agent.clone());
    } else {
        let rows = evidence::counting(documents, now, &Thresholds::read(documents)?)?;
        agents.extend(rows.into_iter().map(|row| row.source));
    }
    let mut found = Vec::new();
    for agent in &agents {
        found.push(classify::assess(documents, agent, now)?);
    }
    Ok((found, now))
}

/// Rows of evidence, newest first, and the time that counts.
pub fn evidence_rows(
    ctx: &Ctx,
    agent: Option<&RoutedName>,
) -> Result<(Vec<evidence::Evidence>, Timestamp), AppError> {
    let reading = ctx.read_ledger(LedgerName::Overrides)?;
    let (documents, now) = (&reading.base.snapshot, reading.now);
    let mut rows = evidence::recent(documents, now, &Thresholds::read(documents)?)?;
    rows.retain(|row| agent.is_none_or(|agent| row.source == *agent));
    rows.sort_by(|one, other| (other.at, &other.id).cmp(&(one.at, &one.id)));
    Ok((rows, now))
}

/// The name of this project: that of its directory.
pub fn project(ctx: &Ctx) -> String {
    let common = ctx.repository().common_dir();
    let common = common.canonicalize().unwrap_or_else(|_| common.to_owned());
    let is_inside = common.file_name().is_some_and(|name| name == ".git");
    let named = if is_inside { common.parent().unwrap_or(&common) } else { &common };
    let name = named.file_name().unwrap_or_default().to_string_lossy().into_owned();
    name.strip_suffix(".git").unwrap_or(&name).to_owned()
}

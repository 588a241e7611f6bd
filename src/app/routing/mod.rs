//! Questions about routing overrides. What changes them goes through [`Ctx::transact`].

pub mod document;
pub mod reader;
pub mod roster;
pub mod view;

use std::collections::{BTreeMap, BTreeSet};

use crate::app::Ctx;
use crate::app::error::AppError;
use crate::app::ledgers;
use crate::core::ids::{EntryName, OpId};
use crate::core::routing::apply::Care;
use crate::core::routing::names::{RecordId, RoutedName};
use crate::core::routing::revert::{self, Target};
use crate::core::routing::text::keep_name;
use crate::core::routing::{classify, evidence, places, thresholds::Thresholds};
use crate::core::time::Timestamp;
use crate::store::history::History;
use crate::store::layout::LedgerName;
use crate::store::object::ObjectId;
use crate::store::snapshot::read_entry;

/// How far back, in entries, an act is looked for.
const ENTRIES_MAX: usize = 20_000;
/// Fewer digits are no entry.
const ENTRY_DIGITS_MIN: usize = 7;

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

/// What a person who typed an agent or an entry wants taken back.
pub fn target(ctx: &Ctx, text: &str) -> Result<Target, AppError> {
    let reading = ctx.read_ledger(LedgerName::Overrides)?;
    let agent = agent_name(ctx, text);
    if let Ok(agent) = &agent
        && places::override_of(&reading.base.snapshot, agent)?.is_some()
    {
        return Ok(Target::Agent(agent.clone()));
    }
    let name: Option<EntryName> = text.to_ascii_lowercase().parse().ok();
    match name.filter(|name| name.as_str().len() >= ENTRY_DIGITS_MIN) {
        None => agent.map(Target::Agent),
        Some(name) => {
            // A name of an agent may look like one of an entry.
            match (ledgers::resolve(ctx, LedgerName::Overrides, &name), agent) {
                (Err(AppError::Nothing(_)), Ok(agent)) => Ok(Target::Agent(agent)),
                (resolved, _) => Ok(Target::Act(act_of(ctx, &resolved?)?)),
            }
        }
    }
}

fn act_of(ctx: &Ctx, id: &ObjectId) -> Result<OpId, AppError> {
    let ledger = ctx.ledger(LedgerName::Overrides)?;
    let entry = read_entry(ledger.backend(), &ledger.name().reference(), id)?;
    Ok(entry.message.counters.op)
}

/// The entries that these acts made, as far as they are in the chain.
pub fn entries_of(
    ctx: &Ctx,
    acts: impl IntoIterator<Item = OpId>,
) -> Result<BTreeMap<OpId, ObjectId>, AppError> {
    let mut wanted: BTreeSet<OpId> = acts.into_iter().collect();
    let mut found = BTreeMap::new();
    if wanted.is_empty() {
        return Ok(found);
    }
    let ledger = ctx.ledger(LedgerName::Overrides)?;
    for item in History::from(&ledger, ledger.now()?.id()).take(ENTRIES_MAX) {
        let (id, entry) = item?;
        let op = entry.message.counters.op;
        if wanted.remove(&op) {
            found.insert(op, id);
        }
        if wanted.is_empty() {
            break;
        }
    }
    Ok(found)
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

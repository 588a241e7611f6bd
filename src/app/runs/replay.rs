//! Follows the events of a run through the whole ledger and compares with what is stored.
//!
//! A rollback of the ledger itself restores documents and undoes events: the replay goes on from
//! what the events had led to at the entry that was restored. Where older entries were set aside by
//! a compaction, or are not in a shallow clone, it begins with the state of the oldest one.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use crate::app::Ctx;
use crate::app::answer::{Answer, Outcome};
use crate::app::error::AppError;
use crate::app::problem::Problem;
use crate::core::event::Event;
use crate::core::ledger::LedgerName;
use crate::core::run::Run;
use crate::core::run::names::{IdPrefix, RunId};
use crate::core::run::replay::Replay;
use crate::core::run::state::{Difference, State, differences, stored};
use crate::core::time::Timestamp;
use crate::store::git::object::ObjectId;
use crate::store::ledger::Ledger;
use crate::store::ledger::entry::Undoes;
use crate::store::ledger::history::History;

/// The answer to `run replay`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Body {
    pub run: Run,
    /// How many events tell of the run.
    pub events: u64,
    /// Whether they lead to the stored state.
    pub same: bool,
    /// Events that say something of the moment before them that was not so.
    pub faults: Vec<String>,
    /// Where events and documents differ.
    pub differences: Vec<Difference>,
    /// The entry whose state it began with, where the history does not go back to the run's first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub began_at: Option<String>,
}

/// What a replay needs of an entry.
struct Link {
    id: ObjectId,
    at: Timestamp,
    undoes: Option<Undoes>,
    events: Vec<Event>,
}

/// Follows the events of the run whose id begins so.
pub fn replay(ctx: &Ctx, prefix: &IdPrefix) -> Result<Answer<Body>, Problem> {
    let body = replayed(ctx, prefix)?;
    let outcome = if body.same { Outcome::Done } else { Outcome::No };
    Ok(Answer { outcome, ..Answer::read(body, ctx.clock()) })
}

fn replayed(ctx: &Ctx, prefix: &IdPrefix) -> Result<Body, AppError> {
    let ledger = ctx.ledger(LedgerName::Runs)?;
    let base = ledger.now()?;
    let run = crate::core::run::index::select(&base.snapshot, prefix)?;
    let (chain, begins_whole) = chain(&ledger, base.id(), &run.id)?;
    let began_at = chain.first().map(|link| link.id).filter(|_| !begins_whole);
    let mut replay = Replay::from(run.id.clone(), State::new());
    let targets: BTreeSet<ObjectId> =
        chain.iter().filter_map(|link| link.undoes.as_ref()).map(|undoes| undoes.to).collect();
    let mut known: BTreeMap<ObjectId, State> = BTreeMap::new();
    for link in &chain {
        match &link.undoes {
            _ if began_at == Some(link.id) => {
                replay.restart(stored(&ledger.at(Some(link.id))?.snapshot, &run.id)?);
            }
            Some(Undoes { to, .. }) => {
                let state = match known.get(to) {
                    Some(state) => state.clone(),
                    None => stored(&ledger.at(Some(*to))?.snapshot, &run.id)?,
                };
                replay.restart(state);
            }
            None => link.events.iter().for_each(|event| replay.follow(event, link.at)),
        }
        if targets.contains(&link.id) {
            known.insert(link.id, replay.state.clone());
        }
    }
    let stored = stored(&base.snapshot, &run.id)?;
    let differences = differences(&replay.state, &stored);
    Ok(Body {
        run,
        events: replay.events,
        same: replay.faults.is_empty() && differences.is_empty(),
        faults: replay.faults,
        differences,
        began_at: began_at.map(|entry| entry.to_string()),
    })
}

/// Reads the entries from the oldest on, with what concerns the run, and tells whether they begin
/// with the ledger's first.
fn chain(
    ledger: &Ledger<'_>,
    tip: Option<ObjectId>,
    run: &RunId,
) -> Result<(Vec<Link>, bool), AppError> {
    let mut chain = Vec::new();
    let mut begins_whole = true;
    for item in History::from(ledger, tip) {
        let (id, entry) = item?;
        begins_whole = entry.parent.is_none() && entry.message.checkpoint.is_none();
        let concerns =
            |event: &Event| [event.text("run"), event.text("parent")].contains(&Some(run.as_str()));
        let events = entry.message.events.into_iter().filter(concerns).collect();
        let at = entry.message.counters.at;
        chain.push(Link { id, at, undoes: entry.message.undoes, events });
    }
    chain.reverse();
    Ok((chain, begins_whole))
}

//! Replays the events of a run through the whole ledger, and compares the result with the
//! documents.
//!
//! A rollback of the ledger itself restores documents and undoes events: the replay continues with
//! its own state at the entry that was restored. If a compaction set older entries aside, or a
//! shallow clone lacks them, the replay begins with the state of the oldest one.

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
    /// The number of events about the run.
    pub events: u64,
    /// True if the events lead to the stored state.
    pub same: bool,
    /// Events that contradict the state before them.
    pub faults: Vec<String>,
    /// The differences between events and documents.
    pub differences: Vec<Difference>,
    /// The entry whose state the replay began with; absent if the history goes back to the run's
    /// first entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub began_at: Option<String>,
}

/// The parts of an entry that a replay needs.
struct Link {
    id: ObjectId,
    at: Timestamp,
    undoes: Option<Undoes>,
    events: Vec<Event>,
}

/// Replays the events of a run, which is named by the beginning of its id.
pub fn replay(ctx: &Ctx, prefix: &IdPrefix) -> Result<Answer<Body>, Problem> {
    let body = replayed(ctx, prefix)?;
    let outcome = if body.same { Outcome::Done } else { Outcome::No };
    Ok(Answer { outcome, ..Answer::read(body, ctx.clock()) })
}

fn replayed(ctx: &Ctx, prefix: &IdPrefix) -> Result<Body, AppError> {
    let ledger = ctx.ledger(LedgerName::Runs);
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

/// Reads the entries from the oldest on, with their events about the run, and tells whether they
/// begin with the ledger's first.
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

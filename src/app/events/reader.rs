//! Follows the events of ledgers, and stores the position of a consumer.

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Batch, Place, Since, Wanted, batch, page};
use crate::app::Ctx;
use crate::app::error::AppError;
use crate::app::problem::Problem;
use crate::app::runs;
use crate::core::bounded::Limit;
use crate::core::event::Event;
use crate::core::ids::AgentName;
use crate::core::ledger::LedgerName;
use crate::core::merge::{self, End};
use crate::core::text::Line;
use crate::core::time::Timestamp;
use crate::store::git::object::ObjectId;
use crate::store::machine::cursors::Position;

/// The number of events that are shown if the caller gives no limit.
pub const LIMIT_DEFAULT: Limit = Limit::HUNDRED;

/// A choice of events.
pub struct Request<'r> {
    /// Only those of this ledger.
    pub ledger: Option<LedgerName>,
    /// Only those of this run.
    pub run: Option<&'r Line>,
    /// Only those of this type.
    pub event_type: Option<&'r String>,
    /// Only those after this place.
    pub since: Option<Start>,
    /// Go on where this consumer stopped.
    pub consumer: Option<&'r AgentName>,
    /// The largest number of events.
    pub limit: Option<Limit>,
}

/// The place that events are wanted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// After this number of this ledger.
    Place(LedgerName, u64),
    /// From this long ago on.
    Ago(Duration),
}

impl Request<'_> {
    /// Checks that the request says what it means.
    pub fn check(&self) -> Result<(), AppError> {
        if self.consumer.is_some() && self.since.is_some() {
            let message = "--consumer goes on where the consumer stopped, so --since has no place";
            return Err(AppError::usage(message));
        }
        Ok(())
    }
}

/// One line of `events --json`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Delivered {
    Event(EventView),
    Rewound(Rewound),
}

/// An event, with its place.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Event")]
pub struct EventView {
    /// Its number in the ledger.
    pub seq: u64,
    pub ledger: LedgerName,
    /// The entry that has it: the id of its commit.
    pub entry: ObjectId,
    /// The type of the event, in the past tense, such as `granted`.
    #[serde(rename = "type")]
    pub kind: String,
    pub at: Timestamp,
    /// The agent that did it.
    pub actor: AgentName,
    /// The id of the thing that it happened to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Further data, by type.
    pub data: serde_json::Map<String, serde_json::Value>,
}

/// A notice that the ledger was reset, so that events that the reader has seen are undone.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Rewound {
    #[serde(rename = "type")]
    #[schemars(extend("const" = "rewound"))]
    kind: &'static str,
    pub ledger: LedgerName,
    /// The number of the event that the reader continues after.
    pub seq: u64,
}

/// The result of handing an event to its reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    Reader,
    Nobody,
}

/// A reader of the events of ledgers, with its positions.
pub struct Reader {
    ledgers: Vec<LedgerName>,
    wanted: Wanted,
    limit: usize,
    consumer: Option<AgentName>,
    positions: BTreeMap<LedgerName, Since>,
}

impl Reader {
    /// Begins where the request says, or where its consumer stopped.
    pub fn begin(ctx: &Ctx, request: &Request<'_>) -> Result<Reader, Problem> {
        request.check()?;
        let since_ledger = match request.since {
            Some(Start::Place(ledger, _)) => Some(ledger),
            Some(Start::Ago(_)) | None => None,
        };
        let one = request.ledger.or(since_ledger);
        let ledgers = one.map_or_else(|| LedgerName::ALL.to_vec(), |ledger| vec![ledger]);
        let mut positions = BTreeMap::new();
        match request.since {
            Some(Start::Place(ledger, seq)) => {
                positions.insert(ledger, Since::Seq(seq));
            }
            Some(Start::Ago(ago)) => {
                let since = Since::Within { now: ctx.clock(), seconds: ago.as_secs() };
                positions.extend(ledgers.iter().map(|ledger| (*ledger, since)));
            }
            None => {}
        }
        if let Some(consumer) = request.consumer {
            positions.extend(stored(ctx, consumer)?);
            for ledger in &ledgers {
                positions.entry(*ledger).or_insert(Since::Seq(0));
            }
        }
        let run = request.run.map(|run| runs::named::elsewhere(ctx, run)).transpose()?;
        let wanted =
            Wanted { kind: request.event_type.cloned(), run: run.map(|run| run.to_string()) };
        let limit = request.limit.unwrap_or(LIMIT_DEFAULT).rows();
        Ok(Reader { ledgers, wanted, limit, consumer: request.consumer.cloned(), positions })
    }

    /// Hands over the new events one by one in order of time, and then none: no more than the limit
    /// of all ledgers together, in whole entries. The cursor of a consumer moves only after all of
    /// them have reached it.
    pub fn deliver(
        &mut self,
        ctx: &Ctx,
        hand_over: &mut dyn FnMut(Option<Delivered>) -> Result<Reached, Problem>,
    ) -> Result<(), Problem> {
        let mut moved = false;
        let (mut sequences, mut found) = (Vec::new(), Vec::new());
        let mut end = End::Newest;
        for ledger in self.ledgers.clone() {
            let since = self.positions.get(&ledger).copied().unwrap_or(Since::Last);
            let page = page(ctx, ledger, since, &self.wanted, self.limit)?;
            if let Some(since) = page.rewound {
                let seq = since.seq();
                let kind = "rewound";
                hand_over(Some(Delivered::Rewound(Rewound { kind, ledger, seq })))?;
                self.positions.insert(ledger, since);
                moved = true;
            }
            if since.end() == End::Oldest {
                end = End::Oldest;
            }
            if since == Since::Last && page.reached.is_none() {
                self.positions.insert(ledger, Since::Seq(0));
            }
            found.push((ledger, page.entries.len(), page.reached));
            sequences.push(page.entries);
        }
        let chosen = merge::cut(sequences, self.limit, end);
        'page: for Place { ledger, entry, .. } in &chosen {
            for event in views(batch(ctx, *ledger, *entry, &self.wanted)?) {
                if hand_over(Some(Delivered::Event(event)))? == Reached::Nobody {
                    break 'page;
                }
            }
        }
        for (ledger, count, reached) in found {
            let own = || chosen.iter().filter(|place| place.ledger == ledger);
            // The next page begins with the entries that the limit leaves out, if they are newer.
            let is_whole = end == End::Newest || own().count() == count;
            let last = own().next_back().map(|place| (place.entry, place.seq));
            if let Some((id, seq)) = if is_whole { reached } else { last } {
                self.positions.insert(ledger, Since::Entry { id, seq });
                moved = true;
            }
        }
        let reached = hand_over(None)?;
        match &self.consumer {
            Some(consumer) if moved && reached == Reached::Reader => self.save(ctx, consumer),
            _ => Ok(()),
        }
    }

    fn save(&self, ctx: &Ctx, consumer: &AgentName) -> Result<(), Problem> {
        let known = self.positions.iter().filter_map(|(ledger, since)| match since {
            Since::Entry { id, seq } => {
                let position = Position { entry: id.to_string(), seq: *seq };
                Some((ledger.to_string(), position))
            }
            Since::Last | Since::Seq(_) | Since::Within { .. } => None,
        });
        Ok(ctx.cursors().save(consumer, &known.collect()).map_err(AppError::from)?)
    }
}

/// Loads the positions of a consumer.
fn stored(ctx: &Ctx, consumer: &AgentName) -> Result<Vec<(LedgerName, Since)>, AppError> {
    let cursor = ctx.cursors().load(consumer)?.unwrap_or_default();
    let place = |(name, position): (String, Position)| {
        let id = position.entry.parse().ok()?;
        Some((name.parse().ok()?, Since::Entry { id, seq: position.seq }))
    };
    Ok(cursor.into_iter().filter_map(place).collect())
}

impl Since {
    /// Returns the number that a reader continues after.
    fn seq(self) -> u64 {
        match self {
            Since::Entry { seq, .. } | Since::Seq(seq) => seq,
            Since::Last | Since::Within { .. } => 0,
        }
    }
}

fn views(Batch { ledger, entry, at, events }: Batch) -> impl Iterator<Item = EventView> {
    events.into_iter().map(move |(seq, Event { kind, actor, subject, data })| EventView {
        seq,
        ledger,
        entry,
        kind,
        at,
        actor,
        subject,
        data,
    })
}

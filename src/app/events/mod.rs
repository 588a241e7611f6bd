//! The events of the ledgers in order, from the position of a reader on. [`reader`] follows them
//! for a consumer, and [`cursors`] lists the consumers.

pub mod cursors;
pub mod reader;

use std::collections::{HashSet, VecDeque};

use crate::app::Ctx;
use crate::app::error::AppError;
use crate::core::event::Event;
use crate::core::ledger::LedgerName;
use crate::core::merge::{Dated, End};
use crate::core::time::Timestamp;
use crate::store::error::StoreError;
use crate::store::git::object::ObjectId;
use crate::store::ledger::Ledger;
use crate::store::ledger::entry::{Counters, Message};
use crate::store::ledger::history::{History, Past, PastEntry};
use crate::store::ledger::snapshot::read_entry;

/// The events of one entry.
#[derive(Clone, Debug)]
pub struct Batch {
    pub ledger: LedgerName,
    pub entry: ObjectId,
    pub at: Timestamp,
    /// Each event with its number in the chain.
    pub events: Vec<(u64, Event)>,
}

/// A filter of events.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Only of this type.
    pub kind: Option<String>,
    /// Only of this run.
    pub run: Option<String>,
}

impl Since {
    /// Returns the end of the events that a limit leaves.
    pub fn end(self) -> End {
        match self {
            Since::Last => End::Newest,
            Since::Seq(_) | Since::Within { .. } | Since::Entry { .. } => End::Oldest,
        }
    }
}

impl Wanted {
    fn lets_through(&self, event: &Event) -> bool {
        self.kind.as_ref().is_none_or(|kind| event.kind == *kind)
            && self.run.as_deref().is_none_or(|run| event.text("run") == Some(run))
    }
}

/// The position that a reader begins at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    /// At the last events, as many as the limit allows.
    Last,
    /// After the entry whose last event has this number.
    Seq(u64),
    /// At the first entry of those that are no older than this.
    Within { now: Timestamp, seconds: u64 },
    /// After this entry, whose number was `seq` when it was read.
    Entry { id: ObjectId, seq: u64 },
}

/// An entry of a ledger, and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub ledger: LedgerName,
    pub entry: ObjectId,
    pub seq: u64,
}

/// Entries with the wanted events, oldest first.
#[derive(Clone, Debug)]
pub struct Page {
    /// The entries with at least as many events as asked for, if there are so many. They count as
    /// many as they have wanted events, which are read one by one by [`batch`].
    pub entries: Vec<Dated<Place>>,
    /// The newest entry that was looked at, after which the next page begins.
    pub reached: Option<(ObjectId, u64)>,
    /// The position that the reader goes back to if its entry is no longer in the chain.
    pub rewound: Option<Since>,
}

/// Reads a page of one ledger. A limit never splits an entry.
pub fn page(
    ctx: &Ctx,
    name: LedgerName,
    since: Since,
    wanted: &Wanted,
    limit: usize,
) -> Result<Page, AppError> {
    let ledger = ctx.ledger(name);
    let tip = ledger.now()?.id();
    let (after, rewound) = match since {
        Since::Last | Since::Within { .. } => (None, None),
        Since::Seq(seq) => (Some(seq), None),
        Since::Entry { id, seq } => match common_ancestor(&ledger, tip, id)? {
            Some((ancestor, at)) if ancestor == id => (Some(at), None),
            Some((ancestor, at)) => (Some(at), Some(Since::Entry { id: ancestor, seq: at })),
            None => (Some(0), Some(Since::Seq(0)).filter(|_| seq > 0)),
        },
    };
    let mut window = Window { entries: VecDeque::new(), events: 0, limit, end: since.end() };
    let mut reached = None;
    for item in History::from(&ledger, tip) {
        let (id, entry) = item?;
        let seq = entry.message.counters.seq;
        let at = entry.message.counters.at;
        let is_old = match since {
            Since::Within { now, seconds } => now.seconds_since(at) > seconds,
            _ => after.is_some_and(|after| seq <= after),
        };
        if is_old || window.is_full() {
            break;
        }
        let events = entry.message.events.iter().filter(|event| wanted.lets_through(event)).count();
        reached = reached.or(Some((id, seq)));
        if let Some(newest) =
            window.push(Dated { at, count: events, item: Place { ledger: name, entry: id, seq } })
        {
            reached = Some(newest);
        }
    }
    let with_events = window.entries.into_iter().filter(|dated| dated.count > 0);
    Ok(Page { entries: with_events.collect(), reached, rewound })
}

/// Reads the wanted events of one entry of a page.
pub fn batch(
    ctx: &Ctx,
    name: LedgerName,
    id: ObjectId,
    wanted: &Wanted,
) -> Result<Batch, AppError> {
    let ledger = ctx.ledger(name);
    let Message { events, counters, .. } =
        read_entry(ledger.backend(), &name.reference(), &id)?.message;
    let Counters { seq, at, .. } = counters;
    let first = (seq + 1).saturating_sub(events.len() as u64);
    let numbered = (first..).zip(events);
    let events = numbered.filter(|(_, event)| wanted.lets_through(event)).collect();
    Ok(Batch { ledger: name, entry: id, at, events })
}

/// The entries found so far on the way back through the chain, oldest first, within the limit.
struct Window {
    entries: VecDeque<Dated<Place>>,
    events: usize,
    limit: usize,
    /// The end whose entries are kept.
    end: End,
}

impl Window {
    fn is_full(&self) -> bool {
        self.end == End::Newest && self.events >= self.limit
    }

    /// Adds an entry that is older than all before, and drops the newest ones that no longer fit.
    /// Returns the newest that is left if any were dropped.
    fn push(&mut self, dated: Dated<Place>) -> Option<(ObjectId, u64)> {
        self.events += dated.count;
        self.entries.push_front(dated);
        let mut dropped = false;
        while self.end == End::Oldest && self.events > self.limit && self.entries.len() > 1 {
            let newest = self.entries.pop_back().expect("there is more than one");
            self.events -= newest.count;
            dropped = true;
        }
        let newest = self.entries.back().expect("one was just pushed");
        dropped.then_some((newest.item.entry, newest.item.seq))
    }
}

/// Finds the newest entry that both chains have, with its number. Entries that a compaction set
/// aside count as part of the chain: numbers do not change with it.
fn common_ancestor(
    ledger: &Ledger<'_>,
    tip: Option<ObjectId>,
    known: ObjectId,
) -> Result<Option<(ObjectId, u64)>, StoreError> {
    let mut chain = HashSet::new();
    for item in Past::from(ledger, tip) {
        let PastEntry { id, entry, .. } = item?;
        if id == known {
            return Ok(Some((id, entry.message.counters.seq)));
        }
        chain.insert(id);
    }
    for item in History::if_here(ledger, known) {
        // Git may have collected the abandoned chain.
        let Ok((id, entry)) = item else { return Ok(None) };
        if chain.contains(&id) {
            return Ok(Some((id, entry.message.counters.seq)));
        }
    }
    Ok(None)
}

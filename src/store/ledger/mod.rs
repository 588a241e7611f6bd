//! Ledgers: chains of entries. Each entry is a commit whose tree is the state after it.
//!
//! - [`Ledger`] opens the states of a ledger; a [`snapshot`] is the state at one entry;
//! - [`entry`] and [`tree`] are the bytes of an entry, [`committer`] is whose it is, and [`diff`]
//!   lists the documents that differ;
//! - [`layout`] is where each format has the names of a directory: [`shards`] and [`buckets`];
//!   `listing` reads them and [`rewrite`] writes them;
//! - [`proposal`] takes a decision on a state, and [`transact`] is the only way to write it;
//! - [`history`] walks the entries, [`verify`] checks them, [`published`] logs the newest ones;
//! - [`compact`] shortens a chain, [`repair`] continues a damaged one.

mod batch;
pub mod buckets;
pub mod committer;
pub mod compact;
pub mod diff;
pub mod entry;
pub mod history;
pub mod layout;
mod listing;
pub mod proposal;
pub mod published;
pub mod repair;
pub mod rewrite;
pub mod shards;
pub mod snapshot;
pub mod transact;
pub mod tree;
pub mod verify;
mod writer;

use serde_json::Value;

use crate::core::clock::{self, Leap};
use crate::core::command::{Command, Request};
use crate::core::documents::{Documents as _, Key, ReadError};
use crate::core::ids::OpId;
use crate::core::ledger::LedgerName;
use crate::core::pattern::Case;
use crate::core::time::{Timestamp, about};
use crate::store::error::StoreError;
use crate::store::git::backend::Backend;
use crate::store::git::object::ObjectId;
use crate::store::ledger::entry::{COMMAND_DOCUMENT, Counters, Entry, Recorded};
use crate::store::ledger::snapshot::{Format, Snapshot};
use crate::store::ledger::transact::WriteOptions;

/// A ledger of a repository.
pub struct Ledger<'b> {
    pub(super) backend: &'b dyn Backend,
    pub(super) name: LedgerName,
    pub(super) writing: WriteOptions,
}

/// The state at an entry, on which the next entry is decided.
pub struct Base<'b> {
    pub snapshot: Snapshot<'b>,
    /// `None` before the first entry.
    pub format: Option<Format>,
}

impl Base<'_> {
    /// Explains why no entry can follow this one, if none can.
    pub fn exhausted(&self) -> Option<String> {
        let tip = self.snapshot.tip()?;
        Some(format!("entry {}: {}", tip.id.short(), tip.head.counters.exhausted()?))
    }

    /// Returns the entry; `None` before the first.
    pub fn id(&self) -> Option<ObjectId> {
        self.snapshot.tip().map(|tip| tip.id)
    }

    pub fn counters(&self) -> Option<&Counters> {
        self.snapshot.tip().map(|tip| &tip.head.counters)
    }

    /// Returns the counters of the next entry, before its decision adds events and gives out
    /// fences.
    pub fn next_counters<C>(&self, request: &Request<C>, op: &OpId) -> Counters {
        let (op, last) = (op.clone(), self.counters());
        let at = clock::now(request.clock, last.map(|last| last.at), request.tolerance_seconds);
        let leap = if request.rules >= 4 { self.leap_at(at) } else { None };
        match last {
            None => Counters { op, seq: 0, at, fence: 0, leap },
            Some(last) => Counters { op, seq: last.seq, at, fence: last.fence, leap },
        }
    }

    /// Returns the leap that is in doubt at an entry of this time on top of this one.
    pub fn leap_at(&self, at: Timestamp) -> Option<Leap> {
        clock::leap(at, self.counters().map(|last| (last.at, last.leap)))
    }
}

impl<'b> Ledger<'b> {
    pub fn new(backend: &'b dyn Backend, name: LedgerName, writing: WriteOptions) -> Ledger<'b> {
        Ledger { backend, name, writing }
    }

    pub fn name(&self) -> LedgerName {
        self.name
    }

    pub fn backend(&self) -> &'b dyn Backend {
        self.backend
    }

    /// Reads the current state. Takes no lock.
    pub fn now(&self) -> Result<Base<'b>, StoreError> {
        self.at(self.tip()?)
    }

    /// Reads the id of the newest entry; `None` before the first.
    pub(super) fn tip(&self) -> Result<Option<ObjectId>, StoreError> {
        self.backend.tip(&self.name.reference())
    }

    /// Reads the state at an entry.
    pub fn at(&self, id: Option<ObjectId>) -> Result<Base<'b>, StoreError> {
        let (snapshot, format) = Snapshot::at(self.backend, self.name, id)?;
        Ok(Base { snapshot, format })
    }

    /// Tells how the ledger compares names. A new ledger takes the setting of its writer.
    pub fn case(&self, base: &Base<'_>) -> Case {
        base.format.as_ref().map_or(self.writing.case, Format::case)
    }

    /// Returns the format of the next entry. A new ledger takes that of its writer.
    pub fn format(&self, base: &Base<'_>) -> u64 {
        base.format.as_ref().map_or(self.writing.format, |format| format.version)
    }

    /// Returns the time that counts for a state, by the rule of decisions.
    pub fn time_at(&self, base: &Base<'_>, clock: Timestamp) -> Timestamp {
        let before = base.counters().map(|counters| counters.at);
        clock::now(clock, before, Some(self.writing.clock_skew.as_secs()))
    }

    /// Returns how many seconds the newest entry is ahead of a clock, if that is too much for it to
    /// count as the time.
    pub fn seconds_ahead(&self, base: &Base<'_>, clock: Timestamp) -> Option<u64> {
        self.seconds_dated_ahead(base.counters()?.at, clock)
    }

    /// Returns how many seconds the time of an entry is ahead of a clock, if that is more than the
    /// tolerance.
    pub fn seconds_dated_ahead(&self, at: Timestamp, clock: Timestamp) -> Option<u64> {
        let is_ahead = clock::is_ahead(at, clock, self.writing.clock_skew.as_secs());
        is_ahead.then(|| at.seconds_since(clock))
    }

    /// Returns a ledger for reading only that compares names in the given way, and begins with the
    /// given format.
    pub(super) fn for_reading(&self, case: Case, format: u64) -> Ledger<'b> {
        let WriteOptions { committer, wait, clock_skew, maintenance, .. } = &self.writing;
        let writing = WriteOptions {
            committer: committer.clone(),
            turns: None,
            wait: *wait,
            case,
            format,
            clock_skew: *clock_skew,
            maintenance: *maintenance,
        };
        Ledger { backend: self.backend, name: self.name, writing }
    }

    /// Reads the earlier state that a command refers to, if it refers to one.
    pub(super) fn earlier(&self, command: &Command) -> Result<Option<Base<'b>>, StoreError> {
        let Some(entry) = command.reads_entry() else { return Ok(None) };
        let id = entry.as_str().parse().map_err(|_| {
            StoreError::Malformed(format!("'{entry}' is only the beginning of an entry's name"))
        })?;
        self.at(Some(id)).map(Some)
    }
}

/// Formats the warning about a newest entry that is dated ahead.
pub fn clock_notice(seconds: u64) -> String {
    let ahead = about(seconds);
    format!(
        "the newest entry is dated {ahead} ahead of this clock, which counts instead; 'git coord \
         doctor' names the entry and its host"
    )
}

/// Reads the command that an entry records, as it was written.
pub fn recorded_command(entry: &Entry, base: &Base<'_>) -> Result<Value, ReadError> {
    match &entry.message.command {
        Recorded::Inline(value) => Ok(value.clone()),
        Recorded::Document(_) => {
            let key = Key::of([COMMAND_DOCUMENT]);
            let bytes = base.snapshot.get(&key)?.unwrap_or_default();
            serde_json::from_slice(&bytes).map_err(|error| ReadError::damaged(&key, error))
        }
    }
}

/// Decodes a recorded command. Fails for a command that this version does not know.
pub fn decode_request(recorded: Value) -> Result<Request<Command>, ReadError> {
    serde_json::from_value(recorded).map_err(|error| {
        ReadError::damaged(&Key::of([COMMAND_DOCUMENT]), format!("the recorded command: {error}"))
    })
}

//! The only way to write to a ledger.
//!
//! [`Ledger::transact`] takes a decision on the current state, writes it as one pack, and moves the
//! ref by compare-and-swap. If the ref has moved since the decision, the decision is taken again.
//! Correctness rests on the swap alone. The queue in front of it only saves the writers of one
//! machine from deciding in vain.

use std::path::Path;
use std::time::Duration;

use crate::core::command::{Command, Request};
use crate::core::decision::{Decide, No};
use crate::core::documents::ReadError;
use crate::core::ids::{EntryName, OpId};
use crate::core::ledger::LedgerName;
use crate::core::pattern::Case;
use crate::core::refusal::Refusal;
use crate::core::time::{Timestamp, about};
use crate::store::error::StoreError;
use crate::store::git::object::ObjectId;
use crate::store::git::packs::Budget;
use crate::store::ledger::entry::{Committer, Entry};
use crate::store::ledger::proposal::Proposal;
use crate::store::ledger::writer::Writer;
use crate::store::ledger::{Base, Ledger, clock_notice};
use crate::store::machine::group_commit::{PendingRequest, PendingRequests};
use crate::store::machine::queue::Queue;
use crate::store::os::files::Files;

/// The settings of a writer.
pub struct WriteOptions {
    pub committer: Committer,
    /// The queue of this machine's writers; `None` where file locks do not work.
    pub turns: Option<Turns>,
    /// The time after which a write fails as busy.
    pub wait: Duration,
    /// The comparison of names that a new ledger gets.
    pub case: Case,
    /// The format that a new ledger gets.
    pub format: u64,
    /// How far the newest entry may be ahead of the caller's clock and still count as the time.
    pub clock_skew: Duration,
    /// The limit on maintenance after a write.
    pub maintenance: Budget,
}

/// The queue of this machine's writers, with their requests for a group commit.
pub struct Turns {
    pub queue: Queue,
    /// The requests of waiting writers.
    pub pending: PendingRequests,
}

impl Turns {
    /// Opens the queue of a ledger of the repository with this common directory.
    pub fn new(common: &Path, ledger: LedgerName, files: Files) -> Turns {
        Turns {
            queue: Queue::new(common, ledger.as_str(), files),
            pending: PendingRequests::new(common, ledger, files),
        }
    }
}

/// The outcome of a write.
#[derive(Debug)]
pub struct Committed<A> {
    /// The answer for the caller.
    pub answer: A,
    /// The time of the decision.
    pub at: Timestamp,
    pub op: OpId,
    /// The new entry; `None` if nothing had to be written.
    pub entry: Option<ObjectId>,
    /// Warnings for the caller.
    pub notices: Vec<String>,
}

/// The reason that a transaction wrote nothing.
#[derive(Debug, thiserror::Error)]
pub enum TransactError {
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The state could not be read.
    #[error(transparent)]
    Unreadable(#[from] ReadError),
    /// Other writers were at work all the time.
    #[error(
        "the ledger '{ledger}' is busy: {cause} for {}{}",
        about(*waited_seconds),
        more.as_ref().map(|more| format!("; {more}")).unwrap_or_default()
    )]
    Busy {
        ledger: LedgerName,
        cause: String,
        waited_seconds: u64,
        /// Details about the cause.
        more: Option<String>,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<No> for TransactError {
    fn from(no: No) -> TransactError {
        match no {
            No::Refused(refusal) => TransactError::Refused(refusal),
            No::Unreadable(error) => TransactError::Unreadable(error),
        }
    }
}

/// A state, and the proposal that a request leads to on it.
type Preview<'b, A> = (Base<'b>, Proposal<A>);

impl<'b> Ledger<'b> {
    /// Decides a request and writes its entry. Decides again whenever the ledger moves in between.
    pub fn transact<C>(
        &self,
        request: &Request<C>,
        op: &OpId,
        expect: Option<&EntryName>,
    ) -> Result<Committed<C::Answer>, TransactError>
    where
        C: Decide + Clone + Into<Command>,
    {
        // A partial clone fetches missing objects over the network now, while no other writer
        // waits.
        let may_fetch = self.backend.may_fetch();
        let preview = may_fetch.then(|| self.preview(self.now()?, request, op)).transpose()?;
        self.write(request, op, expect, preview)
    }

    /// Like [`Ledger::transact`], but returns early if the decision writes nothing. Reuses the
    /// state in `base` if it is still current, and enters the queue only if there is something to
    /// write.
    pub fn transact_if_needed<C>(
        &self,
        base: Base<'b>,
        request: &Request<C>,
        op: &OpId,
    ) -> Result<Committed<C::Answer>, TransactError>
    where
        C: Decide + Clone + Into<Command>,
    {
        let tip = self.tip()?;
        let base = if base.id() == tip { base } else { self.at(tip)? };
        let (base, proposal) = self.preview(base, request, op)?;
        if proposal.entry.is_some() {
            return self.write(request, op, None, Some((base, proposal)));
        }
        let behind = self.seconds_ahead(&base, request.clock);
        let Proposal { answer, at, .. } = proposal;
        let notices = behind.map(clock_notice).into_iter().collect();
        Ok(Committed { answer, at, op: op.clone(), entry: None, notices })
    }

    fn preview<C>(
        &self,
        base: Base<'b>,
        request: &Request<C>,
        op: &OpId,
    ) -> Result<Preview<'b, C::Answer>, TransactError>
    where
        C: Decide + Clone + Into<Command>,
    {
        let proposal = self.propose(&base, request, op)?;
        Ok((base, proposal))
    }

    /// Decides and publishes until the ref has not moved in between. A preview is used as long as
    /// the ledger has not moved since.
    fn write<C>(
        &self,
        request: &Request<C>,
        op: &OpId,
        expect: Option<&EntryName>,
        mut preview: Option<Preview<'b, C::Answer>>,
    ) -> Result<Committed<C::Answer>, TransactError>
    where
        C: Decide + Clone + Into<Command>,
    {
        let mut writer = Writer::new(self);
        writer.wait(|| self.pending(request, op, expect))?;
        loop {
            let tip = self.tip()?;
            // Searched in the state that is decided on: the writer that claimed the request may
            // still be at work.
            if let Some(done) = writer.done_by_another(tip, op)? {
                return self.answer_of(request, op, done, writer);
            }
            let (base, ready) = match preview.take().filter(|(base, _)| base.id() == tip) {
                Some((base, proposal)) => (base, Some(proposal)),
                None => (self.at(tip)?, None),
            };
            if writer.tries == 0 {
                writer.warn_of_clock(&base, request.clock);
            }
            expect.map_or(Ok(()), |expected| check_expectation(&base, expected))?;
            let decided = ready.map_or_else(|| self.propose(&base, request, op), Ok);
            let Proposal { answer, at, entry } = writer.ensure_final(decided)?;
            let Some(entry) = entry else {
                return Ok(Committed {
                    answer,
                    at,
                    op: op.clone(),
                    entry: None,
                    notices: writer.notices,
                });
            };
            match writer.publish_entry(base.id(), entry, at) {
                Ok(None) => {}
                Ok(entry @ Some(_)) => {
                    return Ok(Committed {
                        answer,
                        at,
                        op: op.clone(),
                        entry,
                        notices: writer.finish(),
                    });
                }
                Err(error) => {
                    let done = writer.done_after_all(op).ok_or(error)?;
                    return self.answer_of(request, op, done, writer);
                }
            }
        }
    }

    /// Builds the request for another writer to decide. Returns `None` for a request that depends
    /// on more than the newest state, for one whose objects may have to be fetched, which can take
    /// long, and where git may complete the write after its writer was killed.
    fn pending<C>(
        &self,
        request: &Request<C>,
        op: &OpId,
        expect: Option<&EntryName>,
    ) -> Option<PendingRequest>
    where
        C: Clone + Into<Command>,
    {
        let fsync = self.writing.turns.as_ref()?.pending.fsync();
        let request = request.recorded();
        let Request { command, .. } = &request;
        let is_alone =
            expect.is_some() || command.reads_entry().is_some() || command.upgrades_to().is_some();
        let can_be_submitted = self.backend.moves_in_process() && !self.backend.may_fetch();
        let (op, committer) = (op.clone(), self.writing.committer.clone());
        (!is_alone && can_be_submitted).then_some(PendingRequest { op, committer, fsync, request })
    }

    /// Builds the error for a request that another writer has claimed and whose outcome is unknown.
    pub(super) fn outcome_unknown(&self, waited: Duration) -> StoreError {
        let reference = self.name.reference();
        StoreError::OutcomeUnknown { reference, waited_seconds: waited.as_secs() }
    }

    /// Answers a request whose entry another writer has published, once the entry is on disk.
    fn answer_of<C: Decide>(
        &self,
        request: &Request<C>,
        op: &OpId,
        (id, entry): (ObjectId, Entry),
        mut writer: Writer<'_, 'b>,
    ) -> Result<Committed<C::Answer>, TransactError> {
        writer.give_up_turn();
        let base = self.at(entry.parent)?;
        writer.warn_of_clock(&base, request.clock);
        let (answer, at) = self.repeat_decision(&base, request, op)?;
        Ok(Committed { answer, at, op: op.clone(), entry: Some(id), notices: writer.leave(id) })
    }
}

fn check_expectation(base: &Base<'_>, expected: &EntryName) -> Result<(), Refusal> {
    let found = base.id().map_or_else(|| "none".to_owned(), |id| id.to_string());
    if found.starts_with(expected.as_str()) {
        Ok(())
    } else {
        Err(Refusal::Changed { expected: expected.to_string(), found })
    }
}

#[cfg(test)]
mod tests;

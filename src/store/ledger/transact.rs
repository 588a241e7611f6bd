//! Writing to a ledger: the one way there is.
//!
//! [`Ledger::transact`] takes a decision on the present state, writes it as one pack, and swaps
//! the ref if it still is what the decision was taken on. If it moved, the decision is taken
//! again. Correctness rests on the swap alone; the queue in front of it only saves the writers of
//! one machine from taking their decisions in vain.

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
pub struct Writing {
    /// The committer of its entries.
    pub committer: Committer,
    /// Lines up the writers of this machine; `None` where file locks do not work.
    pub turns: Option<Turns>,
    /// The time to try before the answer is "busy".
    pub wait: Duration,
    /// The comparison of names in a new ledger.
    pub case: Case,
    /// The lead of the newest entry over the asker's clock that causes no warning.
    pub clock_skew: Duration,
    /// The limit of the upkeep after a write.
    pub upkeep: Budget,
}

/// The writers of one machine, one behind the other.
pub struct Turns {
    /// Says whose turn it is.
    pub queue: Queue,
    /// The requests that waiting writers leave to the writer whose turn it is.
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
    /// The answer to the asker.
    pub answer: A,
    /// The time that counted.
    pub at: Timestamp,
    /// The act that was decided.
    pub op: OpId,
    /// The entry that was made; `None` if there was nothing to write.
    pub entry: Option<ObjectId>,
    /// Warnings for the caller.
    pub notices: Vec<String>,
}

/// The reason that nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum TransactError {
    /// The decision was no.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The state could not be read.
    #[error(transparent)]
    Unreadable(#[from] ReadError),
    /// Others were writing all the time.
    #[error(
        "the ledger '{ledger}' is busy: {cause} for {}{}",
        about(*waited_seconds),
        more.as_ref().map(|more| format!("; {more}")).unwrap_or_default()
    )]
    Busy {
        /// The ledger.
        ledger: LedgerName,
        /// The obstacle.
        cause: String,
        /// The time that the writer tried.
        waited_seconds: u64,
        /// More about the obstacle.
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

/// A state, and what a request comes to on it.
type Looked<'b, A> = (Base<'b>, Proposal<A>);

impl<'b> Ledger<'b> {
    /// Decides and writes, however often the ledger moves meanwhile.
    pub fn transact<C>(
        &self,
        request: &Request<C>,
        op: &OpId,
        expect: Option<&EntryName>,
    ) -> Result<Committed<C::Answer>, TransactError>
    where
        C: Decide + Clone + Into<Command>,
    {
        // A partial clone fetches missing objects over the network now, while nobody waits.
        let may_fetch = self.backend.may_fetch();
        let looked = may_fetch.then(|| self.look(self.now()?, request, op)).transpose()?;
        self.write(request, op, expect, looked)
    }

    /// Writes what is often so already. Looks once, at the state that was read before if it still
    /// is the newest, and waits for its turn only if there is something to write.
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
        let (base, proposal) = self.look(base, request, op)?;
        if proposal.entry.is_some() {
            return self.write(request, op, None, Some((base, proposal)));
        }
        let behind = self.seconds_ahead(&base, request.clock);
        let Proposal { answer, at, .. } = proposal;
        let notices = behind.map(clock_notice).into_iter().collect();
        Ok(Committed { answer, at, op: op.clone(), entry: None, notices })
    }

    fn look<C>(
        &self,
        base: Base<'b>,
        request: &Request<C>,
        op: &OpId,
    ) -> Result<Looked<'b, C::Answer>, TransactError>
    where
        C: Decide + Clone + Into<Command>,
    {
        let proposal = self.propose(&base, request, op)?;
        Ok((base, proposal))
    }

    /// Looks, decides and publishes, until the ref did not move in between. An earlier look counts
    /// for as long as the ledger has not moved.
    fn write<C>(
        &self,
        request: &Request<C>,
        op: &OpId,
        expect: Option<&EntryName>,
        mut looked: Option<Looked<'b, C::Answer>>,
    ) -> Result<Committed<C::Answer>, TransactError>
    where
        C: Decide + Clone + Into<Command>,
    {
        let mut writer = Writer::new(self);
        writer.wait(|| self.pending(request, op, expect))?;
        loop {
            let tip = self.tip()?;
            // Asked of the state that is decided on: the writer that took the request on may still
            // be at work.
            if let Some(done) = writer.done_by_another(tip, op)? {
                return self.answer_of(request, op, done, writer);
            }
            let (base, ready) = match looked.take().filter(|(base, _)| base.id() == tip) {
                Some((base, proposal)) => (base, Some(proposal)),
                None => (self.at(tip)?, None),
            };
            if writer.tries == 0 {
                writer.warn_of_clock(&base, request.clock);
            }
            expect.map_or(Ok(()), |expected| keep_expectation(&base, expected))?;
            let decided = ready.map_or_else(|| self.propose(&base, request, op), Ok);
            let Proposal { answer, at, entry } = writer.last_word(decided)?;
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

    /// Returns the request for another writer to decide. The owner keeps a request that depends on
    /// more than the newest state, one whose objects may have to be fetched, which can take long,
    /// and one that git may write after the writer that took it on is dead.
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
        let is_alone = expect.is_some() || request.command.reads_entry().is_some();
        let can_be_given = self.backend.ends_with_us() && !self.backend.may_fetch();
        let (op, committer) = (op.clone(), self.writing.committer.clone());
        (!is_alone && can_be_given).then_some(PendingRequest { op, committer, fsync, request })
    }

    /// Says that another writer took the request on and that its outcome is not known.
    pub(super) fn taken_on(&self, waited: Duration) -> StoreError {
        let reference = self.name.reference();
        StoreError::TakenOn { reference, waited_seconds: waited.as_secs() }
    }

    /// Answers a request whose entry another writer has made, once the disk has it.
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
        let (answer, at) = self.answered(&base, request, op)?;
        Ok(Committed { answer, at, op: op.clone(), entry: Some(id), notices: writer.leave(id) })
    }
}

fn keep_expectation(base: &Base<'_>, expected: &EntryName) -> Result<(), Refusal> {
    let found = base.id().map_or_else(|| "none".to_owned(), |id| id.to_string());
    if found.starts_with(expected.as_str()) {
        Ok(())
    } else {
        Err(Refusal::Changed { expected: expected.to_string(), found })
    }
}

#[cfg(test)]
mod tests;

//! Writing to a ledger: the one way there is.
//!
//! [`Ledger::transact`] takes a decision on the present state, writes it as one pack, and swaps
//! the ref if it still is what the decision was taken on. If it moved, the decision is taken
//! again. Correctness rests on the swap alone; the queue in front of it only saves the writers of
//! one machine from taking their decisions in vain.

use std::time::Duration;

use crate::core::command::{Command, Request};
use crate::core::decision::{Decide, No};
use crate::core::documents::ReadError;
use crate::core::ids::{EntryName, OpId};
use crate::core::pattern::Case;
use crate::core::refusal::Refusal;
use crate::core::time::{Timestamp, about};
use crate::store::entry::Committer;
use crate::store::error::StoreError;
use crate::store::layout::LedgerName;
use crate::store::ledger::{Base, Ledger, clock_notice};
use crate::store::object::ObjectId;
use crate::store::proposal::Proposal;
use crate::store::queue::Queue;
use crate::store::writer::Writer;

/// How a ledger is written.
pub struct Writing {
    /// Who commits.
    pub committer: Committer,
    /// Queues the writers of this machine; `None` where file locks do not work.
    pub queue: Option<Queue>,
    /// How long to try before the answer is "busy".
    pub wait: Duration,
    /// How a new ledger compares names.
    pub case: Case,
    /// How far the newest entry may be ahead of the asker's clock before that is said.
    pub clock_skew: Duration,
}

/// What a write came to.
#[derive(Debug)]
pub struct Committed<A> {
    /// What the asker is told.
    pub answer: A,
    /// The time that counted.
    pub at: Timestamp,
    /// The entry that was made; `None` if there was nothing to write.
    pub entry: Option<ObjectId>,
    /// What the caller should be told besides.
    pub notices: Vec<String>,
}

/// Why nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum TransactError {
    /// The decision was no.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The state could not be read.
    #[error(transparent)]
    Unreadable(#[from] ReadError),
    /// Others were writing all the time.
    #[error("the ledger '{ledger}' is busy: {cause} for {}", about(*waited_seconds))]
    Busy {
        /// Which ledger.
        ledger: LedgerName,
        /// What was in the way.
        cause: String,
        /// How long this was tried.
        waited_seconds: u64,
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
        // What a partial clone left behind comes over the network now, while nobody waits.
        let may_fetch = self.backend.may_fetch();
        let looked = may_fetch.then(|| self.look(self.now()?, request, op)).transpose()?;
        self.write(request, op, expect, looked)
    }

    /// The same for what is often so already: one look, and only if there is something to write the
    /// wait for one's turn.
    pub fn transact_if_needed<C>(
        &self,
        request: &Request<C>,
        op: &OpId,
    ) -> Result<Committed<C::Answer>, TransactError>
    where
        C: Decide + Clone + Into<Command>,
    {
        let (base, proposal) = self.look(self.now()?, request, op)?;
        if proposal.entry.is_some() {
            return self.write(request, op, None, Some((base, proposal)));
        }
        let behind = self.seconds_ahead(&base, request.clock);
        let Proposal { answer, at, .. } = proposal;
        let notices = behind.map(clock_notice).into_iter().collect();
        Ok(Committed { answer, at, entry: None, notices })
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

    /// What was looked at before counts for as long as the ledger has not moved.
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
        let rehearse = || drop(self.now().map(|base| self.propose(&base, request, op)));
        let mut writer = Writer::begin(self, &rehearse)?;
        loop {
            let tip = self.backend.tip(&self.name.reference())?;
            let still = looked.take().filter(|(base, _)| base.id() == tip);
            let (base, ready) = match still {
                Some((base, proposal)) => (base, Some(proposal)),
                None => (self.at(tip)?, None),
            };
            if writer.tries == 0 {
                let behind = self.seconds_ahead(&base, request.clock);
                writer.notices.extend(behind.map(clock_notice));
            }
            expect.map_or(Ok(()), |expected| keep_expectation(&base, expected))?;
            let Proposal { answer, at, entry } = match ready {
                Some(proposal) => proposal,
                None => self.propose(&base, request, op)?,
            };
            let Some(entry) = entry else {
                return Ok(Committed { answer, at, entry: None, notices: writer.notices });
            };
            if let Some(entry) = writer.publish_entry(base.id(), entry, at)? {
                return Ok(Committed { answer, at, entry: Some(entry), notices: writer.finish() });
            }
        }
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

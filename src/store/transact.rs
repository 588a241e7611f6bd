//! Writing to a ledger: the one way there is.
//!
//! [`Ledger::transact`] takes a decision on the present state, writes it as one pack, and swaps
//! the ref if it still is what the decision was taken on. If it moved, the decision is taken
//! again. Correctness rests on the swap alone; the queue in front of it only saves the writers of
//! one machine from taking their decisions in vain.

use std::time::{Duration, Instant};

use crate::core::command::{Command, Request};
use crate::core::decision::{Decide, No};
use crate::core::documents::ReadError;
use crate::core::ids::{EntryName, OpId};
use crate::core::pattern::Case;
use crate::core::refusal::Refusal;
use crate::core::time::{Timestamp, about};
use crate::store::backend::{Stored, Swap, Update};
use crate::store::entry::Committer;
use crate::store::error::StoreError;
use crate::store::layout::LedgerName;
use crate::store::ledger::{Base, Ledger, clock_notice};
use crate::store::object::{Object, ObjectId};
use crate::store::proposal::{Proposal, ProposedEntry};
use crate::store::queue::{Queue, QueueGuard};
use crate::store::refs::LogNote;

/// The longest pause between two tries of a swap.
const PAUSE_MAX: Duration = Duration::from_millis(100);

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

/// Somebody whose turn it is to write, until the deadline.
pub(super) struct Writer<'l, 'b> {
    ledger: &'l Ledger<'b>,
    begun: Instant,
    deadline: Instant,
    turn: Option<QueueGuard>,
    tries: u32,
    pub(super) notices: Vec<String>,
}

impl<'l, 'b> Writer<'l, 'b> {
    /// Waits for the turn. Who has to wait rehearses first: what was read and decided then is
    /// thrown away, but packs are open and the turn is shorter, and everybody waits for that.
    pub(super) fn begin(
        ledger: &'l Ledger<'b>,
        rehearse: &dyn Fn(),
    ) -> Result<Writer<'l, 'b>, TransactError> {
        let begun = Instant::now();
        let deadline = begun + ledger.writing.wait;
        let mut writer =
            Writer { ledger, begun, deadline, turn: None, tries: 0, notices: Vec::new() };
        if let Some(queue) = &ledger.writing.queue {
            let mut turn = queue.enter(begun).map_err(StoreError::from)?;
            if turn.is_none() {
                rehearse();
                turn = queue.enter(deadline).map_err(StoreError::from)?;
            }
            writer.turn = Some(turn.ok_or_else(|| writer.others())?);
        }
        Ok(writer)
    }

    fn busy(&self, cause: String) -> TransactError {
        let waited_seconds = self.begun.elapsed().as_secs();
        TransactError::Busy { ledger: self.ledger.name, cause, waited_seconds }
    }

    fn others(&self) -> TransactError {
        self.busy("others were writing".to_owned())
    }

    /// Makes an entry the newest one; none if it was decided on what is not the newest any more.
    fn publish_entry(
        &mut self,
        base: Option<ObjectId>,
        proposed: ProposedEntry,
        at: Timestamp,
    ) -> Result<Option<ObjectId>, TransactError> {
        let ProposedEntry { entry, mut objects } = proposed;
        let committer = self.ledger.writing.committer.signature(at);
        let commit = entry.to_object(&committer);
        let new = commit.id(self.ledger.backend.hash_kind());
        objects.push(commit);
        let note = LogNote { committer: &committer, message: &entry.message.summary };
        let reference = self.ledger.name.reference();
        let update = Update::new(&reference, base, new, note);
        Ok(self.publish(&objects, None, update)?.then_some(new))
    }

    /// Stores the objects and moves the ref; false if it had moved, after a pause, so that the
    /// caller decides again. What is to be kept of the past gets its ref before.
    pub(super) fn publish(
        &mut self,
        objects: &[Object],
        keep: Option<Update<'_>>,
        update: Update<'_>,
    ) -> Result<bool, TransactError> {
        let stored = match objects {
            [] => None,
            objects => Some(self.ledger.backend.store(objects, update.new)?),
        };
        let outcome = self.move_refs(keep, update, stored.as_ref());
        if matches!(outcome, Ok(Swap::Done)) {
            // The next one can decide already, while this one clears up and waits for the disk.
            self.turn = None;
        }
        // A lost try only loses its protection: its pack may hold what another try relies on.
        if let Some(Err(error)) = stored.map(Stored::release) {
            self.notices.push(format!("a pack stays protected until the next write: {error}"));
        }
        let is_late = Instant::now() >= self.deadline;
        match outcome? {
            Swap::Done => {
                self.settle(update);
                return Ok(true);
            }
            Swap::Moved if is_late => return Err(self.others()),
            Swap::Locked if is_late => {
                let lock = self.ledger.backend.lock_of(&self.ledger.name.reference())?;
                return Err(self.busy(format!("'{lock}' was there")));
            }
            Swap::Moved | Swap::Locked => pause(self.tries, self.deadline)?,
        }
        self.tries += 1;
        Ok(false)
    }

    fn move_refs(
        &mut self,
        keep: Option<Update<'_>>,
        update: Update<'_>,
        stored: Option<&Stored>,
    ) -> Result<Swap, TransactError> {
        if let Some(keep) = keep {
            match self.swap(keep, stored)? {
                // What comes next relies on it.
                Swap::Done => self.ledger.backend.settle(keep.reference)?,
                other => return Ok(other),
            }
        }
        self.swap(update, stored)
    }

    /// Waits until the disk has it, before anybody is told that it is done. Others need not wait
    /// for that: what they write goes on from here, and is on disk no sooner.
    fn settle(&mut self, update: Update<'_>) {
        if let Err(error) = self.ledger.backend.settle(update.reference) {
            self.notices.push(format!("the entry is in, but a power cut may lose it: {error}"));
        }
    }

    /// Swaps a ref; waits while another holds git's own lock on it.
    fn swap(&mut self, update: Update<'_>, stored: Option<&Stored>) -> Result<Swap, TransactError> {
        for tries in 0.. {
            match self.swap_once(update, stored)? {
                Swap::Locked if Instant::now() < self.deadline => {
                    if let Some(place) = &self.turn {
                        let moved = self.ledger.backend.watch_lock(update.reference, place)?;
                        self.notices.extend(moved);
                    }
                    pause(tries, self.deadline)?;
                }
                outcome => return Ok(outcome),
            }
        }
        unreachable!("the loop ends at the deadline")
    }

    /// Once the ref has moved, what fails after it changes nothing: the entry is in.
    fn swap_once(
        &mut self,
        update: Update<'_>,
        stored: Option<&Stored>,
    ) -> Result<Swap, StoreError> {
        let failed = match self.ledger.backend.swap(update, stored) {
            Err(error) => error,
            outcome => return outcome,
        };
        if self.ledger.backend.tip(update.reference)? != Some(update.new) {
            return Err(failed);
        }
        self.notices.push(format!("the entry is in, but a power cut may lose it: {failed}"));
        Ok(Swap::Done)
    }

    /// Tidies, for which nobody waits, and says what the caller should be told besides.
    pub(super) fn finish(self) -> Vec<String> {
        let Writer { ledger, mut notices, .. } = self;
        if let Err(error) = ledger.backend.maintain() {
            notices.push(format!("tidying up is left to the next write: {error}"));
        }
        notices
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

/// Waits a random while that grows with the tries, but not past the deadline.
fn pause(tries: u32, deadline: Instant) -> Result<(), StoreError> {
    let random = getrandom::u32().map_err(|error| StoreError::Random(error.to_string()))?;
    let longest = Duration::from_millis(1 << tries.min(7)).min(PAUSE_MAX);
    let left = deadline.saturating_duration_since(Instant::now());
    std::thread::sleep(longest.mul_f64(f64::from(random) / f64::from(u32::MAX)).min(left));
    Ok(())
}

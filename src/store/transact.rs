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
use crate::store::backend::{Swap, Update};
use crate::store::entry::Committer;
use crate::store::error::StoreError;
use crate::store::layout::LedgerName;
use crate::store::ledger::{Base, Ledger, clock_notice};
use crate::store::object::ObjectId;
use crate::store::proposal::{Proposal, ProposedEntry};
use crate::store::queue::{Queue, QueueGuard};

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

impl Ledger<'_> {
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
        if self.backend.may_fetch() {
            // What a partial clone left behind comes over the network now, while nobody waits.
            self.propose(&self.now()?, request, op)?;
        }
        let begun = Instant::now();
        let deadline = begun + self.writing.wait;
        let busy = |cause: String| TransactError::Busy {
            ledger: self.name,
            cause,
            waited_seconds: begun.elapsed().as_secs(),
        };
        let others = || busy("others were writing".to_owned());
        let turn = match &self.writing.queue {
            None => None,
            Some(queue) => {
                Some(queue.enter(deadline).map_err(StoreError::from)?.ok_or_else(others)?)
            }
        };
        let mut notices = Vec::new();
        let mut tries = 0;
        loop {
            let base = self.now()?;
            if tries == 0 {
                notices.extend(self.seconds_ahead(&base, request.clock).map(clock_notice));
            }
            expect.map_or(Ok(()), |expected| keep_expectation(&base, expected))?;
            let Proposal { answer, at, entry } = self.propose(&base, request, op)?;
            let Some(ProposedEntry { entry, mut objects }) = entry else {
                return Ok(Committed { answer, at, entry: None, notices });
            };
            let committer = self.writing.committer.signature(at);
            let commit = entry.to_object(&committer);
            let new = commit.id(self.backend.hash_kind());
            objects.push(commit);
            let kept = self.backend.store(&objects)?;
            let update = Update {
                reference: &self.name.reference(),
                expect: base.id(),
                new,
                committer: &committer,
                why: &entry.message.summary,
            };
            let swapped = self.swap(update, turn.as_ref(), deadline, &mut notices);
            // A lost try only loses its protection: its pack may hold what another try relies on.
            if let Err(error) = kept.release() {
                notices.push(format!("a pack stays marked as kept: {error}"));
            }
            match swapped? {
                Swap::Done => {
                    // Others need not wait for the tidying.
                    drop(turn);
                    if let Err(error) = self.backend.maintain() {
                        notices.push(format!("upkeep failed, which changes nothing: {error}"));
                    }
                    return Ok(Committed { answer, at, entry: Some(new), notices });
                }
                Swap::Moved if Instant::now() >= deadline => return Err(others()),
                Swap::Locked if Instant::now() >= deadline => {
                    let lock = self.backend.lock_of(&self.name.reference())?;
                    return Err(busy(format!("'{lock}' was there")));
                }
                Swap::Moved | Swap::Locked => pause(tries, deadline)?,
            }
            tries += 1;
        }
    }

    /// Swaps the ref; waits while another holds git's own lock on it.
    fn swap(
        &self,
        update: Update<'_>,
        turn: Option<&QueueGuard>,
        deadline: Instant,
        notices: &mut Vec<String>,
    ) -> Result<Swap, TransactError> {
        for tries in 0.. {
            match self.swap_once(update, notices)? {
                Swap::Locked if Instant::now() < deadline => {
                    if let Some(place) = turn {
                        notices.extend(self.backend.watch_lock(update.reference, place)?);
                    }
                    pause(tries, deadline)?;
                }
                outcome => return Ok(outcome),
            }
        }
        unreachable!("the loop ends at the deadline")
    }

    /// Once the ref has moved, what fails after it changes nothing: the entry is in.
    fn swap_once(&self, update: Update<'_>, notices: &mut Vec<String>) -> Result<Swap, StoreError> {
        let failed = match self.backend.swap(update) {
            Err(error) => error,
            outcome => return outcome,
        };
        if self.backend.tip(update.reference)? != Some(update.new) {
            return Err(failed);
        }
        notices.push(format!("the entry is in, but a power cut may lose it: {failed}"));
        Ok(Swap::Done)
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

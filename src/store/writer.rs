//! Somebody who writes: the wait for the turn, and the move of the ref.

use std::time::{Duration, Instant};

use crate::core::time::Timestamp;
use crate::store::backend::{Stored, Swap, Update};
use crate::store::error::StoreError;
use crate::store::ledger::Ledger;
use crate::store::object::{Object, ObjectId};
use crate::store::proposal::ProposedEntry;
use crate::store::queue::QueueGuard;
use crate::store::refs::LogNote;
use crate::store::transact::TransactError;

/// The longest pause between two tries of a swap.
const PAUSE_MAX: Duration = Duration::from_millis(100);

/// Somebody whose turn it is to write, until the deadline.
pub(super) struct Writer<'l, 'b> {
    ledger: &'l Ledger<'b>,
    begun: Instant,
    deadline: Instant,
    turn: Option<QueueGuard>,
    pub(super) tries: u32,
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
    pub(super) fn publish_entry(
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

/// Waits a random while that grows with the tries, but not past the deadline.
fn pause(tries: u32, deadline: Instant) -> Result<(), StoreError> {
    let random = getrandom::u32().map_err(|error| StoreError::Random(error.to_string()))?;
    let longest = Duration::from_millis(1 << tries.min(7)).min(PAUSE_MAX);
    let left = deadline.saturating_duration_since(Instant::now());
    std::thread::sleep(longest.mul_f64(f64::from(random) / f64::from(u32::MAX)).min(left));
    Ok(())
}

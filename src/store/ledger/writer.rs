//! One writer: waits for its turn, stores its objects and moves the ref.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use crate::core::ids::OpId;
use crate::core::time::Timestamp;
use crate::store::error::StoreError;
use crate::store::git::backend::{Stored, Swap, Update};
use crate::store::git::object::{NewObjects, ObjectId};
use crate::store::git::refs::LogNote;
use crate::store::ledger::batch::Batch;
use crate::store::ledger::entry::Entry;
use crate::store::ledger::history::Since;
use crate::store::ledger::proposal::{Proposal, ProposedEntry};
use crate::store::ledger::transact::{TransactError, Turns};
use crate::store::ledger::{Base, Ledger, clock_notice};
use crate::store::machine::group_commit::PendingRequest;
use crate::store::machine::queue::QueueGuard;

/// The part of the timeout, in eighths, that a writer waits for its turn. Then it tries without:
/// the process that has the turn may be stopped, and the swap alone keeps writes correct.
const EIGHTHS_FOR_TURN: u32 = 6;
/// The part, in eighths, for a writer whose request another writer has claimed and is about to
/// write.
const EIGHTHS_IF_CLAIMED: u32 = 7;
/// The longest time that a writer decides requests of others before it publishes.
const BATCH_TIME_MAX: Duration = Duration::from_millis(100);
/// The longest pause between two tries of a swap.
const PAUSE_MAX: Duration = Duration::from_millis(100);

/// A writer, from the wait for its turn until its deadline.
pub(super) struct Writer<'l, 'b> {
    ledger: &'l Ledger<'b>,
    begun: Instant,
    deadline: Instant,
    turn: Option<QueueGuard>,
    pub(super) tries: u32,
    /// The state at which this writer submitted its request, if another writer has claimed it.
    claimed_since: Option<Since>,
    /// Set if the batch contains entries of other writers.
    with_others: bool,
    pub(super) notices: Vec<String>,
}

impl<'l, 'b> Writer<'l, 'b> {
    /// Creates a writer and waits for its turn.
    pub(super) fn begin(ledger: &'l Ledger<'b>) -> Result<Writer<'l, 'b>, TransactError> {
        let mut writer = Writer::new(ledger);
        writer.wait(|| None)?;
        Ok(writer)
    }

    /// Creates a writer that has not entered the queue yet.
    pub(super) fn new(ledger: &'l Ledger<'b>) -> Writer<'l, 'b> {
        let begun = Instant::now();
        let deadline = begun + ledger.writing.wait;
        Writer {
            ledger,
            begun,
            deadline,
            turn: None,
            tries: 0,
            claimed_since: None,
            with_others: false,
            notices: Vec::new(),
        }
    }

    /// Waits for the turn, and submits the request to the writers in front. A writer that claims it
    /// may write it, refuse it or fail. The turn may not have come when this returns: the queue is
    /// there for speed, and a writer that has waited for most of its timeout continues without.
    pub(super) fn wait(
        &mut self,
        pending: impl FnOnce() -> Option<PendingRequest>,
    ) -> Result<(), TransactError> {
        let Some(Turns { queue, pending: requests }) = &self.ledger.writing.turns else {
            return Ok(());
        };
        self.turn = queue.enter(self.begun).map_err(StoreError::from)?;
        if self.turn.is_some() {
            return Ok(());
        }
        let until = |eighths| self.begun + self.ledger.writing.wait / 8 * eighths;
        if let Some(pending) = pending() {
            let since = Since(self.ledger.tip()?);
            // A writer that cannot submit its request decides it on its own.
            if let Ok(Some(submitted)) = requests.submit(&pending) {
                let entered = queue.enter(until(EIGHTHS_FOR_TURN));
                // After an error it counts as claimed. Withdrawing has released the lock, so nobody
                // claims it later.
                let is_claimed = submitted.withdraw().map_or(true, |is_ours| !is_ours);
                self.claimed_since = is_claimed.then_some(since);
                self.turn = entered.map_err(StoreError::from)?;
                if is_claimed && self.turn.is_none() {
                    let entered = queue.enter(until(EIGHTHS_IF_CLAIMED));
                    self.turn = entered.map_err(StoreError::from)?;
                }
                return Ok(());
            }
        }
        self.turn = queue.enter(until(EIGHTHS_FOR_TURN)).map_err(StoreError::from)?;
        Ok(())
    }

    /// Finds the entry that another writer made of this writer's request, from `tip` back.
    pub(super) fn done_by_another(
        &self,
        tip: Option<ObjectId>,
        op: &OpId,
    ) -> Result<Option<(ObjectId, Entry)>, StoreError> {
        self.claimed_since.map_or(Ok(None), |since| self.ledger.act_since(since, tip, op))
    }

    /// Finds the entry of another writer after a failure. Ignores further errors, so that they do
    /// not hide the first.
    pub(super) fn done_after_all(&self, op: &OpId) -> Option<(ObjectId, Entry)> {
        let since = self.claimed_since?;
        self.ledger.act_since(since, self.ledger.tip().ok()?, op).ok()?
    }

    /// Warns if the newest entry is ahead of the caller's clock.
    pub(super) fn warn_of_clock(&mut self, base: &Base<'_>, clock: Timestamp) {
        let notice = self.ledger.seconds_ahead(base, clock).map(clock_notice);
        self.notices.extend(notice.filter(|notice| !self.notices.contains(notice)));
    }

    /// Passes on a decision that has an entry. A decision without an entry fails if it may not be
    /// final: another writer has claimed the request, is still at work, and may decide on a later
    /// state than this one. Only an entry of this writer is sure to be the only one, because it
    /// makes the other writer lose its swap.
    pub(super) fn ensure_final<A>(
        &self,
        decided: Result<Proposal<A>, TransactError>,
    ) -> Result<Proposal<A>, TransactError> {
        let is_written = decided.as_ref().is_ok_and(|proposal| proposal.entry.is_some());
        let is_open = self.claimed_since.is_some() && self.turn.is_none();
        if is_open && !is_written { Err(self.others()) } else { decided }
    }

    pub(super) fn give_up_turn(&mut self) {
        self.turn = None;
    }

    /// Ends with an entry that another writer has published, once the entry is on disk.
    pub(super) fn leave(mut self, entry: ObjectId) -> Vec<String> {
        // The writer of the entry may have been killed before it logged the entry.
        self.log(entry);
        self.sync_ref(&self.ledger.name.reference());
        self.notices
    }

    fn busy(&self, cause: String, more: Option<String>) -> TransactError {
        if self.claimed_since.is_some() {
            // Busy would promise that nothing was written and nothing will be.
            return self.ledger.outcome_unknown(self.begun.elapsed()).into();
        }
        let waited_seconds = self.begun.elapsed().as_secs();
        TransactError::Busy { ledger: self.ledger.name, cause, waited_seconds, more }
    }

    fn others(&self) -> TransactError {
        self.busy("others were writing".to_owned(), None)
    }

    /// Publishes an entry with the entries of waiting requests on top of it. Returns `None` if the
    /// ref has moved since the decision.
    pub(super) fn publish_entry(
        &mut self,
        base: Option<ObjectId>,
        proposed: ProposedEntry,
        at: Timestamp,
    ) -> Result<Option<ObjectId>, TransactError> {
        let Ledger { name, writing, backend } = self.ledger;
        let archive = proposed.archive.clone();
        let own = proposed.seal(&writing.committer, at);
        let (id, signature, summary) = (own.id, own.signature.clone(), own.summary.clone());
        let mut batch = Batch::on(self.ledger, base);
        batch.push(own);
        self.decide_for_others(&mut batch);
        let (tip, objects) = batch.into_parts();
        let tip = tip.unwrap_or(id);
        let note = LogNote { committer: &signature, message: &summary };
        let reference = name.reference();
        let update = Update::new(&reference, base, tip, note);
        let keep = match (&archive, base) {
            // A process may have been killed after it wrote the first of the two refs.
            (Some(archive), Some(before)) if backend.tip(archive)? != base => {
                Some(Update::new(archive, None, before, note))
            }
            _ => None,
        };
        let is_in = self.publish(&objects, keep, update)?;
        // With other entries on top of it, it was never the newest, but its owner is told of it.
        if is_in && id != tip {
            self.log(id);
        }
        Ok(is_in.then_some(id))
    }

    /// Adds the entries of waiting requests. A claimed request is valid for one try: its owner may
    /// win the next swap, and this writer could outlive the owner in a second try.
    fn decide_for_others(&mut self, batch: &mut Batch<'_, '_>) {
        let begun = Instant::now();
        self.with_others = false;
        if self.tries > 0 || self.turn.is_none() || begun >= self.deadline {
            return;
        }
        let Some(turns) = &self.ledger.writing.turns else { return };
        for pending in turns.pending.claim() {
            self.with_others = true;
            // If there is no entry, the owner decides its request itself and gets the reason.
            drop(catch_unwind(AssertUnwindSafe(|| batch.decide(&pending).ok())));
            if begun.elapsed() > BATCH_TIME_MAX {
                break;
            }
        }
    }

    /// Stores the objects and moves the ref. Creates the ref in `keep` before that. Returns false,
    /// after a pause, if the ref had moved, so that the caller decides again.
    pub(super) fn publish(
        &mut self,
        objects: &NewObjects,
        keep: Option<Update<'_>>,
        update: Update<'_>,
    ) -> Result<bool, TransactError> {
        let Ledger { backend, .. } = self.ledger;
        // A writer that has its turn expects no competition. Every other writer may have lost by
        // the time that its pack is on disk, and then keeps the useless pack out of git's sight.
        let is_wanted = || {
            let is_alone = self.turn.is_some() || keep.is_some();
            is_alone || backend.tip(update.reference).map_or(true, |tip| tip == update.expect)
        };
        let store = || backend.store(objects, update.new, &is_wanted);
        let stored = (!objects.is_empty()).then(store).transpose()?;
        let is_overtaken = matches!(stored, Some(None));
        let stored = stored.flatten();
        let outcome = if is_overtaken {
            Ok(Swap::Moved)
        } else {
            self.move_refs(keep, update, stored.as_ref())
        };
        if matches!(outcome, Ok(Swap::Done)) {
            if update.reference == self.ledger.name.reference() {
                self.log(update.new);
            }
            // Lets the next writer decide while this one cleans up and waits for the disk.
            self.turn = None;
        }
        // A lost try only gives up the protection of its pack: another try may rely on its objects,
        // and git may have listed it. A later merge combines these packs.
        if let Some(Err(error)) = stored.map(Stored::release) {
            self.notices.push(format!("a pack stays protected until the next write: {error}"));
        }
        let is_late = Instant::now() >= self.deadline;
        match outcome? {
            Swap::Done => {
                self.sync_ref(update.reference);
                return Ok(true);
            }
            Swap::Moved if is_late => return Err(self.others()),
            Swap::Locked if is_late => {
                let found = self.ledger.backend.lock_of(&self.ledger.name.reference())?;
                return Err(self.busy(format!("'{}' was there", found.lock), found.whose));
            }
            Swap::Moved | Swap::Locked => pause(self.tries, self.deadline)?,
        }
        self.tries += 1;
        Ok(false)
    }

    /// Logs a published entry, in case the ref is lost. A writer that is killed before this has
    /// reported its entry to nobody. Without the log, a repair has to ask.
    fn log(&self, entry: ObjectId) {
        self.ledger.backend.log_published(self.ledger.name, entry).ok();
    }

    fn move_refs(
        &mut self,
        keep: Option<Update<'_>>,
        update: Update<'_>,
        stored: Option<&Stored>,
    ) -> Result<Swap, TransactError> {
        if let Some(keep) = keep {
            match self.swap(keep, stored)? {
                // The next swap relies on this ref.
                Swap::Done => self.ledger.backend.sync_ref(keep.reference)?,
                other => return Ok(other),
            }
        }
        self.swap(update, stored)
    }

    /// Waits until the ref is on disk, before the caller reports success. Other writers need not
    /// wait: their entries follow this one and cannot be on disk sooner.
    fn sync_ref(&mut self, reference: &str) {
        if let Err(error) = self.ledger.backend.sync_ref(reference) {
            self.notices.push(format!("the entry is in, but a power cut may lose it: {error}"));
        }
    }

    /// Swaps a ref, and waits while another process holds git's lock on it.
    fn swap(&mut self, update: Update<'_>, stored: Option<&Stored>) -> Result<Swap, TransactError> {
        for tries in 0.. {
            match self.swap_once(update, stored)? {
                Swap::Locked if !self.with_others && Instant::now() < self.deadline => {
                    // A lock that exists only for a moment belongs to a live process.
                    if tries > 1 {
                        self.notices.extend(self.ledger.backend.clear_lock(update.reference)?);
                    }
                    pause(tries, self.deadline)?;
                }
                outcome => return Ok(outcome),
            }
        }
        unreachable!("the loop ends at the deadline")
    }

    /// Swaps a ref once. Turns an error after the ref has moved into a warning: the entry is
    /// published.
    fn swap_once(
        &mut self,
        update: Update<'_>,
        stored: Option<&Stored>,
    ) -> Result<Swap, StoreError> {
        let is_in = || {
            Ok::<bool, StoreError>(self.ledger.backend.tip(update.reference)? == Some(update.new))
        };
        let failed = match self.ledger.backend.swap(update, stored) {
            // A network file system may repeat a rename that succeeded, and then find no lock.
            Ok(Swap::Moved) if is_in()? => return Ok(Swap::Done),
            Err(error) => error,
            outcome => return outcome,
        };
        if !is_in()? {
            return Err(failed);
        }
        self.notices.push(format!("the entry is in, but a power cut may lose it: {failed}"));
        Ok(Swap::Done)
    }

    /// Runs maintenance, for which nobody waits, and returns the warnings for the caller.
    pub(super) fn finish(self) -> Vec<String> {
        let Writer { ledger, mut notices, .. } = self;
        if let Err(error) = ledger.backend.maintain(ledger.writing.maintenance) {
            notices.push(format!("tidying up is left to the next write: {error}"));
        }
        notices
    }
}

/// Sleeps a random time that grows with the tries, but not past the deadline.
fn pause(tries: u32, deadline: Instant) -> Result<(), StoreError> {
    let random = getrandom::u32().map_err(|error| StoreError::Random(error.to_string()))?;
    let longest = Duration::from_millis(1 << tries.min(7)).min(PAUSE_MAX);
    let left = deadline.saturating_duration_since(Instant::now());
    std::thread::sleep(longest.mul_f64(f64::from(random) / f64::from(u32::MAX)).min(left));
    Ok(())
}

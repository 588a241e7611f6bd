//! The entries that a writer publishes with one swap: its own entry, and on top of it the entries
//! of waiting writers.

use crate::store::error::StoreError;
use crate::store::git::backend::Objects;
use crate::store::git::object::{HashKind, NewObjects, Object, ObjectId};
use crate::store::ledger::proposal::{Proposal, Sealed};
use crate::store::ledger::snapshot::Snapshot;
use crate::store::ledger::transact::TransactError;
use crate::store::ledger::{Base, Ledger};
use crate::store::machine::group_commit::PendingRequest;

/// A chain of entries that are not stored yet.
pub(super) struct Batch<'l, 'b> {
    ledger: &'l Ledger<'b>,
    overlay: Overlay<'b>,
    tip: Option<ObjectId>,
}

impl<'l, 'b> Batch<'l, 'b> {
    /// Begins an empty batch on top of a stored entry, or on an empty ledger if `tip` is `None`.
    pub(super) fn on(ledger: &'l Ledger<'b>, tip: Option<ObjectId>) -> Batch<'l, 'b> {
        let stored = ledger.backend();
        let overlay = Overlay { stored, new: NewObjects::new(stored.hash_kind()) };
        Batch { ledger, overlay, tip }
    }

    /// Adds an entry that was decided on the newest one of the batch.
    pub(super) fn push(&mut self, sealed: Sealed) {
        self.overlay.new.append(sealed.objects);
        self.tip = Some(sealed.id);
    }

    /// Decides a waiting request on the newest entry of the batch, and adds its entry, if any.
    pub(super) fn decide(&mut self, pending: &PendingRequest) -> Result<(), TransactError> {
        let (snapshot, format) = Snapshot::at(&self.overlay, self.ledger.name(), self.tip)?;
        let base = Base { snapshot, format };
        let Proposal { at, entry, .. } =
            self.ledger.propose(&base, &pending.request, &pending.op)?;
        drop(base);
        if let Some(entry) = entry {
            self.push(entry.seal(&pending.committer, at));
        }
        Ok(())
    }

    /// Returns the newest entry of the batch and the objects of all its entries.
    pub(super) fn into_parts(self) -> (Option<ObjectId>, NewObjects) {
        (self.tip, self.overlay.new)
    }
}

/// The objects of the repository, overlaid with those of a batch that is not stored yet.
struct Overlay<'b> {
    stored: &'b dyn Objects,
    new: NewObjects,
}

impl Objects for Overlay<'_> {
    fn hash_kind(&self) -> HashKind {
        self.stored.hash_kind()
    }

    fn read(&self, id: &ObjectId) -> Result<Option<Object>, StoreError> {
        match self.new.get(id) {
            Some(object) => Ok(Some(object.clone())),
            None => self.stored.read(id),
        }
    }

    fn look(&self, id: &ObjectId) -> Result<Option<Object>, StoreError> {
        match self.new.get(id) {
            Some(object) => Ok(Some(object.clone())),
            None => self.stored.look(id),
        }
    }
}

//! Entries that are published at once: one's own, and on top of it those of others' requests.

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
    ahead: Ahead<'b>,
    tip: ObjectId,
}

impl<'l, 'b> Batch<'l, 'b> {
    /// Begins with that entry.
    pub(super) fn new(ledger: &'l Ledger<'b>, first: Sealed) -> Batch<'l, 'b> {
        let ahead = Ahead { stored: ledger.backend(), new: first.objects };
        Batch { ledger, ahead, tip: first.id }
    }

    /// Adds the entry that a request comes to, if it comes to one.
    pub(super) fn add(&mut self, pending: &PendingRequest) -> Result<(), TransactError> {
        let (snapshot, format) = Snapshot::at(&self.ahead, self.ledger.name(), Some(self.tip))?;
        let base = Base { snapshot, format };
        let Proposal { at, entry, .. } =
            self.ledger.propose(&base, &pending.request, &pending.op)?;
        drop(base);
        if let Some(entry) = entry {
            let sealed = entry.seal(&pending.committer, at);
            self.ahead.new.append(sealed.objects);
            self.tip = sealed.id;
        }
        Ok(())
    }

    /// The newest entry, and the objects of all.
    pub(super) fn into_parts(self) -> (ObjectId, NewObjects) {
        (self.tip, self.ahead.new)
    }
}

/// The repository, with what is not stored yet.
struct Ahead<'b> {
    stored: &'b dyn Objects,
    new: NewObjects,
}

impl Objects for Ahead<'_> {
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

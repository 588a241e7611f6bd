//! Entries that are published at once: one's own, and on top of it those of others' errands.

use std::collections::BTreeMap;

use crate::store::backend::Objects;
use crate::store::errands::Errand;
use crate::store::error::StoreError;
use crate::store::ledger::{Base, Ledger};
use crate::store::object::{HashKind, Object, ObjectId};
use crate::store::proposal::{Proposal, Sealed};
use crate::store::snapshot::Snapshot;
use crate::store::transact::TransactError;

/// A chain of entries that are not stored yet.
pub(super) struct Batch<'l, 'b> {
    ledger: &'l Ledger<'b>,
    ahead: Ahead<'b>,
    tip: ObjectId,
}

impl<'l, 'b> Batch<'l, 'b> {
    /// Begins with that entry.
    pub(super) fn new(ledger: &'l Ledger<'b>, first: Sealed) -> Batch<'l, 'b> {
        let ahead = Ahead { stored: ledger.backend(), new: BTreeMap::new() };
        let mut batch = Batch { ledger, ahead, tip: first.id };
        batch.append(first);
        batch
    }

    fn append(&mut self, entry: Sealed) {
        let hash = self.ahead.hash_kind();
        // Trees and documents that two entries share are stored once.
        self.ahead.new.extend(entry.objects.into_iter().map(|object| (object.id(hash), object)));
        self.tip = entry.id;
    }

    /// Adds the entry that an errand comes to, if it comes to one.
    pub(super) fn add(&mut self, errand: &Errand) -> Result<(), TransactError> {
        let (snapshot, format) = Snapshot::at(&self.ahead, self.ledger.name(), Some(self.tip))?;
        let base = Base { snapshot, format };
        let Proposal { at, entry, .. } = self.ledger.propose(&base, &errand.request, &errand.op)?;
        let entry = entry.map(|entry| entry.seal(&errand.committer, at, self.ahead.hash_kind()));
        drop(base);
        if let Some(entry) = entry {
            self.append(entry);
        }
        Ok(())
    }

    /// The newest entry, and the objects of all.
    pub(super) fn into_parts(self) -> (ObjectId, Vec<Object>) {
        (self.tip, self.ahead.new.into_values().collect())
    }
}

/// The repository, with what is not stored yet.
struct Ahead<'b> {
    stored: &'b dyn Objects,
    new: BTreeMap<ObjectId, Object>,
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
}

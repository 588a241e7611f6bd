//! Lists the documents that differ between two states, without reading equal subtrees.

use std::collections::{BTreeMap, BTreeSet};

use crate::core::documents::{Documents as _, Key, ReadError};
use crate::store::git::object::ObjectId;
use crate::store::ledger::rewrite::Trees as _;
use crate::store::ledger::snapshot::Snapshot;
use crate::store::ledger::tree::EntryKind;

/// The names of a directory, or of one of its inner trees.
type Names = BTreeMap<Vec<u8>, (EntryKind, ObjectId)>;

/// Returns the keys of the documents that differ between two states.
pub fn changed(before: &Snapshot<'_>, after: &Snapshot<'_>) -> Result<Vec<Key>, ReadError> {
    let mut changed = Vec::new();
    let mut pending = vec![(Key::root(), before.root(), after.root())];
    let mut compared = 0;
    while let Some((at, old, new)) = pending.pop() {
        compared += 1;
        if compared > before.directories_max().max(after.directories_max()) {
            let why = "more directories differ than this program reads";
            return Err(ReadError::damaged(&Key::root(), why));
        }
        let mut directory = Directory { before, after, at, old: Names::new(), new: Names::new() };
        directory.collect(old, new, 0)?;
        let Directory { at, old, new, .. } = directory;
        let names: BTreeSet<&Vec<u8>> = old.keys().chain(new.keys()).collect();
        for name in names {
            let (old, new) = (old.get(name), new.get(name));
            if old == new {
                continue;
            }
            let key = at.join(&String::from_utf8_lossy(name));
            let of_kind = |entry: Option<&(EntryKind, ObjectId)>, wanted| {
                entry.filter(|(kind, _)| *kind == wanted).map(|(_, id)| *id)
            };
            let documents = [old, new].map(|entry| of_kind(entry, EntryKind::Document));
            if documents.iter().any(Option::is_some) {
                changed.push(key.clone());
            }
            let [old, new] = [old, new].map(|entry| of_kind(entry, EntryKind::Directory));
            if old.is_some() || new.is_some() {
                pending.push((key, old, new));
            }
        }
    }
    changed.sort();
    Ok(changed)
}

/// A directory in two states, with the names in those inner trees that differ.
struct Directory<'s, 'b> {
    before: &'s Snapshot<'b>,
    after: &'s Snapshot<'b>,
    at: Key,
    old: Names,
    new: Names,
}

impl Directory<'_, '_> {
    fn collect(
        &mut self,
        old: Option<ObjectId>,
        new: Option<ObjectId>,
        level: usize,
    ) -> Result<(), ReadError> {
        let (old, old_inner) = self.split(self.before, old, level)?;
        let (new, new_inner) = self.split(self.after, new, level)?;
        self.old.extend(old);
        self.new.extend(new);
        let names: BTreeSet<&Vec<u8>> = old_inner.keys().chain(new_inner.keys()).collect();
        for name in names {
            let [old, new] =
                [&old_inner, &new_inner].map(|inner| inner.get(name).map(|(_, id)| *id));
            if old != new {
                self.collect(old, new, level + 1)?;
            }
        }
        Ok(())
    }

    /// Reads a tree, and tells its inner trees from the names of the directory.
    fn split(
        &self,
        snapshot: &Snapshot<'_>,
        tree: Option<ObjectId>,
        level: usize,
    ) -> Result<(Names, Names), ReadError> {
        let Some(id) = tree else { return Ok((Names::new(), Names::new())) };
        let tree = snapshot.tree(&id, &self.at)?;
        let entries = tree.entries().map(|entry| (entry.name.to_vec(), (entry.kind, entry.id)));
        Ok(entries.partition(|(name, (kind, _))| {
            let is_inner = snapshot.layout().is_inner(&self.at, level, name);
            !is_inner || *kind != EntryKind::Directory
        }))
    }
}

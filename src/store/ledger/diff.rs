//! Lists the documents that differ between two states, without reading equal subtrees.

use std::collections::BTreeMap;

use crate::core::documents::{Documents as _, Key, ReadError};
use crate::store::git::object::ObjectId;
use crate::store::ledger::snapshot::Snapshot;
use crate::store::ledger::tree::{EntryKind, Trees as _};

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
        let old = children(before, old, &at)?;
        let new = children(after, new, &at)?;
        let mut names: Vec<&String> = old.keys().chain(new.keys()).collect();
        names.sort();
        names.dedup();
        for name in names {
            let (old, new) = (old.get(name), new.get(name));
            if old == new {
                continue;
            }
            let key = at.join(name);
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

fn children(
    snapshot: &Snapshot<'_>,
    tree: Option<ObjectId>,
    at: &Key,
) -> Result<BTreeMap<String, (EntryKind, ObjectId)>, ReadError> {
    let Some(id) = tree else { return Ok(BTreeMap::new()) };
    let tree = snapshot.tree(&id, at)?;
    let named = tree
        .entries()
        .map(|entry| (String::from_utf8_lossy(entry.name).into_owned(), (entry.kind, entry.id)));
    Ok(named.collect())
}

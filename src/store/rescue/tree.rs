//! Trees of a snapshot: another tree with some paths changed, and the paths in which two differ.

use std::collections::{BTreeMap, BTreeSet};

use crate::store::error::StoreError;
use crate::store::git::backend::Backend;
use crate::store::git::object::{NewObjects, ObjectId, ObjectKind};
use crate::store::ledger::tree::{Draft, Entry, MODE_DIRECTORY, Tree};

/// The new content of paths; `None` for those that are gone.
pub(super) type Changes = BTreeMap<Vec<u8>, Option<Entry>>;

/// A change below a directory.
type Change<'c> = (&'c [u8], Option<Entry>);

/// The largest number of directories that are compared. Two trees of a project differ in far fewer.
const DIRECTORIES_MAX: usize = 100_000;
/// The largest number of files in which two trees differ. A snapshot has far fewer.
const FILES_MAX: usize = 100_000;
/// The largest depth of a directory.
const DEPTH_MAX: usize = 1_000;

/// Makes the tree that differs from `root` in these paths only. A directory without files does not
/// exist, and a file takes the place of a directory.
pub(super) fn with_changes(
    objects: &dyn Backend,
    root: Option<ObjectId>,
    changes: &Changes,
    new: &mut NewObjects,
) -> Result<ObjectId, StoreError> {
    let below: Vec<Change<'_>> =
        changes.iter().map(|(path, entry)| (path.as_slice(), *entry)).collect();
    match changed(objects, root, &below, new)? {
        Some(tree) => Ok(tree),
        None => Ok(new.add(Draft::default().to_object())),
    }
}

/// Makes the tree of a directory; `None` if nothing is left in it.
fn changed(
    objects: &dyn Backend,
    tree: Option<ObjectId>,
    changes: &[Change<'_>],
    new: &mut NewObjects,
) -> Result<Option<ObjectId>, StoreError> {
    if changes.is_empty() {
        return Ok(tree);
    }
    let before = match tree {
        Some(id) => read(objects, &id)?,
        None => Tree::empty(objects.hash_kind()),
    };
    let directory = |name: &[u8]| before.find(name).filter(|it| it.mode == MODE_DIRECTORY);
    let mut deeper: BTreeMap<&[u8], Vec<Change<'_>>> = BTreeMap::new();
    let mut own: BTreeMap<&[u8], Option<Entry>> = BTreeMap::new();
    for (path, entry) in changes {
        match path.iter().position(|byte| *byte == b'/') {
            Some(slash) => {
                deeper.entry(&path[..slash]).or_default().push((&path[slash + 1..], *entry));
            }
            // A directory in the place of a deleted file is not what was deleted.
            None if entry.is_none() && directory(path).is_some() => {}
            None => drop(own.insert(path, *entry)),
        }
    }
    for (name, below) in deeper {
        let is_file = own.get(name).is_some_and(Option::is_some);
        let before = directory(name).filter(|_| !is_file);
        match changed(objects, before.map(|it| it.id), &below, new)? {
            Some(id) => drop(own.insert(name, Some((MODE_DIRECTORY, id)))),
            None if before.is_some() => drop(own.insert(name, None)),
            None => {}
        }
    }
    let after = before.with(&own);
    Ok((!after.bytes.is_empty()).then(|| new.add(after)))
}

fn is_directory(entry: Entry) -> bool {
    entry.0 == MODE_DIRECTORY
}

/// The entries of a path in two trees; `None` where it is no file.
pub(super) type Pair = (Option<Entry>, Option<Entry>);

/// Lists the files in which two trees differ.
pub(super) fn changed_between(
    objects: &dyn Backend,
    before: Option<ObjectId>,
    after: Option<ObjectId>,
) -> Result<BTreeMap<Vec<u8>, Pair>, StoreError> {
    let mut found = BTreeMap::new();
    let mut open = vec![(Vec::new(), before, after, 0)];
    let mut directories = 0;
    while let Some((prefix, before, after, depth)) = open.pop() {
        directories += 1;
        if directories > DIRECTORIES_MAX || depth > DEPTH_MAX || found.len() > FILES_MAX {
            return Err(StoreError::Malformed("the snapshot has too many files".to_owned()));
        }
        let entries = |tree: Option<ObjectId>| -> Result<BTreeMap<Vec<u8>, Entry>, StoreError> {
            tree.map_or(Ok(BTreeMap::new()), |id| {
                read(objects, &id).map(|tree| Draft::of(&tree).entries)
            })
        };
        let (old, new) = (entries(before)?, entries(after)?);
        let names: BTreeSet<&Vec<u8>> = old.keys().chain(new.keys()).collect();
        for name in names {
            let (was, is) = (old.get(name).copied(), new.get(name).copied());
            if was == is {
                continue;
            }
            let path = [prefix.as_slice(), name].concat();
            let [was_tree, is_tree] =
                [was, is].map(|entry| entry.filter(|entry| is_directory(*entry)).map(|it| it.1));
            if was_tree.is_some() || is_tree.is_some() {
                open.push(([path.as_slice(), b"/"].concat(), was_tree, is_tree, depth + 1));
            }
            let is_file = |entry: Option<Entry>| entry.filter(|entry| !is_directory(*entry));
            if is_file(was) != is_file(is) {
                found.insert(path, (is_file(was), is_file(is)));
            }
        }
    }
    Ok(found)
}

fn read(objects: &dyn Backend, id: &ObjectId) -> Result<Tree, StoreError> {
    let object = objects.read(id)?.ok_or(StoreError::Missing { id: *id })?;
    if object.kind != ObjectKind::Tree {
        let (found, expected) = (object.kind, ObjectKind::Tree);
        return Err(StoreError::WrongKind { id: *id, found, expected });
    }
    let damaged = |error: crate::store::ledger::tree::NotATree| StoreError::DamagedObject {
        id: *id,
        why: error.to_string(),
    };
    Tree::parse(object.bytes, objects.hash_kind()).map_err(damaged)
}

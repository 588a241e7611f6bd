//! Trees whose content is in the object store: the commit and the index.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::tracked::{Tracked, TrackedPath};
use super::unreadable;
use crate::core::documents::ReadError;
use crate::core::domain::source_tree::{Kind, Node, SourceTree, Wanted};
use crate::store::error::StoreError;
use crate::store::git::backend::Backend;
use crate::store::git::object::{ObjectId, ObjectKind};
use crate::store::ledger::snapshot::read_object;
use crate::store::ledger::tree::{EntryKind, Tree};

/// The tree of a commit.
pub(super) struct Committed<'a> {
    /// `None` before the first commit.
    root: Option<ObjectId>,
    backend: &'a dyn Backend,
    trees: RefCell<HashMap<String, Option<Rc<Tree>>>>,
}

impl<'a> Committed<'a> {
    pub(super) fn new(root: Option<ObjectId>, backend: &'a dyn Backend) -> Committed<'a> {
        Committed { root, backend, trees: RefCell::default() }
    }

    fn tree(&self, directory: &str) -> Result<Option<Rc<Tree>>, ReadError> {
        if let Some(tree) = self.trees.borrow().get(directory) {
            return Ok(tree.clone());
        }
        let id = if directory.is_empty() {
            self.root
        } else {
            self.entry(directory, EntryKind::Directory)?
        };
        let tree = id.map(|id| self.read_tree(&id)).transpose()?.map(Rc::new);
        self.trees.borrow_mut().insert(directory.to_owned(), tree.clone());
        Ok(tree)
    }

    fn read_tree(&self, id: &ObjectId) -> Result<Tree, ReadError> {
        let object = read_object(self.backend, id, ObjectKind::Tree).map_err(unreadable)?;
        Tree::parse(object.bytes, self.backend.hash_kind()).map_err(|error| {
            unreadable(StoreError::DamagedObject { id: *id, why: error.to_string() })
        })
    }

    fn entry(&self, path: &str, kind: EntryKind) -> Result<Option<ObjectId>, ReadError> {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        let Some(tree) = self.tree(directory)? else { return Ok(None) };
        Ok(tree.get(name).filter(|entry| entry.kind == kind).map(|entry| entry.id))
    }
}

impl SourceTree for Committed<'_> {
    fn list(&self, directory: &str, wanted: &Wanted<'_>) -> Result<Vec<Node>, ReadError> {
        let Some(tree) = self.tree(directory)? else { return Ok(Vec::new()) };
        let mut nodes = Vec::new();
        for entry in tree.entries().filter(|entry| entry.kind != EntryKind::Other) {
            let is_directory = entry.kind == EntryKind::Directory;
            let Ok(name) = std::str::from_utf8(entry.name) else { continue };
            if wanted(name, is_directory) {
                nodes.push(Node { name: name.to_owned(), is_directory });
            }
        }
        nodes.sort();
        Ok(nodes)
    }

    fn kind(&self, path: &str) -> Result<Kind, ReadError> {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        let tree = self.tree(directory)?;
        Ok(match tree.and_then(|tree| Some(tree.get(name)?.kind)) {
            None => Kind::Nothing,
            Some(EntryKind::Document) => Kind::File,
            Some(EntryKind::Directory | EntryKind::Other) => Kind::Other,
        })
    }

    fn content_id(&self, path: &str) -> Result<Option<String>, ReadError> {
        Ok(self.entry(path, EntryKind::Document)?.map(|id| id.to_string()))
    }

    fn read(&self, path: &str, bytes_max: u64) -> Result<Option<Vec<u8>>, ReadError> {
        let id = self.entry(path, EntryKind::Document)?;
        id.map(|id| read_blob(self.backend, &id, bytes_max)).transpose()
    }
}

/// The content of the index.
pub(super) struct Staged<'a> {
    tracked: Tracked,
    backend: &'a dyn Backend,
}

impl<'a> Staged<'a> {
    pub(super) fn new(tracked: Tracked, backend: &'a dyn Backend) -> Staged<'a> {
        Staged { tracked, backend }
    }
}

impl SourceTree for Staged<'_> {
    fn list(&self, directory: &str, wanted: &Wanted<'_>) -> Result<Vec<Node>, ReadError> {
        let start = if directory.is_empty() { 0 } else { directory.len() + 1 };
        let mut nodes: Vec<Node> = Vec::new();
        for found in self.tracked.below(directory.as_bytes()) {
            let Ok(rest) = std::str::from_utf8(&found.path[start..]) else { continue };
            let (name, is_directory) = match rest.split_once('/') {
                Some((name, _)) => (name, true),
                None => (rest, false),
            };
            let is_known = nodes.last().is_some_and(|last| last.name == name);
            if !is_known && (is_directory || found.is_file()) && wanted(name, is_directory) {
                nodes.push(Node { name: name.to_owned(), is_directory });
            }
        }
        nodes.sort();
        Ok(nodes)
    }

    fn kind(&self, path: &str) -> Result<Kind, ReadError> {
        Ok(match self.tracked.get(path.as_bytes()) {
            Some(found) if found.is_file() => Kind::File,
            Some(_) => Kind::Other,
            None if self.tracked.has_below(path.as_bytes()) => Kind::Other,
            None => Kind::Nothing,
        })
    }

    fn content_id(&self, path: &str) -> Result<Option<String>, ReadError> {
        let found = self.tracked.get(path.as_bytes()).filter(TrackedPath::is_file);
        Ok(found.map(|found| found.id.to_string()))
    }

    fn read(&self, path: &str, bytes_max: u64) -> Result<Option<Vec<u8>>, ReadError> {
        let found = self.tracked.get(path.as_bytes()).filter(TrackedPath::is_file);
        found.map(|found| read_blob(self.backend, &found.id, bytes_max)).transpose()
    }
}

fn read_blob(backend: &dyn Backend, id: &ObjectId, bytes_max: u64) -> Result<Vec<u8>, ReadError> {
    let mut bytes = read_object(backend, id, ObjectKind::Blob).map_err(unreadable)?.bytes;
    bytes.truncate(usize::try_from(bytes_max).unwrap_or(usize::MAX));
    Ok(bytes)
}

//! The state of a ledger at one entry. It is immutable, is read without a lock, and loads documents
//! on demand.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::core::documents::{Child, Documents, FORMAT_VERSION, Key, ReadError};
use crate::core::ledger::LedgerName;
use crate::core::limits::{
    DIRECTORIES_ALIKE_MAX, DIRECTORIES_ANYHOW, DIRECTORIES_MAX, DOCUMENT_BYTES_MAX, TREE_DEPTH_MAX,
};
use crate::core::pattern::Case;
use crate::store::error::StoreError;
use crate::store::git::backend::Objects;
use crate::store::git::object::{HashKind, Object, ObjectId, ObjectKind};
use crate::store::ledger::buckets::{self, Class, DEPTH_MAX, NameHash};
use crate::store::ledger::entry::{
    COMMAND_DOCUMENT, EVENTS_DOCUMENT, Entry, EntryHead, NotAnEntry,
};
use crate::store::ledger::layout::Layout;
use crate::store::ledger::listing::Listing;
use crate::store::ledger::rewrite::Trees;
use crate::store::ledger::shards;
use crate::store::ledger::tree::{EntryKind, Tree};

/// The document at the root of a ledger that identifies it and its format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Format {
    pub ledger: String,
    pub version: u64,
    /// Set if names that differ only in case are the same name.
    pub fold: bool,
    /// Fields of a later version, preserved as they are.
    #[serde(flatten)]
    pub unknown: serde_json::Map<String, serde_json::Value>,
}

impl Format {
    pub fn key() -> Key {
        Key::of(["format"])
    }

    /// Describes a new ledger.
    pub fn new(ledger: LedgerName, version: u64, case: Case) -> Format {
        Format {
            ledger: ledger.to_string(),
            version,
            fold: case == Case::Folded,
            unknown: serde_json::Map::new(),
        }
    }

    pub fn case(&self) -> Case {
        if self.fold { Case::Folded } else { Case::Sensitive }
    }
}

/// The entry of a snapshot.
#[derive(Clone, Debug)]
pub struct Tip {
    pub id: ObjectId,
    pub head: EntryHead,
}

/// The state of a ledger at one entry, or before the first.
pub struct Snapshot<'b> {
    objects: &'b dyn Objects,
    reference: String,
    tip: Option<Tip>,
    layout: Layout,
    trees: RefCell<HashMap<ObjectId, Rc<Tree>>>,
    /// A cache: a decision about many patterns reads the same documents many times.
    blobs: RefCell<HashMap<ObjectId, Vec<u8>>>,
}

impl<'b> Snapshot<'b> {
    /// Opens the state at an entry and checks its format.
    pub fn at(
        objects: &'b dyn Objects,
        ledger: LedgerName,
        id: Option<ObjectId>,
    ) -> Result<(Snapshot<'b>, Option<Format>), StoreError> {
        let reference = ledger.reference();
        let tip = match id {
            None => None,
            Some(id) => Some(Tip { id, head: read_head(objects, &reference, &id)? }),
        };
        // The format document is at the root, which is the same in every layout unless it is wide.
        let mut snapshot = Snapshot {
            objects,
            reference,
            tip,
            layout: Layout::Buckets,
            trees: RefCell::default(),
            blobs: RefCell::default(),
        };
        let format = match &snapshot.tip {
            None => None,
            Some(_) => Some(snapshot.format(ledger)?),
        };
        if let Some(format) = &format {
            snapshot.layout = Layout::of_format(format.version);
        }
        Ok((snapshot, format))
    }

    pub fn tip(&self) -> Option<&Tip> {
        self.tip.as_ref()
    }

    fn format(&self, ledger: LedgerName) -> Result<Format, StoreError> {
        let damaged = |why: String| StoreError::Damaged { reference: self.reference.clone(), why };
        let bytes = match self.get(&Format::key()) {
            Ok(bytes) => bytes,
            Err(ReadError::Store(error)) => return Err(not_reached(error, damaged)),
            Err(error) => return Err(damaged(error.to_string())),
        };
        let bytes = bytes.ok_or_else(|| damaged("it has no format document".to_owned()))?;
        let version: FormatVersion = serde_json::from_slice(&bytes)
            .map_err(|error| damaged(format!("its format document is malformed: {error}")))?;
        // The version is read on its own first: a later one may have any other shape.
        if version.version > FORMAT_VERSION {
            return Err(StoreError::NewerFormat {
                reference: self.reference.clone(),
                found: version.version,
                known: FORMAT_VERSION,
            });
        }
        let format: Format = serde_json::from_slice(&bytes)
            .map_err(|error| damaged(format!("its format document is malformed: {error}")))?;
        if format.ledger != ledger.as_str() {
            return Err(damaged(format!("it is the ledger '{}'", format.ledger.escape_debug())));
        }
        Ok(format)
    }

    /// Returns the id of the root tree.
    pub fn root(&self) -> Option<ObjectId> {
        self.tip.as_ref().map(|tip| tip.head.tree)
    }

    pub fn layout(&self) -> Layout {
        self.layout
    }

    fn directory(&self, dir: &Key) -> Result<Option<Rc<Tree>>, ReadError> {
        let Some(root) = self.root() else { return Ok(None) };
        let parts: Vec<&str> = dir.parts().collect();
        let mut tree = self.tree(&root, &Key::root())?;
        for (depth, part) in parts.iter().enumerate() {
            if depth >= TREE_DEPTH_MAX {
                return Err(ReadError::damaged(dir, "deeper than this program reads"));
            }
            match self.child(tree, &parts[..depth], part)? {
                Some((EntryKind::Directory, id)) => tree = self.tree_at(&id, &parts[..=depth])?,
                Some((EntryKind::Other, _)) => return Err(neither(&key_of(&parts[..depth]), part)),
                Some((EntryKind::Document, _)) | None => return Ok(None),
            }
        }
        Ok(Some(tree))
    }

    /// Finds a name in the tree of a directory, or in the inner trees that lead to it.
    fn child(
        &self,
        mut tree: Rc<Tree>,
        dir: &[&str],
        name: &str,
    ) -> Result<Option<(EntryKind, ObjectId)>, ReadError> {
        let inner = |tree: &Tree, name: &str| {
            tree.get(name).filter(|entry| entry.kind == EntryKind::Directory).map(|entry| entry.id)
        };
        match self.layout {
            Layout::Shards => {
                for shard in shards::way(dir, name) {
                    let Some(id) = inner(&tree, shard) else { return Ok(None) };
                    tree = self.tree_at(&id, dir)?;
                }
            }
            Layout::Buckets => {
                if buckets::is_bucket(name.as_bytes()) {
                    return Ok(None);
                }
                let (class, mut hash, mut level) = (Class::of(name.as_bytes()), None, 0);
                while level < DEPTH_MAX && class.is_split_in(&tree) {
                    let hash = *hash.get_or_insert_with(|| NameHash::of(name.as_bytes()));
                    let Some(id) = inner(&tree, &class.bucket(hash.digit(level))) else {
                        return Ok(None);
                    };
                    tree = self.tree_at(&id, dir)?;
                    level += 1;
                }
            }
        }
        Ok(tree.get(name).map(|entry| (entry.kind, entry.id)))
    }

    /// Reads a tree. The key of its directory is needed only if the tree has to be read.
    fn tree_at(&self, id: &ObjectId, dir: &[&str]) -> Result<Rc<Tree>, ReadError> {
        self.known_tree(id).map_or_else(|| self.tree(id, &key_of(dir)), Ok)
    }

    fn known_tree(&self, id: &ObjectId) -> Option<Rc<Tree>> {
        self.trees.borrow().get(id).map(Rc::clone)
    }
}

#[derive(Deserialize)]
struct FormatVersion {
    version: u64,
}

/// Reads an object that must exist and be of the given kind.
pub fn read_object(
    objects: &dyn Objects,
    id: &ObjectId,
    kind: ObjectKind,
) -> Result<Object, StoreError> {
    match objects.read(id)? {
        None => Err(StoreError::Missing { id: *id }),
        Some(object) if object.kind == kind => Ok(object),
        Some(object) => Err(StoreError::WrongKind { id: *id, found: object.kind, expected: kind }),
    }
}

/// Reads an entry of a ledger. `reference` names the ledger in errors.
pub fn read_entry(
    objects: &dyn Objects,
    reference: &str,
    id: &ObjectId,
) -> Result<Entry, StoreError> {
    let entry = read_commit(objects, reference, id, Entry::parse)?;
    let Some(events) = entry.message.events_at else { return Ok(entry) };
    let damaged = |why: String| StoreError::Damaged {
        reference: reference.to_owned(),
        why: format!("commit {}: {why}", id.short()),
    };
    let document = match read_object(objects, &events, ObjectKind::Blob) {
        Ok(document) => document,
        Err(error) if error.is_damage() => return Err(damaged(error.to_string())),
        Err(error) => return Err(error),
    };
    entry.with_events(&document.bytes).map_err(|error| damaged(error.to_string()))
}

fn read_head(
    objects: &dyn Objects,
    reference: &str,
    id: &ObjectId,
) -> Result<EntryHead, StoreError> {
    read_commit(objects, reference, id, EntryHead::parse)
}

fn read_commit<T>(
    objects: &dyn Objects,
    reference: &str,
    id: &ObjectId,
    parse: impl FnOnce(&[u8]) -> Result<T, NotAnEntry>,
) -> Result<T, StoreError> {
    let damaged = |why: String| StoreError::Damaged { reference: reference.to_owned(), why };
    let object = match read_object(objects, id, ObjectKind::Commit) {
        Ok(object) => object,
        Err(error) if error.is_damage() => {
            return Err(damaged(format!("entry {}: {error}", id.short())));
        }
        Err(error) => return Err(error),
    };
    parse(&object.bytes).map_err(|error| damaged(format!("commit {}: {error}", id.short())))
}

/// Passes on a failure to reach the store. Every other error is damage of the ledger.
fn not_reached(
    error: Box<dyn std::error::Error + Send + Sync>,
    damaged: impl FnOnce(String) -> StoreError,
) -> StoreError {
    match error.downcast::<StoreError>() {
        Ok(error) if !error.is_damage() => *error,
        Ok(error) => damaged(error.to_string()),
        Err(error) => damaged(error.to_string()),
    }
}

/// Builds the error for a tree entry of another kind. Skipping it could hide a hold that git shows.
pub(super) fn neither(dir: &Key, name: &str) -> ReadError {
    let why = format!("'{}' is neither document nor directory", name.escape_debug());
    ReadError::damaged(dir, why)
}

fn key_of(parts: &[&str]) -> Key {
    Key::of(parts.iter().copied())
}

fn unreadable(error: StoreError) -> ReadError {
    ReadError::Store(Box::new(error))
}

impl Trees for Snapshot<'_> {
    fn tree(&self, id: &ObjectId, at: &Key) -> Result<Rc<Tree>, ReadError> {
        if let Some(tree) = self.known_tree(id) {
            return Ok(tree);
        }
        let object = read_object(self.objects, id, ObjectKind::Tree).map_err(unreadable)?;
        let tree = Tree::parse(object.bytes, self.objects.hash_kind())
            .map_err(|error| ReadError::damaged(at, error))?;
        let tree = Rc::new(tree);
        self.trees.borrow_mut().insert(*id, Rc::clone(&tree));
        Ok(tree)
    }

    fn hash_kind(&self) -> HashKind {
        self.objects.hash_kind()
    }
}

impl Documents for Snapshot<'_> {
    fn get(&self, key: &Key) -> Result<Option<Vec<u8>>, ReadError> {
        let (dir, name) = key.split_last();
        let Some(tree) = self.directory(&dir)? else { return Ok(None) };
        let parts: Vec<&str> = dir.parts().collect();
        let Some((EntryKind::Document, id)) = self.child(tree, &parts, name)? else {
            return Ok(None);
        };
        if let Some(bytes) = self.blobs.borrow().get(&id) {
            return Ok(Some(bytes.clone()));
        }
        // If an object is missing or unreadable, this store is damaged, not the document: the
        // object may be whole in another clone.
        let object = read_object(self.objects, &id, ObjectKind::Blob).map_err(unreadable)?;
        let size = object.bytes.len();
        if size > DOCUMENT_BYTES_MAX && ![COMMAND_DOCUMENT, EVENTS_DOCUMENT].contains(&key.as_str())
        {
            return Err(ReadError::damaged(
                key,
                format!("{size} bytes, more than this program reads"),
            ));
        }
        self.blobs.borrow_mut().insert(id, object.bytes.clone());
        Ok(Some(object.bytes))
    }

    fn list_starting(&self, dir: &Key, start: &str) -> Result<Vec<Child>, ReadError> {
        let Some(tree) = self.directory(dir)? else { return Ok(Vec::new()) };
        Listing::new(self, dir, start).whole(&tree)
    }

    fn list_share(&self, dir: &Key, turn: u64) -> Result<Vec<Child>, ReadError> {
        let Some(tree) = self.directory(dir)? else { return Ok(Vec::new()) };
        Listing::new(self, dir, "").share(tree, turn)
    }

    fn may_have(&self, dir: &Key, count: usize) -> Result<bool, ReadError> {
        let Some(tree) = self.directory(dir)? else { return Ok(count == 0) };
        Listing::new(self, dir, "").may_have(tree, count)
    }

    fn format(&self) -> u64 {
        self.layout.format()
    }

    fn path_in_events(&self, key: &Key) -> Key {
        match self.layout {
            Layout::Shards => shards::path(key),
            Layout::Buckets => key.clone(),
        }
    }

    fn directories_max(&self) -> usize {
        let unlike = self.trees.borrow().len();
        DIRECTORIES_MAX.min(DIRECTORIES_ANYHOW + unlike * DIRECTORIES_ALIKE_MAX)
    }
}

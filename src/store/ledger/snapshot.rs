//! The state of a ledger at one entry. It is immutable, is read without a lock, and loads documents
//! on demand.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::core::documents::{Child, ChildKind, Documents, Key, ReadError};
use crate::core::ledger::LedgerName;
use crate::core::limits::{
    DIRECTORIES_ALIKE_MAX, DIRECTORIES_ANYHOW, DIRECTORIES_MAX, DOCUMENT_BYTES_MAX,
    NODE_ENTRIES_MAX, TREE_DEPTH_MAX,
};
use crate::core::pattern::Case;
use crate::store::error::StoreError;
use crate::store::git::backend::Objects;
use crate::store::git::object::{HashKind, Object, ObjectId, ObjectKind};
use crate::store::ledger::entry::{Entry, EntryHead, NotAnEntry};
use crate::store::ledger::tree::{EntryKind, Tree, Trees};

/// The format that this program writes, and the newest that it reads.
pub const FORMAT_VERSION: u64 = 1;

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
    pub fn new(ledger: LedgerName, case: Case) -> Format {
        Format {
            ledger: ledger.to_string(),
            version: FORMAT_VERSION,
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
        let snapshot = Snapshot {
            objects,
            reference,
            tip,
            trees: RefCell::default(),
            blobs: RefCell::default(),
        };
        let format = match &snapshot.tip {
            None => None,
            Some(_) => Some(snapshot.format(ledger)?),
        };
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

    fn directory(&self, dir: &Key) -> Result<Option<Rc<Tree>>, ReadError> {
        let Some(mut id) = self.root() else { return Ok(None) };
        // The key of a directory is needed only if the directory has to be read.
        let above = |depth| Key::of(dir.parts().take(depth));
        for (depth, part) in dir.parts().enumerate() {
            if depth >= TREE_DEPTH_MAX {
                return Err(ReadError::damaged(dir, "deeper than this program reads"));
            }
            let tree = match self.known_tree(&id) {
                Some(tree) => tree,
                None => self.tree(&id, &above(depth))?,
            };
            match tree.get(part) {
                Some(entry) if entry.kind == EntryKind::Directory => id = entry.id,
                Some(entry) if entry.kind == EntryKind::Other => {
                    return Err(neither(&above(depth), part));
                }
                _ => return Ok(None),
            }
        }
        self.tree(&id, dir).map(Some)
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
    read_commit(objects, reference, id, Entry::parse)
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
fn neither(dir: &Key, name: &str) -> ReadError {
    let why = format!("'{}' is neither document nor directory", name.escape_debug());
    ReadError::damaged(dir, why)
}

fn unreadable(error: StoreError) -> ReadError {
    ReadError::Store(Box::new(error))
}

impl Trees for Snapshot<'_> {
    type Error = ReadError;

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
        let Some(entry) = tree.get(name).filter(|entry| entry.kind == EntryKind::Document) else {
            return Ok(None);
        };
        if let Some(bytes) = self.blobs.borrow().get(&entry.id) {
            return Ok(Some(bytes.clone()));
        }
        // If an object is missing or unreadable, this store is damaged, not the document: the
        // object may be whole in another clone.
        let object = read_object(self.objects, &entry.id, ObjectKind::Blob).map_err(unreadable)?;
        let size = object.bytes.len();
        if size > DOCUMENT_BYTES_MAX
            && *key != Key::of([crate::store::ledger::entry::COMMAND_DOCUMENT])
        {
            return Err(ReadError::damaged(
                key,
                format!("{size} bytes, more than this program reads"),
            ));
        }
        self.blobs.borrow_mut().insert(entry.id, object.bytes.clone());
        Ok(Some(object.bytes))
    }

    fn list_starting(&self, dir: &Key, start: &str) -> Result<Vec<Child>, ReadError> {
        let Some(tree) = self.directory(dir)? else { return Ok(Vec::new()) };
        if tree.entries().len() > NODE_ENTRIES_MAX {
            let why = format!("{} entries, more than this program reads", tree.entries().len());
            return Err(ReadError::damaged(dir, why));
        }
        let mut children = Vec::new();
        for entry in tree.entries_starting(start) {
            let name = String::from_utf8_lossy(entry.name);
            let kind = match entry.kind {
                EntryKind::Directory => ChildKind::Directory,
                EntryKind::Document => ChildKind::Document,
                EntryKind::Other => return Err(neither(dir, &name)),
            };
            if std::str::from_utf8(entry.name).is_err() {
                let why = format!("the name '{}' is not UTF-8", name.escape_debug());
                return Err(ReadError::damaged(dir, why));
            }
            children.push(Child { name: name.into_owned(), kind });
        }
        children.sort();
        Ok(children)
    }

    fn directories_max(&self) -> usize {
        let unlike = self.trees.borrow().len();
        DIRECTORIES_MAX.min(DIRECTORIES_ANYHOW + unlike * DIRECTORIES_ALIKE_MAX)
    }
}

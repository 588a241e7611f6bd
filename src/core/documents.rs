//! The documents that a decision reads, and the edits that it makes.
//!
//! A ledger is a tree of small JSON documents named by path. [`Documents`] reads one state of it:
//! git implements it lazily, a `BTreeMap` implements it for tests. A [`Draft`] is that state with
//! the edits of the present decision on top, so that a decision sees its own edits.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::core::limits::{DIRECTORIES_MAX, DOCUMENTS_MAX};

/// The format of a ledger that is new, and the newest that this program reads.
pub const FORMAT_VERSION: u64 = 2;

/// The path of a document or a directory in a ledger's tree; the root is the empty key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Key(String);

impl Key {
    pub fn root() -> Key {
        Key::default()
    }

    /// Joins the parts of a key, none of which may contain a `/`.
    pub fn of<'a>(parts: impl IntoIterator<Item = &'a str>) -> Key {
        parts.into_iter().fold(Key::root(), |key, part| key.join(part))
    }

    /// Returns the child of this directory with that name.
    #[must_use]
    pub fn join(&self, name: &str) -> Key {
        debug_assert!(!name.is_empty() && !name.contains('/'), "one tree entry: {name:?}");
        if self.0.is_empty() { Key(name.to_owned()) } else { Key(format!("{}/{name}", self.0)) }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.0.split('/').filter(|part| !part.is_empty())
    }

    /// Splits the key into its directory and its name there.
    pub fn split_last(&self) -> (Key, &str) {
        match self.0.rsplit_once('/') {
            Some((dir, name)) => (Key(dir.to_owned()), name),
            None => (Key::root(), &self.0),
        }
    }

    /// Returns the path below `dir`, if this key is below it.
    fn below<'a>(&'a self, dir: &Key) -> Option<&'a str> {
        if dir.0.is_empty() {
            return Some(&self.0);
        }
        self.0.strip_prefix(dir.as_str())?.strip_prefix('/')
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "(root)" } else { &self.0 })
    }
}

/// One name in a directory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Child {
    pub name: String,
    pub kind: ChildKind,
}

/// The kind of a [`Child`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChildKind {
    Document,
    /// A directory, which may turn out to be empty in a draft.
    Directory,
}

/// The reason why a state could not be read. No decision is taken on such a state.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// A document that is not what it should be.
    #[error("damaged document '{key}': {why}")]
    Damaged { key: Key, why: String },
    /// The store failed.
    #[error(transparent)]
    Store(Box<dyn std::error::Error + Send + Sync>),
}

impl ReadError {
    pub fn damaged(key: &Key, why: impl fmt::Display) -> ReadError {
        ReadError::Damaged { key: key.clone(), why: why.to_string() }
    }
}

/// One state of a ledger.
pub trait Documents {
    /// Reads the bytes of a document; `None` if there is none.
    fn get(&self, key: &Key) -> Result<Option<Vec<u8>>, ReadError>;

    /// Lists the names in a directory that begin with `start`, sorted; none if there is no such
    /// directory. Other names cost nothing, since a directory can be wide.
    fn list_starting(&self, dir: &Key, start: &str) -> Result<Vec<Child>, ReadError>;

    /// Lists all names in a directory, sorted.
    fn list(&self, dir: &Key) -> Result<Vec<Child>, ReadError> {
        self.list_starting(dir, "")
    }

    /// Lists a small share of the names in a directory, sorted. Each turn has its share, and the
    /// shares of all turns are the whole directory.
    fn list_share(&self, dir: &Key, turn: u64) -> Result<Vec<Child>, ReadError> {
        let _ = turn;
        self.list(dir)
    }

    /// Tells whether a directory may have so many names that begin neither with `+` nor with `~`,
    /// by reading little of it. The names have to be as good as random.
    fn may_have(&self, dir: &Key, count: usize) -> Result<bool, ReadError> {
        Ok(self.list(dir)?.len() >= count)
    }

    /// Returns the version of the ledger's format.
    fn format(&self) -> u64 {
        FORMAT_VERSION
    }

    /// Returns the path by which an event of this ledger names a document.
    fn path_in_events(&self, key: &Key) -> Key {
        key.clone()
    }

    /// Returns the number of directories that a walk may list.
    fn directories_max(&self) -> usize {
        DIRECTORIES_MAX
    }
}

/// A walk through many directories that ends in every tree, whoever made it.
pub struct Walk<'d> {
    documents: &'d dyn Documents,
    top: Key,
    directories: usize,
    found: usize,
}

impl<'d> Walk<'d> {
    /// Begins a walk at a directory.
    pub fn from(documents: &'d dyn Documents, top: &Key) -> Walk<'d> {
        Walk { documents, top: top.clone(), directories: 0, found: 0 }
    }

    /// Lists a directory, and counts it towards the limits of the walk.
    pub fn list(&mut self, dir: &Key) -> Result<Vec<Child>, ReadError> {
        self.directories += 1;
        if self.directories > self.documents.directories_max() {
            return Err(self.too_much("directories"));
        }
        let children = self.documents.list(dir)?;
        self.found += children.iter().filter(|child| child.kind == ChildKind::Document).count();
        if self.found > DOCUMENTS_MAX {
            return Err(self.too_much("documents"));
        }
        Ok(children)
    }

    /// Lists all documents at or below a directory.
    pub fn below(&mut self, dir: &Key) -> Result<Vec<Key>, ReadError> {
        let mut found = Vec::new();
        let mut pending = vec![dir.clone()];
        while let Some(dir) = pending.pop() {
            for child in self.list(&dir)? {
                let key = dir.join(&child.name);
                match child.kind {
                    ChildKind::Document => found.push(key),
                    ChildKind::Directory => pending.push(key),
                }
            }
        }
        found.sort();
        Ok(found)
    }

    fn too_much(&self, what: &str) -> ReadError {
        ReadError::damaged(&self.top, format!("more {what} below it than this program reads"))
    }
}

/// Reads and parses a document.
pub fn read<T: DeserializeOwned>(
    documents: &dyn Documents,
    key: &Key,
) -> Result<Option<T>, ReadError> {
    let Some(bytes) = documents.get(key)? else { return Ok(None) };
    serde_json::from_slice(&bytes).map(Some).map_err(|error| ReadError::damaged(key, error))
}

/// Encodes a document as indented JSON that ends in a newline, so that `git show` is readable.
pub fn encode(document: &impl Serialize) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(document)
        .expect("documents have string keys and no failing parts");
    bytes.push(b'\n');
    bytes
}

/// Lists all documents at or below a directory, for tests, `verify` and rollbacks.
pub fn walk(documents: &dyn Documents, dir: &Key) -> Result<Vec<Key>, ReadError> {
    Walk::from(documents, dir).below(dir)
}

/// The changes of documents; `None` removes one.
pub type Edits = BTreeMap<Key, Option<Vec<u8>>>;

/// A state with the edits of one decision on top.
pub struct Draft<'a> {
    base: &'a dyn Documents,
    edits: Edits,
}

impl<'a> Draft<'a> {
    pub fn on(base: &'a dyn Documents) -> Draft<'a> {
        Draft { base, edits: Edits::new() }
    }

    /// Writes a document.
    pub fn put(&mut self, key: Key, bytes: Vec<u8>) {
        self.edits.insert(key, Some(bytes));
    }

    /// Removes a document, which need not exist.
    pub fn remove(&mut self, key: Key) {
        self.edits.insert(key, None);
    }

    /// Takes over the edits of a draft on top of this one.
    pub fn extend(&mut self, edits: Edits) {
        self.edits.extend(edits);
    }

    pub fn is_unchanged(&self) -> bool {
        self.edits.is_empty()
    }

    pub fn into_edits(self) -> Edits {
        self.edits
    }
}

impl Documents for Draft<'_> {
    fn get(&self, key: &Key) -> Result<Option<Vec<u8>>, ReadError> {
        match self.edits.get(key) {
            Some(edit) => Ok(edit.clone()),
            None => self.base.get(key),
        }
    }

    fn list_starting(&self, dir: &Key, start: &str) -> Result<Vec<Child>, ReadError> {
        let base = self.base.list_starting(dir, start)?;
        let mut children: BTreeSet<Child> = base.into_iter().collect();
        for (rest, edit) in edits_below(&self.edits, dir, start) {
            let child = match rest.split_once('/') {
                Some((name, _)) => Child { name: name.to_owned(), kind: ChildKind::Directory },
                None => Child { name: rest.to_owned(), kind: ChildKind::Document },
            };
            match (edit, child.kind) {
                (Some(_), _) => drop(children.insert(child)),
                (None, ChildKind::Document) => drop(children.remove(&child)),
                (None, ChildKind::Directory) => {}
            }
        }
        Ok(children.into_iter().collect())
    }

    /// Lists a share of the base without the documents that this decision removed or added.
    fn list_share(&self, dir: &Key, turn: u64) -> Result<Vec<Child>, ReadError> {
        let mut children = self.base.list_share(dir, turn)?;
        children.retain(|child| {
            child.kind == ChildKind::Directory || !self.edits.contains_key(&dir.join(&child.name))
        });
        Ok(children)
    }

    fn may_have(&self, dir: &Key, count: usize) -> Result<bool, ReadError> {
        let added = edits_below(&self.edits, dir, "").filter(|(_, edit)| edit.is_some()).count();
        self.base.may_have(dir, count.saturating_sub(added))
    }

    fn format(&self) -> u64 {
        self.base.format()
    }

    fn path_in_events(&self, key: &Key) -> Key {
        self.base.path_in_events(key)
    }

    fn directories_max(&self) -> usize {
        self.base.directories_max()
    }
}

/// Finds the edits below a directory, under names that begin with `start`, with the rest of their
/// paths.
fn edits_below<'a>(
    edits: &'a Edits,
    dir: &Key,
    start: &str,
) -> impl Iterator<Item = (&'a str, &'a Option<Vec<u8>>)> {
    let first = if dir.0.is_empty() { start.to_owned() } else { format!("{}/{start}", dir.0) };
    let (dir, start) = (dir.clone(), start.to_owned());
    let below = move |key: &'a Key| key.below(&dir).filter(|rest| rest.starts_with(&start));
    edits.range(Key(first)..).map_while(move |(key, edit)| below(key).map(|rest| (rest, edit)))
}

impl Documents for BTreeMap<Key, Vec<u8>> {
    fn get(&self, key: &Key) -> Result<Option<Vec<u8>>, ReadError> {
        Ok(BTreeMap::get(self, key).cloned())
    }

    fn list_starting(&self, dir: &Key, start: &str) -> Result<Vec<Child>, ReadError> {
        let children: BTreeSet<Child> = self
            .keys()
            .filter_map(|key| key.below(dir))
            .filter(|rest| rest.starts_with(start))
            .map(|rest| match rest.split_once('/') {
                Some((name, _)) => Child { name: name.to_owned(), kind: ChildKind::Directory },
                None => Child { name: rest.to_owned(), kind: ChildKind::Document },
            })
            .collect();
        Ok(children.into_iter().collect())
    }
}

/// Applies edits to a state in memory.
pub fn apply(documents: &mut BTreeMap<Key, Vec<u8>>, edits: &Edits) {
    for (key, edit) in edits {
        match edit {
            Some(bytes) => drop(documents.insert(key.clone(), bytes.clone())),
            None => drop(documents.remove(key)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(path: &str) -> Key {
        Key::of(path.split('/'))
    }

    #[test]
    fn a_draft_shows_its_own_edits() {
        let mut base = BTreeMap::new();
        for path in ["a/b/1", "a/b/2", "a/c", "ab"] {
            base.insert(key(path), path.as_bytes().to_vec());
        }
        let mut draft = Draft::on(&base);
        draft.remove(key("a/b/1"));
        draft.put(key("a/d/e"), b"new".to_vec());
        let names = |dir: &str| -> Vec<String> {
            let dir = if dir.is_empty() { Key::root() } else { key(dir) };
            draft.list(&dir).unwrap().into_iter().map(|child| child.name).collect()
        };
        assert_eq!(names(""), ["a", "ab"]);
        assert_eq!(names("a"), ["b", "c", "d"]);
        let starting = |dir: &Key, start: &str| -> Vec<String> {
            let found = draft.list_starting(dir, start).unwrap();
            found.into_iter().map(|child| child.name).collect()
        };
        assert_eq!(starting(&key("a"), "d"), ["d"]);
        assert_eq!(starting(&key("a/b"), "1"), [] as [&str; 0]);
        assert_eq!(starting(&Key::root(), "ab"), ["ab"]);
        assert_eq!(names("a/b"), ["2"]);
        assert_eq!(draft.get(&key("a/b/1")).unwrap(), None);
        assert_eq!(draft.get(&key("a/d/e")).unwrap(), Some(b"new".to_vec()));
    }

    #[test]
    fn a_damaged_document_is_named() {
        let mut base = BTreeMap::new();
        base.insert(key("ids/x"), b"{".to_vec());
        let error = read::<serde_json::Value>(&base, &key("ids/x")).unwrap_err();
        assert!(error.to_string().starts_with("damaged document 'ids/x': "), "{error}");
    }
}

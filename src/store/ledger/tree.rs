//! Trees as git stores them, parsed and built.
//!
//! A tree that git would not have written is refused: an empty or a duplicate name would make a
//! reader see something else than git shows.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::store::git::object::{HashKind, Object, ObjectId, ObjectKind};

/// The kind of an entry in a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    Directory,
    Document,
    /// A symbolic link or a submodule. No version of this program writes one.
    Other,
}

impl EntryKind {
    /// Derives the kind from git's mode. Some tools write modes with leading zeros.
    pub fn of_mode(mode: u32) -> EntryKind {
        match mode & 0o170_000 {
            0o040_000 => EntryKind::Directory,
            0o100_000 => EntryKind::Document,
            _ => EntryKind::Other,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeEntry<'t> {
    pub name: &'t [u8],
    pub kind: EntryKind,
    pub id: ObjectId,
    pub mode: u32,
}

/// A tree as git stores it, with the position of each entry.
#[derive(Clone, Debug)]
pub struct Tree {
    bytes: Vec<u8>,
    entries: Vec<Place>,
    hash: HashKind,
}

/// The position of an entry in the bytes. The name ends one NUL before the id.
#[derive(Clone, Copy, Debug)]
struct Place {
    mode: u32,
    name: usize,
    id: usize,
}

/// The error for bytes that are not a tree, or not one that git would write.
#[derive(Debug, thiserror::Error)]
#[error("not a tree that git writes")]
pub struct NotATree;

impl Tree {
    /// Makes the tree that has no entries.
    pub fn empty(hash: HashKind) -> Tree {
        Tree { bytes: Vec::new(), entries: Vec::new(), hash }
    }

    /// Parses a tree object.
    pub fn parse(bytes: Vec<u8>, hash: HashKind) -> Result<Tree, NotATree> {
        let mut entries = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let space = find(&bytes, at, b' ').ok_or(NotATree)?;
            let nul = find(&bytes, space, 0).ok_or(NotATree)?;
            let mode = std::str::from_utf8(&bytes[at..space]).map_err(|_| NotATree)?;
            let mode = u32::from_str_radix(mode, 8).map_err(|_| NotATree)?;
            let name = &bytes[space + 1..nul];
            at = nul + 1 + hash.len();
            if name.is_empty() || name.contains(&b'/') || bytes.len() < at {
                return Err(NotATree);
            }
            entries.push(Place { mode, name: space + 1, id: nul + 1 });
        }
        let tree = Tree { bytes, entries, hash };
        let in_order = tree.entries().is_sorted_by(|one, other| order(one, other).is_lt());
        if in_order { Ok(tree) } else { Err(NotATree) }
    }

    fn entry(&self, place: &Place) -> TreeEntry<'_> {
        let id = &self.bytes[place.id..place.id + self.hash.len()];
        TreeEntry {
            name: &self.bytes[place.name..place.id - 1],
            kind: EntryKind::of_mode(place.mode),
            id: ObjectId::from_bytes(id).expect("the slice has the length of an id"),
            mode: place.mode,
        }
    }

    /// Lists the entries in git's order.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = TreeEntry<'_>> {
        self.entries.iter().map(|place| self.entry(place))
    }

    /// Lists the entries whose names begin with `start`, in git's order.
    pub fn entries_starting(&self, start: &str) -> impl Iterator<Item = TreeEntry<'_>> {
        let is_before = |place: &Place| {
            let entry = self.entry(place);
            order_of(entry.name, entry.kind, start.as_bytes(), EntryKind::Document).is_lt()
        };
        let first = self.entries.partition_point(is_before);
        let found = self.entries[first..].iter().map(|place| self.entry(place));
        found.take_while(move |entry| entry.name.starts_with(start.as_bytes()))
    }

    /// Finds the entry of this name.
    pub fn get(&self, name: &str) -> Option<TreeEntry<'_>> {
        self.find(name.as_bytes())
    }

    /// Finds the entry of this name, which need not be UTF-8.
    pub fn find(&self, name: &[u8]) -> Option<TreeEntry<'_>> {
        if name.contains(&b'/') {
            return None;
        }
        // Git's order depends on the kind, so there are two positions where the name can be.
        [EntryKind::Document, EntryKind::Directory].into_iter().find_map(|kind| {
            let wanted = |place: &Place| {
                let entry = self.entry(place);
                order_of(entry.name, entry.kind, name, kind)
            };
            let found = self.entries.binary_search_by(wanted).ok()?;
            Some(self.entry(&self.entries[found]))
        })
    }

    /// Makes the tree that differs from this one in these names only; none of them is named twice.
    /// The other entries are copied as they are, so this is fast in a wide directory.
    pub fn with(&self, changes: &BTreeMap<&[u8], Option<Entry>>) -> Object {
        let with_bytes = self.entries.iter().scan(0, |end, place| {
            let start = std::mem::replace(end, place.id + self.hash.len());
            Some((self.entry(place), &self.bytes[start..*end]))
        });
        let mut kept = with_bytes.filter(|(old, _)| !changes.contains_key(old.name)).peekable();
        let mut new: Vec<(&[u8], Entry)> =
            changes.iter().filter_map(|(name, entry)| Some((*name, (*entry)?))).collect();
        let kind = |entry: &Entry| EntryKind::of_mode(entry.0);
        new.sort_by(|(one, entry), (other, of_other)| {
            order_of(one, kind(entry), other, kind(of_other))
        });
        let mut bytes = Vec::with_capacity(self.bytes.len() + 64 * new.len());
        for (name, entry) in new {
            let is_before = |(old, _): &(TreeEntry<'_>, &[u8])| {
                order_of(old.name, old.kind, name, kind(&entry)).is_lt()
            };
            while let Some((_, old)) = kept.next_if(is_before) {
                bytes.extend_from_slice(old);
            }
            put(&mut bytes, name, entry);
        }
        kept.for_each(|(_, old)| bytes.extend_from_slice(old));
        Object { kind: ObjectKind::Tree, bytes }
    }
}

fn find(bytes: &[u8], from: usize, byte: u8) -> Option<usize> {
    bytes[from..].iter().position(|other| *other == byte).map(|at| from + at)
}

fn order(one: &TreeEntry<'_>, other: &TreeEntry<'_>) -> Ordering {
    order_of(one.name, one.kind, other.name, other.kind)
}

/// Compares two names as git does: a directory sorts as if its name ended in a slash.
fn order_of(one: &[u8], one_kind: EntryKind, other: &[u8], other_kind: EntryKind) -> Ordering {
    let common = one.len().min(other.len());
    let end = |name: &[u8], kind: EntryKind| match name.get(common) {
        Some(byte) => Some(*byte),
        None => (kind == EntryKind::Directory).then_some(b'/'),
    };
    one[..common]
        .cmp(&other[..common])
        .then_with(|| end(one, one_kind).cmp(&end(other, other_kind)))
}

/// The mode and the id of a name in a tree under construction.
pub type Entry = (u32, ObjectId);

/// A tree under construction: names with modes and ids.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    pub entries: BTreeMap<Vec<u8>, Entry>,
}

pub const MODE_DIRECTORY: u32 = 0o040_000;
pub const MODE_DOCUMENT: u32 = 0o100_644;

impl Draft {
    pub fn of(tree: &Tree) -> Draft {
        let entries = tree.entries().map(|entry| (entry.name.to_vec(), (entry.mode, entry.id)));
        Draft { entries: entries.collect() }
    }

    pub fn set(&mut self, name: &str, mode: u32, id: ObjectId) {
        self.entries.insert(name.as_bytes().to_vec(), (mode, id));
    }

    pub fn to_object(&self) -> Object {
        let mut entries: Vec<_> = self.entries.iter().collect();
        entries.sort_by(|(one, (one_mode, _)), (other, (other_mode, _))| {
            let (one_kind, other_kind) =
                (EntryKind::of_mode(*one_mode), EntryKind::of_mode(*other_mode));
            order_of(one, one_kind, other, other_kind)
        });
        let mut bytes = Vec::new();
        for (name, (mode, id)) in entries {
            put(&mut bytes, name, (*mode, *id));
        }
        Object { kind: ObjectKind::Tree, bytes }
    }
}

fn put(bytes: &mut Vec<u8>, name: &[u8], (mode, id): Entry) {
    bytes.extend_from_slice(format!("{mode:o} ").as_bytes());
    bytes.extend_from_slice(name);
    bytes.push(0);
    bytes.extend_from_slice(id.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<u8> {
        let id = HashKind::Sha1.digest(&[b"x"]);
        let mut draft = Draft::default();
        draft.set("a.b", MODE_DOCUMENT, id);
        draft.set("a", MODE_DIRECTORY, id);
        draft.set("a0", MODE_DOCUMENT, id);
        draft.set("a-b", MODE_DOCUMENT, id);
        draft.to_object().bytes
    }

    #[test]
    fn trees_are_kept_in_the_order_of_git() {
        let tree = Tree::parse(sample(), HashKind::Sha1).unwrap();
        let names: Vec<&[u8]> = tree.entries().map(|entry| entry.name).collect();
        // "a" sorts as "a/", which is after "a-b" and "a.b" and before "a0".
        assert_eq!(names, [&b"a-b"[..], b"a.b", b"a", b"a0"]);
        for name in ["a-b", "a.b", "a", "a0"] {
            assert_eq!(tree.get(name).map(|entry| entry.name), Some(name.as_bytes()));
        }
        assert!(tree.get("b").is_none() && tree.get("a/").is_none());
        for (start, expected) in [("", 4), ("a", 4), ("a-", 1), ("a.b", 1), ("a/", 0), ("b", 0)] {
            assert_eq!(tree.entries_starting(start).count(), expected, "{start}");
        }
    }

    /// A tree with changes is the tree that is built anew from all of its entries.
    #[test]
    fn a_changed_tree_is_the_one_that_is_built_anew() {
        let names = ["a-b", "a.b", "a", "a0", "b"];
        let ids: Vec<ObjectId> = (0..3_u8).map(|it| HashKind::Sha1.digest(&[&[it]])).collect();
        let choices = [None, Some((MODE_DIRECTORY, ids[1])), Some((MODE_DOCUMENT, ids[2]))];
        // Each name is left as it is, removed, made a directory, or made a document.
        for number in 0..4_usize.pow(5) {
            let choice = |place: usize| number >> (2 * place) & 3;
            let chosen = (0..names.len()).filter(|place| choice(*place) > 0);
            let changes: BTreeMap<&[u8], Option<Entry>> =
                chosen.map(|place| (names[place].as_bytes(), choices[choice(place) - 1])).collect();
            let before = Tree::parse(sample(), HashKind::Sha1).unwrap();
            let mut anew = Draft::of(&before);
            for (name, entry) in &changes {
                match entry {
                    Some(entry) => drop(anew.entries.insert(name.to_vec(), *entry)),
                    None => drop(anew.entries.remove(*name)),
                }
            }
            assert_eq!(before.with(&changes), anew.to_object(), "{changes:?}");
        }
    }

    #[test]
    fn cut_trees_are_refused() {
        let bytes = sample();
        let whole = [0, 31, 62, 90, bytes.len()];
        for length in (0..bytes.len()).filter(|length| !whole.contains(length)) {
            assert!(Tree::parse(bytes[..length].to_vec(), HashKind::Sha1).is_err(), "{length}");
        }
    }

    #[test]
    fn what_git_would_not_write_is_refused() {
        let entry = |mode: &str, name: &str| {
            let mut bytes = format!("{mode} {name}\0").into_bytes();
            bytes.extend_from_slice(&[7; 20]);
            bytes
        };
        let refused = |entries: &[Vec<u8>]| Tree::parse(entries.concat(), HashKind::Sha1).is_err();
        assert!(refused(&[entry("40000", "")]), "an empty name");
        assert!(refused(&[entry("40000", "a/b")]), "a path");
        assert!(refused(&[entry("100644", "a"), entry("100644", "a")]), "a name twice");
        assert!(refused(&[entry("100644", "b"), entry("100644", "a")]), "out of order");
        assert!(refused(&[entry("x", "a")]), "a mode that is no number");
        // Other tools write the leading zero, and git reads it.
        let tree = Tree::parse(entry("040000", "a"), HashKind::Sha1).unwrap();
        assert_eq!(tree.get("a").map(|entry| entry.kind), Some(EntryKind::Directory));
    }
}

//! Trees, rewritten along the paths that an entry changes.
//!
//! Everything that an edit does not touch is carried over unchanged, so documents and directories
//! of a later version survive.

use std::collections::BTreeMap;
use std::mem;
use std::rc::Rc;

use crate::core::documents::{Edits, Key, ReadError};
use crate::store::git::object::{HashKind, NewObjects, Object, ObjectId, ObjectKind};
use crate::store::ledger::buckets::{Class, DEPTH_MAX, FAN_OUT, NAMES_MAX, NameHash, Place};
use crate::store::ledger::layout::Layout;
use crate::store::ledger::shards;
use crate::store::ledger::tree::{Draft, Entry, EntryKind, MODE_DIRECTORY, MODE_DOCUMENT, Tree};

/// A source of stored trees.
pub trait Trees {
    /// Reads a tree. `at` names its place in errors.
    fn tree(&self, id: &ObjectId, at: &Key) -> Result<Rc<Tree>, ReadError>;

    fn hash_kind(&self) -> HashKind;
}

/// Edits, grouped by the first part of their path.
#[derive(Default)]
struct Branch<'e> {
    /// The edit of the document of this name.
    document: Option<&'e Option<Vec<u8>>>,
    /// The edits below the directory of this name.
    below: BTreeMap<&'e str, Branch<'e>>,
}

impl<'e> Branch<'e> {
    fn root(edits: impl Iterator<Item = (&'e Key, &'e Option<Vec<u8>>)>) -> Branch<'e> {
        let mut root = Branch::default();
        for (key, edit) in edits {
            let mut branch = &mut root;
            for part in key.parts() {
                branch = branch.below.entry(part).or_default();
            }
            branch.document = Some(edit);
        }
        root
    }
}

/// A rewritten tree, with every new object in it.
pub struct Rewritten {
    pub root: ObjectId,
    /// The blobs and trees of the edited paths.
    pub objects: NewObjects,
    /// The number of names in the largest of these trees.
    pub widest: usize,
}

/// Applies edits to a tree. Removes directories that become empty.
pub fn rewrite(
    trees: &dyn Trees,
    root: Option<ObjectId>,
    edits: &Edits,
    layout: Layout,
) -> Result<Rewritten, ReadError> {
    let objects = NewObjects::new(trees.hash_kind());
    let mut rewriting = Rewriting { trees, layout, objects, widest: 0 };
    let places: Vec<Key> = match layout {
        Layout::Shards => edits.keys().map(shards::path).collect(),
        Layout::Buckets => edits.keys().cloned().collect(),
    };
    let branch = Branch::root(places.iter().zip(edits.values()));
    let tree = rewriting.directory(root, &Key::root(), &branch)?;
    let root = rewriting.add(&tree);
    Ok(Rewritten { root, objects: rewriting.objects, widest: rewriting.widest })
}

struct Rewriting<'t> {
    trees: &'t dyn Trees,
    layout: Layout,
    objects: NewObjects,
    widest: usize,
}

/// The edits of some names of a directory.
type Changes<'c, 'e> = Vec<(&'e str, &'c Branch<'e>)>;

/// The names of one class in a directory, or the names in a bucket.
enum Node {
    Whole(BTreeMap<Vec<u8>, Entry>),
    Split([Bucket; FAN_OUT]),
}

enum Bucket {
    Empty,
    Stored(ObjectId),
    New(Box<Node>),
}

impl Rewriting<'_> {
    fn add(&mut self, tree: &Draft) -> ObjectId {
        self.widest = self.widest.max(tree.entries.len());
        self.objects.add(tree.to_object())
    }

    fn directory(
        &mut self,
        base: Option<ObjectId>,
        at: &Key,
        branch: &Branch<'_>,
    ) -> Result<Draft, ReadError> {
        let stored = base.map(|id| self.trees.tree(&id, at)).transpose()?;
        if self.layout == Layout::Shards {
            let mut tree = stored.as_deref().map(Draft::of).unwrap_or_default();
            self.apply(&mut tree.entries, at, branch.below.iter().map(|(name, b)| (*name, b)))?;
            return Ok(tree);
        }
        let mut tree = Draft::default();
        for class in Class::ALL {
            let changes = branch.below.iter().map(|(name, branch)| (*name, branch));
            let changes: Changes<'_, '_> =
                changes.filter(|(name, _)| Class::of(name.as_bytes()) == class).collect();
            let place = Place::default();
            let node = match stored.as_deref() {
                Some(tree) => Node::read(tree, at, class, &place)?,
                None => Node::Whole(BTreeMap::new()),
            };
            let (node, _) = self.update(node, at, (class, &place), changes)?;
            self.seal(&mut tree, class, node);
        }
        Ok(tree)
    }

    /// Applies edits to names. Returns whether there are fewer of them.
    fn apply<'e, 'c>(
        &mut self,
        entries: &mut BTreeMap<Vec<u8>, Entry>,
        at: &Key,
        changes: impl IntoIterator<Item = (&'e str, &'c Branch<'e>)>,
    ) -> Result<bool, ReadError>
    where
        'e: 'c,
    {
        let before = entries.len();
        for (name, change) in changes {
            let entry = self.changed(entries.get(name.as_bytes()).copied(), at, name, change)?;
            match entry {
                Some(entry) => drop(entries.insert(name.as_bytes().to_vec(), entry)),
                None => drop(entries.remove(name.as_bytes())),
            }
        }
        Ok(entries.len() < before)
    }

    /// Applies the edits of one name and of everything below it.
    fn changed(
        &mut self,
        entry: Option<Entry>,
        at: &Key,
        name: &str,
        change: &Branch<'_>,
    ) -> Result<Option<Entry>, ReadError> {
        let directory = |entry: Option<Entry>| {
            entry.filter(|(mode, _)| EntryKind::of_mode(*mode) == EntryKind::Directory)
        };
        let entry = match change.document {
            Some(None) => directory(entry),
            Some(Some(bytes)) => {
                let document = Object { kind: ObjectKind::Blob, bytes: bytes.clone() };
                Some((MODE_DOCUMENT, self.objects.add(document)))
            }
            None => entry,
        };
        if change.below.is_empty() {
            return Ok(entry);
        }
        let base = directory(entry).map(|(_, id)| id);
        let child = self.directory(base, &at.join(name), change)?;
        Ok((!child.entries.is_empty()).then(|| (MODE_DIRECTORY, self.add(&child))))
    }

    /// Applies edits to the names of one class. Returns whether there are fewer of them.
    fn update(
        &mut self,
        node: Node,
        at: &Key,
        (class, place): (Class, &Place),
        changes: Changes<'_, '_>,
    ) -> Result<(Node, bool), ReadError> {
        if changes.is_empty() {
            return Ok((node, false));
        }
        let mut buckets = match node {
            Node::Whole(mut entries) => {
                let are_fewer = self.apply(&mut entries, at, changes)?;
                return Ok((Node::fitting(entries, place.level()), are_fewer));
            }
            Node::Split(buckets) => buckets,
        };
        let mut changes_of: [Changes<'_, '_>; FAN_OUT] = Default::default();
        for change in changes {
            let digit = NameHash::of(change.0.as_bytes()).digit(place.level());
            changes_of[digit].push(change);
        }
        let mut are_fewer = false;
        for (digit, changes) in changes_of.into_iter().enumerate() {
            if changes.is_empty() {
                continue;
            }
            let place = place.bucket(class, digit);
            let bucket = mem::replace(&mut buckets[digit], Bucket::Empty);
            let node = self.open(bucket, at, class, &place)?;
            let (node, is_smaller) = self.update(node, at, (class, &place), changes)?;
            are_fewer |= is_smaller;
            if !matches!(&node, Node::Whole(entries) if entries.is_empty()) {
                buckets[digit] = Bucket::New(Box::new(node));
            }
        }
        let node =
            if are_fewer { self.joined(buckets, at, class, place)? } else { Node::Split(buckets) };
        Ok((node, are_fewer))
    }

    fn open(
        &self,
        bucket: Bucket,
        at: &Key,
        class: Class,
        place: &Place,
    ) -> Result<Node, ReadError> {
        match bucket {
            Bucket::Empty => Ok(Node::Whole(BTreeMap::new())),
            Bucket::Stored(id) => Node::read(&*self.trees.tree(&id, at)?, at, class, place),
            Bucket::New(node) => Ok(*node),
        }
    }

    /// Joins buckets whose names fit together. Reads no more of them than it takes to know.
    fn joined(
        &self,
        buckets: [Bucket; FAN_OUT],
        at: &Key,
        class: Class,
        place: &Place,
    ) -> Result<Node, ReadError> {
        let mut names = BTreeMap::new();
        // The new ones first, since they need not be read.
        for are_new in [true, false] {
            for (digit, bucket) in buckets.iter().enumerate() {
                let stored;
                let node = match bucket {
                    Bucket::New(node) if are_new => node,
                    Bucket::Stored(id) if !are_new => {
                        let place = place.bucket(class, digit);
                        stored = self.open(Bucket::Stored(*id), at, class, &place)?;
                        &stored
                    }
                    _ => continue,
                };
                match node {
                    Node::Whole(entries) if names.len() + entries.len() <= NAMES_MAX => {
                        names.extend(entries.iter().map(|(name, entry)| (name.clone(), *entry)));
                    }
                    Node::Whole(_) | Node::Split(_) => return Ok(Node::Split(buckets)),
                }
            }
        }
        Ok(Node::Whole(names))
    }

    /// Adds the names of a class to their tree, and the trees of new buckets to the objects.
    fn seal(&mut self, tree: &mut Draft, class: Class, node: Node) {
        let buckets = match node {
            Node::Whole(entries) => return tree.entries.extend(entries),
            Node::Split(buckets) => buckets,
        };
        for (digit, bucket) in buckets.into_iter().enumerate() {
            let id = match bucket {
                Bucket::Empty => continue,
                Bucket::Stored(id) => id,
                Bucket::New(node) => {
                    let mut below = Draft::default();
                    self.seal(&mut below, class, *node);
                    self.add(&below)
                }
            };
            tree.set(&class.bucket(digit), MODE_DIRECTORY, id);
        }
    }
}

impl Node {
    /// Reads the names of a class from a directory or a bucket.
    fn read(tree: &Tree, at: &Key, class: Class, place: &Place) -> Result<Node, ReadError> {
        let mut names = BTreeMap::new();
        let mut buckets = [const { Bucket::Empty }; FAN_OUT];
        for (entry, bucket) in place.read(tree).map_err(|why| ReadError::damaged(at, why))? {
            match bucket {
                Some((of, digit)) if of == class => buckets[digit] = Bucket::Stored(entry.id),
                None if Class::of(entry.name) == class => {
                    names.insert(entry.name.to_vec(), (entry.mode, entry.id));
                }
                Some(_) | None => {}
            }
        }
        Ok(if class.is_split_in(tree) { Node::Split(buckets) } else { Node::Whole(names) })
    }

    /// Splits names for as long as there are too many of them.
    fn fitting(entries: BTreeMap<Vec<u8>, Entry>, level: usize) -> Node {
        if entries.len() <= NAMES_MAX || level >= DEPTH_MAX {
            return Node::Whole(entries);
        }
        let mut parts: [BTreeMap<Vec<u8>, Entry>; FAN_OUT] = Default::default();
        for (name, entry) in entries {
            parts[NameHash::of(&name).digit(level)].insert(name, entry);
        }
        Node::Split(parts.map(|part| {
            if part.is_empty() {
                Bucket::Empty
            } else {
                Bucket::New(Box::new(Node::fitting(part, level + 1)))
            }
        }))
    }
}

#[cfg(test)]
mod tests;

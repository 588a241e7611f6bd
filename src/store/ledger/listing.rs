//! Lists the names of a directory, through the inner trees of its layout.

use std::rc::Rc;

use crate::core::documents::{Child, ChildKind, Key, ReadError};
use crate::core::ids::ID_ALPHABET;
use crate::core::limits::{DOCUMENTS_MAX, NODE_ENTRIES_MAX};
use crate::store::git::object::ObjectId;
use crate::store::ledger::buckets::{Class, DEPTH_MAX, NameHash, Place, is_surely_split};
use crate::store::ledger::layout::Layout;
use crate::store::ledger::rewrite::Trees as _;
use crate::store::ledger::shards;
use crate::store::ledger::snapshot::{Snapshot, neither};
use crate::store::ledger::tree::{EntryKind, Tree, TreeEntry};

/// A listing of one directory.
pub(super) struct Listing<'s, 'b> {
    snapshot: &'s Snapshot<'b>,
    dir: &'s Key,
    /// The beginning of the names that are listed.
    start: &'s str,
    found: Vec<Child>,
}

impl<'s, 'b> Listing<'s, 'b> {
    pub(super) fn new(snapshot: &'s Snapshot<'b>, dir: &'s Key, start: &'s str) -> Listing<'s, 'b> {
        Listing { snapshot, dir, start, found: Vec::new() }
    }

    /// Lists the directory of this tree.
    pub(super) fn whole(mut self, tree: &Tree) -> Result<Vec<Child>, ReadError> {
        match self.snapshot.layout() {
            Layout::Shards => self.sharded(tree, self.levels(), 0)?,
            Layout::Buckets => {
                let wanted = (!self.start.is_empty()).then(|| Class::of(self.start.as_bytes()));
                self.bucketed(tree, &Place::default(), wanted)?;
            }
        }
        Ok(self.sorted())
    }

    /// Lists the shard, or the bucket of each class, that has its turn.
    pub(super) fn share(mut self, mut tree: Rc<Tree>, turn: u64) -> Result<Vec<Child>, ReadError> {
        if self.snapshot.layout() == Layout::Shards {
            let parts: Vec<&str> = self.dir.parts().collect();
            for shard in shards::of_turn(&parts, turn) {
                let Some(entry) = tree.get(&shard) else { return Ok(Vec::new()) };
                let id = entry.id;
                tree = self.tree(&id)?;
            }
            self.sharded(&tree, 0, 0)?;
            return Ok(self.sorted());
        }
        for class in Class::ALL {
            if let Some((tree, place)) = self.of_turn(Rc::clone(&tree), class, turn)? {
                self.bucketed(&tree, &place, Some(class))?;
            }
        }
        Ok(self.sorted())
    }

    /// Finds the innermost bucket of a class that has its turn.
    fn of_turn(
        &self,
        mut tree: Rc<Tree>,
        class: Class,
        turn: u64,
    ) -> Result<Option<(Rc<Tree>, Place)>, ReadError> {
        let mut place = Place::default();
        while place.level() < DEPTH_MAX && class.is_split_in(&tree) {
            let digit = NameHash::of_turn(turn).digit(place.level());
            let bucket = tree.get(&class.bucket(digit)).map(|entry| entry.id);
            let Some(bucket) = bucket else { return Ok(None) };
            (tree, place) = (self.tree(&bucket)?, place.bucket(class, digit));
        }
        Ok(Some((tree, place)))
    }

    /// Tells whether a directory of random names may have so many that are of no class of their
    /// own.
    pub(super) fn may_have(&self, mut tree: Rc<Tree>, count: usize) -> Result<bool, ReadError> {
        if self.snapshot.layout() == Layout::Shards {
            // So many names as there may be in one entry are not worth a guess.
            let shards = tree.entries().filter(|entry| shards::is_shard(entry.name)).count();
            return Ok(shards == ID_ALPHABET.len() || count < 900);
        }
        let class = Class::Other;
        for level in (0..).take_while(|level| is_surely_split(count, *level)) {
            let digit = NameHash::of_turn(0).digit(level);
            let Some(id) = tree.get(&class.bucket(digit)).map(|entry| entry.id) else {
                return Ok(false);
            };
            tree = self.tree(&id)?;
        }
        Ok(true)
    }

    fn levels(&self) -> usize {
        let parts: Vec<&str> = self.dir.parts().collect();
        shards::depth(&parts)
    }

    fn tree(&self, id: &ObjectId) -> Result<Rc<Tree>, ReadError> {
        self.snapshot.tree(id, self.dir)
    }

    fn sharded(&mut self, tree: &Tree, levels: usize, level: usize) -> Result<(), ReadError> {
        self.check_width(tree)?;
        let wanted = self.start.get(level..=level);
        for entry in tree.entries() {
            let is_inner = level < levels && entry.kind == EntryKind::Directory;
            if !is_inner || !shards::is_shard(entry.name) {
                self.take(&entry)?;
            } else if wanted.is_none_or(|wanted| wanted.as_bytes() == entry.name) {
                let shard = self.tree(&entry.id)?;
                self.sharded(&shard, levels, level + 1)?;
            }
        }
        Ok(())
    }

    /// Takes the names of a class, or of all classes, at a place and in the buckets there.
    fn bucketed(
        &mut self,
        tree: &Tree,
        place: &Place,
        wanted: Option<Class>,
    ) -> Result<(), ReadError> {
        self.check_width(tree)?;
        for (entry, bucket) in place.read(tree).map_err(|why| self.damaged(&why))? {
            let class = bucket.map_or_else(|| Class::of(entry.name), |(class, _)| class);
            if wanted.is_some_and(|wanted| wanted != class) {
                continue;
            }
            match bucket {
                None => self.take(&entry)?,
                Some((class, digit)) => {
                    let bucket = self.tree(&entry.id)?;
                    self.bucketed(&bucket, &place.bucket(class, digit), wanted)?;
                }
            }
        }
        Ok(())
    }

    fn take(&mut self, entry: &TreeEntry<'_>) -> Result<(), ReadError> {
        if !entry.name.starts_with(self.start.as_bytes()) {
            return Ok(());
        }
        let name = String::from_utf8_lossy(entry.name);
        let kind = match entry.kind {
            EntryKind::Directory => ChildKind::Directory,
            EntryKind::Document => ChildKind::Document,
            EntryKind::Other => return Err(neither(self.dir, &name)),
        };
        if std::str::from_utf8(entry.name).is_err() {
            return Err(self.damaged(&format!("the name '{}' is not UTF-8", name.escape_debug())));
        }
        if self.found.len() >= DOCUMENTS_MAX {
            return Err(self.damaged("more names than this program reads"));
        }
        self.found.push(Child { name: name.into_owned(), kind });
        Ok(())
    }

    fn check_width(&self, tree: &Tree) -> Result<(), ReadError> {
        let width = tree.entries().len();
        if width > NODE_ENTRIES_MAX {
            return Err(self.damaged(&format!("{width} entries, more than this program reads")));
        }
        Ok(())
    }

    fn damaged(&self, why: &str) -> ReadError {
        ReadError::damaged(self.dir, why)
    }

    fn sorted(mut self) -> Vec<Child> {
        self.found.sort();
        self.found
    }
}

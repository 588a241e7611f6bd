//! Merges our packs, so that the user's `git commit` does not start to pack automatically (git
//! counts packs, and ours with them) and reading does not get slower with every entry.
//!
//! Entries are copied as they are: nothing is inflated, no delta is sought. `git repack` would
//! rewrite the user's packs as well.

use std::time::Instant;

use super::multi_pack_index::named_packs;
use super::{PackName, Packs, Part};
use crate::store::files::{FileError, Purpose};
use crate::store::pack::{self, Pack, PackEntry};
use crate::store::queue::Queue;

/// Packs of ours that may stand beside each other; one more, and some are merged.
pub const PACKS_MAX: usize = 16;
/// Packs that a merge leaves at most, so that the next one is some entries away.
const PACKS_AFTER_MERGE_MAX: usize = 6;
/// A larger pack is never merged again: the bound on memory. It is git's from then on.
const PACK_LENGTH_MAX: u64 = 256 << 20;
/// Signature, version and fanout table, whose last number is the number of objects.
const INDEX_START_LENGTH: u64 = 8 + 256 * 4;

impl Packs {
    /// Merges the smaller ones of these packs if there are more than [`PACKS_MAX`], and returns
    /// how many went into one. When another process is merging, or `git gc` takes a pack away
    /// meanwhile, there is nothing to do that the next writer cannot do as well.
    pub(super) fn merge_if_many(&self, names: Vec<PackName>) -> Result<usize, FileError> {
        if names.len() <= PACKS_MAX {
            return Ok(0);
        }
        let queue = Queue::new(&self.common, "packs", self.files);
        let Some(_place) = queue.enter(Instant::now())? else {
            return Ok(0);
        };
        let Some(indexed) = named_packs(&self.directory, &self.files)? else {
            return Ok(0);
        };
        let left_alone = self.files.list(&self.left_alone())?;
        let is_left_alone = |name: &PackName| left_alone.iter().any(|left| *left == *name.0);
        let mut sized = Vec::new();
        for name in names.into_iter().filter(|n| !indexed.contains(n) && !is_left_alone(n)) {
            if let Some(count) = self.object_count(&name)? {
                sized.push((count, name));
            }
        }
        if sized.len() <= PACKS_MAX {
            return Ok(0);
        }
        sized.sort_unstable();
        let counts: Vec<usize> = sized.iter().map(|(count, _)| *count).collect();
        sized.truncate(smallest_to_merge(&counts));
        let names: Vec<PackName> = sized.into_iter().map(|(_, name)| name).collect();
        self.merge(&names)
    }

    fn merge(&self, names: &[PackName]) -> Result<usize, FileError> {
        let mut entries = Vec::new();
        for name in names {
            match self.entries(name)? {
                Some(found) => entries.extend(found),
                None => return Ok(0),
            }
        }
        // Protected while the old packs go, so that no other merge takes it for one of them. For
        // gc it makes no difference: what was unreachable before may go, as it might have before.
        let merged = self.install(&Pack::from_entries(entries, self.hash), None)?;
        for name in names {
            self.remove_merged(name)?;
        }
        merged.release()?;
        Ok(names.len())
    }

    /// Removes a pack whose objects another one holds by now.
    ///
    /// The index goes first, as in git (`unlink_pack_path`): readers look for `.idx` files and
    /// take the pack to be there, so the other order shows them an index without pack. A reader
    /// that had read this index finds the pack gone, looks at the directory once more, and finds
    /// the merged one.
    fn remove_merged(&self, name: &PackName) -> Result<(), FileError> {
        if self.files.exists(&self.path(name, Part::Keep))? {
            // The user wants this one to stay.
            return Ok(());
        }
        self.files.remove(&self.path(name, Part::Index))?;
        self.files.remove(&self.path(name, Part::Pack))?;
        Ok(())
    }

    /// How many objects a pack holds; none if it is gone or not to be merged.
    fn object_count(&self, name: &PackName) -> Result<Option<usize>, FileError> {
        let Some(stamp) = self.files.stamp(&self.path(name, Part::Pack))? else {
            return Ok(None);
        };
        if stamp.length > PACK_LENGTH_MAX {
            return self.leave_alone(name);
        }
        let index = self.path(name, Part::Index);
        match self.files.read_start(&index, INDEX_START_LENGTH)?.map(|i| pack::object_count(&i)) {
            Some(Ok(count)) => Ok(Some(count)),
            Some(Err(_)) => self.leave_alone(name),
            None => Ok(None),
        }
    }

    /// The entries of a pack; none if it is gone or not to be merged.
    fn entries(&self, name: &PackName) -> Result<Option<Vec<PackEntry>>, FileError> {
        let read = |part| self.files.read(&self.path(name, part), PACK_LENGTH_MAX);
        let (Some(index), Some(pack)) = (read(Part::Index)?, read(Part::Pack)?) else {
            return Ok(None);
        };
        match pack::read_entries(&pack, &index, self.hash) {
            Ok(entries) => Ok(Some(entries)),
            Err(_) => self.leave_alone(name),
        }
    }

    /// Has nobody try this one again.
    fn leave_alone<T>(&self, name: &PackName) -> Result<Option<T>, FileError> {
        let directory = self.left_alone();
        self.files.make_directories(&directory)?;
        self.files.write_new(&directory.join(&name.0), b"", Purpose::Helper)?;
        Ok(None)
    }
}

/// How many packs to merge, from the smallest, given their object counts in ascending order.
///
/// What stays beside the merged pack is at least twice as large as everything smaller together,
/// so an object is copied a logarithmic number of times. Where that would leave too many packs,
/// the factor grows: more copying for fewer packs.
fn smallest_to_merge(counts: &[usize]) -> usize {
    let mut factor = 2;
    loop {
        let merge = smallest_out_of_proportion(counts, factor);
        if counts.len() - merge < PACKS_AFTER_MERGE_MAX {
            return merge;
        }
        factor *= 2;
    }
}

/// The length of the shortest beginning after which each count is at least `factor` times the sum
/// of those before it.
fn smallest_out_of_proportion(counts: &[usize], factor: usize) -> usize {
    let mut smaller = 0_usize;
    let mut out = 0;
    for (place, count) in counts.iter().enumerate() {
        if *count < smaller.saturating_mul(factor) {
            out = place + 1;
        }
        // An empty pack is a pack too, and must not make everything else look large.
        smaller = smaller.saturating_add((*count).max(1));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_out_of_proportion_is_merged() {
        assert_eq!(smallest_out_of_proportion(&[3, 3, 3, 3], 2), 4);
        assert_eq!(smallest_out_of_proportion(&[3, 3, 12, 40], 2), 2);
        assert_eq!(smallest_out_of_proportion(&[3, 6, 18, 60], 2), 0);
        assert_eq!(smallest_out_of_proportion(&[3, 3, 3, 100, 150], 2), 5);
    }

    #[test]
    fn few_packs_and_little_copying_however_many_entries() {
        let mut counts: Vec<usize> = Vec::new();
        let (mut written, mut copied) = (0, 0);
        for _ in 0..300_000 {
            counts.push(6);
            written += 6;
            if counts.len() > PACKS_MAX {
                counts.sort_unstable();
                let merge = smallest_to_merge(&counts);
                assert!(merge >= 2);
                let sum: usize = counts.drain(..merge).sum();
                copied += sum;
                counts.push(sum);
                assert!(counts.len() <= PACKS_AFTER_MERGE_MAX, "{counts:?}");
            }
            assert!(counts.len() <= PACKS_MAX);
        }
        assert!(copied / written <= 60, "each object was copied {} times", copied / written);
    }

    #[test]
    fn packs_without_objects_are_merged_too() {
        assert!(smallest_to_merge(&[0; 13]) >= 8);
    }
}

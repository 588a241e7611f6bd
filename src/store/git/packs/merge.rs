//! Merges our packs, so that the user's `git commit` does not start to repack automatically (git
//! counts all packs) and reading does not get slower with every entry.
//!
//! Similar objects are found and stored as deltas, as git does when it packs. Deltas that were made
//! before are copied. `git repack` would rewrite the user's packs as well.

use std::time::{Instant, SystemTime};

use super::multi_pack_index::named_packs;
use super::redundant::{Crowd, redundant};
use super::{PackName, Packs, Part};
use crate::store::git::pack::{self, Pack, PackEntry};
use crate::store::machine::queue::Queue;
use crate::store::os::files::{FileError, Files, Purpose};

/// The number of our packs above which some are merged.
pub const PACKS_MAX: usize = 16;
/// The maximum number of packs after a merge. The next merge is some entries away.
const PACKS_AFTER_MERGE_MAX: usize = 6;

/// The limit on one writer's maintenance. Packs larger than half of it are neither merged nor
/// counted. So any two that are counted fit, and time and memory are bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    bytes: u64,
}

impl Budget {
    /// For a hook, which somebody waits for: some hundredths of a second.
    pub const HOOK: Budget = Budget { bytes: 4 << 20 };
    /// For a command: some tenths of a second, and 100 MB of memory. Larger packs are left to git.
    pub const COMMAND: Budget = Budget { bytes: 32 << 20 };

    /// Tells whether a pack of this length is worth merging.
    pub(super) fn covers(self, length: u64) -> bool {
        length < self.bytes / 2
    }
}

impl Packs {
    /// Removes redundant packs that are due, and merges our packs if there are many. Returns the
    /// number of merged packs. `names` are our complete packs, and `listed` is the number of all
    /// packs. Does nothing while another process does this or git maintains the repository: a later
    /// writer can do it as well.
    pub(super) fn merge_if_many(
        &self,
        names: &[PackName],
        listed: usize,
        budget: Budget,
    ) -> Result<usize, FileError> {
        let queue = Queue::new(&self.common, "packs", self.files);
        let Some(_place) = queue.enter(Instant::now())? else {
            return Ok(0);
        };
        let merges = self.recorded_merges()?;
        let crowd = self.crowd(names, listed, budget)?;
        if !self.remove_redundant(&merges, SystemTime::now(), crowd)? {
            return Ok(0);
        }
        let redundant = redundant(&merges);
        let in_use = names.iter().filter(|name| !redundant.contains(name));
        let in_use: Vec<PackName> = in_use.cloned().collect();
        if in_use.len() <= PACKS_MAX {
            return Ok(0);
        }
        let chosen = self.choose(in_use, budget)?;
        let may_wait = crowd != Crowd::TooMany;
        if chosen.len() < 2 || (may_wait && self.has_maintenance_files(self.disk_time()?)?) {
            return Ok(0);
        }
        self.merge(&chosen, budget)
    }

    /// Chooses the packs to merge.
    fn choose(&self, names: Vec<PackName>, budget: Budget) -> Result<Vec<PackName>, FileError> {
        let Some(indexed) = named_packs(&self.directory, &self.files)? else {
            return Ok(Vec::new());
        };
        let records = self.files.list(&self.records())?;
        let is_unmergeable = |name: &PackName| records.iter().any(|record| *record == *name.0);
        let mut sized = Vec::new();
        for name in names.into_iter().filter(|n| !indexed.contains(n) && !is_unmergeable(n)) {
            // Other processes write while the packs are listed, so each is checked again.
            if self.is_free(&name)?
                && let Some(stamp) = self.files.stamp(&self.path(&name, Part::Pack))?
                && budget.covers(stamp.length)
            {
                sized.push((stamp.length, stamp.modified, name));
            }
        }
        if sized.len() <= PACKS_MAX {
            return Ok(Vec::new());
        }
        sized.sort_unstable();
        let lengths: Vec<u64> = sized.iter().map(|(length, ..)| *length).collect();
        sized.truncate(smallest_to_merge(&lengths, budget));
        // Neighbours in the order of writing are similar.
        sized.sort_by_key(|(_, modified, _)| *modified);
        Ok(sized.into_iter().map(|(.., name)| name).collect())
    }

    fn merge(&self, names: &[PackName], budget: Budget) -> Result<usize, FileError> {
        let mut packs = Vec::with_capacity(names.len());
        for name in names {
            let Some(entries) = self.entries(name, budget)? else { return Ok(0) };
            packs.push(entries);
        }
        let entries = pack::find_similar(packs, self.hash, budget.bytes);
        // The merged pack is protected until the merge is recorded, so that no other merge includes
        // it. Git's gc is not affected: it may remove unreachable objects as before. It is synced
        // in any case, because it replaces packs that have been on disk for long.
        let durable = Packs { files: Files { fsync: true, ..self.files }, ..self.clone() };
        let merged = durable.install(&Pack::from_entries(entries, self.hash), None)?;
        self.record_merge(merged.name(), names)?;
        merged.release()?;
        Ok(names.len())
    }

    /// Reads the entries of a pack; `None` if it is gone or cannot be merged.
    fn entries(
        &self,
        name: &PackName,
        budget: Budget,
    ) -> Result<Option<Vec<PackEntry>>, FileError> {
        let read = |part| self.files.read(&self.path(name, part), budget.bytes);
        let (Some(index), Some(pack)) = (read(Part::Index)?, read(Part::Pack)?) else {
            return Ok(None);
        };
        match pack::read_entries(&pack, &index, self.hash) {
            Ok(entries) => Ok(Some(entries)),
            Err(_) => self.mark_unmergeable(name),
        }
    }

    /// Marks a pack, so that no writer tries to merge it again.
    fn mark_unmergeable<T>(&self, name: &PackName) -> Result<Option<T>, FileError> {
        let directory = self.records();
        self.files.make_directories(&directory)?;
        self.files.write_new(&directory.join(&name.0), b"", Purpose::Helper)?;
        Ok(None)
    }
}

/// Chooses how many packs to merge, from the smallest. `lengths` is sorted in ascending order.
///
/// Each pack that stays is at least twice as large as all smaller ones together, so an object is
/// copied a logarithmic number of times. If that would leave too many packs, the factor grows: more
/// copying for fewer packs.
fn smallest_to_merge(lengths: &[u64], budget: Budget) -> usize {
    let mut factor = 2;
    let wanted = loop {
        let merge = smallest_out_of_proportion(lengths, factor);
        if lengths.len() - merge < PACKS_AFTER_MERGE_MAX {
            break merge;
        }
        factor *= 2;
    };
    let mut sum = 0;
    let fits = |length: &&u64| {
        sum += **length;
        sum <= budget.bytes
    };
    lengths.iter().take(wanted).take_while(fits).count()
}

/// Finds the shortest prefix after which each length is at least `factor` times the sum of those
/// before it.
fn smallest_out_of_proportion(lengths: &[u64], factor: u64) -> usize {
    let mut smaller = 0_u64;
    let mut out = 0;
    for (place, length) in lengths.iter().enumerate() {
        if *length < smaller.saturating_mul(factor) {
            out = place + 1;
        }
        smaller = smaller.saturating_add(*length);
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

    /// 8/HOOKS: a hook copies little at a time, and never begins a merge that it cannot finish.
    #[test]
    fn few_packs_and_little_copying_however_many_entries() {
        for (budget, times_max) in [(Budget::HOOK, 30), (Budget::COMMAND, 40)] {
            let mut lengths: Vec<u64> = Vec::new();
            let (mut written, mut copied, mut large) = (0, 0, 0);
            for number in 0..100_000 {
                let length = 2_000 + number % 7 * 500;
                lengths.push(length);
                written += length;
                if lengths.len() > PACKS_MAX {
                    lengths.sort_unstable();
                    let merge = smallest_to_merge(&lengths, budget);
                    assert!(merge >= 2, "{lengths:?}");
                    let sum: u64 = lengths.drain(..merge).sum();
                    assert!(sum <= budget.bytes);
                    copied += sum;
                    if budget.covers(sum) {
                        lengths.push(sum);
                    } else {
                        large += 1;
                    }
                }
                assert!(lengths.len() <= PACKS_MAX);
            }
            let times = copied / written;
            assert!(times <= times_max, "each byte was copied {times} times");
            assert!(large <= 2 * written / budget.bytes, "{large} of {written}");
        }
    }
}

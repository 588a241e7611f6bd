//! Packs whose objects are in a merged pack, but which stay for a while.
//!
//! `git repack` fails if a pack is gone that it has listed, so a merge removes nothing. It records
//! the packs that it has made redundant in a file of `coord/packs`, named after the merged pack. A
//! later writer removes them, after some minutes or when there are many packs, but not while git
//! maintains the repository. Until then they are neither counted nor merged again. If the record is
//! lost, they are packs like any other, whose objects another pack has too.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::maintenance::is_older;
use super::multi_pack_index::named_packs;
use super::{Budget, PackName, Packs, Part};
use crate::store::os::files::{FileError, Purpose};

/// The time that redundant packs stay if there are few packs.
const STAY: Duration = Duration::from_secs(10 * 60);
/// The number of packs up to which redundant packs may stay, of any owner, but without ours that
/// are too large to be merged. Git starts to repack by itself beyond 50.
pub(super) const PACKS_BESIDE_MAX: usize = 40;
/// The number of packs of any owner from which on reading is so slow that a merge does not even
/// wait for git's maintenance.
pub(super) const PACKS_TOO_MANY: usize = 1_000;
/// The suffix of a record, after the name of the merged pack.
const ENDING: &str = ".merged";
const RECORD_LENGTH_MAX: u64 = 1 << 20;

/// The number of packs, as far as redundant ones depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Crowd {
    /// Redundant packs may stay for a while.
    Few,
    /// Redundant packs go at once.
    Many,
    /// They go even while git maintains the repository.
    TooMany,
}

/// A recorded merge, with the packs that it made redundant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Merged {
    into: PackName,
    names: Vec<PackName>,
    at: SystemTime,
}

impl Merged {
    /// Returns the redundant packs.
    pub(super) fn names(&self) -> &[PackName] {
        &self.names
    }
}

/// The number and size of our packs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskUsage {
    pub packs: usize,
    /// The number of redundant packs among them.
    pub redundant: usize,
    /// The size of the packs and their indexes.
    pub bytes: u64,
}

impl Packs {
    /// Measures our packs.
    pub fn disk_usage(&self) -> Result<DiskUsage, FileError> {
        let (names, merges) = (self.ours()?, self.recorded_merges()?);
        let redundant = redundant(&merges);
        let mut bytes = 0;
        for name in &names {
            for part in [Part::Pack, Part::Index] {
                bytes += self.files.stamp(&self.path(name, part))?.map_or(0, |stamp| stamp.length);
            }
        }
        let redundant = names.iter().filter(|name| redundant.contains(name)).count();
        Ok(DiskUsage { packs: names.len(), redundant, bytes })
    }

    /// Records that the merged pack, which is on disk, contains the objects of these packs.
    pub(super) fn record_merge(
        &self,
        into: &PackName,
        names: &[PackName],
    ) -> Result<(), FileError> {
        self.files.make_directories(&self.records())?;
        let names: Vec<&str> = names.iter().map(|name| name.0.as_str()).collect();
        let content = names.join("\n");
        self.files.write_new(&self.record(into), content.as_bytes(), Purpose::Helper)
    }

    /// Reads the records of merges.
    pub(super) fn recorded_merges(&self) -> Result<Vec<Merged>, FileError> {
        let mut merges = Vec::new();
        for file in self.files.list(&self.records())? {
            let into = file.to_str().and_then(|file| PackName::of_ours(file.strip_suffix(ENDING)?));
            let Some(into) = into else { continue };
            let path = self.record(&into);
            let Some(stamp) = self.files.stamp(&path)? else { continue };
            let Some(content) = self.files.read_start(&path, RECORD_LENGTH_MAX)? else { continue };
            let content = String::from_utf8_lossy(&content);
            let names = content.lines().filter_map(PackName::of_ours).collect();
            merges.push(Merged { into, names, at: stamp.modified });
        }
        Ok(merges)
    }

    /// Judges the number of packs. `names` are our complete ones, and `listed` is the number of
    /// all. Those that are too large for the budget are left to git. They would otherwise be more
    /// than may stay some day, and the redundant ones would go at once from then on.
    pub(super) fn crowd(
        &self,
        names: &[PackName],
        listed: usize,
        budget: Budget,
    ) -> Result<Crowd, FileError> {
        if listed > PACKS_TOO_MANY {
            return Ok(Crowd::TooMany);
        }
        if listed <= PACKS_BESIDE_MAX {
            return Ok(Crowd::Few);
        }
        let mut left_to_git = 0;
        for name in names {
            let stamp = self.files.stamp(&self.path(name, Part::Pack))?;
            left_to_git += usize::from(stamp.is_some_and(|pack| !budget.covers(pack.length)));
        }
        let is_crowded = listed.saturating_sub(left_to_git) > PACKS_BESIDE_MAX;
        Ok(if is_crowded { Crowd::Many } else { Crowd::Few })
    }

    /// Removes redundant packs that are due. `clock` is this machine's time. Returns false if git
    /// still needs one of them.
    pub(super) fn remove_redundant(
        &self,
        merges: &[Merged],
        clock: SystemTime,
        crowd: Crowd,
    ) -> Result<bool, FileError> {
        let is_due = |merged: &&Merged, now| crowd != Crowd::Few || is_older(merged.at, STAY, now);
        if !merges.iter().any(|merged| is_due(&merged, clock)) {
            return Ok(true);
        }
        let now = self.disk_time()?;
        let may_wait = crowd != Crowd::TooMany;
        if may_wait && self.is_git_maintaining(now)? {
            return Ok(false);
        }
        let due: Vec<&Merged> = merges.iter().filter(|merged| is_due(merged, now)).collect();
        let mut names = Vec::new();
        for merged in &due {
            // If the merged pack is gone, the others are needed: somebody has restored an earlier
            // state.
            if self.is_whole(&merged.into)? {
                names.extend(merged.names.iter().cloned());
            }
        }
        if !self.remove_unless_wanted(&names, may_wait)? {
            return Ok(false);
        }
        for merged in due {
            self.files.remove(&self.record(&merged.into))?;
        }
        Ok(true)
    }

    /// Removes packs, unless git starts to use them meanwhile.
    ///
    /// The index goes first, as in git (`unlink_pack_path`): readers look for `.idx` files and
    /// expect the pack beside them, so the other order would show them an index without a pack. A
    /// reader that has read this index finds the pack gone, lists the directory again, and finds
    /// the merged pack. The index is only moved aside at first: a git that started after the first
    /// check may have listed it, and one that has finished may have added it to a multi-pack-index.
    fn remove_unless_wanted(&self, names: &[PackName], may_wait: bool) -> Result<bool, FileError> {
        let Some(indexed) = named_packs(&self.directory, &self.files)? else { return Ok(false) };
        let mut aside = Vec::new();
        for name in names.iter().filter(|name| !indexed.contains(name)) {
            // A pack with a `.keep` belongs to the user.
            let is_kept = self.files.exists(&self.path(name, Part::Keep))?;
            if !is_kept && self.set_index_aside(name)? {
                aside.push(name);
            }
        }
        let indexed = named_packs(&self.directory, &self.files)?;
        let is_wanted =
            |name: &PackName| indexed.as_ref().is_none_or(|indexed| indexed.contains(name));
        let is_disturbed = aside.iter().any(|name| is_wanted(name))
            || (may_wait && self.is_git_maintaining(self.disk_time()?)?);
        for name in aside {
            if is_disturbed {
                self.restore_index(name)?;
            } else {
                self.files.remove(&self.path(name, Part::Pack))?;
                self.files.remove(&self.set_aside(name))?;
            }
        }
        Ok(!is_disturbed)
    }

    /// Moves the index of a pack to where nobody looks for it. Returns false if there is none.
    fn set_index_aside(&self, name: &PackName) -> Result<bool, FileError> {
        self.move_if_there(&self.path(name, Part::Index), &self.set_aside(name))
    }

    /// Moves the index of a pack back.
    fn restore_index(&self, name: &PackName) -> Result<bool, FileError> {
        self.move_if_there(&self.set_aside(name), &self.path(name, Part::Index))
    }

    fn move_if_there(&self, from: &Path, to: &Path) -> Result<bool, FileError> {
        match self.files.rename(from, to) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            other => other.map(|()| true),
        }
    }

    /// Returns the path of an index that was moved aside. It is not in `coord/tmp`, where it would
    /// be removed as a leftover.
    pub(super) fn set_aside(&self, name: &PackName) -> PathBuf {
        self.records().join(name.file(Part::Index))
    }

    fn is_whole(&self, name: &PackName) -> Result<bool, FileError> {
        Ok(self.files.exists(&self.path(name, Part::Pack))?
            && self.files.exists(&self.path(name, Part::Index))?)
    }

    fn record(&self, into: &PackName) -> PathBuf {
        self.records().join(format!("{into}{ENDING}"))
    }
}

/// Returns the redundant packs of all merges.
pub(super) fn redundant(merges: &[Merged]) -> BTreeSet<&PackName> {
    merges.iter().flat_map(Merged::names).collect()
}

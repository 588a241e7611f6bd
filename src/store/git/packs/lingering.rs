//! Packs whose objects a merged pack holds, and which stay for a while all the same.
//!
//! A `git repack` fails when a pack is gone that it had listed, so a merge removes nothing. It
//! writes down which packs it has made superfluous, in a file of `coord/packs` named after the
//! merged pack. A later writer removes them: after some minutes, or when packs become many, and not
//! while git is at its upkeep. Until then they are neither counted nor merged again. Without that
//! file they are packs like any other, with objects that another one has as well.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::multi_pack_index::named_packs;
use super::upkeep::is_older;
use super::{PackName, Packs, Part};
use crate::store::os::files::{FileError, Purpose};

/// How long they stay where packs are few.
const STAY: Duration = Duration::from_secs(10 * 60);
/// Packs of anybody's beside which they may stay. Git packs by itself beyond 50.
pub(super) const LISTED_MAX: usize = 40;
/// Packs of anybody's from which on reading them takes so long that even git's upkeep is not
/// waited for.
pub(super) const CROWD: usize = 1_000;
/// After the name of a merged pack.
const ENDING: &str = ".merged";
const RECORD_LENGTH_MAX: u64 = 1 << 20;

/// A merge, and what it made superfluous.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Merged {
    into: PackName,
    names: Vec<PackName>,
    at: SystemTime,
}

impl Merged {
    /// The packs that are not needed any more.
    pub(super) fn names(&self) -> &[PackName] {
        &self.names
    }
}

/// What our packs come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// How many there are.
    pub packs: usize,
    /// How many of them are not needed any more.
    pub superfluous: usize,
    /// How long they and their indexes are.
    pub bytes: u64,
}

impl Packs {
    /// How much room our packs take.
    pub fn room(&self) -> Result<Room, FileError> {
        let (names, merges) = (self.ours()?, self.recorded_merges()?);
        let superfluous = superfluous(&merges);
        let mut bytes = 0;
        for name in &names {
            for part in [Part::Pack, Part::Index] {
                bytes += self.files.stamp(&self.path(name, part))?.map_or(0, |stamp| stamp.length);
            }
        }
        let superfluous = names.iter().filter(|name| superfluous.contains(name)).count();
        Ok(Room { packs: names.len(), superfluous, bytes })
    }

    /// Writes down that the objects of these packs are in that one, which is on disk.
    pub(super) fn record_merge(
        &self,
        into: &PackName,
        names: &[PackName],
    ) -> Result<(), FileError> {
        self.files.make_directories(&self.left_alone())?;
        let names: Vec<&str> = names.iter().map(|name| name.0.as_str()).collect();
        let content = names.join("\n");
        self.files.write_new(&self.record(into), content.as_bytes(), Purpose::Helper)
    }

    /// The merges that are written down.
    pub(super) fn recorded_merges(&self) -> Result<Vec<Merged>, FileError> {
        let mut merges = Vec::new();
        for file in self.files.list(&self.left_alone())? {
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

    /// Removes what merges made superfluous and is due, given what our clock says and how many
    /// packs there are; false if git wants something of it to stay.
    pub(super) fn let_go(
        &self,
        merges: &[Merged],
        clock: SystemTime,
        listed: usize,
    ) -> Result<bool, FileError> {
        let is_due = |merged: &&Merged, now| listed > LISTED_MAX || is_older(merged.at, STAY, now);
        if !merges.iter().any(|merged| is_due(&merged, clock)) {
            return Ok(true);
        }
        let now = self.disk_time()?;
        let may_wait = listed <= CROWD;
        if may_wait && self.is_git_at_upkeep(now)? {
            return Ok(false);
        }
        let due: Vec<&Merged> = merges.iter().filter(|merged| is_due(merged, now)).collect();
        let mut names = Vec::new();
        for merged in &due {
            // Without it the others are needed: somebody has brought back an earlier state.
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

    /// Removes packs, unless git begins to look at them meanwhile.
    ///
    /// The index goes first, as in git (`unlink_pack_path`): readers look for `.idx` files and take
    /// the pack to be there, so the other order shows them an index without pack. A reader that had
    /// read this index finds the pack gone, looks at the directory once more, and finds the merged
    /// one. It is only set aside at first: a git that began after the first look may have listed
    /// it, and one that is done may have named it in a multi-pack-index.
    fn remove_unless_wanted(&self, names: &[PackName], may_wait: bool) -> Result<bool, FileError> {
        let Some(indexed) = named_packs(&self.directory, &self.files)? else { return Ok(false) };
        let mut aside = Vec::new();
        for name in names.iter().filter(|name| !indexed.contains(name)) {
            // One with a `.keep` is the user's to keep.
            let is_kept = self.files.exists(&self.path(name, Part::Keep))?;
            if !is_kept && self.set_index_aside(name)? {
                aside.push(name);
            }
        }
        let indexed = named_packs(&self.directory, &self.files)?;
        let is_wanted =
            |name: &PackName| indexed.as_ref().is_none_or(|indexed| indexed.contains(name));
        let is_disturbed = aside.iter().any(|name| is_wanted(name))
            || (may_wait && self.is_git_at_upkeep(self.disk_time()?)?);
        for name in aside {
            if is_disturbed {
                self.bring_index_back(name)?;
            } else {
                self.files.remove(&self.path(name, Part::Pack))?;
                self.files.remove(&self.set_aside(name))?;
            }
        }
        Ok(!is_disturbed)
    }

    /// Moves the index of a pack to where nobody looks for it; false if there is none.
    fn set_index_aside(&self, name: &PackName) -> Result<bool, FileError> {
        self.move_if_there(&self.path(name, Part::Index), &self.set_aside(name))
    }

    /// Moves it back.
    fn bring_index_back(&self, name: &PackName) -> Result<bool, FileError> {
        self.move_if_there(&self.set_aside(name), &self.path(name, Part::Index))
    }

    fn move_if_there(&self, from: &Path, to: &Path) -> Result<bool, FileError> {
        match self.files.rename(from, to) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            other => other.map(|()| true),
        }
    }

    /// Where the index of a pack is that is about to go: not in `coord/tmp`, where it would be an
    /// old file that somebody has left.
    pub(super) fn set_aside(&self, name: &PackName) -> PathBuf {
        self.left_alone().join(name.file(Part::Index))
    }

    fn is_whole(&self, name: &PackName) -> Result<bool, FileError> {
        Ok(self.files.exists(&self.path(name, Part::Pack))?
            && self.files.exists(&self.path(name, Part::Index))?)
    }

    fn record(&self, into: &PackName) -> PathBuf {
        self.left_alone().join(format!("{into}{ENDING}"))
    }
}

/// The packs that are there although merges made them superfluous.
pub(super) fn superfluous(merges: &[Merged]) -> BTreeSet<&PackName> {
    merges.iter().flat_map(Merged::names).collect()
}

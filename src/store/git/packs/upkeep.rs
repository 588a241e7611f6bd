//! What a writer does after its swap, so that nothing has to run in the background: removes what
//! dead processes left behind, and has packs merged when there are many.
//!
//! With nothing to do it costs two directory listings.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use super::install::Keeper;
use super::{Budget, PACKS_MAX, PackName, Packs, Part};
use crate::store::git::pack::{self, UnreadablePack};
use crate::store::git::signature::{Signatures, signed_by};
use crate::store::machine::queue::Queue;
use crate::store::os::files::{FileError, Purpose};
use crate::store::os::process::{Liveness, ProcessIdentity};

/// An installation takes milliseconds.
const LEFTOVER_AGE: Duration = Duration::from_secs(60 * 60);
/// Nobody can tell from here whether a process of another host lives; it may have been suspended.
const ELSEWHERE_AGE: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// The most that lies between a pack and its `.keep`, which are written in one go.
const WRITTEN_TOGETHER: Duration = Duration::from_secs(5);
/// Longer packs are not merged, and so not written by us.
const MENDED_LENGTH_MAX: u64 = 256 << 20;
/// Ours are one line; anything longer is somebody else's.
const KEEP_LENGTH_MAX: u64 = 4096;

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Upkeep {
    /// `.keep` files of dead processes that were removed.
    pub keeps_removed: usize,
    /// Files of dead processes that were removed.
    pub leftovers_removed: usize,
    /// Packs that were merged into one.
    pub packs_merged: usize,
}

/// What there is of a pack of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// In use, and free to be merged.
    Whole,
    /// Protected by its writer, or by the user.
    Kept,
    /// A pack without index: its installation or its removal was cut short.
    Torn,
    /// Not there yet, or no more.
    Absent,
}

/// Whether what cannot be mended is cleared away: not by whoever reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Clearing {
    Yes,
    No,
}

/// What became of a pack without index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mended {
    /// It has one again.
    Indexed,
    /// It is gone.
    Removed,
    /// Somebody else is at it.
    Left,
}

impl Packs {
    /// Clears up after the dead and merges our packs if they are many, within that budget.
    pub fn maintain(&self, budget: Budget) -> Result<Upkeep, FileError> {
        let leftovers_removed = self.collect_staging(SystemTime::now())?;
        let mut upkeep = Upkeep { leftovers_removed, ..Upkeep::default() };
        let listed = self.listed()?;
        if listed.len() <= PACKS_MAX && listed.values().all(|parts| is_ordinary(parts)) {
            // As nearly always; which of them are ours makes no difference.
            return Ok(upkeep);
        }
        let (count, mut whole) = (listed.len(), Vec::new());
        for (name, parts) in listed {
            let Some(name) = PackName::of_ours(&name) else { continue };
            if is_ordinary(&parts) {
                whole.push(name);
                continue;
            }
            upkeep.keeps_removed += usize::from(self.release_dead(&name)?);
            match self.state(&name)? {
                State::Whole => whole.push(name),
                State::Kept | State::Absent => {}
                State::Torn => match self.mend_torn(&name, Clearing::Yes)? {
                    Mended::Indexed => whole.push(name),
                    Mended::Removed => upkeep.leftovers_removed += 1,
                    Mended::Left => {}
                },
            }
        }
        if whole.len() > PACKS_MAX {
            upkeep.packs_merged = self.keep_few(&whole, count, budget)?;
        }
        Ok(upkeep)
    }

    /// Whether a pack is whole and nobody protects it.
    pub(super) fn is_free(&self, name: &PackName) -> Result<bool, FileError> {
        Ok(self.state(name)? == State::Whole)
    }

    /// Removes what is old in `coord/tmp`, given what our clock says. That clock may be wrong, and
    /// the disk has another: what looks old is compared with a file that is made now.
    pub(super) fn collect_staging(&self, clock: SystemTime) -> Result<usize, FileError> {
        let (mut removed, mut disk_time) = (0, None);
        for name in self.files.list(&self.staging())? {
            let path = self.staging().join(&name);
            let Some(stamp) = self.files.stamp(&path)? else { continue };
            let limit = leftover_age(name.to_str().and_then(signed_by));
            let is_old = |now| limit.is_some_and(|limit| is_older(stamp.modified, limit, now));
            if !is_old(clock) {
                continue;
            }
            let now = match disk_time {
                Some(now) => now,
                None => *disk_time.insert(self.disk_time()?),
            };
            if is_old(now) {
                // What another user owns is theirs to remove, and no reason to stop here.
                removed += usize::from(self.files.remove(&path).unwrap_or(false));
            }
        }
        Ok(removed)
    }

    /// The time by the clock that the times of files come from.
    pub(super) fn disk_time(&self) -> Result<SystemTime, FileError> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let count = COUNTER.fetch_add(1, Ordering::Relaxed);
        let process = ProcessIdentity::current().to_file_name();
        let process = process.unwrap_or_else(|| std::process::id().to_string());
        let path = self.staging().join(format!("time,{process},{count}"));
        self.files.make_directories(&self.staging())?;
        // One of the same name is of a process that has ended.
        self.files.remove(&path)?;
        self.files.write_new(&path, b"", Purpose::Helper)?;
        let stamp = self.files.stamp(&path)?;
        self.files.remove(&path)?;
        // Somebody who clears up may have been faster; then nothing counts as old.
        Ok(stamp.map_or(SystemTime::UNIX_EPOCH, |stamp| stamp.modified))
    }

    /// Removes the `.keep` of a process of this host that has ended, or that a power cut emptied.
    /// Owners remove theirs before its signature: if the signature is not there any more, either
    /// the owner is done, and the `.keep` gone as well, or nobody is left who would remove it.
    fn release_dead(&self, name: &PackName) -> Result<bool, FileError> {
        let path = self.path(name, Part::Keep);
        // What another user hides from us is not ours to judge, and no reason to stop here.
        let content = self.files.read_start(&path, KEEP_LENGTH_MAX).unwrap_or(None);
        let Some(content) = content else { return Ok(false) };
        let is_over = match Keeper::of(&content) {
            Keeper::Named(process) => process.liveness() == Liveness::Dead,
            Keeper::Signer => !Signatures::new(&self.common, self.files).is_owned(&content)?,
            Keeper::Emptied => self.came_with_its_pack(name)?,
            Keeper::Other => false,
        };
        if is_over { self.files.remove(&path) } else { Ok(false) }
    }

    /// Whether an empty `.keep` is ours: those come with their packs, or before them, and are empty
    /// only when nobody lives any more who relied on them. The user's come later.
    fn came_with_its_pack(&self, name: &PackName) -> Result<bool, FileError> {
        let modified = |part| {
            let stamp = self.files.stamp(&self.path(name, part));
            stamp.map(|stamp| stamp.map(|stamp| stamp.modified))
        };
        let Some(keep) = modified(Part::Keep)? else { return Ok(false) };
        let Some(pack) = modified(Part::Pack)? else { return Ok(true) };
        let apart = keep.duration_since(pack).unwrap_or_else(|earlier| earlier.duration());
        Ok(apart <= WRITTEN_TOGETHER)
    }

    /// The order of the questions matters, because a writer may be installing this pack: `.keep`
    /// is there before `.pack` and goes after `.idx` came. So once the pack is seen without
    /// `.keep`, its installation is over, and a missing index stays missing.
    fn state(&self, name: &PackName) -> Result<State, FileError> {
        let there = |part| self.files.exists(&self.path(name, part));
        let pack = there(Part::Pack)?;
        if there(Part::Keep)? {
            return Ok(State::Kept);
        }
        if !pack {
            return Ok(State::Absent);
        }
        Ok(if there(Part::Index)? { State::Whole } else { State::Torn })
    }

    /// Gives packs of ours back the indexes that they have lost; whether there were any. Whoever
    /// finds an object missing asks for that.
    pub fn mend(&self) -> Result<bool, FileError> {
        let mut any = false;
        for (name, parts) in self.listed()? {
            let Some(name) = PackName::of_ours(&name) else { continue };
            if !parts.contains(&Part::Index) && self.state(&name)? == State::Torn {
                any |= self.mend_torn(&name, Clearing::No)? == Mended::Indexed;
            }
        }
        Ok(any)
    }

    /// Ends the removal of a pack that was cut short: its objects are elsewhere. Any other pack
    /// without index gets a new one.
    ///
    /// `git gc` removes an index if it does not see the pack beside it, and where packs are many
    /// it does not see all of those that come while it lists them. So a pack without index may be
    /// what a ref relies on. If its writer was killed instead, its objects are superfluous, and
    /// git's own gc removes them.
    ///
    /// Nobody but whoever removes packs in its turn sets an index aside and may bring it back.
    fn mend_torn(&self, name: &PackName, clearing: Clearing) -> Result<Mended, FileError> {
        let queue = Queue::new(&self.common, "packs", self.files);
        let Some(_place) = queue.enter(Instant::now())? else { return Ok(Mended::Left) };
        if self.state(name)? != State::Torn {
            return Ok(Mended::Left);
        }
        let (path, aside) = (self.path(name, Part::Pack), self.set_aside(name));
        let is_going = self.files.exists(&aside)?;
        let pack = if is_going { None } else { self.files.read(&path, MENDED_LENGTH_MAX)? };
        let index = match pack.map(|pack| pack::index_of(&pack, self.hash)) {
            Some(Ok(index)) => index,
            None | Some(Err(UnreadablePack::NotIntact)) if clearing == Clearing::Yes => {
                self.files.remove(&aside)?;
                self.files.remove(&path)?;
                return Ok(Mended::Removed);
            }
            None | Some(Err(_)) => return Ok(Mended::Left),
        };
        let staged = self.staged(name, Part::Index);
        self.files.remove(&staged)?;
        self.files.write_new(&staged, &index, Purpose::Immutable)?;
        let index = self.path(name, Part::Index);
        self.files.rename(&staged, &index)?;
        // Git may have removed the pack meanwhile, and fails on an index that has none.
        if !self.files.exists(&path)? {
            self.files.remove(&index)?;
            return Ok(Mended::Removed);
        }
        self.files.sync_directory(&self.directory)?;
        Ok(Mended::Indexed)
    }
}

/// Whether a pack of which there are these files is whole, and free to be merged.
fn is_ordinary(parts: &[Part]) -> bool {
    parts.contains(&Part::Pack) && parts.contains(&Part::Index) && !parts.contains(&Part::Keep)
}

/// The age from which a staged file belongs to nobody; none if somebody lives whose it is. One that
/// is signed may tell whose the `.keep` of a pack is, as long as its owner can come back.
fn leftover_age(signer: Option<ProcessIdentity>) -> Option<Duration> {
    match signer.map(|process| process.liveness()) {
        None | Some(Liveness::Dead) => Some(LEFTOVER_AGE),
        Some(Liveness::Elsewhere) => Some(ELSEWHERE_AGE),
        Some(Liveness::Alive) => None,
    }
}

/// Whether a file of that time is older than that at some time.
pub(super) fn is_older(modified: SystemTime, limit: Duration, now: SystemTime) -> bool {
    now.duration_since(modified).is_ok_and(|age| age > limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signed_file_stays_while_its_signer_may_come_back() {
        let here = ProcessIdentity::current().to_file_name().unwrap();
        let word = |key: &str| here.split(',').find(|word| word.starts_with(key)).unwrap();
        let dead = here.replace(word("start="), "start=1");
        let elsewhere = here.replace(word("host="), "host=other");
        let cases = [
            (None, [false, true, true]),
            (Some(&dead), [false, true, true]),
            (Some(&elsewhere), [false, false, true]),
            (Some(&here), [false, false, false]),
        ];
        for (signer, expected) in cases {
            let goes = [0, 2, 8 * 24].map(|hours| {
                let now = SystemTime::now();
                let modified = now - Duration::from_secs(hours * 60 * 60);
                let signer = signer.and_then(|name| ProcessIdentity::from_file_name(name));
                leftover_age(signer).is_some_and(|limit| is_older(modified, limit, now))
            });
            assert_eq!(goes, expected, "{signer:?}");
        }
    }
}

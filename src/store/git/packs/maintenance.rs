//! Maintenance that a writer does after its swap, so that nothing has to run in the background: it
//! removes files of dead processes, and merges packs if there are many.
//!
//! If there is nothing to do, it costs two directory listings.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use super::install::Keeper;
use super::{Budget, PACKS_MAX, PackName, Packs, Part};
use crate::store::git::pack::{self, UnreadablePack};
use crate::store::git::signature::{Signatures, signed_by};
use crate::store::machine::queue::Queue;
use crate::store::os::files::{FileError, Purpose};
use crate::store::os::process::{Liveness, ProcessIdentity};

/// The age at which an unsigned file in the staging directory is a leftover. An installation takes
/// milliseconds.
const LEFTOVER_AGE: Duration = Duration::from_secs(60 * 60);
/// The age at which a file of another host is a leftover. Its process cannot be checked from here,
/// and may be suspended.
const ELSEWHERE_AGE: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// The maximum time between a pack and its `.keep`, which are written together.
const WRITTEN_TOGETHER: Duration = Duration::from_secs(5);
/// The maximum length of a pack whose index is rebuilt. Longer packs are not merged, so this
/// program did not write them.
const REBUILT_LENGTH_MAX: u64 = 256 << 20;
/// The maximum length of our `.keep` files, which have one line.
const KEEP_LENGTH_MAX: u64 = 4096;

/// The outcome of maintenance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MaintenanceReport {
    /// The number of removed `.keep` files of dead processes.
    pub keeps_removed: usize,
    /// The number of other removed files of dead processes.
    pub leftovers_removed: usize,
    /// The number of packs that were merged into one.
    pub packs_merged: usize,
}

/// The state of one of our packs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// In use, and free to be merged.
    Whole,
    /// Protected by its writer or by the user.
    Kept,
    /// Without an index: its installation or its removal was interrupted.
    Incomplete,
    /// Not installed yet, or removed.
    Absent,
}

/// The treatment of packs that cannot be repaired. Readers keep them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum IfDamaged {
    Remove,
    Keep,
}

/// The outcome of repairing a pack without an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Repair {
    /// The index was rebuilt.
    Indexed,
    /// The pack was removed.
    Removed,
    /// Another process is working on it, or it cannot be repaired.
    Skipped,
}

impl Packs {
    /// Cleans up after dead processes, and merges our packs if there are many, within the budget.
    pub fn maintain(&self, budget: Budget) -> Result<MaintenanceReport, FileError> {
        let leftovers_removed = self.collect_staging(SystemTime::now())?;
        let mut report = MaintenanceReport { leftovers_removed, ..MaintenanceReport::default() };
        let listed = self.listed()?;
        if listed.len() <= PACKS_MAX && listed.values().all(|parts| is_ordinary(parts)) {
            // The usual case. It does not matter which of the packs are ours.
            return Ok(report);
        }
        let (count, mut whole) = (listed.len(), Vec::new());
        for (name, parts) in listed {
            let Some(name) = PackName::of_ours(&name) else { continue };
            if is_ordinary(&parts) {
                whole.push(name);
                continue;
            }
            report.keeps_removed += usize::from(self.release_dead(&name)?);
            match self.state(&name)? {
                State::Whole => whole.push(name),
                State::Kept | State::Absent => {}
                State::Incomplete => match self.repair_incomplete(&name, IfDamaged::Remove)? {
                    Repair::Indexed => whole.push(name),
                    Repair::Removed => report.leftovers_removed += 1,
                    Repair::Skipped => {}
                },
            }
        }
        if whole.len() > PACKS_MAX {
            report.packs_merged = self.merge_if_many(&whole, count, budget)?;
        }
        Ok(report)
    }

    /// Tells whether a pack is complete and not protected.
    pub(super) fn is_free(&self, name: &PackName) -> Result<bool, FileError> {
        Ok(self.state(name)? == State::Whole)
    }

    /// Removes old files in `coord/tmp`. `clock` is this machine's time, which may differ from that
    /// of the disk: a file that seems old is compared with a file that is created now.
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
                // A file of another user is theirs to remove, and no reason to stop.
                removed += usize::from(self.files.remove(&path).unwrap_or(false));
            }
        }
        Ok(removed)
    }

    /// Reads the clock that sets the times of files.
    pub(super) fn disk_time(&self) -> Result<SystemTime, FileError> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let count = COUNTER.fetch_add(1, Ordering::Relaxed);
        let process = ProcessIdentity::current().to_file_name();
        let process = process.unwrap_or_else(|| std::process::id().to_string());
        let path = self.staging().join(format!("time,{process},{count}"));
        self.files.make_directories(&self.staging())?;
        // A file of the same name belongs to a process that has ended.
        self.files.remove(&path)?;
        self.files.write_new(&path, b"", Purpose::Helper)?;
        let stamp = self.files.stamp(&path)?;
        self.files.remove(&path)?;
        // Another process may have removed the file already. Then nothing counts as old.
        Ok(stamp.map_or(SystemTime::UNIX_EPOCH, |stamp| stamp.modified))
    }

    /// Removes a `.keep` whose process on this host has ended, or that a power cut emptied. An
    /// owner removes its `.keep` before the signature. If the signature is gone, either the owner
    /// has finished and the `.keep` is gone too, or no process is left that would remove it.
    fn release_dead(&self, name: &PackName) -> Result<bool, FileError> {
        let path = self.path(name, Part::Keep);
        // An unreadable file of another user is not ours to judge, and no reason to stop.
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

    /// Tells whether an empty `.keep` is ours. Ours are written with their packs or before them,
    /// and are empty only if no live process relies on them. The user's are written later.
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

    /// Determines the state of a pack. The order of the checks matters, because a writer may be
    /// installing the pack: `.keep` exists before `.pack`, and is removed after `.idx` was created.
    /// So if the pack exists without `.keep`, its installation is over, and a missing index stays
    /// missing.
    fn state(&self, name: &PackName) -> Result<State, FileError> {
        let there = |part| self.files.exists(&self.path(name, part));
        let pack = there(Part::Pack)?;
        if there(Part::Keep)? {
            return Ok(State::Kept);
        }
        if !pack {
            return Ok(State::Absent);
        }
        Ok(if there(Part::Index)? { State::Whole } else { State::Incomplete })
    }

    /// Rebuilds missing indexes of our packs. Returns true if it rebuilt any. Called when an object
    /// is missing.
    pub fn rebuild_indexes(&self) -> Result<bool, FileError> {
        let mut any = false;
        for (name, parts) in self.listed()? {
            let Some(name) = PackName::of_ours(&name) else { continue };
            if !parts.contains(&Part::Index) && self.state(&name)? == State::Incomplete {
                any |= self.repair_incomplete(&name, IfDamaged::Keep)? == Repair::Indexed;
            }
        }
        Ok(any)
    }

    /// Completes the interrupted removal of a pack whose objects are in another one. Rebuilds the
    /// index of any other pack that has none.
    ///
    /// `git gc` removes an index if it does not see the pack beside it, and with many packs it
    /// misses some that are installed while it lists them. So a ref may rely on a pack without an
    /// index. If the pack's writer was killed instead, its objects are not needed, and git's own gc
    /// removes them.
    ///
    /// Only the process at the front of the queue moves an index aside, and may move it back.
    fn repair_incomplete(
        &self,
        name: &PackName,
        if_damaged: IfDamaged,
    ) -> Result<Repair, FileError> {
        let queue = Queue::new(&self.common, "packs", self.files);
        let Some(_place) = queue.enter(Instant::now())? else { return Ok(Repair::Skipped) };
        if self.state(name)? != State::Incomplete {
            return Ok(Repair::Skipped);
        }
        let (path, aside) = (self.path(name, Part::Pack), self.set_aside(name));
        let is_going = self.files.exists(&aside)?;
        let pack = if is_going { None } else { self.files.read(&path, REBUILT_LENGTH_MAX)? };
        let index = match pack.map(|pack| pack::index_of(&pack, self.hash)) {
            Some(Ok(index)) => index,
            None | Some(Err(UnreadablePack::NotIntact)) if if_damaged == IfDamaged::Remove => {
                self.files.remove(&aside)?;
                self.files.remove(&path)?;
                return Ok(Repair::Removed);
            }
            None | Some(Err(_)) => return Ok(Repair::Skipped),
        };
        let staged = self.staged(name, Part::Index);
        self.files.remove(&staged)?;
        self.files.write_new(&staged, &index, Purpose::Immutable)?;
        let index = self.path(name, Part::Index);
        self.files.rename(&staged, &index)?;
        // Git may have removed the pack meanwhile, and fails on an index without a pack.
        if !self.files.exists(&path)? {
            self.files.remove(&index)?;
            return Ok(Repair::Removed);
        }
        self.files.sync_directory(&self.directory)?;
        Ok(Repair::Indexed)
    }
}

/// Tells whether a pack with these files is complete and not protected.
fn is_ordinary(parts: &[Part]) -> bool {
    parts.contains(&Part::Pack) && parts.contains(&Part::Index) && !parts.contains(&Part::Keep)
}

/// Returns the age at which a staged file is a leftover; `None` if its owner is alive. A signed
/// file may identify the owner of a pack's `.keep`, as long as that process can come back.
fn leftover_age(signer: Option<ProcessIdentity>) -> Option<Duration> {
    match signer.map(|process| process.liveness()) {
        None | Some(Liveness::Dead) => Some(LEFTOVER_AGE),
        Some(Liveness::Elsewhere) => Some(ELSEWHERE_AGE),
        Some(Liveness::Alive) => None,
    }
}

/// Tells whether a file is older than a limit.
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

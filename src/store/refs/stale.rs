//! A `<ref>.lock` whose owner was killed blocks every writer for good; this moves it aside.
//!
//! A lock that is signed by a process of this host which has ended is nobody's. Of any other, such
//! as git's own, nothing tells whose it is, and the only evidence is time: somebody who is at the
//! front of the queue and has watched the very same file for long enough may take it away. Time
//! counts only while a watcher runs: after a suspend both continue, and the owner may well live.
//! Watchers of little patience add up: each leaves a note of what it saw for the next.

use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use super::{RefError, RefName, Refs};
use crate::store::files::{Purpose, Stamp};
use crate::store::layout::HelperDir;
use crate::store::process::Liveness;
use crate::store::queue::QueueGuard;

/// The most that counts between two looks; a longer gap means that this process did not run.
const GAP_MAX: Duration = Duration::from_millis(500);
/// A few numbers.
const NOTE_LENGTH_MAX: u64 = 256;

/// One process's observation of one ref's lock.
#[derive(Debug)]
pub struct StaleLockWatch {
    name: RefName,
    patience: Duration,
    seen: Option<Sighting>,
}

#[derive(Clone, Copy, Debug)]
struct Sighting {
    stamp: Stamp,
    last_look: Instant,
    unmoved_for: Duration,
}

/// A lock that was taken away from a ref.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovedAside {
    /// Where it was.
    pub lock: PathBuf,
    /// Where it is now.
    pub now_at: PathBuf,
    /// Why that was right.
    pub evidence: Evidence,
}

/// What shows that a lock is nobody's any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// The process that signed it has ended.
    OwnerEnded,
    /// It had not moved for so long while it was watched.
    UnmovedFor(Duration),
}

impl StaleLockWatch {
    /// Watches the lock of a ref, to be moved aside once it has not moved for `patience`.
    pub fn new(name: RefName, patience: Duration) -> StaleLockWatch {
        StaleLockWatch { name, patience, seen: None }
    }

    /// Looks at the lock, at the time `now`; called again and again while the ref is locked. Takes
    /// the place in the queue as proof that no other watcher of this machine does the same.
    pub fn look(
        &mut self,
        refs: &Refs,
        now: Instant,
        _place: &QueueGuard,
    ) -> Result<Option<MovedAside>, RefError> {
        let lock = refs.lock_path(&self.name);
        let Some(stamp) = refs.files.stamp(&lock)? else {
            self.seen = None;
            return Ok(None);
        };
        // Who cannot be found out is watched.
        let owner = refs.signatures().signer(stamp).ok().flatten();
        if owner.is_some_and(|owner| owner.liveness() == Liveness::Dead) {
            self.seen = None;
            return refs.move_aside(&self.name, stamp, Evidence::OwnerEnded);
        }
        let unmoved_for = match self.seen {
            Some(seen) if seen.stamp == stamp => {
                seen.unmoved_for + now.saturating_duration_since(seen.last_look).min(GAP_MAX)
            }
            _ => refs.noted(&self.name, stamp).unwrap_or(Duration::ZERO),
        };
        self.seen = Some(Sighting { stamp, last_look: now, unmoved_for });
        if unmoved_for < self.patience {
            refs.note(&self.name, stamp, unmoved_for)?;
            return Ok(None);
        }
        self.seen = None;
        refs.move_aside(&self.name, stamp, Evidence::UnmovedFor(unmoved_for))
    }
}

impl Refs {
    fn note_path(&self, name: &RefName) -> PathBuf {
        let file_name = format!("{}.watched", name.as_str().replace('/', "-"));
        HelperDir::Locks.below(&self.common).join(file_name)
    }

    /// How long an earlier watcher saw this very lock unmoved.
    fn noted(&self, name: &RefName, stamp: Stamp) -> Option<Duration> {
        let note = self.files.read(&self.note_path(name), NOTE_LENGTH_MAX).ok()??;
        let note = String::from_utf8(note).ok()?;
        let (of, millis) = note.trim_end().rsplit_once(' ')?;
        (of == spelled(stamp)).then(|| millis.parse().ok().map(Duration::from_millis))?
    }

    fn note(&self, name: &RefName, stamp: Stamp, unmoved_for: Duration) -> Result<(), RefError> {
        let path = self.note_path(name);
        let note = format!("{} {}\n", spelled(stamp), unmoved_for.as_millis());
        self.files.remove(&path)?;
        Ok(self.files.write_new(&path, note.as_bytes(), Purpose::Helper)?)
    }

    /// Moves the lock into `coord/tmp`, if it still is the one with this stamp.
    fn move_aside(
        &self,
        name: &RefName,
        stamp: Stamp,
        evidence: Evidence,
    ) -> Result<Option<MovedAside>, RefError> {
        let lock = self.lock_path(name);
        let aside = HelperDir::Staging.below(&self.common);
        self.files.make_directories(&aside)?;
        let file_name = format!("{}.lock.{}", name.as_str().replace('/', "-"), stamp.inode);
        let aside = aside.join(file_name);
        // A rename between two names of one file would do nothing and call it success.
        self.files.remove(&aside)?;
        match self.files.rename(&lock, &aside) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            other => other?,
        }
        if self.files.stamp(&aside)? == Some(stamp) {
            return Ok(Some(MovedAside { lock, now_at: aside, evidence }));
        }
        // Its owner came back between the last look and the move, and this is a new lock: it goes
        // back, unless yet another one has been created there.
        match self.files.link(&aside, &lock) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            other => other?,
        }
        self.files.remove(&aside)?;
        Ok(None)
    }
}

fn spelled(stamp: Stamp) -> String {
    let modified = stamp.modified.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    format!("{} {} {}", stamp.inode, modified.as_nanos(), stamp.length)
}

//! A lock file in the way: tells whose it is, and takes it away if it is nobody's.
//!
//! Git never takes a lock from a process, since its holder goes on as if it had it. So a writer
//! takes away nothing but a lock that is signed by a process of this host which has ended. A lock
//! of the living is theirs, however long they do not move. Nothing tells whose an unsigned one is,
//! such as git's, and nothing is known of the processes of another host: those are for people to
//! judge, with `git coord doctor --repair`.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::{RefError, RefName, Refs};
use crate::core::time::about;
use crate::store::git::signature::Signatures;
use crate::store::layout::HelperDir;
use crate::store::os::files::{EntryType, FileError, Files, Stamp};
use crate::store::os::process::{Liveness, ProcessIdentity};
use crate::store::os::processes::{self, Running};
use crate::store::os::stillness::Stillness;

/// Between two looks at a lock that is watched.
const PAUSE: Duration = Duration::from_millis(100);
/// Longer than what is in any lock of ours.
const CONTENT_LENGTH_MAX: u64 = 128;

/// The holder of a lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holder {
    /// Nobody: the process of this host that signed it has ended.
    Ended,
    /// A process of this host that runs, or is stopped.
    Lives {
        /// Its number.
        pid: u32,
        /// It is stopped.
        is_stopped: bool,
    },
    /// A process of another host, or of another container.
    Elsewhere {
        /// Its host.
        host: String,
    },
    /// It is not signed: git has made it, or another program.
    Unknown,
}

impl Holder {
    fn of(signer: Option<&ProcessIdentity>) -> Holder {
        let Some(signer) = signer else { return Holder::Unknown };
        match signer.liveness() {
            Liveness::Dead => Holder::Ended,
            Liveness::Alive => {
                let pid = signer.pid();
                Holder::Lives { pid, is_stopped: processes::is_stopped(pid) }
            }
            Liveness::Elsewhere => Holder::Elsewhere { host: signer.host().to_owned() },
        }
    }
}

/// A lock file as it was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenLock {
    /// Its path.
    pub path: PathBuf,
    /// Its holder.
    pub holder: Holder,
    /// Its age, by the clock of the machine.
    pub age: Duration,
    stamp: Stamp,
}

impl SeenLock {
    /// Says whose it is and what to do about it, for people.
    pub fn explained(&self) -> String {
        let age = about(self.age.as_secs());
        let repair = "git coord doctor --repair";
        match &self.holder {
            Holder::Ended => "the process that made it has ended".to_owned(),
            Holder::Lives { pid, is_stopped: true } => {
                format!("process {pid} has it and is stopped; kill -CONT {pid} lets it go on")
            }
            Holder::Lives { pid, is_stopped: false } => format!("process {pid} has it"),
            Holder::Elsewhere { host } => {
                format!("a process of host '{host}' made it {age} ago; if that has ended: {repair}")
            }
            Holder::Unknown => match self.openers().first() {
                Some(opener) => format!("{opener} has it open"),
                None => format!(
                    "it is {age} old and nothing tells whose it is; \
                     if no git process works in this repository: {repair}"
                ),
            },
        }
    }

    /// The processes of this host that have it open.
    pub fn openers(&self) -> Vec<Running> {
        processes::having_open(&self.path)
    }
}

/// A lock that was taken away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovedAside {
    /// The path that it had.
    pub lock: PathBuf,
    /// The path that it has now.
    pub now_at: PathBuf,
}

/// The lock files of one repository.
#[derive(Clone, Debug)]
pub struct LockFiles {
    common: PathBuf,
    files: Files,
}

impl LockFiles {
    /// Opens the locks of the repository with this common directory.
    pub fn new(common: &Path, files: Files) -> LockFiles {
        LockFiles { common: common.to_owned(), files }
    }

    /// Reads the lock at a path and its holder; none if there is no such file.
    pub fn see(&self, path: &Path) -> Result<Option<SeenLock>, FileError> {
        let Some(stamp) = self.files.stamp(path)? else { return Ok(None) };
        let is_file = self.files.entry_type(path)? == Some(EntryType::File);
        let read = || self.files.read_start(path, CONTENT_LENGTH_MAX);
        let content = if is_file { read()?.unwrap_or_default() } else { Vec::new() };
        let signatures = Signatures::new(&self.common, self.files);
        // Without the signatures nobody can tell whose it is.
        let signer = signatures.signer(stamp, &content).ok().flatten();
        let (path, holder) = (path.to_owned(), Holder::of(signer.as_ref()));
        let age = stamp.modified.elapsed().unwrap_or_default();
        Ok(Some(SeenLock { path, holder, age, stamp }))
    }

    /// Watches a lock; false once it is another one, or none any more.
    pub fn stays(&self, seen: &SeenLock, patience: Duration) -> Result<bool, FileError> {
        let begun = Instant::now();
        let mut still = Stillness::begin(seen.stamp, Duration::ZERO);
        while self.files.stamp(&seen.path)? == Some(seen.stamp) {
            if still.look(seen.stamp, begun.elapsed()) >= patience {
                return Ok(true);
            }
            std::thread::sleep(PAUSE);
        }
        Ok(false)
    }

    /// Moves a lock into `coord/tmp`; none if it is not there any more, or another one is.
    ///
    /// The caller gets the kernel's lock on the very file, and looks again under it: so of those
    /// that have seen it one moves it, and none moves the file that was put in its place.
    pub fn take_away(&self, seen: &SeenLock) -> Result<Option<MovedAside>, FileError> {
        let SeenLock { path, stamp, .. } = seen;
        let Some(opened) = self.files.open_existing(path)? else { return Ok(None) };
        // On a file system without locks, the look has to do.
        let is_first = self.files.try_lock(&opened, path).unwrap_or(true);
        if is_first && self.files.stamp(path)? == Some(*stamp) {
            return self.move_aside(seen);
        }
        Ok(None)
    }

    /// Moves what is there. People who remove a lock at that moment are not kept out, and what is
    /// moved may be the next one. That is put back if it is git's, which would not notice. One of
    /// ours stays away: its maker notices before it moves the ref, but would not notice one that
    /// came back after others had moved the ref.
    pub(super) fn move_aside(&self, seen: &SeenLock) -> Result<Option<MovedAside>, FileError> {
        let SeenLock { path, stamp, .. } = seen;
        let aside = HelperDir::Staging.below(&self.common);
        self.files.make_directories(&aside)?;
        let name = path.strip_prefix(&self.common).unwrap_or(path).to_string_lossy();
        let aside = aside.join(format!("{}.{}", name.replace('/', "-"), stamp.inode));
        // A rename between two names of one file would do nothing and call it success.
        self.files.remove(&aside)?;
        match self.files.rename(path, &aside) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            other => other?,
        }
        if self.files.stamp(&aside)? == Some(*stamp) {
            return Ok(Some(MovedAside { lock: path.clone(), now_at: aside }));
        }
        if self.see(&aside)?.is_some_and(|other| other.holder == Holder::Unknown) {
            match self.files.link(&aside, path) {
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                other => other?,
            }
        }
        self.files.remove(&aside)?;
        Ok(None)
    }
}

impl Refs {
    /// Takes away the lock of a ref if it is nobody's.
    pub fn clear_lock(&self, name: &RefName) -> Result<Option<MovedAside>, RefError> {
        let locks = self.lock_files();
        let seen = locks.see(&self.lock_path(name))?;
        let nobodys = seen.filter(|seen| seen.holder == Holder::Ended);
        Ok(nobodys.map_or(Ok(None), |seen| locks.take_away(&seen))?)
    }

    /// The lock of a ref, if there is one.
    pub fn seen_lock(&self, name: &RefName) -> Result<Option<SeenLock>, RefError> {
        Ok(self.lock_files().see(&self.lock_path(name))?)
    }

    pub(super) fn lock_files(&self) -> LockFiles {
        LockFiles::new(&self.common, self.files)
    }
}

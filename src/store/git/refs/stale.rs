//! Lock files in the way: finds the holder of a lock, and removes a lock whose holder is dead.
//!
//! Git never takes a lock from a process, because its holder would continue as if it had the lock.
//! A writer therefore removes only a lock that was signed by a process of this host which has
//! ended. The lock of a live process stays, however long that process is stopped. The holder of an
//! unsigned lock, such as one of git's, is unknown, and so is the state of processes on other
//! hosts. People have to judge those locks, with `git coord doctor --repair`.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::{RefError, RefName, Refs};
use crate::core::time::about;
use crate::store::git::signature::Signatures;
use crate::store::layout::HelperDir;
use crate::store::os::files::{EntryType, FileError, Files, Stamp};
use crate::store::os::idle_timer::IdleTimer;
use crate::store::os::process::{Liveness, ProcessIdentity};
use crate::store::os::processes::{self, Running};

/// The time between two looks at a watched lock.
const PAUSE: Duration = Duration::from_millis(100);
/// The maximum number of bytes read of a lock. Ours are shorter.
const CONTENT_LENGTH_MAX: u64 = 128;

/// The holder of a lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holder {
    /// No process: the one of this host that signed the lock has ended.
    Ended,
    /// A live process of this host, which may be stopped.
    Lives { pid: u32, is_stopped: bool },
    /// A process of another host, or of another container.
    Elsewhere { host: String },
    /// Unknown: the lock is not signed, so git or another program made it.
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

/// A lock file at the time it was inspected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenLock {
    pub path: PathBuf,
    pub holder: Holder,
    /// The age by this machine's clock.
    pub age: Duration,
    stamp: Stamp,
}

impl SeenLock {
    /// Explains to people who holds the lock and what to do about it.
    pub fn describe(&self) -> String {
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

    /// Lists the processes of this host that have the lock open.
    pub fn openers(&self) -> Vec<Running> {
        processes::holding_open(&self.path)
    }
}

/// A lock file that was moved out of the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovedAside {
    /// The former path.
    pub lock: PathBuf,
    /// The new path.
    pub now_at: PathBuf,
}

/// The lock files of one repository.
#[derive(Clone, Debug)]
pub struct LockFiles {
    common: PathBuf,
    files: Files,
}

impl LockFiles {
    pub fn new(common: &Path, files: Files) -> LockFiles {
        LockFiles { common: common.to_owned(), files }
    }

    /// Inspects the lock at a path; `None` if there is no such file.
    pub fn inspect(&self, path: &Path) -> Result<Option<SeenLock>, FileError> {
        let Some(stamp) = self.files.stamp(path)? else { return Ok(None) };
        let is_file = self.files.entry_type(path)? == Some(EntryType::File);
        let read = || self.files.read_start(path, CONTENT_LENGTH_MAX);
        let content = if is_file { read()?.unwrap_or_default() } else { Vec::new() };
        let signatures = Signatures::new(&self.common, self.files);
        // If the signatures are unreadable, the holder is unknown.
        let signer = signatures.signer(stamp, &content).ok().flatten();
        let (path, holder) = (path.to_owned(), Holder::of(signer.as_ref()));
        let age = stamp.modified.elapsed().unwrap_or_default();
        Ok(Some(SeenLock { path, holder, age, stamp }))
    }

    /// Watches a lock for a time. Returns false as soon as it is gone or replaced.
    pub fn stays(&self, seen: &SeenLock, patience: Duration) -> Result<bool, FileError> {
        let begun = Instant::now();
        let mut idle = IdleTimer::begin(seen.stamp, Duration::ZERO);
        while self.files.stamp(&seen.path)? == Some(seen.stamp) {
            if idle.look(seen.stamp, begun.elapsed()) >= patience {
                return Ok(true);
            }
            std::thread::sleep(PAUSE);
        }
        Ok(false)
    }

    /// Moves a lock into `coord/tmp`. Returns `None` if it is gone or replaced.
    ///
    /// Takes a kernel lock on the file itself and checks it again: of several processes that have
    /// seen the file, only one moves it, and none moves the file that replaced it.
    pub fn take_away(&self, seen: &SeenLock) -> Result<Option<MovedAside>, FileError> {
        let SeenLock { path, stamp, .. } = seen;
        let Some(opened) = self.files.open_existing(path)? else { return Ok(None) };
        // Without kernel locks on this file system, the check has to do.
        let is_first = self.files.try_lock(&opened, path).unwrap_or(true);
        if is_first && self.files.stamp(path)? == Some(*stamp) {
            return self.move_aside(seen);
        }
        Ok(None)
    }

    /// Moves the file that has the lock's name. A person may remove the lock at that moment, and
    /// then the moved file may be the next lock. If it is one of git's, it is put back, because git
    /// would not notice. One of ours is not put back: its holder notices before it moves the ref,
    /// but would not notice a lock that came back after others had moved the ref.
    pub(super) fn move_aside(&self, seen: &SeenLock) -> Result<Option<MovedAside>, FileError> {
        let SeenLock { path, stamp, .. } = seen;
        let aside = HelperDir::Staging.below(&self.common);
        self.files.make_directories(&aside)?;
        let name = path.strip_prefix(&self.common).unwrap_or(path).to_string_lossy();
        let aside = aside.join(format!("{}.{}", name.replace('/', "-"), stamp.inode));
        // Renaming between two names of the same file would do nothing and succeed.
        self.files.remove(&aside)?;
        match self.files.rename(path, &aside) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            other => other?,
        }
        if self.files.stamp(&aside)? == Some(*stamp) {
            return Ok(Some(MovedAside { lock: path.clone(), now_at: aside }));
        }
        if self.inspect(&aside)?.is_some_and(|other| other.holder == Holder::Unknown) {
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
    /// Moves the lock of a ref out of the way if the process that held it has ended.
    pub fn clear_lock(&self, name: &RefName) -> Result<Option<MovedAside>, RefError> {
        let locks = self.lock_files();
        let seen = locks.inspect(&self.lock_path(name))?;
        let nobodys = seen.filter(|seen| seen.holder == Holder::Ended);
        Ok(nobodys.map_or(Ok(None), |seen| locks.take_away(&seen))?)
    }

    /// Inspects the lock of a ref, if there is one.
    pub fn seen_lock(&self, name: &RefName) -> Result<Option<SeenLock>, RefError> {
        Ok(self.lock_files().inspect(&self.lock_path(name))?)
    }

    pub(super) fn lock_files(&self) -> LockFiles {
        LockFiles::new(&self.common, self.files)
    }
}

//! `<ref>.lock`: the process that creates this file exclusively may move the ref.
//!
//! Our locks are hard links to a signed file. Creating a link is as exclusive as creating a file.

use std::io;
use std::path::{Path, PathBuf};

use super::{RefError, RefName, Refs, Target};
use crate::store::git::signature::{Draft, content};
use crate::store::os::files::{FileError, Files, Purpose};

/// The number of attempts to create a lock. `git pack-refs` removes the ref's directory if it is
/// empty, possibly just before the lock is created in it. git itself tries three times.
const ATTEMPTS_MAX: usize = 16;

/// A lock that belongs to this process until it is dropped or becomes the ref.
pub(super) struct RefLock {
    path: PathBuf,
    /// The content that this process wrote.
    content: String,
    files: Files,
    is_over: bool,
    /// The signature of the lock, which must exist as long as the lock does: fields drop after the
    /// lock's own `drop`. `None` if the caller made the signature and keeps it for longer.
    _signature: Option<Draft>,
}

impl RefLock {
    /// Renames the lock to the ref. Returns false, and moves nothing, if the lock was taken away.
    ///
    /// No writer takes a lock from a live process, but people, older versions and other programs
    /// do. This check notices it. A lock that was taken away is never put back, because the ref may
    /// have moved meanwhile. One race remains: the lock is taken away between the check and the
    /// rename, and another lock is created in that time.
    pub(super) fn rename_to(mut self, path: &Path) -> Result<bool, FileError> {
        if !self.is_ours()? {
            return Ok(false);
        }
        match self.files.rename(&self.path, path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            other => other?,
        }
        self.is_over = true;
        Ok(true)
    }

    /// Compares the content of the lock file with what this process wrote. No other attempt has the
    /// same content. The stamp is not compared: on some file systems the inode number changes with
    /// the name.
    fn is_ours(&self) -> Result<bool, FileError> {
        let length = self.content.len() as u64 + 1;
        let found = self.files.read_start(&self.path, length)?;
        Ok(found.is_some_and(|found| found == self.content.as_bytes()))
    }
}

impl Drop for RefLock {
    fn drop(&mut self) {
        // After a rename, or once the lock was taken away, a file of this name is another process's
        // lock.
        if !self.is_over && self.is_ours().unwrap_or(false) {
            self.files.remove(&self.path).ok();
        }
    }
}

impl Refs {
    /// Tries once to create the lock of a ref, with the ref's next value as its content. Returns
    /// `None` if another process holds it.
    pub(super) fn lock(&self, name: &RefName, to: Target<'_>) -> Result<Option<RefLock>, RefError> {
        let path = self.lock_path(name);
        let own = if to.draft.is_some() { None } else { self.signatures().sign(to.new)? };
        let mut signed = to.draft.or(own.as_ref());
        let content = content(to.new);
        let mut attempts = 0;
        loop {
            attempts += 1;
            let created = match signed {
                Some(draft) => draft.link(&path),
                None => {
                    self.files.write_new(&path, content.as_bytes(), Purpose::State).map(|()| true)
                }
            };
            let error = match created {
                Ok(true) => {
                    let (files, is_over) = (self.files, false);
                    return Ok(Some(RefLock { path, content, files, is_over, _signature: own }));
                }
                Ok(false) => {
                    signed = None;
                    continue;
                }
                Err(error) => error,
            };
            match error.kind() {
                io::ErrorKind::AlreadyExists => return Ok(None),
                io::ErrorKind::NotFound if attempts < ATTEMPTS_MAX => {
                    self.make_parents(name)?;
                }
                io::ErrorKind::NotADirectory => return Err(self.blocked(name, error)),
                _ => return Err(error.into()),
            }
        }
    }

    fn make_parents(&self, name: &RefName) -> Result<(), RefError> {
        let path = self.path(name);
        let Some(directory) = path.parent() else {
            return Ok(());
        };
        match self.files.make_directories(directory) {
            // Another process has just removed it: the next attempt creates it again.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(self.blocked(name, error)),
            Ok(()) => Ok(()),
        }
    }

    /// Explains a failure to create a directory. If one of the parents is a file, that file is a
    /// ref.
    fn blocked(&self, name: &RefName, error: FileError) -> RefError {
        match name.parents().find(|parent| self.common.join(parent).is_file()) {
            Some(other) => RefError::InTheWay { name: name.clone(), other: other.to_owned() },
            None => error.into(),
        }
    }
}

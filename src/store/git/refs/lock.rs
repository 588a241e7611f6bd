//! `<ref>.lock`: the file whose exclusive creation gives the right to move a ref.
//!
//! Ours is a link to a signed file: creating a link is as exclusive as creating a file.

use std::io;
use std::path::{Path, PathBuf};

use super::{RefError, RefName, Refs, Target};
use crate::store::git::signature::{Draft, content};
use crate::store::os::files::{FileError, Files, Purpose};

/// The number of times that the directory of a ref is made anew when `git pack-refs` removes it,
/// being empty, just before the lock is created in it. git itself tries three times.
const ATTEMPTS_MAX: usize = 16;

/// A lock that is ours until it is dropped or becomes the ref.
pub(super) struct RefLock {
    path: PathBuf,
    /// The content that was put there.
    content: String,
    files: Files,
    is_over: bool,
    /// Dropped after the lock, which must never be without it. One that was made before is the
    /// caller's, who keeps it for longer.
    _signature: Option<Draft>,
}

impl RefLock {
    /// Makes the lock the ref; false if it was taken from us, and then nothing is moved.
    ///
    /// Nobody takes a lock from the living, but people, older versions and other programs do. One
    /// that was taken is seen here, and stays taken: nobody puts one of ours back, for the ref may
    /// have moved meanwhile. What remains is the time between two calls of the system: a lock that
    /// is taken after the look, and whose place another lock gets before the rename.
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

    /// Compares the lock with what was put there. By content, which no other attempt shares, and
    /// not by stamp: there are file systems on which the number of a file changes with its name.
    fn is_ours(&self) -> Result<bool, FileError> {
        let length = self.content.len() as u64 + 1;
        let found = self.files.read_start(&self.path, length)?;
        Ok(found.is_some_and(|found| found == self.content.as_bytes()))
    }
}

impl Drop for RefLock {
    fn drop(&mut self) {
        // Once renamed or taken, a file of this name is somebody else's lock.
        if !self.is_over && self.is_ours().unwrap_or(false) {
            self.files.remove(&self.path).ok();
        }
    }
}

impl Refs {
    /// Asks for the lock of a ref once, without waiting; none if it is somebody else's. It holds
    /// what the ref will hold.
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
            // Removed under our hands: the next attempt makes it again.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(self.blocked(name, error)),
            Ok(()) => Ok(()),
        }
    }

    /// A file where a directory is needed is a ref; any other cause stays what it is.
    fn blocked(&self, name: &RefName, error: FileError) -> RefError {
        match name.parents().find(|parent| self.common.join(parent).is_file()) {
            Some(other) => RefError::InTheWay { name: name.clone(), other: other.to_owned() },
            None => error.into(),
        }
    }
}

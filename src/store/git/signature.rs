//! Identifies the process that owns a file, by a second name of the file in `coord/tmp` which
//! contains the process.
//!
//! Git writes nothing into a ref's lock that identifies its owner, and the content of the lock
//! becomes the ref. The next value of a ref is therefore written under a name with our identity
//! first, and then linked to where git expects the lock. Git only checks that a pack's `.keep`
//! exists: one more link to the same file protects the pack that the ref is about to need. A
//! process that finds one of these can look for its signature, and need not wait for a dead
//! process.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::store::git::object::ObjectId;
use crate::store::layout::HelperDir;
use crate::store::os::files::{FileError, Files, NewFile, Purpose, Stamp};
use crate::store::os::process::{Liveness, ProcessIdentity};

/// The start of every signature's name.
const PREFIX: &str = "lock,";
/// The maximum length of a draft: an id in hexadecimal and a newline.
const DRAFT_LENGTH_MAX: u64 = 128;

/// The next value of a ref, in a file with our identity in its name. Dropping it removes the file.
/// It can be written long before the ref is locked, together with other files.
#[derive(Debug)]
pub struct Draft {
    /// The next value.
    pub new: ObjectId,
    path: PathBuf,
    content: String,
    files: Files,
}

impl Draft {
    /// Returns the file, which the caller has to write.
    pub fn file(&self) -> NewFile<'_> {
        let (path, content) = (self.path.as_path(), self.content.as_bytes());
        NewFile { path, content, purpose: Purpose::State }
    }

    /// Links the written file to a path that must not exist. Returns false if the file system has
    /// no hard links.
    pub fn link(&self, path: &Path) -> Result<bool, FileError> {
        match self.files.link(&self.path, path) {
            Err(error) if cannot_link(error.kind()) => Ok(false),
            other => other.map(|()| true),
        }
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // A file that stays is removed with the other old files in `coord/tmp`.
        self.files.remove(&self.path).ok();
    }
}

/// Formats the content of a ref that points at an object.
pub fn content(id: ObjectId) -> String {
    format!("{id}\n")
}

/// The signatures of one repository.
#[derive(Clone, Debug)]
pub struct Signatures {
    directory: PathBuf,
    files: Files,
}

impl Signatures {
    pub fn new(common: &Path, files: Files) -> Signatures {
        Signatures { directory: HelperDir::Staging.below(common), files }
    }

    /// Prepares a draft without writing it. Returns `None` if the identity of this process does not
    /// fit into a file name.
    pub fn draft(&self, new: ObjectId) -> Option<Draft> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let process = ProcessIdentity::current().to_file_name()?;
        let count = COUNTER.fetch_add(1, Ordering::Relaxed);
        let path = self.directory.join(format!("{PREFIX}{process},{count}"));
        Some(Draft { new, path, content: content(new), files: self.files })
    }

    /// Writes a draft.
    pub fn sign(&self, new: ObjectId) -> Result<Option<Draft>, FileError> {
        let Some(draft) = self.draft(new) else { return Ok(None) };
        let write = || self.files.write_all_new(&[draft.file()]);
        match write() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.files.make_directories(&self.directory)?;
                write()?;
            }
            other => other?,
        }
        Ok(Some(draft))
    }

    /// Tells whether a process that may be alive has signed a file with this content. The stamp is
    /// not compared: on some file systems each name of a file has its own inode number.
    pub fn is_owned(&self, content: &[u8]) -> Result<bool, FileError> {
        for name in self.files.list(&self.directory)? {
            let Some(process) = name.to_str().and_then(signed_by) else { continue };
            if process.liveness() == Liveness::Dead {
                continue;
            }
            match self.files.read_start(&self.directory.join(&name), DRAFT_LENGTH_MAX) {
                Ok(signed) if signed.as_deref() != Some(content) => {}
                // An unreadable file of another user may be the one.
                Ok(_) | Err(_) => return Ok(true),
            }
        }
        Ok(false)
    }

    /// Finds the process that signed a file; `None` if it is not signed. On file systems where each
    /// name of a file has its own inode number, the content decides: it names an entry that no
    /// other process makes. If several match, a live process takes precedence.
    pub fn signer(
        &self,
        file: Stamp,
        content: &[u8],
    ) -> Result<Option<ProcessIdentity>, FileError> {
        let mut by_content = None;
        for name in self.files.list(&self.directory)? {
            let Some(process) = name.to_str().and_then(signed_by) else { continue };
            let path = self.directory.join(&name);
            if self.files.stamp(&path)? == Some(file) {
                return Ok(Some(process));
            }
            let has_it = !content.is_empty()
                && self.files.read_start(&path, DRAFT_LENGTH_MAX)?.as_deref() == Some(content);
            if has_it && (by_content.is_none() || process.liveness() != Liveness::Dead) {
                by_content = Some(process);
            }
        }
        Ok(by_content)
    }
}

/// Parses the process out of the name of a signature.
pub fn signed_by(name: &str) -> Option<ProcessIdentity> {
    let (process, _count) = name.strip_prefix(PREFIX)?.rsplit_once(',')?;
    ProcessIdentity::from_file_name(process)
}

/// Tells whether the file system does not support hard links.
fn cannot_link(kind: io::ErrorKind) -> bool {
    matches!(
        kind,
        io::ErrorKind::Unsupported
            | io::ErrorKind::PermissionDenied
            | io::ErrorKind::CrossesDevices
            | io::ErrorKind::TooManyLinks
    )
}

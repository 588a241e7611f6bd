//! Whose file it is: a second name of it, in `coord/tmp`, that spells out the process.
//!
//! git writes nothing into a ref's lock that would tell, and the content is to become the ref. So
//! what a ref is to hold is written under a name with our identity first, and linked to where git
//! expects the lock. Of a pack's `.keep` git asks only whether it is there: the pack that a ref is
//! about to need is protected by one more name of the same file. Whoever meets one of these can
//! look for its signature, and need not wait for somebody who is dead.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::store::git::object::ObjectId;
use crate::store::layout::HelperDir;
use crate::store::os::files::{FileError, Files, NewFile, Purpose, Stamp};
use crate::store::os::process::{Liveness, ProcessIdentity};

/// Begins the name of every signature.
const PREFIX: &str = "lock,";
/// An id in hexadecimal and a newline.
const DRAFT_LENGTH_MAX: u64 = 128;

/// What a ref is to hold, in a file with our identity in its name, until it is dropped. It can be
/// written long before the ref's lock is asked for, together with other files.
#[derive(Debug)]
pub struct Draft {
    /// What the ref is to point at.
    pub new: ObjectId,
    path: PathBuf,
    content: String,
    files: Files,
}

impl Draft {
    /// The file, to be written by whoever asked for the draft.
    pub fn file(&self) -> NewFile<'_> {
        let (path, content) = (self.path.as_path(), self.content.as_bytes());
        NewFile { path, content, purpose: Purpose::State }
    }

    /// Gives the file, once it is written, one more name, which nothing may have; false where
    /// files have only one.
    pub fn link(&self, path: &Path) -> Result<bool, FileError> {
        match self.files.link(&self.path, path) {
            Err(error) if cannot_link(error.kind()) => Ok(false),
            other => other.map(|()| true),
        }
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // What stays is collected with everything else that is left in `coord/tmp`.
        self.files.remove(&self.path).ok();
    }
}

/// What a ref holds that points at an object.
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
    /// Those of the repository with this common directory.
    pub fn new(common: &Path, files: Files) -> Signatures {
        Signatures { directory: HelperDir::Staging.below(common), files }
    }

    /// A draft that is not written yet; none if this process cannot be told in a file's name.
    pub fn draft(&self, new: ObjectId) -> Option<Draft> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let process = ProcessIdentity::current().to_file_name()?;
        let count = COUNTER.fetch_add(1, Ordering::Relaxed);
        let path = self.directory.join(format!("{PREFIX}{process},{count}"));
        Some(Draft { new, path, content: content(new), files: self.files })
    }

    /// A draft that is written.
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

    /// Whether somebody may live who signed a file with this content. Not by stamp: there are file
    /// systems on which each name of a file has a number of its own.
    pub fn is_owned(&self, content: &[u8]) -> Result<bool, FileError> {
        for name in self.files.list(&self.directory)? {
            let Some(process) = name.to_str().and_then(signed_by) else { continue };
            if process.liveness() == Liveness::Dead {
                continue;
            }
            match self.files.read_start(&self.directory.join(&name), DRAFT_LENGTH_MAX) {
                Ok(signed) if signed.as_deref() != Some(content) => {}
                // What another user hides may be the one.
                Ok(_) | Err(_) => return Ok(true),
            }
        }
        Ok(false)
    }

    /// Who made a file; none if it is not signed. Where each name of a file has a number of its
    /// own, the content tells, which names an entry that nobody else makes; in doubt it is the
    /// living one.
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

/// The process that a file's name spells out, if it is a signature.
pub fn signed_by(name: &str) -> Option<ProcessIdentity> {
    let (process, _count) = name.strip_prefix(PREFIX)?.rsplit_once(',')?;
    ProcessIdentity::from_file_name(process)
}

/// Whether a file system refuses second names, as opposed to this one.
fn cannot_link(kind: io::ErrorKind) -> bool {
    matches!(
        kind,
        io::ErrorKind::Unsupported
            | io::ErrorKind::PermissionDenied
            | io::ErrorKind::CrossesDevices
            | io::ErrorKind::TooManyLinks
    )
}

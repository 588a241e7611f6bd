//! Whose lock it is: a second name of the same file, in `coord/tmp`, that spells out the process.
//!
//! git writes nothing into a lock that would tell, and the content is to become the ref. So our
//! locks are written under a name with our identity first, and linked to where git expects them.
//! Whoever meets a lock can look for its signature, and need not wait for somebody who is dead.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Refs;
use crate::store::files::{FileError, Files, NewFile, Purpose, Stamp};
use crate::store::layout::HelperDir;
use crate::store::object::ObjectId;
use crate::store::process::ProcessIdentity;

/// Begins the name of every signature.
const PREFIX: &str = "lock,";

/// What a ref is to hold, in a file with our identity in its name, until it is dropped. It can be
/// written long before the ref's lock is asked for, together with other files.
#[derive(Debug)]
pub struct Draft {
    /// What the ref is to point at.
    pub new: ObjectId,
    pub(super) path: PathBuf,
    content: String,
    files: Files,
}

impl Draft {
    /// The file, to be written by whoever asked for the draft.
    pub fn file(&self) -> NewFile<'_> {
        let (path, content) = (self.path.as_path(), self.content.as_bytes());
        NewFile { path, content, purpose: Purpose::State }
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // What stays is collected with everything else that is left in `coord/tmp`.
        self.files.remove(&self.path).ok();
    }
}

/// What a ref holds that points at an object.
pub(super) fn content(id: ObjectId) -> String {
    format!("{id}\n")
}

impl Refs {
    /// A draft that is not written yet; none if this process cannot be told in a file's name.
    pub fn draft(&self, new: ObjectId) -> Option<Draft> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let process = ProcessIdentity::current().to_file_name()?;
        let count = COUNTER.fetch_add(1, Ordering::Relaxed);
        let path = self.signatures().join(format!("{PREFIX}{process},{count}"));
        Some(Draft { new, path, content: content(new), files: self.files })
    }

    /// A draft that is written.
    pub(super) fn sign(&self, new: ObjectId) -> Result<Option<Draft>, FileError> {
        let Some(draft) = self.draft(new) else { return Ok(None) };
        let write = || self.files.write_all_new(&[draft.file()]);
        match write() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.files.make_directories(&self.signatures())?;
                write()?;
            }
            other => other?,
        }
        Ok(Some(draft))
    }

    /// Who made the lock with this stamp; none if it is not signed.
    pub(super) fn signer(&self, lock: Stamp) -> Result<Option<ProcessIdentity>, FileError> {
        let directory = self.signatures();
        for name in self.files.list(&directory)? {
            let Some(process) = name.to_str().and_then(signed_by) else { continue };
            if self.files.stamp(&directory.join(&name))? == Some(lock) {
                return Ok(Some(process));
            }
        }
        Ok(None)
    }

    fn signatures(&self) -> PathBuf {
        HelperDir::Staging.below(&self.common)
    }
}

fn signed_by(name: &str) -> Option<ProcessIdentity> {
    let (process, _count) = name.strip_prefix(PREFIX)?.rsplit_once(',')?;
    ProcessIdentity::from_file_name(process)
}

/// Whether a file system refuses second names, as opposed to this one.
pub(super) fn cannot_link(kind: io::ErrorKind) -> bool {
    matches!(
        kind,
        io::ErrorKind::Unsupported
            | io::ErrorKind::PermissionDenied
            | io::ErrorKind::CrossesDevices
            | io::ErrorKind::TooManyLinks
    )
}

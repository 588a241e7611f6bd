//! Whose lock it is: a second name of the same file, in `coord/tmp`, that spells out the process.
//!
//! git writes nothing into a lock that would tell, and the content is to become the ref. So our
//! locks are written under a name with our identity first, and linked to where git expects them.
//! Whoever meets a lock can look for its signature, and need not wait for somebody who is dead.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Refs;
use crate::store::files::{FileError, Files, Purpose, Stamp};
use crate::store::layout::HelperDir;
use crate::store::process::ProcessIdentity;

/// Begins the name of every signature.
const PREFIX: &str = "lock,";

/// The name with our identity, until it is dropped.
pub(super) struct Signature {
    pub(super) path: PathBuf,
    files: Files,
}

impl Drop for Signature {
    fn drop(&mut self) {
        // What stays is collected with everything else that is left in `coord/tmp`.
        self.files.remove(&self.path).ok();
    }
}

impl Refs {
    /// Writes what is to become a lock; none if this process cannot be told in a file's name.
    pub(super) fn sign(&self, content: &[u8]) -> Result<Option<Signature>, FileError> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let Some(process) = ProcessIdentity::current().to_file_name() else { return Ok(None) };
        let count = COUNTER.fetch_add(1, Ordering::Relaxed);
        let directory = self.signatures();
        let path = directory.join(format!("{PREFIX}{process},{count}"));
        let write = || self.files.write_new(&path, content, Purpose::State);
        match write() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.files.make_directories(&directory)?;
                write()?;
            }
            other => other?,
        }
        Ok(Some(Signature { path, files: self.files }))
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

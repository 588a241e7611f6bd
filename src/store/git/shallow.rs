//! The boundary of a shallow clone.
//!
//! The first entry of a ledger that was fetched with a depth has a parent that does not exist here.
//! Git lists such commits and treats them as roots.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::store::git::object::ObjectId;
use crate::store::os::files::{FileError, Files};

/// The maximum size of the list: a few hundred thousand commits.
const LENGTH_MAX: u64 = 16 << 20;

/// The commits whose parents a clone does not have. The list is read on first use.
pub(super) struct Shallow {
    path: PathBuf,
    files: Files,
    ends: OnceCell<BTreeSet<ObjectId>>,
}

impl Shallow {
    pub(super) fn of(common: &Path, files: Files) -> Shallow {
        Shallow { path: common.join("shallow"), files, ends: OnceCell::new() }
    }

    /// Tells whether the commit is on the boundary.
    pub(super) fn names(&self, commit: &ObjectId) -> Result<bool, FileError> {
        if let Some(ends) = self.ends.get() {
            return Ok(ends.contains(commit));
        }
        let listed = self.files.read(&self.path, LENGTH_MAX)?.unwrap_or_default();
        let listed = String::from_utf8_lossy(&listed);
        let ends = listed.lines().filter_map(|line| line.parse().ok()).collect();
        Ok(self.ends.get_or_init(|| ends).contains(commit))
    }
}

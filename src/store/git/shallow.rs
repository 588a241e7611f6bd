//! Where the history of a shallow clone ends.
//!
//! A ledger that was fetched with a depth has a first entry that names a parent which is not there.
//! Git lists such commits, and takes them for roots.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::store::git::object::ObjectId;
use crate::store::os::files::{FileError, Files};

/// A few hundred thousand ends.
const LENGTH_MAX: u64 = 16 << 20;

/// The commits below which a clone has nothing; read when first asked for.
pub(super) struct Shallow {
    path: PathBuf,
    files: Files,
    ends: OnceCell<BTreeSet<ObjectId>>,
}

impl Shallow {
    /// Those of the repository with this common directory.
    pub(super) fn of(common: &Path, files: Files) -> Shallow {
        Shallow { path: common.join("shallow"), files, ends: OnceCell::new() }
    }

    /// Whether that commit is one of them.
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

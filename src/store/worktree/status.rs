//! Reads what git knows of the files in the work tree. Writes neither to it nor to the index.

use std::ffi::OsStr;
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::time::SystemTime;

use sha2::{Digest as _, Sha256};

use crate::core::reservation::fence::Left;
use crate::core::text::Line;
use crate::store::error::StoreError;
use crate::store::git::repository::{Reader, Repository};

impl Repository {
    /// The branch that is checked out, if `HEAD` is a file that tells it.
    pub fn branch(&self) -> Option<Line> {
        let head = std::fs::read_to_string(self.git_dir().join("HEAD")).ok()?;
        // Where refs are no files, the file is there for older programs and names no branch.
        let name = head.trim_end().strip_prefix("ref: refs/heads/")?;
        Line::new(name).ok().filter(|name| name.as_str() != ".invalid")
    }

    /// Whether git ignores that path of the work tree; what is tracked is never ignored.
    pub fn is_ignored(&self, path: &[u8]) -> Result<bool, StoreError> {
        let Some(tree) = self.work_tree() else { return Ok(false) };
        let path = Path::new(OsStr::from_bytes(path));
        match self.reader() {
            Reader::LibGit2(git) => {
                Ok(git.is_path_ignored(path)? && self.index(git)?.get_path(path, 0).is_none())
            }
            Reader::Program => Ok(self.program().ignores(&tree.top, path)?),
        }
    }

    /// The SHA-256 of the regular file at that path of the work tree, in hexadecimal; none if there
    /// is no such file, or a symbolic link leads out of the work tree.
    pub fn sha256_of(&self, path: &[u8]) -> Result<Option<String>, StoreError> {
        let Some(tree) = self.work_tree().filter(|_| self.has_regular_file(path)) else {
            return Ok(None);
        };
        let file = tree.top.join(OsStr::from_bytes(path));
        let failed = |error: io::Error| {
            StoreError::Malformed(format!("cannot read '{}': {error}", file.display()))
        };
        let is_inside = file.canonicalize().map_err(failed)?.starts_with(&tree.top);
        if !is_inside {
            return Ok(None);
        }
        let mut hasher = Sha256::new();
        let mut reader = std::fs::File::open(&file).map_err(failed)?;
        let mut part = vec![0; 64 * 1024];
        loop {
            match reader.read(&mut part).map_err(failed)? {
                0 => return Ok(Some(format!("{:x}", hasher.finalize()))),
                length => hasher.update(&part[..length]),
            }
        }
    }

    /// The paths of the work tree that are not as they were committed, and that were written since
    /// then, if a time is given. The git program is asked: it is much faster where there is much.
    pub fn changed_since(&self, then: Option<SystemTime>) -> Result<Vec<Vec<u8>>, StoreError> {
        let Some(tree) = self.work_tree() else { return Ok(Vec::new()) };
        let mut changed = self.program().changed(&tree.top)?;
        if let Some(then) = then {
            changed.retain(|path| was_written(&tree.top, path, then));
        }
        Ok(changed)
    }
}

impl Repository {
    /// How the file at that path of the work tree is, to see later whether it was written again.
    pub fn as_left(&self, path: &[u8]) -> Left {
        let file = self.work_tree().map(|tree| tree.top.join(OsStr::from_bytes(path)));
        let Some(metadata) = file.and_then(|file| file.symlink_metadata().ok()) else {
            return Left { written_ns: None, bytes: 0 };
        };
        let written = metadata.modified().ok();
        let since_1970 = written.and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
        let written_ns = since_1970.and_then(|at| u64::try_from(at.as_nanos()).ok());
        Left { written_ns, bytes: metadata.len() }
    }
}

/// Whether a file was written since then. One that is gone was removed from its directory.
fn was_written(top: &Path, path: &[u8], then: SystemTime) -> bool {
    let file = top.join(OsStr::from_bytes(path));
    let metadata = file.symlink_metadata().or_else(|_| file.parent().unwrap_or(top).metadata());
    metadata.and_then(|metadata| metadata.modified()).is_ok_and(|modified| modified >= then)
}

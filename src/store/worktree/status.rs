//! Reads git's view of the files in the work tree. Writes neither to the work tree nor to the
//! index.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

use sha2::{Digest as _, Sha256};

use crate::core::ownership::Left;
use crate::core::shell::verdict::State;
use crate::core::text::Line;
use crate::store::error::StoreError;
use crate::store::git::repository::{Reader, Repository};

impl Repository {
    /// Reads the branch that is checked out, if `HEAD` is a file that names it.
    pub fn branch(&self) -> Option<Line> {
        let head = std::fs::read_to_string(self.git_dir().join("HEAD")).ok()?;
        // If refs are not files, this file exists for older programs and names no branch.
        let name = head.trim_end().strip_prefix("ref: refs/heads/")?;
        Line::new(name).ok().filter(|name| name.as_str() != ".invalid")
    }

    /// Tells whether git ignores a path of the work tree. A tracked path is never ignored.
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

    /// Hashes the regular file at a path of the work tree with SHA-256, in hexadecimal. Returns
    /// `None` if there is no such file, or a symbolic link leads out of the work tree.
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

    /// Lists the paths of the work tree that differ from the commit. If a time is given, only those
    /// that were written since. This calls the git program, which is much faster in a large work
    /// tree.
    pub fn changed_since(&self, then: Option<SystemTime>) -> Result<Vec<Vec<u8>>, StoreError> {
        let Some(tree) = self.work_tree() else { return Ok(Vec::new()) };
        let mut changed = self.program().changed(&tree.top)?;
        if let Some(then) = then {
            changed.retain(|path| was_written(&tree.top, path, then));
        }
        Ok(changed)
    }

    /// Tells whether a path of the work tree was written, moved or removed since a time.
    pub fn was_written_since(&self, path: &[u8], then: SystemTime) -> bool {
        self.work_tree().is_some_and(|tree| was_written(&tree.top, path, then))
    }
}

/// The largest number of paths that git is given by name.
const NAMED_MAX: usize = 500;

impl Repository {
    /// Tells how paths of the work tree differ from the commit. A path that does not differ, or is
    /// ignored, is left out.
    pub fn states_of(&self, paths: &[&[u8]]) -> Result<BTreeMap<Vec<u8>, State>, StoreError> {
        let Some(tree) = self.work_tree().filter(|_| !paths.is_empty()) else {
            return Ok(BTreeMap::new());
        };
        let named = if paths.len() > NAMED_MAX { &[][..] } else { paths };
        let listed = self.program().states(&tree.top, named)?;
        let mut states = BTreeMap::new();
        for line in listed.split(|byte| *byte == 0) {
            let [staged, changed, b' ', path @ ..] = line else { continue };
            if paths.contains(&path) {
                let is_tracked = *staged != b'?';
                let is_staged = is_tracked && *staged != b' ';
                let is_changed_since = *changed != b' ';
                states.insert(path.to_vec(), State { is_tracked, is_staged, is_changed_since });
            }
        }
        Ok(states)
    }

    /// Records the time and size of a file in the work tree, to detect later whether it was written
    /// again.
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

/// Tells whether a file was written, or moved to its place, since a time. A removed file counts by
/// the time of the nearest directory that is still there.
fn was_written(top: &Path, path: &[u8], then: SystemTime) -> bool {
    let file = top.join(OsStr::from_bytes(path));
    let above = || file.ancestors().skip(1).find_map(|directory| directory.metadata().ok());
    let Some(metadata) = file.symlink_metadata().ok().or_else(above) else { return false };
    let changed = u64::try_from(metadata.ctime()).ok().and_then(|seconds| {
        let nanos = u32::try_from(metadata.ctime_nsec()).ok()?;
        SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds, nanos))
    });
    metadata.modified().ok().max(changed).is_some_and(|last| last >= then)
}

//! Writes saved content back into the work tree, or into another directory, each file as a whole
//! or not at all.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::content::Found;
use super::path_resolution::{About, Destination, follow};
use crate::core::ownership::content::Mode;
use crate::core::rescue::restore::is_plain;
use crate::store::error::StoreError;
use crate::store::git::repository::Repository;
use crate::store::os::files::{Files, Rights};

/// Stands before the process in the name of a staged file.
const STAGED: &str = "coord-restore";

impl Repository {
    /// Tells whether a file can be written at a path of the work tree: no symbolic link and no
    /// other repository is on the way to it, and no directory is there.
    pub fn can_restore(&self, path: &[u8]) -> bool {
        let Some(tree) = self.work_tree().filter(|_| is_plain(path)) else { return false };
        if self.read_file(path, 0) == Found::NoFile {
            return false;
        }
        let mut names: Vec<Vec<u8>> =
            path.split(|byte| *byte == b'/').map(<[u8]>::to_vec).collect();
        names.pop();
        match follow(&tree.top, &names, About::Below) {
            Destination::Here(followed) => followed == names,
            Destination::Outside(_) | Destination::Elsewhere { .. } | Destination::Circle(_) => {
                false
            }
        }
    }

    /// Writes a saved file into the work tree, if what is there is still `expected`. Returns false
    /// if it is not.
    pub fn restore(
        &self,
        path: &[u8],
        expected: &Found,
        (mode, bytes): (Mode, &[u8]),
        files: Files,
    ) -> Result<bool, StoreError> {
        let Some(tree) = self.work_tree() else { return Err(StoreError::NoWorkTree) };
        let file = tree.top.join(OsStr::from_bytes(path));
        let is_as_before = || {
            let max = match expected {
                Found::File(_, bytes) => bytes.len() as u64,
                Found::Nothing | Found::TooLong(_) | Found::NoFile => 0,
            };
            self.can_restore(path) && self.read_file(path, max) == *expected
        };
        write(&file, (mode, bytes), files, is_as_before)
    }
}

/// The outcome of writing a file below another directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Below {
    Written,
    /// Something is there already.
    Taken,
    /// A symbolic link or a file is in the place of a directory on the way to it.
    NoPlace,
}

/// Writes a saved file below another directory.
pub fn restore_below(
    directory: &Path,
    path: &[u8],
    saved: (Mode, &[u8]),
    files: Files,
) -> Result<Below, StoreError> {
    let file = directory.join(OsStr::from_bytes(path));
    let above = file.ancestors().skip(1).take_while(|above| *above != directory);
    let is_directory = |above: &Path| above.symlink_metadata().map_or(true, |it| it.is_dir());
    if !is_plain(path) || !above.into_iter().all(is_directory) {
        return Ok(Below::NoPlace);
    }
    let is_written = write(&file, saved, files, || file.symlink_metadata().is_err())?;
    Ok(if is_written { Below::Written } else { Below::Taken })
}

fn write(
    file: &Path,
    (mode, bytes): (Mode, &[u8]),
    files: Files,
    is_as_before: impl Fn() -> bool,
) -> Result<bool, StoreError> {
    if !is_as_before() {
        return Ok(false);
    }
    file.parent().map_or(Ok(()), |directory| files.make_directories(directory))?;
    let staged = staged_beside(file);
    files.remove(&staged)?;
    match mode {
        Mode::Link => files.make_symbolic_link(Path::new(OsStr::from_bytes(bytes)), &staged)?,
        Mode::File => files.stage(&staged, bytes, file, Rights::Plain)?,
        Mode::Executable => files.stage(&staged, bytes, file, Rights::Executable)?,
    }
    // Looked at again: somebody may have written the file meanwhile.
    if !is_as_before() {
        files.remove(&staged)?;
        return Ok(false);
    }
    files.rename(&staged, file).inspect_err(|_| drop(files.remove(&staged)))?;
    file.parent().map_or(Ok(()), |directory| files.sync_directory(directory))?;
    Ok(true)
}

/// Names a file in the same directory, so that it can be renamed.
fn staged_beside(file: &Path) -> PathBuf {
    file.with_file_name(format!(".{STAGED}.{}", std::process::id()))
}

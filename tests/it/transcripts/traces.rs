//! Undoes the changes of a command to a directory, by a copy that was made before.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The times and lengths of all files below a directory, which show whether anything was written.
pub(super) struct Traces {
    directory: PathBuf,
    files: BTreeMap<PathBuf, (SystemTime, u64)>,
}

impl Traces {
    pub(super) fn below(directory: &Path) -> Traces {
        let mut files = BTreeMap::new();
        let mut directories = vec![directory.to_owned()];
        while let Some(directory) = directories.pop() {
            for entry in fs::read_dir(directory).expect("the test's own directory is readable") {
                let path = entry.expect("an entry of the test's own directory is readable").path();
                let meta = fs::symlink_metadata(&path).expect("a file of the test's own is there");
                let written = meta.modified().expect("file systems know when");
                if meta.is_dir() {
                    directories.push(path.clone());
                }
                files.insert(path, (written, meta.len()));
            }
        }
        Traces { directory: directory.to_owned(), files }
    }

    pub(super) fn are_unchanged(&self) -> bool {
        Traces::below(&self.directory).files == self.files
    }
}

/// Exchanges two directories.
pub(super) fn exchange(one: &Path, other: &Path) {
    let aside = one.with_extension("aside");
    for (from, to) in [(one, &*aside), (other, one), (&*aside, other)] {
        fs::rename(from, to).expect("directories of one file system can be renamed");
    }
}

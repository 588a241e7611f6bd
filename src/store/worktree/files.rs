//! Files of the work tree that a user asks for. Nothing else is ever written there.
//!
//! A path is relative, and its type excludes `..` and every spelling of `.git`. Nothing is read or
//! written through a symbolic link on the way to it. A file is replaced atomically.

use std::path::{Path, PathBuf};

use crate::core::domain::tree_path::TreePath;
use crate::store::error::StoreError;
use crate::store::os::files::{Entry, EntryType, Files, Rights};
use crate::store::os::process::{Liveness, ProcessIdentity};

/// The maximum size of a file that is read.
const FILE_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Separates the name of a staged file from the process that writes it.
const BY: &str = ".by,";

/// The files of one work tree.
pub struct WorkFiles<'a> {
    top: &'a Path,
    files: Files,
}

/// The content of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    Nothing,
    /// A regular file with this content.
    File(Vec<u8>),
    /// Not a regular file.
    NoFile,
}

impl<'a> WorkFiles<'a> {
    pub fn new(top: &'a Path, files: Files) -> WorkFiles<'a> {
        WorkFiles { top, files }
    }

    /// Reads the file at a path.
    pub fn look(&self, path: &TreePath) -> Result<Found, StoreError> {
        let (directory, name) = self.split(path)?;
        let entries = self.files.entries(&directory)?;
        match entries.iter().find(|entry| entry.name == name) {
            // A file system that folds case may have it under another spelling.
            None if self.files.exists(&directory.join(name))? => Ok(Found::NoFile),
            None => Ok(Found::Nothing),
            Some(Entry { kind: EntryType::File, .. }) => {
                let bytes = self.files.read(&directory.join(name), FILE_BYTES_MAX)?;
                Ok(bytes.map_or(Found::Nothing, Found::File))
            }
            Some(_) => Ok(Found::NoFile),
        }
    }

    /// Writes a file atomically.
    pub fn write(&self, path: &TreePath, content: &[u8]) -> Result<(), StoreError> {
        let (directory, name) = self.split(path)?;
        self.files.make_directories(&directory)?;
        self.clear_up(&directory, name)?;
        // Another process may have replaced the new directory by a link meanwhile.
        self.refuse_links(&directory)?;
        let path = directory.join(name);
        let Some(signed) = ProcessIdentity::current().to_file_name() else {
            return Ok(self.files.replace(&path, content, Rights::AsBefore)?);
        };
        let staged = directory.join(format!(".{name}{BY}{signed}"));
        Ok(self.files.replace_by(&path, &staged, content, Rights::AsBefore)?)
    }

    /// Tells whether a path exists.
    pub fn has(&self, path: &TreePath) -> Result<bool, StoreError> {
        Ok(self.files.exists(&self.top.join(path.as_str()))?)
    }

    /// Lists the names of the regular files in a directory, in order.
    pub fn names(&self, directory: &TreePath) -> Result<Vec<String>, StoreError> {
        let directory = self.top.join(directory.as_str());
        self.refuse_links(&directory)?;
        let entries = self.files.entries(&directory)?.into_iter();
        let files = entries.filter(|entry| entry.kind == EntryType::File);
        let mut names: Vec<String> =
            files.filter_map(|entry| entry.name.into_string().ok()).collect();
        names.sort();
        Ok(names)
    }

    /// Splits a path into its directory, which must not be reached through a link, and its name.
    fn split<'p>(&self, path: &'p TreePath) -> Result<(PathBuf, &'p str), StoreError> {
        let (directory, name) = path.as_str().rsplit_once('/').unwrap_or(("", path.as_str()));
        let directory =
            if directory.is_empty() { self.top.to_owned() } else { self.top.join(directory) };
        self.refuse_links(&directory)?;
        Ok((directory, name))
    }

    fn refuse_links(&self, directory: &Path) -> Result<(), StoreError> {
        let below = directory.ancestors().take_while(|path| *path != self.top);
        for path in below {
            if self.files.shape(path)?.is_some_and(|shape| shape.is_link) {
                return Err(StoreError::LinkInTheWay(path.to_owned()));
            }
        }
        Ok(())
    }

    /// Removes the staged files of killed commands.
    fn clear_up(&self, directory: &Path, name: &str) -> Result<(), StoreError> {
        for entry in self.files.entries(directory)? {
            let signed = entry
                .name
                .to_str()
                .and_then(|staged| staged.strip_prefix('.')?.strip_prefix(name)?.strip_prefix(BY));
            let owner = signed.and_then(ProcessIdentity::from_file_name);
            if owner.is_some_and(|owner| owner.liveness() == Liveness::Dead) {
                self.files.remove(&directory.join(&entry.name))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::store::testing::FILES;

    fn path(text: &str) -> TreePath {
        text.parse().unwrap()
    }

    #[test]
    fn files_are_written_whole_and_found_again() {
        let home = tempfile::tempdir().unwrap();
        let files = WorkFiles { top: home.path(), files: FILES };
        let one = path(".claude/agents/fd-x.md");
        assert_eq!(files.look(&one).unwrap(), Found::Nothing);
        files.write(&one, b"1").unwrap();
        files.write(&one, b"2").unwrap();
        assert_eq!(files.look(&one).unwrap(), Found::File(b"2".to_vec()));
        assert_eq!(files.names(&path(".claude/agents")).unwrap(), ["fd-x.md"]);
        fs::create_dir(home.path().join("d")).unwrap();
        assert_eq!(files.look(&path("d")).unwrap(), Found::NoFile);
    }

    /// 7/SYMLINK: nothing is written through a link, and leftovers of a killed command are removed.
    #[test]
    fn nothing_goes_through_a_link_and_leftovers_go() {
        let home = tempfile::tempdir().unwrap();
        let (top, outside) = (home.path().join("top"), home.path().join("outside"));
        fs::create_dir_all(top.join("a")).unwrap();
        fs::create_dir(&outside).unwrap();
        symlink(&outside, top.join("a/link")).unwrap();
        let files = WorkFiles { top: &top, files: FILES };
        for at in ["a/link/x.md", "a/link/deeper/x.md"] {
            let error = files.write(&path(at), b"x").unwrap_err();
            assert!(matches!(error, StoreError::LinkInTheWay(_)), "{error}");
            assert!(files.look(&path(at)).is_err());
        }
        assert!(fs::read_dir(&outside).unwrap().next().is_none());
        symlink(outside.join("y"), top.join("a/y.md")).unwrap();
        assert_eq!(files.look(&path("a/y.md")).unwrap(), Found::NoFile);
        let alive = ProcessIdentity::current().to_file_name().unwrap();
        let dead = alive.replacen(&std::process::id().to_string(), "4194399", 1);
        fs::write(top.join(format!("a/.x.md.by,{dead}")), "half").unwrap();
        fs::write(top.join("a/.x.md.by,me"), "a file of somebody's").unwrap();
        files.write(&path("a/x.md"), b"x").unwrap();
        assert_eq!(files.names(&path("a")).unwrap(), [".x.md.by,me", "x.md"]);
    }
}

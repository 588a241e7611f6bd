//! Lists the entries of a directory with their types, without examining each.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Dir, FileType, Mode, OFlags};

use super::step::{FileError, Operation, Step};
use super::{Files, Result, absent_as, examine};

/// The type of a directory's entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryType {
    Directory,
    File,
    /// A link or anything else.
    Other,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub name: OsString,
    pub kind: EntryType,
}

impl EntryType {
    fn of(kind: fs::FileType) -> EntryType {
        match kind {
            kind if kind.is_dir() => EntryType::Directory,
            kind if kind.is_file() => EntryType::File,
            _ => EntryType::Other,
        }
    }
}

impl Files {
    /// Returns the type of the entry at a path, without following a link; `None` if it does not
    /// exist.
    pub fn entry_type(&self, path: &Path) -> Result<Option<EntryType>> {
        Ok(examine(path)?.map(|metadata| EntryType::of(metadata.file_type())))
    }

    /// Refuses a path that is a symbolic link, before something is appended to its target.
    pub fn refuse_link(&self, path: &Path) -> Result<()> {
        if !examine(path)?.is_some_and(|metadata| metadata.is_symlink()) {
            return Ok(());
        }
        let cause = io::Error::new(
            io::ErrorKind::InvalidInput,
            "a symbolic link, and state is not kept through one",
        );
        Err(FileError { operation: Operation::Append.verb(), path: path.to_owned(), cause })
    }

    /// Lists the entries of a directory in no particular order. A directory that does not exist is
    /// empty.
    pub fn entries(&self, path: &Path) -> Result<Vec<Entry>> {
        let list = || {
            let entries = fs::read_dir(path)?.map(|entry| {
                let entry = entry?;
                // Nearly every system returns the type with the name.
                let kind = EntryType::of(entry.file_type()?);
                Ok(Entry { name: entry.file_name(), kind })
            });
            entries.collect()
        };
        absent_as(Vec::new(), Step::new(Operation::List, path).run(list))
    }
}

/// Returns the directory if it is a symbolic link, or else an entry of it that is. Returns `None`
/// if the directory does not exist. If it cannot be listed, only the directory itself is checked.
pub fn link_at_or_in(directory: &Path) -> Option<PathBuf> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let listed = match rustix::fs::open(directory, flags, Mode::empty()) {
        Err(rustix::io::Errno::NOENT) => return None,
        opened => opened.and_then(Dir::new),
    };
    let Ok(listed) = listed else {
        return directory.is_symlink().then(|| directory.to_owned());
    };
    listed.flatten().find_map(|entry| {
        let path = || directory.join(OsStr::from_bytes(entry.file_name().to_bytes()));
        match entry.file_type() {
            FileType::Symlink => Some(path()),
            // Not every file system returns the type with the name.
            FileType::Unknown => Some(path()).filter(|path| path.is_symlink()),
            _ => None,
        }
    })
}

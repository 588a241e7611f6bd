//! What is in a directory and of which kind, without a look at each of it.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Dir, FileType, Mode, OFlags};

use super::step::{Act, FileError, Step};
use super::{Files, Result, absent_as, examine};

/// What an entry of a directory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryType {
    /// A directory.
    Directory,
    /// A regular file.
    File,
    /// A link, or whatever else there is.
    Other,
}

/// An entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: OsString,
    /// What it is.
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
    /// What is at a path, which is not followed if it is a link; none if there is nothing.
    pub fn entry_type(&self, path: &Path) -> Result<Option<EntryType>> {
        Ok(examine(path)?.map(|metadata| EntryType::of(metadata.file_type())))
    }

    /// Refuses a path that is a symbolic link, before something is added to what it leads to.
    pub fn refuse_link(&self, path: &Path) -> Result<()> {
        if !examine(path)?.is_some_and(|metadata| metadata.is_symlink()) {
            return Ok(());
        }
        let cause = io::Error::new(
            io::ErrorKind::InvalidInput,
            "a symbolic link, and state is not kept through one",
        );
        Err(FileError { operation: Act::Append.verb(), path: path.to_owned(), cause })
    }

    /// The entries of a directory, in no order; an absent directory is an empty one.
    pub fn entries(&self, path: &Path) -> Result<Vec<Entry>> {
        let list = || {
            let entries = fs::read_dir(path)?.map(|entry| {
                let entry = entry?;
                // The system tells it with the name, nearly everywhere.
                let kind = EntryType::of(entry.file_type()?);
                Ok(Entry { name: entry.file_name(), kind })
            });
            entries.collect()
        };
        absent_as(Vec::new(), Step::new(Act::List, path).run(list))
    }
}

/// Returns a directory that is a symbolic link, or else one of its entries that is; none if there
/// is no such directory. What cannot be listed has only itself to look at.
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
            // Not every file system tells it with the name.
            FileType::Unknown => Some(path()).filter(|path| path.is_symlink()),
            _ => None,
        }
    })
}

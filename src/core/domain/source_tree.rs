//! A tree of sources, independent of its storage: files and directories by name. It has no links
//! and no files that git ignores, and nothing is read through a link.

use crate::core::documents::ReadError;

/// A file or directory of a tree.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Node {
    pub name: String,
    pub is_directory: bool,
}

/// Selects a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The work tree if there is one, otherwise the commit.
    Usual,
    /// The work tree, without ignored files.
    WorkTree,
    Index,
    /// The commit that `HEAD` points at.
    Head,
}

/// Tells whether a file or directory of that name is wanted. The second argument is true for a
/// directory.
pub type Wanted<'a> = dyn Fn(&str, bool) -> bool + 'a;

/// The kind of thing at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Nothing,
    File,
    /// Something else, or something that only a link leads to.
    Other,
}

/// A file that is only useful as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whole {
    /// The file does not exist.
    Absent,
    /// Something else is at the path, or only a link leads to it.
    NoFile,
    /// The file has more bytes than the limit.
    TooLong,
    /// The whole file.
    Bytes(Vec<u8>),
}

/// A tree of sources.
pub trait SourceTree {
    /// Lists the wanted entries of a directory, sorted. The top is the empty path, and a directory
    /// that does not exist is empty. An entry that is not wanted costs nothing.
    fn list(&self, directory: &str, wanted: &Wanted<'_>) -> Result<Vec<Node>, ReadError>;

    /// Tells the kind of thing at a path.
    fn kind(&self, path: &str) -> Result<Kind, ReadError>;

    /// Returns the id of a file's content, if there is such a file.
    fn content_id(&self, path: &str) -> Result<Option<String>, ReadError>;

    /// Reads the beginning of a file, at most `bytes_max` bytes, if there is such a file.
    fn read(&self, path: &str, bytes_max: u64) -> Result<Option<Vec<u8>>, ReadError>;

    /// Reads a file of at most `bytes_max` bytes.
    fn read_whole(&self, path: &str, bytes_max: u64) -> Result<Whole, ReadError> {
        match self.kind(path)? {
            Kind::Nothing => return Ok(Whole::Absent),
            Kind::Other => return Ok(Whole::NoFile),
            Kind::File => {}
        }
        Ok(match self.read(path, bytes_max.saturating_add(1))? {
            None => Whole::Absent,
            Some(bytes) if bytes.len() as u64 > bytes_max => Whole::TooLong,
            Some(bytes) => Whole::Bytes(bytes),
        })
    }
}

/// A tree without one of its directories. Agents are generated into that directory because of the
/// domain of the tree, and must not change the domain.
pub struct Without<'a> {
    pub tree: Box<dyn SourceTree + 'a>,
    pub directory: String,
}

impl SourceTree for Without<'_> {
    fn list(&self, directory: &str, wanted: &Wanted<'_>) -> Result<Vec<Node>, ReadError> {
        let (around, name) = self.directory.rsplit_once('/').unwrap_or(("", &self.directory));
        let is_it =
            |found: &str, is_directory: bool| is_directory && directory == around && found == name;
        self.tree.list(directory, &|found, is_directory| {
            !is_it(found, is_directory) && wanted(found, is_directory)
        })
    }

    fn kind(&self, path: &str) -> Result<Kind, ReadError> {
        self.tree.kind(path)
    }

    fn content_id(&self, path: &str) -> Result<Option<String>, ReadError> {
        self.tree.content_id(path)
    }

    fn read(&self, path: &str, bytes_max: u64) -> Result<Option<Vec<u8>>, ReadError> {
        self.tree.read(path, bytes_max)
    }
}

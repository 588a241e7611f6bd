//! A tree of sources, whatever it is made of: files and directories by name. Links, and what git
//! ignores, are not in it, and nothing is read through a link.

use crate::core::documents::ReadError;

/// A file or directory of a tree.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// Whether it is a directory.
    pub is_directory: bool,
}

/// Whether a file or directory of that name is worth a look.
pub type Wanted<'a> = dyn Fn(&str, bool) -> bool + 'a;

/// What is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing.
    Nothing,
    /// A file.
    File,
    /// Something else, or something that only a link leads to.
    Other,
}

/// A file that is of use as a whole or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whole {
    /// There is none.
    Absent,
    /// What is there is no file, or only a link leads to it.
    NoFile,
    /// There is more of it than is read.
    TooLong,
    /// All of it.
    Bytes(Vec<u8>),
}

/// A tree of sources.
pub trait SourceTree {
    /// What is wanted of what is in a directory, sorted; the top is the empty path, and what is not
    /// there is empty. What is not wanted costs nothing.
    fn list(&self, directory: &str, wanted: &Wanted<'_>) -> Result<Vec<Node>, ReadError>;

    /// What is at a path.
    fn kind(&self, path: &str) -> Result<Kind, ReadError>;

    /// The id of a file's content; none if there is no such file.
    fn content_id(&self, path: &str) -> Result<Option<String>, ReadError>;

    /// The beginning of a file, at most so many bytes; none if there is no such file.
    fn read(&self, path: &str, bytes_max: u64) -> Result<Option<Vec<u8>>, ReadError>;

    /// A file of at most so many bytes.
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

/// A tree as if one of its directories were not there: the one that files are put into because of
/// what the tree is must not make it something else.
pub struct Without<'a> {
    /// The tree.
    pub tree: Box<dyn SourceTree + 'a>,
    /// The path of the directory.
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

//! The work tree without ignored files.
//!
//! Only directories that a caller asks for are listed, and the ignore rules are applied only to
//! untracked paths: nearly all paths are tracked, and a rule costs more than the lookup.

use std::cell::OnceCell;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::tracked::Tracked;
use super::unreadable;
use crate::core::documents::ReadError;
use crate::core::domain::source_tree::{Kind, Node, SourceTree, Wanted};
use crate::store::error::StoreError;
use crate::store::git::object::{Object, ObjectKind};
use crate::store::git::repository::{Reader, Repository, WorkTree};
use crate::store::os::files::{Entry, EntryType, Files};

/// The maximum size of a file that is hashed in memory. Git hashes longer ones.
const CONTENT_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// The maximum number of directories that are searched for a file that is not ignored.
const SEARCHED_MAX: usize = 200;
const GIT: &str = ".git";

pub(super) struct WorkTreeSources<'a> {
    repository: &'a Repository,
    top: &'a Path,
    tracked: Tracked,
    files: Files,
    /// The paths that are neither tracked nor ignored, if only git can list them.
    untracked: OnceCell<Tracked>,
}

impl<'a> WorkTreeSources<'a> {
    pub(super) fn new(
        repository: &'a Repository,
        tree: &'a WorkTree,
        tracked: Tracked,
        files: Files,
    ) -> WorkTreeSources<'a> {
        WorkTreeSources { repository, top: &tree.top, tracked, files, untracked: OnceCell::new() }
    }

    fn path(&self, path: &str) -> PathBuf {
        if path.is_empty() { self.top.to_owned() } else { self.top.join(OsStr::new(path)) }
    }

    fn entries(&self, directory: &str) -> Result<Vec<Entry>, StoreError> {
        let entries = self.files.entries(&self.path(directory))?;
        // A nested repository is a tree of its own.
        let is_other = !directory.is_empty() && entries.iter().any(|entry| entry.name == GIT);
        Ok(if is_other { Vec::new() } else { entries })
    }

    /// Tells whether git counts a path as part of the tree.
    fn counts(&self, path: &str, is_directory: bool) -> Result<bool, StoreError> {
        if is_directory {
            if self.tracked.is_submodule(path.as_bytes()) {
                return Ok(false);
            }
            return Ok(self.tracked.has_below(path.as_bytes()) || self.has_any_file(path)?);
        }
        Ok(self.tracked.get(path.as_bytes()).is_some() || !self.is_ignored(path, false)?)
    }

    /// Tells whether a directory without tracked paths has a file that is not ignored. Git does not
    /// track empty directories.
    fn has_any_file(&self, directory: &str) -> Result<bool, StoreError> {
        let mut pending = vec![directory.to_owned()];
        let mut searched = 0;
        while let Some(directory) = pending.pop() {
            searched += 1;
            if searched > SEARCHED_MAX {
                return Ok(true);
            }
            if self.is_ignored(&directory, true)? {
                continue;
            }
            for entry in self.entries(&directory)? {
                let Some(name) = entry.name.to_str() else { continue };
                let path = format!("{directory}/{name}");
                match entry.kind {
                    EntryType::Directory => pending.push(path),
                    EntryType::File if !self.is_ignored(&path, false)? => return Ok(true),
                    EntryType::File | EntryType::Other => {}
                }
            }
        }
        Ok(false)
    }

    fn is_ignored(&self, path: &str, is_directory: bool) -> Result<bool, StoreError> {
        match self.repository.reader() {
            Reader::LibGit2(git) if is_directory => Ok(git.is_path_ignored(format!("{path}/"))?),
            Reader::LibGit2(git) => Ok(git.is_path_ignored(path)?),
            Reader::Program => {
                let untracked = self.untracked()?;
                let path = path.as_bytes();
                let is_listed = untracked.get(path).is_some() || untracked.has_below(path);
                Ok(!is_listed)
            }
        }
    }

    fn untracked(&self) -> Result<&Tracked, StoreError> {
        if let Some(untracked) = self.untracked.get() {
            return Ok(untracked);
        }
        let mut paths = self.repository.program().untracked(self.top)?;
        paths.sort_unstable();
        let mut untracked = Tracked::default();
        let nothing = Object { kind: ObjectKind::Blob, bytes: Vec::new() };
        let id = nothing.id(self.repository.hash_kind());
        for path in paths {
            untracked.push(&path, 0, id);
        }
        Ok(self.untracked.get_or_init(|| untracked))
    }
}

impl SourceTree for WorkTreeSources<'_> {
    fn list(&self, directory: &str, wanted: &Wanted<'_>) -> Result<Vec<Node>, ReadError> {
        let mut nodes = Vec::new();
        for entry in self.entries(directory).map_err(unreadable)? {
            let is_directory = match entry.kind {
                EntryType::Directory => true,
                EntryType::File => false,
                EntryType::Other => continue,
            };
            // Skips a name that is not UTF-8, as the other trees do.
            let Some(name) = entry.name.to_str().filter(|name| *name != GIT) else { continue };
            if !wanted(name, is_directory) {
                continue;
            }
            let path =
                if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") };
            if self.counts(&path, is_directory).map_err(unreadable)? {
                nodes.push(Node { name: name.to_owned(), is_directory });
            }
        }
        nodes.sort();
        Ok(nodes)
    }

    fn kind(&self, path: &str) -> Result<Kind, ReadError> {
        let ends = path.match_indices('/').map(|(end, _)| end).chain([path.len()]);
        for end in ends {
            let found = self.files.entry_type(&self.path(&path[..end])).map_err(unreadable)?;
            match (found, end == path.len()) {
                (None, _) => return Ok(Kind::Nothing),
                (Some(EntryType::Directory), false) => {}
                (Some(EntryType::File), true) => return Ok(Kind::File),
                (Some(_), _) => return Ok(Kind::Other),
            }
        }
        Ok(Kind::Other)
    }

    fn content_id(&self, path: &str) -> Result<Option<String>, ReadError> {
        let Some(bytes) = self.read(path, CONTENT_BYTES_MAX + 1)? else { return Ok(None) };
        if bytes.len() as u64 > CONTENT_BYTES_MAX {
            let program = self.repository.program();
            let id = program.hash_of(&self.path(path)).map_err(StoreError::from);
            return id.map(Some).map_err(unreadable);
        }
        let blob = Object { kind: ObjectKind::Blob, bytes };
        Ok(Some(blob.id(self.repository.hash_kind()).to_string()))
    }

    fn read(&self, path: &str, bytes_max: u64) -> Result<Option<Vec<u8>>, ReadError> {
        // A path from the configuration has not been checked for links on the way to it.
        if self.kind(path)? != Kind::File {
            return Ok(None);
        }
        self.files.read_start(&self.path(path), bytes_max).map_err(unreadable)
    }
}

//! Refs in files: read, and moved by compare-and-swap under git's own protocol.
//!
//! The correctness of the whole program rests on this module. It creates `<ref>.lock` exclusively,
//! compares the ref's value while it holds the lock, and renames the lock to the ref. git, libgit2
//! and this program exclude each other this way. Repositories with `reftable` refs have no such
//! files and do not use this module.

mod file_refs;
mod lock;
mod name;
mod packed;
mod stale;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use crate::store::git::object::{HashKind, ObjectId};
use crate::store::git::signature::{Draft, Signatures};
use crate::store::layout::NAMESPACE;
use crate::store::os::files::{FileError, Files};
pub use file_refs::FileRefs;
use lock::RefLock;
pub use name::{NotARefName, RefName};
use packed::PackedRefs;
pub use stale::{Holder, LockFiles, MovedAside, SeenLock};

/// The maximum length of a loose ref, which holds an id in hexadecimal and a newline.
const LOOSE_LENGTH_MAX: u64 = 4096;
/// The maximum length of `packed-refs`: two million refs. git itself is slow long before.
const PACKED_LENGTH_MAX: u64 = 256 << 20;

/// The reason that a ref could not be read or moved.
#[derive(Debug, thiserror::Error)]
pub enum RefError {
    /// The ref points at another ref. Ours never do.
    #[error("'{0}' is a symbolic ref")]
    Symbolic(RefName),
    /// The file of the ref does not hold an object id.
    #[error("'{0}' does not hold an object id")]
    Broken(RefName),
    /// git did not write this `packed-refs`.
    #[error("the line of '{0}' in packed-refs does not hold an object id")]
    BrokenPacked(RefName),
    /// A ref `a` and a ref `a/b` cannot both exist.
    #[error("'{name}' cannot be created beside '{other}'")]
    InTheWay {
        /// The ref to be created.
        name: RefName,
        /// The existing ref, or directory of refs.
        other: String,
    },
    #[error(transparent)]
    File(#[from] FileError),
}

/// The outcome of a compare-and-swap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "only `Done` means that the ref moved"]
pub enum Swap {
    /// The ref has the new value.
    Done,
    /// The ref did not have the expected value, or the lock was taken away, so that it may not.
    /// Nothing was changed.
    Moved,
    /// Another process holds the ref's lock. Nothing was changed.
    Locked,
}

/// The reflog line for a move. It is written only if the ref has a reflog.
#[derive(Clone, Copy, Debug)]
pub struct LogNote<'a> {
    /// `name <mail> seconds zone`, as in a commit.
    pub committer: &'a str,
    /// One line.
    pub message: &'a str,
}

/// The new value of a ref.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    new: ObjectId,
    /// A file that holds the new value already.
    draft: Option<&'a Draft>,
}

impl From<ObjectId> for Target<'_> {
    fn from(new: ObjectId) -> Self {
        Target { new, draft: None }
    }
}

impl<'a> From<&'a Draft> for Target<'a> {
    /// Takes a draft that has been written to disk.
    fn from(draft: &'a Draft) -> Self {
        Target { new: draft.new, draft: Some(draft) }
    }
}

/// The refs of one repository.
#[derive(Clone, Debug)]
pub struct Refs {
    common: PathBuf,
    hash: HashKind,
    files: Files,
}

impl Refs {
    pub fn new(common: &Path, hash: HashKind, files: Files) -> Refs {
        Refs { common: common.to_owned(), hash, files }
    }

    /// Reads the object that a ref points at; `None` if the ref does not exist.
    pub fn read(&self, name: &RefName) -> Result<Option<ObjectId>, RefError> {
        if let Some(id) = self.read_once(name)? {
            return Ok(Some(id));
        }
        // Not found in either place: the ref can have moved from one to the other between the two
        // reads.
        self.read_loose(name)
    }

    /// Lists the names of the refs below a directory of refs, which ends with `/`. Loose ones come
    /// first: git packs a ref before it removes the file.
    pub fn below(&self, directory: &str) -> Result<Vec<String>, RefError> {
        let mut names = BTreeSet::new();
        let mut open = vec![directory.to_owned()];
        while let Some(directory) = open.pop() {
            for (name, kind) in self.files.list_kinds(&self.common.join(&directory))? {
                let Some(name) = name.to_str() else { continue };
                if kind.is_dir() {
                    open.push(format!("{directory}{name}/"));
                } else {
                    names.insert(format!("{directory}{name}"));
                }
            }
        }
        names.extend(self.packed()?.below(directory));
        // Among the files of refs are those of their locks.
        Ok(names.into_iter().filter(|name| name.parse::<RefName>().is_ok()).collect())
    }

    /// Moves a ref from `expect` to its new value, or creates it if `expect` is `None`. A power cut
    /// can undo the move until [`Refs::sync_ref`] returns.
    pub fn swap<'a>(
        &self,
        name: &RefName,
        expect: Option<ObjectId>,
        to: impl Into<Target<'a>>,
        note: &LogNote<'_>,
    ) -> Result<Swap, RefError> {
        let to = to.into();
        let Some(lock) = self.lock(name, to)? else { return Ok(Swap::Locked) };
        let loose = self.read_loose(name)?;
        if self.or_packed(name, loose)? != expect {
            return Ok(Swap::Moved);
        }
        if expect.is_none() {
            self.check_nothing_in_the_way(name)?;
        }
        if loose.is_none() {
            self.sync_parents(name)?;
        }
        self.append_log(name, expect, to.new, note)?;
        self.commit(lock, name)
    }

    /// Reads the start of a ref's file without parsing it; `None` if there is no file.
    pub fn raw(&self, name: &RefName) -> Result<Option<Vec<u8>>, RefError> {
        Ok(self.files.read_start(&self.path(name), LOOSE_LENGTH_MAX)?)
    }

    /// Moves a ref that is unreadable, if its file still begins with `broken`.
    pub fn replace_broken<'a>(
        &self,
        name: &RefName,
        broken: &[u8],
        to: impl Into<Target<'a>>,
        note: &LogNote<'_>,
    ) -> Result<Swap, RefError> {
        let to = to.into();
        let Some(lock) = self.lock(name, to)? else { return Ok(Swap::Locked) };
        if self.raw(name)?.unwrap_or_default() != broken || self.read_once(name).is_ok() {
            return Ok(Swap::Moved);
        }
        self.append_log(name, None, to.new, note)?;
        self.commit(lock, name)
    }

    /// Reads the loose ref, then `packed-refs`. The result is exact while the ref's lock is held:
    /// git removes a loose ref only under that lock, and only after it is in `packed-refs`.
    fn read_once(&self, name: &RefName) -> Result<Option<ObjectId>, RefError> {
        self.or_packed(name, self.read_loose(name)?)
    }

    fn or_packed(
        &self,
        name: &RefName,
        loose: Option<ObjectId>,
    ) -> Result<Option<ObjectId>, RefError> {
        if loose.is_some() { Ok(loose) } else { self.packed()?.find(name, self.hash) }
    }

    fn read_loose(&self, name: &RefName) -> Result<Option<ObjectId>, RefError> {
        let content = match self.files.read(&self.path(name), LOOSE_LENGTH_MAX) {
            Ok(Some(content)) => content,
            Ok(None) => return Ok(None),
            // A directory of refs below this name, or an empty one that is left of it.
            Err(error) if error.kind() == io::ErrorKind::IsADirectory => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                return Err(RefError::Broken(name.clone()));
            }
            Err(error) => return Err(error.into()),
        };
        if content.starts_with(b"ref:") {
            return Err(RefError::Symbolic(name.clone()));
        }
        let id = packed::leading_id(&content, self.hash);
        id.map(Some).ok_or_else(|| RefError::Broken(name.clone()))
    }

    fn packed(&self) -> Result<PackedRefs, FileError> {
        let path = self.common.join("packed-refs");
        let content = self.files.read(&path, PACKED_LENGTH_MAX)?;
        Ok(PackedRefs::new(content.unwrap_or_default()))
    }

    /// Checks that no packed ref conflicts with a new one. For loose refs the file system does.
    fn check_nothing_in_the_way(&self, name: &RefName) -> Result<(), RefError> {
        match self.packed()?.conflicting(name) {
            Some(other) => Err(RefError::InTheWay { name: name.clone(), other }),
            None => Ok(()),
        }
    }

    /// Renames the lock to the ref.
    fn commit(&self, lock: RefLock, name: &RefName) -> Result<Swap, RefError> {
        let path = self.path(name);
        if self.files.is_directory(&path)? && self.files.remove_empty_directories(&path).is_err() {
            let other = format!("{name}/");
            return Err(RefError::InTheWay { name: name.clone(), other });
        }
        Ok(if lock.rename_to(&path)? { Swap::Done } else { Swap::Moved })
    }

    /// Syncs the last move of a ref to disk, so that a power cut cannot undo it. This is not part
    /// of the move: other writers can continue meanwhile, and their sync includes this one.
    pub fn sync_ref(&self, name: &RefName) -> Result<(), FileError> {
        let path = self.path(name);
        path.parent().map_or(Ok(()), |directory| self.files.sync_directory(directory))
    }

    /// Syncs the directories that lead to a ref. The process that creates a ref's file does so
    /// first: the directories may be new, and writers that replace the file rely on them.
    fn sync_parents(&self, name: &RefName) -> Result<(), FileError> {
        let mut parents: Vec<&str> = name.parents().collect();
        // The last one is synced once the file is in it.
        parents.pop();
        parents.iter().try_for_each(|parent| self.files.sync_directory(&self.common.join(parent)))
    }

    /// Appends to the reflog if the ref has one; its file exists if the user wants it. As in git,
    /// this comes before the move, and a reflog that cannot be written stops the move.
    fn append_log(
        &self,
        name: &RefName,
        old: Option<ObjectId>,
        new: ObjectId,
        note: &LogNote<'_>,
    ) -> Result<(), FileError> {
        let old = old.map_or_else(|| "0".repeat(self.hash.len() * 2), |id| id.to_string());
        let message = note.message.lines().next().unwrap_or_default();
        let line = format!("{old} {new} {}\t{message}\n", note.committer);
        let logs = self.common.join("logs");
        let path = logs.join(name.as_str());
        // The user may redirect all logs by a link, but not the directories of our own refs.
        let own = name.parents().filter(|parent| format!("{parent}/").starts_with(NAMESPACE));
        own.map(|parent| logs.join(parent))
            .chain([path.clone()])
            .try_for_each(|path| self.files.refuse_link(&path))?;
        self.files.append_existing(&path, line.as_bytes()).map(|_| ())
    }

    fn signatures(&self) -> Signatures {
        Signatures::new(&self.common, self.files)
    }

    fn path(&self, name: &RefName) -> PathBuf {
        self.common.join(name.as_str())
    }

    fn lock_path(&self, name: &RefName) -> PathBuf {
        self.common.join(format!("{name}.lock"))
    }
}

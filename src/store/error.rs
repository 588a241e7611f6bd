//! What can go wrong in the store. Contention is not among it: being busy is an outcome.

use std::path::PathBuf;

use crate::core::time::about;
use crate::store::git::object::{ObjectId, ObjectKind};
use crate::store::git::program::ProgramError;
use crate::store::git::refs::{NotARefName, RefError};
use crate::store::os::files::FileError;

/// A failure of the store; the text names the thing, and where there is one the way out.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no repository here.
    #[error("not a git repository (or any of the parent directories): '{}'", .0.display())]
    NotARepository(PathBuf),
    /// The repository belongs to somebody else.
    #[error(
        "the repository at '{path}' belongs to another user; \
         git config --global --add safe.directory '{path}' trusts it",
        path = .0.display()
    )]
    ForeignOwner(PathBuf),
    /// The repository is bare, and nobody has named it.
    #[error(
        "cannot use the bare repository '{path}', which nobody has named (safe.bareRepository is \
         'explicit'); git --git-dir='{path}' coord names it, and so does GIT_DIR",
        path = .0.display()
    )]
    BareNotNamed(PathBuf),
    /// The repository uses something that this program cannot read.
    #[error("this repository cannot be opened: git says: {0}; a newer git may know it")]
    Unsupported(String),
    /// Objects would go to a quarantine that is thrown away if the push fails.
    #[error("in a push's quarantine nothing can be written; run it in a post-receive hook instead")]
    Quarantine,
    /// Objects would not be where the ref is.
    #[error(
        "GIT_OBJECT_DIRECTORY names '{}', which is not this repository's own store; unset it",
        .0.display()
    )]
    ForeignObjects(PathBuf),
    /// State would leave the repository.
    #[error("'{}' is a symbolic link, and state is not kept through one; remove it", .0.display())]
    Symlink(PathBuf),
    /// There is no work tree here.
    #[error("there is no work tree here; run it in one")]
    NoWorkTree,
    /// A file would be written somewhere else.
    #[error("'{}' is a symbolic link, and nothing is written through one", .0.display())]
    LinkInTheWay(PathBuf),
    /// A ref that is no ledger.
    #[error("'{reference}' is damaged: {why}")]
    Damaged {
        /// Which ref.
        reference: String,
        /// What is wrong.
        why: String,
    },
    /// A damaged ledger of which nothing is left.
    #[error("'{reference}' is damaged, and no whole entry of it was found: {why}")]
    NothingWhole {
        /// Which ref.
        reference: String,
        /// What is wrong.
        why: String,
    },
    /// A ledger that seems to be damaged in another way each time.
    #[error(
        "'{reference}' is found in another state with each look, so nothing was repaired; \
         try again when nobody repacks this repository"
    )]
    Unsteady {
        /// Which ref.
        reference: String,
    },
    /// A ledger of which a shallow clone has the end only.
    #[error(
        "'{reference}' ends at entry {} in this shallow clone, and only a whole ledger can be \
         compacted; git fetch --unshallow <remote> {reference} gets the rest",
        at.short()
    )]
    CutOff {
        /// Which ref.
        reference: String,
        /// The oldest entry that is here.
        at: ObjectId,
    },
    /// Another process has what this one asked, and it is not known what became of it.
    #[error(
        "another process has taken this request on and has not ended for {}; whether it is written \
         will be in the log of '{reference}'",
        about(*waited_seconds)
    )]
    TakenOn {
        /// Which ledger.
        reference: String,
        /// How long it was waited for.
        waited_seconds: u64,
    },
    /// A ledger of a later version.
    #[error(
        "'{reference}' has format {found}, and this git-coord knows formats up to {known}; \
         nothing was changed; install a newer git-coord"
    )]
    NewerFormat {
        /// Which ref.
        reference: String,
        /// Its version.
        found: u64,
        /// The newest known one.
        known: u64,
    },
    /// An object that is named and not there.
    #[error("object {id} is missing")]
    Missing {
        /// Which.
        id: ObjectId,
    },
    /// An object that a partial clone left behind, and that could not be had.
    #[error(
        "object {id} is not in this partial clone and could not be fetched: {why}; \
         make its remote reachable and try again"
    )]
    NotFetched {
        /// Which.
        id: ObjectId,
        /// Git's own words.
        why: String,
    },
    /// An object that a partial clone left behind, and that is not asked for.
    #[error("object {id} is not in this partial clone and was not fetched: {why}")]
    FetchesNothing {
        /// Which.
        id: ObjectId,
        /// What stands in the way, and the way out.
        why: String,
    },
    /// An object of another kind than expected.
    #[error("object {id} is a {}, not a {}", found.name(), expected.name())]
    WrongKind {
        /// Which.
        id: ObjectId,
        /// What it is.
        found: ObjectKind,
        /// What it should be.
        expected: ObjectKind,
    },
    /// An object beyond the bound.
    #[error("object {id} has {size} bytes, more than this program reads")]
    TooLarge {
        /// Which.
        id: ObjectId,
        /// How large.
        size: usize,
    },
    /// An object that cannot be decoded.
    #[error("object {id} is damaged: {why}")]
    DamagedObject {
        /// Which.
        id: ObjectId,
        /// Why.
        why: String,
    },
    /// A file operation failed.
    #[error(transparent)]
    File(#[from] FileError),
    /// A ref could not be read or moved.
    #[error(transparent)]
    Ref(#[from] RefError),
    /// A name that no ref can have.
    #[error(transparent)]
    RefName(#[from] NotARefName),
    /// A file of ours is not what it should be.
    #[error("{0}")]
    Malformed(String),
    /// A file of git's is one that whoever reads it waits for.
    #[error("'{}' is a named pipe in the place of a file", .0.display())]
    Pipe(PathBuf),
    /// The git program failed.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// libgit2 failed.
    #[error("git: {}", .0.message())]
    Git(#[from] git2::Error),
    /// There is no source of random numbers.
    #[error("no random numbers: {0}")]
    Random(String),
}

impl StoreError {
    /// The file operation that failed, if it was one.
    pub fn file_error(&self) -> Option<&FileError> {
        match self {
            StoreError::File(error) | StoreError::Ref(RefError::File(error)) => Some(error),
            _ => None,
        }
    }

    /// Whether what is stored is not what it should be, as opposed to not being reached.
    pub fn is_damage(&self) -> bool {
        matches!(
            self,
            StoreError::Damaged { .. }
                | StoreError::Missing { .. }
                | StoreError::WrongKind { .. }
                | StoreError::TooLarge { .. }
                | StoreError::DamagedObject { .. }
                | StoreError::Ref(
                    RefError::Symbolic(_) | RefError::Broken(_) | RefError::BrokenPacked(_)
                )
        )
    }
}

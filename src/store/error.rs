//! The errors of the store. Contention is not one of them: being busy is an outcome.

use std::path::PathBuf;

use crate::core::time::about;
use crate::store::git::object::{ObjectId, ObjectKind};
use crate::store::git::program::ProgramError;
use crate::store::git::refs::{NotARefName, RefError};
use crate::store::os::files::FileError;

/// A failure of the store. The message names the subject and, if there is one, the remedy.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("not a git repository (or any of the parent directories): '{}'", .0.display())]
    NotARepository(PathBuf),
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
    /// Objects would go to a quarantine, which is discarded if the push fails.
    #[error("in a push's quarantine nothing can be written; run it in a post-receive hook instead")]
    Quarantine,
    /// Objects would not be in the same repository as the ref.
    #[error(
        "GIT_OBJECT_DIRECTORY names '{}', which is not this repository's own store; unset it",
        .0.display()
    )]
    ForeignObjects(PathBuf),
    /// State would leave the repository.
    #[error("'{}' is a symbolic link, and state is not kept through one; remove it", .0.display())]
    Symlink(PathBuf),
    #[error("there is no work tree here; run it in one")]
    NoWorkTree,
    /// A file would be written somewhere else.
    #[error("'{}' is a symbolic link, and nothing is written through one", .0.display())]
    LinkInTheWay(PathBuf),
    /// A ref that does not lead to a valid ledger.
    #[error("'{reference}' is damaged: {why}")]
    Damaged { reference: String, why: String },
    /// A damaged ledger without a whole entry.
    #[error("'{reference}' is damaged, and no whole entry of it was found: {why}")]
    NothingWhole { reference: String, why: String },
    /// A ledger whose damage differs each time it is examined.
    #[error(
        "'{reference}' is found in another state with each look, so nothing was repaired; \
         try again when nobody repacks this repository"
    )]
    Unsteady { reference: String },
    /// A ledger of which a shallow clone has only the newest entries.
    #[error(
        "'{reference}' ends at entry {} in this shallow clone, and only a whole ledger can be \
         compacted; git fetch --unshallow <remote> {reference} gets the rest",
        at.short()
    )]
    CutOff {
        reference: String,
        /// The oldest entry that exists here.
        at: ObjectId,
    },
    /// Another process has claimed the request, and the outcome is unknown.
    #[error(
        "another process has taken this request on and has not ended for {}; whether it is written \
         will be in the log of '{reference}'",
        about(*waited_seconds)
    )]
    OutcomeUnknown { reference: String, waited_seconds: u64 },
    /// A ledger of a later version.
    #[error(
        "'{reference}' has format {found}, and this git-coord knows formats up to {known}; \
         nothing was changed; install a newer git-coord"
    )]
    NewerFormat {
        reference: String,
        found: u64,
        /// The newest format that this version reads.
        known: u64,
    },
    /// A referenced object does not exist.
    #[error("object {id} is missing")]
    Missing { id: ObjectId },
    /// An object that a partial clone lacks could not be fetched.
    #[error(
        "object {id} is not in this partial clone and could not be fetched: {why}; \
         make its remote reachable and try again"
    )]
    NotFetched {
        id: ObjectId,
        /// Git's own message.
        why: String,
    },
    /// An object that a partial clone lacks may not be fetched.
    #[error("object {id} is not in this partial clone and was not fetched: {why}")]
    FetchForbidden {
        id: ObjectId,
        /// The reason, and the remedy.
        why: String,
    },
    #[error("object {id} is a {}, not a {}", found.name(), expected.name())]
    WrongKind { id: ObjectId, found: ObjectKind, expected: ObjectKind },
    #[error("object {id} has {size} bytes, more than this program reads")]
    TooLarge { id: ObjectId, size: usize },
    #[error("object {id} is damaged: {why}")]
    DamagedObject { id: ObjectId, why: String },
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Ref(#[from] RefError),
    #[error(transparent)]
    RefName(#[from] NotARefName),
    /// A file of ours, or something that a file names, is not valid.
    #[error("{0}")]
    Malformed(String),
    /// A named pipe in the place of a file of git's. Reading it would block.
    #[error("'{}' is a named pipe in the place of a file", .0.display())]
    Pipe(PathBuf),
    #[error(transparent)]
    Program(#[from] ProgramError),
    #[error("git: {}", .0.message())]
    Git(#[from] git2::Error),
    /// There is no source of random numbers.
    #[error("no random numbers: {0}")]
    Random(String),
}

impl StoreError {
    /// Returns the file operation that failed, if the error is one.
    pub fn file_error(&self) -> Option<&FileError> {
        match self {
            StoreError::File(error) | StoreError::Ref(RefError::File(error)) => Some(error),
            _ => None,
        }
    }

    /// Tells whether stored data is invalid or missing, as opposed to out of reach.
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

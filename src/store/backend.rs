//! What a ledger needs of git, and nothing more: so that libgit2 and others are interchangeable.

use std::fmt;

use crate::store::error::StoreError;
use crate::store::object::{HashKind, Object, ObjectId};
use crate::store::queue::QueueGuard;
pub use crate::store::refs::Swap;

/// A ref's change, and what it relies on.
#[derive(Clone, Copy, Debug)]
pub struct Update<'a> {
    /// Which ref.
    pub reference: &'a str,
    /// What it must be; `None` means that it must not exist.
    pub expect: Option<ObjectId>,
    /// What it is to be.
    pub new: ObjectId,
    /// Who, for the reflog, where there is one.
    pub committer: &'a str,
    /// Why, likewise.
    pub why: &'a str,
}

/// Objects that are stored and protected from garbage collection until they are released.
#[must_use = "objects are kept until they are released"]
pub trait Kept {
    /// Ends the protection: a ref names the objects now, or nobody will.
    fn release(self: Box<Self>) -> Result<(), StoreError>;
}

/// A repository as a ledger sees it.
pub trait Backend {
    /// The hash that names objects.
    fn hash_kind(&self) -> HashKind;

    /// What the ref points at.
    fn tip(&self, reference: &str) -> Result<Option<ObjectId>, StoreError>;

    /// An object, `None` if it is not there.
    fn read(&self, id: &ObjectId) -> Result<Option<Object>, StoreError>;

    /// Stores objects as one pack.
    fn store(&self, objects: &[Object]) -> Result<Box<dyn Kept + '_>, StoreError>;

    /// Moves a ref if it is what it is expected to be.
    fn swap(&self, update: Update<'_>) -> Result<Swap, StoreError>;

    /// Looks at the lock on a ref again, and sets it aside once it has stood still for so long
    /// that its maker must be gone; says what it did. Only for the one whose turn it is.
    fn watch_lock(&self, reference: &str, place: &QueueGuard)
    -> Result<Option<String>, StoreError>;

    /// Tidies what earlier writers left behind. Nothing depends on it.
    fn maintain(&self) -> Result<(), StoreError>;
}

impl fmt::Debug for dyn Backend + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Backend")
    }
}

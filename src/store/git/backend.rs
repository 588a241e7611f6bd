//! What a ledger needs of git, and nothing more: so that libgit2 and the `git` program are
//! interchangeable.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::core::ledger::LedgerName;
use crate::store::error::StoreError;
use crate::store::git::object::{HashKind, NewObjects, Object, ObjectId};
use crate::store::git::packs::{Budget, Kept};
pub use crate::store::git::refs::Swap;
use crate::store::git::refs::{LogNote, RefName};
use crate::store::git::signature::Draft;

/// A ref's change, and what it relies on.
#[derive(Clone, Copy, Debug)]
pub struct Update<'a> {
    /// Which ref.
    pub reference: &'a str,
    /// What it must be; `None` means that it must not exist.
    pub expect: Option<ObjectId>,
    /// What it must hold instead, where it holds nothing that can be read.
    pub over: Option<&'a [u8]>,
    /// What it is to be.
    pub new: ObjectId,
    /// Who and why, for the reflog, where there is one.
    pub note: LogNote<'a>,
}

impl<'a> Update<'a> {
    /// The change of a ref that can be read, or is not there yet.
    pub fn new(
        reference: &'a str,
        expect: Option<ObjectId>,
        new: ObjectId,
        note: LogNote<'a>,
    ) -> Update<'a> {
        Update { reference, expect, over: None, new, note }
    }
}

/// Objects that are stored and protected from garbage collection until they are released, and
/// what a ref is to hold that will lead to them.
#[must_use = "objects are kept until they are released"]
#[derive(Debug)]
pub struct Stored {
    /// The protection; dropped before what tells whose it is.
    pub kept: Kept,
    /// The ref's next value, where such things are files. It signs the protection.
    pub draft: Option<Draft>,
}

impl Stored {
    /// Ends the protection: a ref names the objects now, or nobody will.
    pub fn release(self) -> Result<(), StoreError> {
        Ok(self.kept.release()?)
    }
}

/// A lock that stands in the way of a swap, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InTheWay {
    /// What it is called.
    pub lock: String,
    /// Whose it is and what to do about it, if there is something to say.
    pub whose: Option<String>,
}

/// Where objects are read from.
pub trait ReadObjects {
    /// An object, `None` if it is not there.
    fn read(&self, id: &ObjectId) -> Result<Option<Object>, StoreError>;
}

/// Where refs are read and moved; as in [`Backend`], which hands on to it.
pub trait MoveRefs {
    /// What the ref points at.
    fn tip(&self, name: &RefName) -> Result<Option<ObjectId>, StoreError>;

    /// What it holds where that is no object's name; none if there is nothing to be had.
    fn raw(&self, name: &RefName) -> Result<Option<Vec<u8>>, StoreError>;

    /// A file for what a ref is to hold, to be written before the ref is moved; none where git
    /// sees to that.
    fn draft(&self, new: ObjectId) -> Option<Draft>;

    /// Moves it if it is what it is expected to be, to what the draft says if that is the same.
    fn swap(
        &self,
        name: &RefName,
        update: Update<'_>,
        draft: Option<&Draft>,
    ) -> Result<Swap, StoreError>;

    /// Makes the move outlive a power cut.
    fn settle(&self, name: &RefName) -> Result<(), StoreError>;

    /// Takes away the lock on it if whoever had it is dead.
    fn clear_lock(&self, name: &RefName) -> Result<Option<String>, StoreError>;

    /// What its lock is called, and whose it is.
    fn lock_of(&self, name: &RefName) -> InTheWay;

    /// Whether a move ends with the process that makes it.
    fn ends_with_us(&self) -> bool;
}

/// Objects under their names.
pub trait Objects {
    /// The hash that names them.
    fn hash_kind(&self) -> HashKind;

    /// An object, `None` if it is not there, which takes more than one look to say.
    fn read(&self, id: &ObjectId) -> Result<Option<Object>, StoreError>;

    /// An object that may well not be there, and need not be: one look.
    fn look(&self, id: &ObjectId) -> Result<Option<Object>, StoreError>;
}

/// A repository as a ledger sees it.
pub trait Backend: Objects {
    /// What the ref points at.
    fn tip(&self, reference: &str) -> Result<Option<ObjectId>, StoreError>;

    /// What a ref holds that cannot be read; none if there is nothing to be had.
    fn raw(&self, reference: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// Every commit that there is, whether or not anything leads to it.
    fn every_commit(&self) -> Result<Vec<ObjectId>, StoreError>;

    /// The names of the refs that begin like this.
    fn refs_below(&self, prefix: &str) -> Result<Vec<String>, StoreError>;

    /// Whether everything that an object leads to is there.
    fn is_connected(&self, id: &ObjectId) -> Result<bool, StoreError>;

    /// From now on, what is not found is looked for again for that long.
    fn be_patient(&self, patience: Duration);

    /// The room on disk of the history that ends with a commit, without what that commit needs.
    fn room_of_history(&self, end: &ObjectId) -> Result<u64, StoreError>;

    /// Keeps something damaged as a file under that name, and says where.
    fn keep_aside(&self, name: &str, content: &[u8]) -> Result<PathBuf, StoreError>;

    /// Whether reading may go over the network: this is a partial clone.
    fn may_fetch(&self) -> bool;

    /// Whether history ends at that commit, whatever parent it names: this is a shallow clone.
    fn is_cut_off_at(&self, commit: &ObjectId) -> Result<bool, StoreError>;

    /// Stores objects as one pack, and with it what a ref will hold that leads to them; none if
    /// they are not wanted any more once the disk has them.
    fn store(
        &self,
        objects: &NewObjects,
        next: ObjectId,
        is_wanted: &dyn Fn() -> bool,
    ) -> Result<Option<Stored>, StoreError>;

    /// Moves a ref if it is what it is expected to be, relying on what was stored, if anything was.
    fn swap(&self, update: Update<'_>, stored: Option<&Stored>) -> Result<Swap, StoreError>;

    /// Notes that an entry has become the newest of a ledger.
    fn note_published(&self, ledger: LedgerName, id: ObjectId) -> Result<(), StoreError>;

    /// The entries of a ledger that are known to have been the newest, the latest last.
    fn published(&self, ledger: LedgerName) -> Result<Vec<ObjectId>, StoreError>;

    /// Makes the last move of a ref outlive a power cut; until then it counts for everybody, but
    /// may not have been.
    fn settle(&self, reference: &str) -> Result<(), StoreError>;

    /// Takes away the lock on a ref if whoever had it is known to be dead; says what it did.
    fn clear_lock(&self, reference: &str) -> Result<Option<String>, StoreError>;

    /// What stands in the way of a swap that finds the ref locked.
    fn lock_of(&self, reference: &str) -> Result<InTheWay, StoreError>;

    /// Whether a move of a ref ends with the process that makes it: a git that was started for it
    /// may go on, when whoever started it has long been taken for dead.
    fn ends_with_us(&self) -> bool;

    /// Tidies what earlier writers left behind, within that budget. Nothing depends on it.
    fn maintain(&self, budget: Budget) -> Result<(), StoreError>;
}

impl fmt::Debug for dyn Backend + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Backend")
    }
}

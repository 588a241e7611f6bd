//! The interface that ledgers use of git. It is small, so that libgit2 and the `git` program are
//! interchangeable.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::core::ledger::LedgerName;
use crate::store::error::StoreError;
use crate::store::git::object::{HashKind, NewObjects, Object, ObjectId};
use crate::store::git::packs::{Budget, PackGuard};
pub use crate::store::git::refs::Swap;
use crate::store::git::refs::{LogNote, RefName};
use crate::store::git::signature::Draft;

/// The change of a ref, with its expected value.
#[derive(Clone, Copy, Debug)]
pub struct Update<'a> {
    /// The full name of the ref.
    pub reference: &'a str,
    /// The expected value; `None` means that the ref must not exist.
    pub expect: Option<ObjectId>,
    /// The expected content of an unreadable ref, instead of a value.
    pub over: Option<&'a [u8]>,
    /// The new value.
    pub new: ObjectId,
    /// The reflog line, if the ref has a reflog.
    pub note: LogNote<'a>,
}

impl<'a> Update<'a> {
    /// Describes the change of a ref that is readable or does not exist yet.
    pub fn new(
        reference: &'a str,
        expect: Option<ObjectId>,
        new: ObjectId,
        note: LogNote<'a>,
    ) -> Update<'a> {
        Update { reference, expect, over: None, new, note }
    }
}

/// Stored objects that are protected from garbage collection until they are released, with the next
/// value of the ref that will lead to them.
#[must_use = "objects are kept until they are released"]
#[derive(Debug)]
pub struct Stored {
    /// The protection. It is dropped before the draft, which identifies its owner.
    pub guard: PackGuard,
    /// The ref's next value, if refs are files. It signs the protection.
    pub draft: Option<Draft>,
}

impl Stored {
    /// Ends the protection: a ref leads to the objects now, or none ever will.
    pub fn release(self) -> Result<(), StoreError> {
        Ok(self.guard.release()?)
    }
}

/// A lock that blocks a swap, described for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockingLock {
    /// The name of the lock.
    pub lock: String,
    /// The holder and the remedy, if they are known.
    pub whose: Option<String>,
}

/// A source of objects.
pub trait ReadObjects {
    /// Reads an object; `None` if it does not exist.
    fn read(&self, id: &ObjectId) -> Result<Option<Object>, StoreError>;

    /// Reads the size of an object in one attempt; `None` if it does not exist here.
    fn size(&self, id: &ObjectId) -> Result<Option<u64>, StoreError>;
}

/// A store of refs. [`Backend`] delegates to it.
pub trait MoveRefs {
    /// Reads the object that the ref points at.
    fn tip(&self, name: &RefName) -> Result<Option<ObjectId>, StoreError>;

    /// Reads the content of a ref that is not an object id; `None` if it cannot be had.
    fn raw(&self, name: &RefName) -> Result<Option<Vec<u8>>, StoreError>;

    /// Lists the names of the refs below a directory of refs, which ends with `/`, in order.
    fn below(&self, directory: &str) -> Result<Vec<String>, StoreError>;

    /// Prepares a file with the next value of a ref, to be written before the move. Returns `None`
    /// if git writes it.
    fn draft(&self, new: ObjectId) -> Option<Draft>;

    /// Moves the ref if it has the expected value. Uses the draft if it holds the new value.
    fn swap(
        &self,
        name: &RefName,
        update: Update<'_>,
        draft: Option<&Draft>,
    ) -> Result<Swap, StoreError>;

    /// Makes the last move durable.
    fn sync_ref(&self, name: &RefName) -> Result<(), StoreError>;

    /// Moves the ref's lock out of the way if its holder is dead. Returns a message if it did.
    fn clear_lock(&self, name: &RefName) -> Result<Option<String>, StoreError>;

    /// Describes the ref's lock and its holder.
    fn lock_of(&self, name: &RefName) -> BlockingLock;

    /// Tells whether a move ends with the process that makes it.
    fn moves_in_process(&self) -> bool;
}

/// Objects by id.
pub trait Objects {
    fn hash_kind(&self) -> HashKind;

    /// Reads an object. Returns `None` only after several attempts have not found it.
    fn read(&self, id: &ObjectId) -> Result<Option<Object>, StoreError>;

    /// Reads an object that need not exist, in one attempt.
    fn look(&self, id: &ObjectId) -> Result<Option<Object>, StoreError>;
}

/// A repository as a ledger uses it.
pub trait Backend: Objects {
    /// Reads the size of an object in one attempt; `None` if it does not exist here. Nothing is
    /// fetched for it.
    fn size(&self, id: &ObjectId) -> Result<Option<u64>, StoreError>;

    /// Reads the object that a ref points at.
    fn tip(&self, reference: &str) -> Result<Option<ObjectId>, StoreError>;

    /// Reads the content of an unreadable ref; `None` if it cannot be had.
    fn raw(&self, reference: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// Lists all commits, reachable or not.
    fn all_commits(&self) -> Result<Vec<ObjectId>, StoreError>;

    /// Lists the refs whose names begin with `prefix`.
    fn refs_below(&self, prefix: &str) -> Result<Vec<String>, StoreError>;

    /// Tells whether every object that is reachable from this one exists.
    fn is_connected(&self, id: &ObjectId) -> Result<bool, StoreError>;

    /// Sets the time for which objects that are not found are searched again.
    fn set_retry_time(&self, time: Duration);

    /// Measures the disk space of the history up to a commit, without the objects that the commit's
    /// own tree needs.
    fn history_disk_usage(&self, end: &ObjectId) -> Result<u64, StoreError>;

    /// Measures the disk space of what no ref leads to any more once these refs are gone.
    fn disk_usage_without(&self, references: &[String]) -> Result<u64, StoreError>;

    /// Deletes a ref if it still has this value.
    fn delete_ref(&self, reference: &str, expect: &ObjectId) -> Result<(), StoreError>;

    /// Writes damaged content to a file of this name, and returns its path.
    fn write_backup(&self, name: &str, content: &[u8]) -> Result<PathBuf, StoreError>;

    /// Tells whether reading may access the network, because this is a partial clone.
    fn may_fetch(&self) -> bool;

    /// Tells whether the history ends at this commit although it has a parent, because this is a
    /// shallow clone.
    fn is_shallow_boundary(&self, commit: &ObjectId) -> Result<bool, StoreError>;

    /// Stores objects as one pack, together with the next value of the ref that will lead to them.
    /// Returns `None` if `is_wanted` is false once they are on disk.
    fn store(
        &self,
        objects: &NewObjects,
        next: ObjectId,
        is_wanted: &dyn Fn() -> bool,
    ) -> Result<Option<Stored>, StoreError>;

    /// Moves a ref if it has the expected value. `stored` holds the objects that the new value
    /// needs.
    fn swap(&self, update: Update<'_>, stored: Option<&Stored>) -> Result<Swap, StoreError>;

    /// Logs that an entry has become the newest of a ledger.
    fn log_published(&self, ledger: LedgerName, id: ObjectId) -> Result<(), StoreError>;

    /// Reads the log of a ledger's published entries, the latest last.
    fn published(&self, ledger: LedgerName) -> Result<Vec<ObjectId>, StoreError>;

    /// Makes the last move of a ref durable. Until then every reader sees the move, but a power cut
    /// may undo it.
    fn sync_ref(&self, reference: &str) -> Result<(), StoreError>;

    /// Moves a ref's lock out of the way if its holder is known to be dead. Returns a message if it
    /// did.
    fn clear_lock(&self, reference: &str) -> Result<Option<String>, StoreError>;

    /// Describes the lock that blocks a swap.
    fn lock_of(&self, reference: &str) -> Result<BlockingLock, StoreError>;

    /// Tells whether a move of a ref ends with the process that makes it. A git that was started
    /// for the move may continue after its parent has been taken for dead.
    fn moves_in_process(&self) -> bool;

    /// Cleans up after earlier writers, within the budget. Nothing depends on it.
    fn maintain(&self, budget: Budget) -> Result<(), StoreError>;
}

impl fmt::Debug for dyn Backend + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Backend")
    }
}

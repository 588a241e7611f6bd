//! Refs in files as a backend has them: with a memory of the locks that stood in the way.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::{Evidence, RefName, Refs, StaleLockWatch, Swap, Target};
use crate::store::backend::{MoveRefs, Update};
use crate::store::error::StoreError;
use crate::store::object::ObjectId;
use crate::store::queue::QueueGuard;
use crate::store::signature::Draft;

/// How long a lock on a ref must stand still before it counts as left behind.
const STALE_AFTER: Duration = Duration::from_secs(10);

/// The refs of one repository, and what was seen of their locks.
pub struct FileRefs {
    refs: Refs,
    watches: RefCell<BTreeMap<RefName, StaleLockWatch>>,
}

impl FileRefs {
    /// No lock was seen yet.
    pub fn new(refs: Refs) -> FileRefs {
        FileRefs { refs, watches: RefCell::default() }
    }
}

impl MoveRefs for FileRefs {
    fn tip(&self, name: &RefName) -> Result<Option<ObjectId>, StoreError> {
        Ok(self.refs.read(name)?)
    }

    fn raw(&self, name: &RefName) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.refs.raw(name)?)
    }

    fn draft(&self, new: ObjectId) -> Option<Draft> {
        self.refs.signatures().draft(new)
    }

    fn swap(
        &self,
        name: &RefName,
        update: Update<'_>,
        draft: Option<&Draft>,
    ) -> Result<Swap, StoreError> {
        let draft = draft.filter(|draft| draft.new == update.new);
        let to = draft.map_or_else(|| Target::from(update.new), Target::from);
        if let Some(broken) = update.over {
            return Ok(self.refs.mend(name, broken, to, &update.note)?);
        }
        Ok(self.refs.swap(name, update.expect, to, &update.note)?)
    }

    fn settle(&self, name: &RefName) -> Result<(), StoreError> {
        Ok(self.refs.settle(name)?)
    }

    fn watch_lock(&self, name: &RefName, place: &QueueGuard) -> Result<Option<String>, StoreError> {
        let mut watches = self.watches.borrow_mut();
        let watch = watches
            .entry(name.clone())
            .or_insert_with(|| StaleLockWatch::new(name.clone(), STALE_AFTER));
        let moved = watch.look(&self.refs, Instant::now(), place)?;
        Ok(moved.map(|moved| {
            let (lock, now_at) = (moved.lock.display(), moved.now_at.display());
            let why = match moved.evidence {
                Evidence::OwnerEnded => "was left by a process that has ended".to_owned(),
                Evidence::UnmovedFor(time) => format!("had not moved for {}s", time.as_secs()),
            };
            format!("'{lock}' {why} and was set aside as '{now_at}'")
        }))
    }

    fn lock_of(&self, name: &RefName) -> String {
        format!("{name}.lock")
    }

    fn ends_with_us(&self) -> bool {
        true
    }
}

//! Implements the backend's interface to refs for refs in files.

use super::{RefName, Refs, SeenLock, Swap, Target};
use crate::store::error::StoreError;
use crate::store::git::backend::{BlockingLock, MoveRefs, Update};
use crate::store::git::object::ObjectId;
use crate::store::git::signature::Draft;

/// The refs of one repository, as a backend uses them.
pub struct FileRefs {
    refs: Refs,
}

impl FileRefs {
    pub fn new(refs: Refs) -> FileRefs {
        FileRefs { refs }
    }
}

impl MoveRefs for FileRefs {
    fn tip(&self, name: &RefName) -> Result<Option<ObjectId>, StoreError> {
        Ok(self.refs.read(name)?)
    }

    fn raw(&self, name: &RefName) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.refs.raw(name)?)
    }

    fn below(&self, directory: &str) -> Result<Vec<String>, StoreError> {
        Ok(self.refs.below(directory)?)
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
            return Ok(self.refs.replace_broken(name, broken, to, &update.note)?);
        }
        Ok(self.refs.swap(name, update.expect, to, &update.note)?)
    }

    fn sync_ref(&self, name: &RefName) -> Result<(), StoreError> {
        Ok(self.refs.sync_ref(name)?)
    }

    fn clear_lock(&self, name: &RefName) -> Result<Option<String>, StoreError> {
        Ok(self.refs.clear_lock(name)?.map(|moved| {
            let (lock, now_at) = (moved.lock.display(), moved.now_at.display());
            format!("'{lock}' was left by a process that has ended and was set aside as '{now_at}'")
        }))
    }

    fn lock_of(&self, name: &RefName) -> BlockingLock {
        // Even if the lock cannot be inspected, its name is known.
        let seen = self.refs.seen_lock(name).ok().flatten();
        BlockingLock { lock: format!("{name}.lock"), whose: seen.as_ref().map(SeenLock::describe) }
    }

    fn moves_in_process(&self) -> bool {
        true
    }
}

//! The backend for repositories whose refs are files: libgit2 reads objects, our own code writes
//! packs and moves refs.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::{Duration, Instant};

use crate::core::limits::MESSAGE_BYTES_MAX;
use crate::store::backend::{Backend, Kept, Update};
use crate::store::error::StoreError;
use crate::store::files::Files;
use crate::store::layout::own_paths;
use crate::store::object::{HashKind, Object, ObjectId, ObjectKind};
use crate::store::pack::Pack;
use crate::store::packs::{self, Packs};
use crate::store::queue::QueueGuard;
use crate::store::refs::{LogNote, RefName, Refs, StaleLockWatch, Swap};
use crate::store::repository::Repository;

/// How long a lock on a ref must stand still before it counts as left behind.
const STALE_AFTER: Duration = Duration::from_secs(10);

/// A repository with SHA-1 objects and refs in files.
pub struct LibGit2 {
    git: Rc<git2::Repository>,
    packs: Packs,
    refs: Refs,
    watches: RefCell<BTreeMap<RefName, StaleLockWatch>>,
}

impl LibGit2 {
    /// The backend of an open repository. State is never kept outside of it, wherever a symbolic
    /// link may lead.
    pub fn open(repository: &Repository, files: Files) -> Result<LibGit2, StoreError> {
        let common = repository.common_dir();
        if let Some(link) = own_paths(common).into_iter().find(|path| path.is_symlink()) {
            return Err(StoreError::Symlink(link));
        }
        let hash = HashKind::Sha1;
        Ok(LibGit2 {
            git: repository.git(),
            packs: Packs::new(common, &common.join("objects"), hash, files),
            refs: Refs::new(common, hash, files),
            watches: RefCell::default(),
        })
    }

    fn read_once(&self, id: &ObjectId) -> Result<Option<Object>, StoreError> {
        let odb = self.git.odb()?;
        let oid = git2::Oid::from_bytes(id.as_bytes())?;
        let size = match odb.read_header(oid) {
            Ok((size, _)) => size,
            Err(error) if error.code() == git2::ErrorCode::NotFound => return Ok(None),
            Err(error) => return Err(damaged(id, &error)),
        };
        if size > MESSAGE_BYTES_MAX {
            return Err(StoreError::TooLarge { id: *id, size });
        }
        match odb.read(oid) {
            Ok(object) => {
                let kind = kind_of(object.kind()).ok_or(StoreError::Missing { id: *id })?;
                Ok(Some(Object { kind, bytes: object.data().to_vec() }))
            }
            Err(error) if error.code() == git2::ErrorCode::NotFound => Ok(None),
            Err(error) => Err(damaged(id, &error)),
        }
    }
}

fn damaged(id: &ObjectId, error: &git2::Error) -> StoreError {
    StoreError::DamagedObject { id: *id, why: error.message().to_owned() }
}

fn kind_of(kind: git2::ObjectType) -> Option<ObjectKind> {
    match kind {
        git2::ObjectType::Blob => Some(ObjectKind::Blob),
        git2::ObjectType::Tree => Some(ObjectKind::Tree),
        git2::ObjectType::Commit => Some(ObjectKind::Commit),
        git2::ObjectType::Tag => Some(ObjectKind::Tag),
        git2::ObjectType::Any => None,
    }
}

impl Kept for packs::Kept {
    fn release(self: Box<Self>) -> Result<(), StoreError> {
        Ok(packs::Kept::release(*self)?)
    }
}

impl Backend for LibGit2 {
    fn hash_kind(&self) -> HashKind {
        HashKind::Sha1
    }

    fn tip(&self, reference: &str) -> Result<Option<ObjectId>, StoreError> {
        Ok(self.refs.read(&reference.parse()?)?)
    }

    fn read(&self, id: &ObjectId) -> Result<Option<Object>, StoreError> {
        if let Ok(Some(object)) = self.read_once(id) {
            return Ok(Some(object));
        }
        // A concurrent repack moves objects from one pack to another: look once more before
        // believing that one is gone or damaged.
        self.git.odb()?.refresh()?;
        self.read_once(id)
    }

    fn store(&self, objects: &[Object]) -> Result<Box<dyn Kept + '_>, StoreError> {
        let pack = Pack::from_objects(objects, self.hash_kind());
        Ok(Box::new(self.packs.install(&pack)?))
    }

    fn swap(&self, update: Update<'_>) -> Result<Swap, StoreError> {
        let note = LogNote { committer: update.committer, message: update.why };
        Ok(self.refs.swap(&update.reference.parse()?, update.expect, update.new, &note)?)
    }

    fn watch_lock(
        &self,
        reference: &str,
        place: &QueueGuard,
    ) -> Result<Option<String>, StoreError> {
        let name: RefName = reference.parse()?;
        let mut watches = self.watches.borrow_mut();
        let watch =
            watches.entry(name.clone()).or_insert_with(|| StaleLockWatch::new(name, STALE_AFTER));
        let moved = watch.look(&self.refs, Instant::now(), place)?;
        Ok(moved.map(|moved| {
            let (lock, now_at) = (moved.lock.display(), moved.now_at.display());
            let seconds = moved.unmoved_for.as_secs();
            format!("'{lock}' had not moved for {seconds}s and was set aside as '{now_at}'")
        }))
    }

    fn maintain(&self) -> Result<(), StoreError> {
        self.packs.maintain()?;
        Ok(())
    }
}

//! Reads objects in process, through libgit2.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Once;

use crate::core::limits::MESSAGE_BYTES_MAX;
use crate::store::error::StoreError;
use crate::store::git::backend::ReadObjects;
use crate::store::git::object::{Object, ObjectId, ObjectKind};

/// The objects of a repository that libgit2 has opened.
pub struct LibGit2Objects {
    git: Rc<git2::Repository>,
}

impl LibGit2Objects {
    /// Reads from this repository.
    pub fn new(git: Rc<git2::Repository>) -> LibGit2Objects {
        // Snapshots cache the objects that they read. A second cache would only grow with the
        // history.
        git2::opts::enable_caching(false);
        LibGit2Objects { git }
    }

    fn read_once(&self, id: &ObjectId) -> Result<Option<Object>, StoreError> {
        let odb = self.git.odb()?;
        let oid = git2::Oid::from_bytes(id.as_bytes())?;
        let size = match size_of(&odb, oid) {
            Some(Ok(size)) => size,
            Some(Err(error)) if error.code() == git2::ErrorCode::NotFound => return Ok(None),
            Some(Err(error)) => return Err(damaged(id, &error)),
            None => {
                let why = "it is of no known kind".to_owned();
                return Err(StoreError::DamagedObject { id: *id, why });
            }
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

/// Reads the size of an object; `None` if git has no such kind of object. A damaged index can lead
/// to one, and git2 panics on it.
fn size_of(odb: &git2::Odb<'_>, oid: git2::Oid) -> Option<Result<usize, git2::Error>> {
    thread_local!(static IS_EXPECTED: Cell<bool> = const { Cell::new(false) });
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !IS_EXPECTED.get() {
                before(info);
            }
        }));
    });
    IS_EXPECTED.set(true);
    let read = catch_unwind(AssertUnwindSafe(|| odb.read_header(oid)));
    IS_EXPECTED.set(false);
    read.ok().map(|read| read.map(|(size, _)| size))
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

impl ReadObjects for LibGit2Objects {
    fn read(&self, id: &ObjectId) -> Result<Option<Object>, StoreError> {
        if let Ok(Some(object)) = self.read_once(id) {
            return Ok(Some(object));
        }
        // A concurrent repack moves objects between packs: refresh and read again before the object
        // counts as missing or damaged.
        self.git.odb()?.refresh()?;
        self.read_once(id)
    }

    fn size(&self, id: &ObjectId) -> Result<Option<u64>, StoreError> {
        let oid = git2::Oid::from_bytes(id.as_bytes())?;
        match size_of(&self.git.odb()?, oid) {
            Some(Ok(size)) => Ok(Some(size as u64)),
            Some(Err(error)) if error.code() != git2::ErrorCode::NotFound => {
                Err(damaged(id, &error))
            }
            _ => Ok(None),
        }
    }
}

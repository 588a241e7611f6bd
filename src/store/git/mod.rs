//! Git: a repository, and [`Git`], the backend of its ledgers.
//!
//! - [`repository`] finds and opens a repository, [`found`] tells which of those found may be used,
//!   [`unreadable_repository`] is one that cannot be opened;
//! - [`config`], [`config_entries`] and [`config_env`] read its configuration;
//! - [`backend`] is the interface for ledgers, which [`libgit2`] and the git [`program`] implement;
//! - [`object`], [`pack`], [`packs`] and [`refs`] are its objects and refs as bytes and files;
//!   [`signature`] identifies the process that wrote one of them;
//! - [`retry`] reads again before an object counts as missing.
//!
//! Our own code writes packs everywhere, because every git reads the same packs. libgit2 reads
//! objects, or the `git` program does if libgit2 cannot open the repository or would have to fetch.
//! Our own code moves refs that are files, and git moves all others: in a repository that stores
//! its refs elsewhere, a file would be a ref that no other program sees.

pub mod backend;
pub mod config;
pub mod config_entries;
pub mod config_env;
pub mod found;
pub mod libgit2;
pub mod object;
pub mod pack;
pub mod packs;
pub mod program;
pub mod refs;
pub mod repository;
pub mod retry;
mod shallow;
pub mod signature;
pub mod unreadable_repository;

use std::io;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use crate::core::ledger::LedgerName;
use crate::store::error::StoreError;
use crate::store::git::backend::{
    Backend, BlockingLock, MoveRefs, Objects, ReadObjects, Stored, Update,
};
use crate::store::git::libgit2::LibGit2Objects;
use crate::store::git::object::{HashKind, NewObjects, Object, ObjectId};
use crate::store::git::pack::Pack;
use crate::store::git::packs::{Budget, Packs};
use crate::store::git::program::Program;
use crate::store::git::program::config_overrides::Fetching;
use crate::store::git::program::objects::ProgramObjects;
use crate::store::git::program::refs::ProgramRefs;
use crate::store::git::program::rev_parse::RefStorage;
use crate::store::git::refs::{FileRefs, Refs, Swap};
use crate::store::git::repository::{Reader, Repository};
use crate::store::git::retry::RetryBudget;
use crate::store::git::shallow::Shallow;
use crate::store::layout::HelperDir;
use crate::store::ledger::published::Published;
use crate::store::os::files::{Files, Purpose};

/// The backend of one repository.
pub struct Git {
    hash: HashKind,
    objects: Rc<dyn ReadObjects>,
    /// Reads through git, which can fetch the objects that a partial clone lacks.
    fetching: Rc<ProgramObjects>,
    /// Reads through git without fetching, if the first way finds nothing.
    second: ProgramObjects,
    retries: RetryBudget,
    refs: Box<dyn MoveRefs>,
    packs: Packs,
    shallow: Shallow,
    published: Published,
    program: Program,
    damaged: PathBuf,
    files: Files,
}

impl Git {
    /// Opens the backend of a repository.
    pub fn open(repository: &Repository, files: Files) -> Result<Git, StoreError> {
        let common = repository.common_dir();
        if let Some(link) = repository.link_in_the_way() {
            return Err(StoreError::Symlink(link));
        }
        let hash = repository.hash_kind();
        let packs = Packs::new(common, &common.join("objects"), hash, files);
        let program = repository.common_program();
        let fetching = Rc::new(ProgramObjects::new(program.clone()));
        let objects: Rc<dyn ReadObjects> = match repository.reader() {
            Reader::LibGit2(git) => Rc::new(LibGit2Objects::new(Rc::clone(git))),
            Reader::Program => Rc::clone(&fetching) as _,
        };
        let refs: Box<dyn MoveRefs> = match repository.ref_storage() {
            RefStorage::Files => Box::new(FileRefs::new(Refs::new(common, hash, files))),
            other @ RefStorage::Other(_) => {
                let names = Rc::clone(&fetching);
                Box::new(ProgramRefs::new(program.clone(), names, other, common, files))
            }
        };
        let (shallow, damaged) = (Shallow::of(common, files), HelperDir::Damaged.below(common));
        let second = ProgramObjects::here(program.clone());
        let retries = RetryBudget::default();
        Ok(Git {
            hash,
            objects,
            fetching,
            second,
            retries,
            refs,
            packs,
            shallow,
            published: Published::new(common, files),
            program,
            damaged,
            files,
        })
    }
}

impl Git {
    /// Explains why a missing object cannot be fetched. An object that was left out on purpose is
    /// not lost, and its ledger is not damaged.
    fn refuse_to_fetch(&self, id: &ObjectId) -> Result<(), StoreError> {
        let why = match self.program.fetching() {
            Fetching::Never | Fetching::Allowed => return Ok(()),
            Fetching::NotNamed => format!(
                "nobody has named this bare repository; git --git-dir='{}' coord names it",
                self.program.git_dir().display()
            ),
            Fetching::NamesProgram => format!(
                "the repository's own configuration names a program for that (uploadpack), and \
                 nothing that a repository names is run; git cat-file -e {id} runs it"
            ),
        };
        Err(StoreError::FetchForbidden { id: *id, why })
    }
}

impl Objects for Git {
    fn hash_kind(&self) -> HashKind {
        self.hash
    }

    fn read(&self, id: &ObjectId) -> Result<Option<Object>, StoreError> {
        let look = || match self.look(id) {
            // If no index could be restored, the object stays missing and is reported so.
            Ok(None) if self.packs.rebuild_indexes().unwrap_or(false) => self.look(id),
            looked => looked,
        };
        self.retries.read(id, look, &self.second, retry::sleep)
    }

    fn look(&self, id: &ObjectId) -> Result<Option<Object>, StoreError> {
        match self.objects.read(id)? {
            None if self.may_fetch() => self.fetching.read(id),
            None if self.packs.has_promises() => self.refuse_to_fetch(id).map(|()| None),
            read => Ok(read),
        }
    }
}

impl Backend for Git {
    fn size(&self, id: &ObjectId) -> Result<Option<u64>, StoreError> {
        if self.packs.has_promises() { self.second.size(id) } else { self.objects.size(id) }
    }

    fn tip(&self, reference: &str) -> Result<Option<ObjectId>, StoreError> {
        self.refs.tip(&reference.parse()?)
    }

    fn raw(&self, reference: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.refs.raw(&reference.parse()?)
    }

    fn all_commits(&self) -> Result<Vec<ObjectId>, StoreError> {
        Ok(self.program.all_commits()?)
    }

    fn refs_below(&self, prefix: &str) -> Result<Vec<String>, StoreError> {
        self.refs.below(prefix)
    }

    fn is_connected(&self, id: &ObjectId) -> Result<bool, StoreError> {
        Ok(self.program.is_connected(id)?)
    }

    fn set_retry_time(&self, time: Duration) {
        self.retries.set(time);
    }

    fn history_disk_usage(&self, end: &ObjectId) -> Result<u64, StoreError> {
        Ok(self.program.history_disk_usage(end)?)
    }

    fn disk_usage_without(&self, references: &[String]) -> Result<u64, StoreError> {
        Ok(self.program.disk_usage_without(references)?)
    }

    fn delete_ref(&self, reference: &str, expect: &ObjectId) -> Result<(), StoreError> {
        Ok(self.program.delete_ref(reference, &expect.to_string())?)
    }

    fn write_backup(&self, name: &str, content: &[u8]) -> Result<PathBuf, StoreError> {
        self.files.make_directories(&self.damaged)?;
        for number in 1.. {
            let path = match number {
                1 => self.damaged.join(name),
                _ => self.damaged.join(format!("{name}-{number}")),
            };
            match self.files.write_new(&path, content, Purpose::State) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                other => return Ok(other.map(|()| path)?),
            }
        }
        unreachable!("there is always another number")
    }

    fn may_fetch(&self) -> bool {
        self.program.fetching() == Fetching::Allowed && self.packs.has_promises()
    }

    fn is_shallow_boundary(&self, commit: &ObjectId) -> Result<bool, StoreError> {
        Ok(self.shallow.names(commit)?)
    }

    fn store(
        &self,
        objects: &NewObjects,
        next: ObjectId,
        is_wanted: &dyn Fn() -> bool,
    ) -> Result<Option<Stored>, StoreError> {
        let pack = Pack::of_new(objects);
        let draft = self.refs.draft(next);
        let guard = self.packs.install_if(is_wanted, &pack, draft.as_ref())?;
        Ok(guard.map(|guard| Stored { guard, draft }))
    }

    fn swap(&self, update: Update<'_>, stored: Option<&Stored>) -> Result<Swap, StoreError> {
        let draft = stored.and_then(|stored| stored.draft.as_ref());
        self.refs.swap(&update.reference.parse()?, update, draft)
    }

    fn log_published(&self, ledger: LedgerName, id: ObjectId) -> Result<(), StoreError> {
        Ok(self.published.append(ledger, id)?)
    }

    fn published(&self, ledger: LedgerName) -> Result<Vec<ObjectId>, StoreError> {
        Ok(self.published.entries(ledger)?)
    }

    fn sync_ref(&self, reference: &str) -> Result<(), StoreError> {
        self.refs.sync_ref(&reference.parse()?)
    }

    fn clear_lock(&self, reference: &str) -> Result<Option<String>, StoreError> {
        self.refs.clear_lock(&reference.parse()?)
    }

    fn lock_of(&self, reference: &str) -> Result<BlockingLock, StoreError> {
        Ok(self.refs.lock_of(&reference.parse()?))
    }

    fn moves_in_process(&self) -> bool {
        self.refs.moves_in_process()
    }

    fn maintain(&self, budget: Budget) -> Result<(), StoreError> {
        self.packs.maintain(budget)?;
        Ok(())
    }
}

//! Refs that are not files: git itself reads and moves them.

use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::objects::ProgramObjects;
use super::{Program, ProgramError};
use crate::store::error::StoreError;
use crate::store::git::backend::{BlockingLock, MoveRefs, Swap, Update};
use crate::store::git::object::ObjectId;
use crate::store::git::program::rev_parse::RefStorage;
use crate::store::git::refs::{LockFiles, RefError, RefName, SeenLock};
use crate::store::git::signature::Draft;
use crate::store::os::files::Files;

/// Switches hooks off: no program of others may run while other writers wait.
const NO_HOOKS: [&str; 2] = ["-c", "core.hooksPath=/dev/null"];

/// The refs of a repository, accessed through git.
pub struct ProgramRefs {
    program: Program,
    objects: Rc<ProgramObjects>,
    fsync: bool,
    lock: String,
    /// The path of the lock, if it is a file.
    lock_file: Option<PathBuf>,
    locks: LockFiles,
}

impl ProgramRefs {
    /// Accesses the refs of a repository. The git that reads its objects also resolves its names.
    pub fn new(
        program: Program,
        objects: Rc<ProgramObjects>,
        storage: &RefStorage,
        common: &Path,
        files: Files,
    ) -> ProgramRefs {
        let name = storage.locks().into_iter().next();
        let lock_file = name.as_ref().map(|name| common.join(name));
        let unnamed = || format!("the lock on refs of the kind '{}'", storage.name());
        let (lock, locks) = (name.unwrap_or_else(unnamed), LockFiles::new(common, files));
        ProgramRefs { program, objects, fsync: files.fsync, lock, lock_file, locks }
    }

    /// Refuses a symbolic ref. Git would replace it by the entry, and nobody would learn that two
    /// refs were one.
    fn refuse_symbolic(&self, name: &RefName) -> Result<(), StoreError> {
        match self.program.ask(&["symbolic-ref", "--quiet", name.as_str()]) {
            Ok(_) => {
                let delete = format!("git symbolic-ref --delete {name}");
                let why = format!("'{name}' is a symbolic ref, not a ledger; delete it: {delete}");
                Err(StoreError::Malformed(why))
            }
            Err(ProgramError::Failed { words, .. }) if words.is_empty() => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Reads the value of a ref. `cat-file` reports a ref whose object is missing like a ref that
    /// does not exist. The difference matters: the first is damage, the second is a new ledger.
    fn value_of(&self, name: &RefName) -> Result<Option<ObjectId>, StoreError> {
        match self.program.ask(&["rev-parse", "--verify", "--quiet", name.as_str()]) {
            Ok(id) => match String::from_utf8_lossy(&id).trim_end().parse() {
                Ok(id) => Ok(Some(id)),
                Err(_) => Err(RefError::Broken(name.clone()).into()),
            },
            // Git is quiet about a missing ref only.
            Err(ProgramError::Failed { words, .. }) if words.is_empty() => Ok(None),
            Err(error) => self.refuse_symbolic(name).and(Err(error.into())),
        }
    }
}

impl Program {
    /// Deletes a ref if it still has this value.
    pub fn delete_ref(&self, name: &str, expect: &str) -> Result<(), ProgramError> {
        let delete = ["update-ref", "--no-deref", "-d", name, expect];
        self.ask(&[&NO_HOOKS[..], &delete].concat()).map(drop)
    }
}

impl MoveRefs for ProgramRefs {
    fn tip(&self, name: &RefName) -> Result<Option<ObjectId>, StoreError> {
        match self.objects.resolve(name.as_str())? {
            Some(id) => Ok(Some(id)),
            None => self.value_of(name),
        }
    }

    /// Returns `None`: only git knows the content of such a ref.
    fn raw(&self, _: &RefName) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(None)
    }

    fn below(&self, directory: &str) -> Result<Vec<String>, StoreError> {
        Ok(self.program.refs_below(directory)?)
    }

    /// Returns `None`: git writes the next value when it moves the ref.
    fn draft(&self, _: ObjectId) -> Option<Draft> {
        None
    }

    fn swap(
        &self,
        name: &RefName,
        update: Update<'_>,
        _: Option<&Draft>,
    ) -> Result<Swap, StoreError> {
        if update.over.is_some() {
            let delete = format!("git update-ref --no-deref -d {name}");
            let why = format!("'{name}' cannot be read; delete it: {delete}");
            return Err(StoreError::Malformed(why));
        }
        self.refuse_symbolic(name)?;
        let new = update.new.to_string();
        let expect = match update.expect {
            Some(id) => id.to_string(),
            None => "0".repeat(new.len()),
        };
        let fsync: &[&str] = if self.fsync { &["-c", "core.fsync=reference"] } else { &[] };
        let update_ref =
            ["update-ref", "--no-deref", "-m", update.note.message, name.as_str(), &new, &expect];
        let mut command = self.program.command(&[&NO_HOOKS, fsync, &update_ref].concat());
        if let Some((who, when)) = update.note.committer.rsplit_once('>') {
            let (name, email) = who.split_once('<').unwrap_or((who, ""));
            command.env("GIT_COMMITTER_NAME", name.trim()).env("GIT_COMMITTER_EMAIL", email);
            command.env("GIT_COMMITTER_DATE", when.trim());
        }
        // A signal to our process group must not kill git while it holds its lock, which would then
        // block everybody for good. Git only needs a moment.
        command.process_group(0);
        let Err(error) = super::answer(command) else { return Ok(Swap::Done) };
        // The ref's value decides; git's message only describes.
        let now = self.tip(name)?;
        match error {
            error if now == Some(update.new) => Err(error.into()),
            _ if now != update.expect => Ok(Swap::Moved),
            ProgramError::Failed { words, .. } if words.contains("cannot lock ref") => {
                Ok(Swap::Locked)
            }
            error => Err(error.into()),
        }
    }

    fn lock_of(&self, _: &RefName) -> BlockingLock {
        let seen = self.lock_file.as_ref().and_then(|path| self.locks.inspect(path).ok()?);
        BlockingLock { lock: self.lock.clone(), whose: seen.as_ref().map(SeenLock::describe) }
    }

    fn moves_in_process(&self) -> bool {
        false
    }

    /// Does nothing, because git has synced the ref.
    fn sync_ref(&self, _: &RefName) -> Result<(), StoreError> {
        Ok(())
    }

    /// Does nothing: the lock is git's, and one for the whole repository.
    fn clear_lock(&self, _: &RefName) -> Result<Option<String>, StoreError> {
        Ok(None)
    }
}

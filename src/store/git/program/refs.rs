//! Refs that are no files: read and moved by git itself.

use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::objects::ProgramObjects;
use super::{Program, ProgramError};
use crate::store::error::StoreError;
use crate::store::git::backend::{InTheWay, MoveRefs, Swap, Update};
use crate::store::git::object::ObjectId;
use crate::store::git::program::facts::RefStorage;
use crate::store::git::refs::{LockFiles, RefError, RefName, SeenLock};
use crate::store::git::signature::Draft;
use crate::store::os::files::Files;

/// Nobody else's program runs while others wait for us.
const NO_HOOKS: [&str; 2] = ["-c", "core.hooksPath=/dev/null"];

/// The refs of a repository as git knows them.
pub struct ProgramRefs {
    program: Program,
    objects: Rc<ProgramObjects>,
    fsync: bool,
    lock: String,
    /// Where that is, if it is a file.
    lock_file: Option<PathBuf>,
    locks: LockFiles,
}

impl ProgramRefs {
    /// The refs of that repository; names are looked up by the same git that reads its objects.
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

    /// Git would put the entry in its place, and nobody would learn that two refs were one.
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

    /// A ref whose object is missing counts as missing with `cat-file`, and so does no ref at all.
    /// The difference matters: the one is damage, the other the beginning of a ledger.
    fn value_of(&self, name: &RefName) -> Result<Option<ObjectId>, StoreError> {
        match self.program.ask(&["rev-parse", "--verify", "--quiet", name.as_str()]) {
            Ok(id) => match String::from_utf8_lossy(&id).trim_end().parse() {
                Ok(id) => Ok(Some(id)),
                Err(_) => Err(RefError::Broken(name.clone()).into()),
            },
            // Quiet about what is not there, and about nothing else.
            Err(ProgramError::Failed { words, .. }) if words.is_empty() => Ok(None),
            Err(error) => self.refuse_symbolic(name).and(Err(error.into())),
        }
    }
}

impl Program {
    /// Deletes a ref if it still has that value.
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

    /// What such a ref holds is known to git alone.
    fn raw(&self, _: &RefName) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(None)
    }

    /// Git writes what a ref is to hold when it moves it.
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
        // Whoever kills us and all that we started must not hit git while it holds its lock, which
        // would then stand in everybody's way for good. It is done in a moment.
        command.process_group(0);
        let Err(error) = super::answer(command) else { return Ok(Swap::Done) };
        // The value tells what the words only describe.
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

    fn lock_of(&self, _: &RefName) -> InTheWay {
        let seen = self.lock_file.as_ref().and_then(|path| self.locks.see(path).ok()?);
        InTheWay { lock: self.lock.clone(), whose: seen.as_ref().map(SeenLock::explained) }
    }

    fn ends_with_us(&self) -> bool {
        false
    }

    /// Git has seen to it.
    fn settle(&self, _: &RefName) -> Result<(), StoreError> {
        Ok(())
    }

    /// The lock on such refs is git's, and one for the whole repository. It is not ours to judge.
    fn clear_lock(&self, _: &RefName) -> Result<Option<String>, StoreError> {
        Ok(None)
    }
}

//! Installs a pack: `.keep` first, then `.pack`, then `.idx`.
//!
//! Readers find packs by their `.idx`. In this order the pack is protected before a reader can find
//! it, and complete as soon as one can.

use std::path::PathBuf;

use super::{PackName, Packs, Part};
use crate::store::git::object::ObjectId;
use crate::store::git::pack::Pack;
use crate::store::git::signature::Draft;
use crate::store::os::files::{FileError, Files, NewFile, Purpose};
use crate::store::os::process::ProcessIdentity;

/// The first word of our `.keep` files.
const PROGRAM: &str = "git-coord";

/// Protects an installed pack until a ref reaches it.
#[derive(Debug)]
#[must_use = "dropping it lets git gc delete the objects before a ref reaches them"]
pub struct PackGuard {
    name: PackName,
    path: PathBuf,
    files: Files,
    released: bool,
}

impl PackGuard {
    pub fn name(&self) -> &PackName {
        &self.name
    }

    /// Ends the protection, because the ref was moved or never will be. The pack itself stays.
    pub fn release(mut self) -> Result<(), FileError> {
        self.released = true;
        self.files.remove(&self.path).map(|_| ())
    }
}

impl Drop for PackGuard {
    /// Ends the protection of a writer that gives up. If this fails, the next writer sees that the
    /// process, or its signature, is gone.
    fn drop(&mut self) {
        if !self.released {
            self.files.remove(&self.path).ok();
        }
    }
}

impl Packs {
    /// Writes a pack into the repository, protected until the caller has moved its ref. Writes the
    /// ref's next value with it, which must outlive the protection.
    pub fn install(&self, pack: &Pack, next: Option<&Draft>) -> Result<PackGuard, FileError> {
        let name = self.stage(pack, next)?;
        self.show(name, next)
    }

    /// Installs a pack if it is still wanted once it is on disk. A staged pack that nobody has seen
    /// can be removed at once. An installed one cannot, because git may have listed it.
    pub fn install_if(
        &self,
        is_wanted: &dyn Fn() -> bool,
        pack: &Pack,
        next: Option<&Draft>,
    ) -> Result<Option<PackGuard>, FileError> {
        let name = self.stage(pack, next)?;
        if is_wanted() {
            return self.show(name, next).map(Some);
        }
        self.abandon(&name);
        Ok(None)
    }

    /// Writes the files of a pack to the staging directory, where nobody looks for packs.
    fn stage(&self, pack: &Pack, next: Option<&Draft>) -> Result<PackName, FileError> {
        let name = PackName::unique(pack.checksum);
        self.write(&name, pack, next).inspect_err(|_| self.abandon(&name))?;
        Ok(name)
    }

    fn write(&self, name: &PackName, pack: &Pack, next: Option<&Draft>) -> Result<(), FileError> {
        for directory in [self.staging(), self.directory.clone()] {
            self.files.make_directories(&directory)?;
        }
        let [staged_pack, staged_index] =
            [Part::Pack, Part::Index].map(|part| self.staged(name, part));
        let immutable = Purpose::Immutable;
        let mut files = vec![
            NewFile { path: &staged_pack, content: &pack.pack, purpose: immutable },
            NewFile { path: &staged_index, content: &pack.index, purpose: immutable },
        ];
        files.extend(next.map(Draft::file));
        self.files.write_all_new(&files)
    }

    /// Moves the staged files of a pack to where readers find them, protected.
    fn show(&self, name: PackName, next: Option<&Draft>) -> Result<PackGuard, FileError> {
        self.place(&name, next).inspect_err(|_| self.abandon(&name))?;
        let path = self.path(&name, Part::Keep);
        Ok(PackGuard { name, path, files: self.files, released: false })
    }

    fn place(&self, name: &PackName, next: Option<&Draft>) -> Result<(), FileError> {
        self.protect(name, next)?;
        for part in [Part::Pack, Part::Index] {
            self.files.rename(&self.staged(name, part), &self.path(name, part))?;
        }
        self.files.sync_directory(&self.directory)
    }

    /// Creates the `.keep` of a pack. Any file will do, and a link to an existing one saves
    /// creating another.
    fn protect(&self, name: &PackName, next: Option<&Draft>) -> Result<(), FileError> {
        let keep = self.path(name, Part::Keep);
        if let Some(next) = next
            && next.link(&keep)?
        {
            return Ok(());
        }
        let staged = self.staged(name, Part::Keep);
        let text = keep_text(ProcessIdentity::current());
        // Not synced: a power cut that loses the file also ends the process that it protects.
        self.files.write_new(&staged, text.as_bytes(), Purpose::Helper)?;
        self.files.rename(&staged, &keep)
    }

    /// Removes the files of a failed installation. Ignores errors: the caller reports the failure,
    /// and `maintain` removes what stays.
    fn abandon(&self, name: &PackName) {
        for part in Part::ALL {
            self.files.remove(&self.staged(name, part)).ok();
        }
        // A pack that has its index is in use, even if the directory could not be synced.
        if matches!(self.files.exists(&self.path(name, Part::Index)), Ok(false)) {
            self.files.remove(&self.path(name, Part::Pack)).ok();
        }
        self.files.remove(&self.path(name, Part::Keep)).ok();
    }
}

fn keep_text(process: &ProcessIdentity) -> String {
    format!("{PROGRAM} {process}\n")
}

/// The owner of a `.keep` file, according to its content.
pub(super) enum Keeper {
    /// This process.
    Named(ProcessIdentity),
    /// The process that signed it.
    Signer,
    /// Unknown, because the file is empty.
    Emptied,
    /// It is not one of ours.
    Other,
}

impl Keeper {
    pub(super) fn of(content: &[u8]) -> Keeper {
        if content.is_empty() {
            return Keeper::Emptied;
        }
        let Ok(text) = std::str::from_utf8(content) else { return Keeper::Other };
        if is_next_value(text) {
            return Keeper::Signer;
        }
        let process = text.strip_prefix(PROGRAM).and_then(|process| process.parse().ok());
        process.map_or(Keeper::Other, Keeper::Named)
    }
}

/// Tells whether the text is the next value of a ref.
fn is_next_value(text: &str) -> bool {
    text.strip_suffix('\n').is_some_and(|id| id.parse::<ObjectId>().is_ok())
}

//! How a pack appears: `.keep`, then `.pack`, then `.idx`.
//!
//! In this order the pack is protected before anybody can find it, and whole once anybody can,
//! because readers find packs by their `.idx`.

use std::path::PathBuf;

use super::{PackName, Packs, Part};
use crate::store::files::{FileError, Files, NewFile, Purpose};
use crate::store::pack::Pack;
use crate::store::process::ProcessIdentity;

/// First word of our `.keep` files.
const PROGRAM: &str = "git-coord";

/// The protection of an installed pack, until a ref reaches it.
#[derive(Debug)]
#[must_use = "dropping it lets git gc delete the objects before a ref reaches them"]
pub struct Kept {
    name: PackName,
    path: PathBuf,
    files: Files,
    released: bool,
}

impl Kept {
    /// The pack.
    pub fn name(&self) -> &PackName {
        &self.name
    }

    /// Ends the protection: the ref was moved, or never will be. The pack itself stays.
    pub fn release(mut self) -> Result<(), FileError> {
        self.released = true;
        self.files.remove(&self.path).map(|_| ())
    }
}

impl Drop for Kept {
    /// A writer that gives up needs its objects no more. If this fails, the next writer sees that
    /// the process is gone.
    fn drop(&mut self) {
        if !self.released {
            self.files.remove(&self.path).ok();
        }
    }
}

impl Packs {
    /// Writes a pack into the repository, protected until the caller has moved its ref. What else
    /// that needs is forced to disk in one go with the pack.
    pub fn install(&self, pack: &Pack, with: Option<NewFile<'_>>) -> Result<Kept, FileError> {
        let name = PackName::unique(pack.checksum);
        self.place(&name, pack, with).inspect_err(|_| self.abandon(&name))?;
        let path = self.path(&name, Part::Keep);
        Ok(Kept { name, path, files: self.files, released: false })
    }

    fn place(
        &self,
        name: &PackName,
        pack: &Pack,
        with: Option<NewFile<'_>>,
    ) -> Result<(), FileError> {
        for directory in [self.staging(), self.directory.clone()] {
            self.files.make_directories(&directory)?;
        }
        let keep = keep_text(ProcessIdentity::current());
        let [staged_pack, staged_index, staged_keep] =
            [Part::Pack, Part::Index, Part::Keep].map(|part| self.staged(name, part));
        let immutable = Purpose::Immutable;
        let mut files = vec![
            NewFile { path: &staged_pack, content: &pack.pack, purpose: immutable },
            NewFile { path: &staged_index, content: &pack.index, purpose: immutable },
            // Lost in a power cut, together with the process that it speaks for.
            NewFile { path: &staged_keep, content: keep.as_bytes(), purpose: Purpose::Helper },
        ];
        files.extend(with);
        self.files.write_all_new(&files)?;
        for part in [Part::Keep, Part::Pack, Part::Index] {
            self.files.rename(&self.staged(name, part), &self.path(name, part))?;
        }
        self.files.sync_directory(&self.directory)
    }

    /// Clears what a failed installation left. Reports nothing: the failure is the news, and
    /// whatever stays is collected by `maintain`.
    fn abandon(&self, name: &PackName) {
        for part in Part::ALL {
            self.files.remove(&self.staged(name, part)).ok();
        }
        // With its index the pack is in use, even if the directory could not be synced.
        if matches!(self.files.exists(&self.path(name, Part::Index)), Ok(false)) {
            self.files.remove(&self.path(name, Part::Pack)).ok();
        }
        self.files.remove(&self.path(name, Part::Keep)).ok();
    }
}

fn keep_text(process: &ProcessIdentity) -> String {
    format!("{PROGRAM} {process}\n")
}

/// Whose `.keep` this is; none if it is not one of ours.
pub(super) fn keeper(content: &[u8]) -> Option<ProcessIdentity> {
    std::str::from_utf8(content).ok()?.strip_prefix(PROGRAM)?.parse().ok()
}

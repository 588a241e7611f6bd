//! Our packs in the repository: installed safely, few in number, and distinguished from the user's.
//!
//! - A pack is *ours* if its name says so. This module never reads, merges or removes any other,
//!   nor one of ours that `coord/packs` marks because it could not be merged.
//! - A `.keep` file protects a pack that no ref reaches yet (`install`), because `git gc
//!   --prune=now` deletes every other unreachable object.
//! - After an undisturbed [`Packs::maintain`] there are at most [`PACKS_MAX`] of our packs, however
//!   many entries were written (`maintenance`, `merge`). Packs that must stay are not counted:
//!   those with a `.keep`, those that the user's multi-pack-index names, those too large for the
//!   [`Budget`], and redundant ones that are about to go.
//! - A pack whose objects were merged into another is removed later (`redundant`), and not while
//!   git maintains the repository (`git_maintenance`), because git fails if a pack is gone that it
//!   has listed.
//! - The pack of a lost attempt is never deleted: another writer may have found its objects and
//!   rely on them. Git's own gc removes it once it is unreachable.

mod git_maintenance;
mod git_processes;
mod install;
mod maintenance;
mod merge;
mod multi_pack_index;
mod redundant;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::store::git::object::{HashKind, ObjectId};
use crate::store::layout::HelperDir;
use crate::store::os::files::{FileError, Files};
use crate::store::os::process::ProcessIdentity;
pub use install::PackGuard;
pub use maintenance::MaintenanceReport;
pub use merge::{Budget, PACKS_MAX};
#[doc(hidden)] // For the fuzzer.
pub use multi_pack_index::names as names_in_multi_pack_index;
pub use redundant::DiskUsage;

/// The prefix of a pack's name in git.
const PREFIX: &str = "pack-";
/// The number of digits at the end of a name that mark a pack as ours. No other pack ends like this
/// by chance.
const SIGN_LENGTH: usize = 16;

/// Our packs in one repository.
#[derive(Clone, Debug)]
pub struct Packs {
    common: PathBuf,
    directory: PathBuf,
    hash: HashKind,
    files: Files,
}

/// The name of a pack, which its files share: `pack-` and a hash.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PackName(String);

impl PackName {
    /// Creates a name that no pack has or ever had.
    ///
    /// git uses the pack's checksum, but accepts any name. The checksum would be wrong here: if an
    /// attempt is repeated with the same objects, a `git gc` that listed the first, unprotected
    /// pack deletes files by that name later, and with them the second pack and its `.keep`.
    fn unique(checksum: ObjectId) -> PackName {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let count = COUNTER.fetch_add(1, Ordering::Relaxed);
        let process = ProcessIdentity::current().to_string();
        let parts = [checksum.as_bytes(), process.as_bytes(), &count.to_be_bytes()];
        let unique = checksum.hash_kind().digest(&parts).to_string();
        let (unique, _) = unique.split_at(unique.len() - SIGN_LENGTH);
        PackName(format!("{PREFIX}{unique}{}", sign(unique)))
    }

    /// Tells whether the name is of one of our packs: it ends in a hash of its beginning. A marker
    /// file would be one more file to create, sync and remove for every entry.
    fn is_ours(&self) -> bool {
        let hash = self.0.strip_prefix(PREFIX).unwrap_or_default();
        let split = hash.len().checked_sub(SIGN_LENGTH);
        let parts = split.and_then(|length| hash.split_at_checked(length));
        parts.is_some_and(|(unique, end)| end == sign(unique))
    }

    /// Parses the name of one of our packs.
    fn of_ours(text: &str) -> Option<PackName> {
        text.parse().ok().filter(PackName::is_ours)
    }

    /// Returns the name of one of the pack's files.
    fn file(&self, part: Part) -> String {
        format!("{self}.{}", part.extension())
    }
}

impl fmt::Display for PackName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Computes the end of our pack's name from its beginning.
fn sign(unique: &str) -> String {
    let mut sign = HashKind::Sha1.digest(&[b"git-coord ", unique.as_bytes()]).to_string();
    sign.truncate(SIGN_LENGTH);
    sign
}

/// The error for text that is not the name of a pack.
#[derive(Debug, thiserror::Error)]
#[error("not the name of a pack")]
pub struct NotAPackName;

impl FromStr for PackName {
    type Err = NotAPackName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let hash = text.strip_prefix(PREFIX).ok_or(NotAPackName)?;
        hash.parse::<ObjectId>().map_err(|_| NotAPackName)?;
        Ok(PackName(text.to_owned()))
    }
}

/// The files of a pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Pack,
    Index,
    Keep,
}

impl Part {
    const ALL: [Part; 3] = [Part::Keep, Part::Pack, Part::Index];

    fn extension(self) -> &'static str {
        match self {
            Part::Pack => "pack",
            Part::Index => "idx",
            Part::Keep => "keep",
        }
    }
}

impl Packs {
    pub fn new(common: &Path, objects: &Path, hash: HashKind, files: Files) -> Packs {
        Packs { common: common.to_owned(), directory: objects.join("pack"), hash, files }
    }

    /// Lists our packs, complete or not.
    pub fn ours(&self) -> Result<BTreeSet<PackName>, FileError> {
        Ok(self.listed()?.keys().filter_map(|name| PackName::of_ours(name)).collect())
    }

    /// Lists the files of each pack of any owner.
    fn listed(&self) -> Result<BTreeMap<String, Vec<Part>>, FileError> {
        let mut packs: BTreeMap<String, Vec<Part>> = BTreeMap::new();
        for file in self.files.list(&self.directory)? {
            let Some((name, end)) = file.to_str().and_then(|file| file.rsplit_once('.')) else {
                continue;
            };
            if let Some(part) = Part::ALL.into_iter().find(|part| part.extension() == end) {
                packs.entry(name.to_owned()).or_default().push(part);
            }
        }
        Ok(packs)
    }

    /// Tells whether a remote has promised objects that are missing here: git marks the packs of a
    /// partial clone.
    pub fn has_promises(&self) -> bool {
        let names = self.files.list(&self.directory).unwrap_or_default();
        names.iter().any(|name| name.as_encoded_bytes().ends_with(b".promisor"))
    }

    /// Returns the directory with the marks of packs that cannot be merged and the records of
    /// merges.
    fn records(&self) -> PathBuf {
        HelperDir::Packs.below(&self.common)
    }

    /// Returns the directory where files are written before they are installed. Git deletes unknown
    /// files in `objects`.
    fn staging(&self) -> PathBuf {
        HelperDir::Staging.below(&self.common)
    }

    fn staged(&self, name: &PackName, part: Part) -> PathBuf {
        self.staging().join(name.file(part))
    }

    fn path(&self, name: &PackName, part: Part) -> PathBuf {
        self.directory.join(name.file(part))
    }
}

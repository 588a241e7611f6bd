//! Our packs among those of the repository: written safely, kept few, and told from the user's.
//!
//! - *Ours* is a pack whose name says so. No other is ever read, merged or
//!   removed here, and of ours none that `coord/packs` names, which turned out not to be mergeable.
//! - A pack that no ref reaches yet is protected by a `.keep` file (`install`), because
//!   `git gc --prune=now` deletes everything else that is unreachable.
//! - After a [`Packs::maintain`] that nobody disturbed there are at most [`PACKS_MAX`] of ours,
//!   however many entries were written (`upkeep`, `merge`). Not counted are those that must stay:
//!   with a `.keep`, named by the user's multi-pack-index, or too large for the [`Budget`]; and
//!   those that are about to go.
//! - A pack whose objects were merged into another goes later (`lingering`), and not while git is
//!   at its own upkeep (`git_upkeep`), which fails when a pack is gone that it has listed.
//! - The pack of an attempt that lost is never deleted: a competitor may have found its objects
//!   already there. It goes when git's own gc finds it unreachable.

mod git_processes;
mod git_upkeep;
mod install;
mod lingering;
mod merge;
mod multi_pack_index;
#[cfg(test)]
mod tests;
mod upkeep;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::store::git::object::{HashKind, ObjectId};
use crate::store::layout::HelperDir;
use crate::store::os::files::{FileError, Files};
use crate::store::os::process::ProcessIdentity;
pub use install::Kept;
pub use lingering::Room;
pub use merge::{Budget, PACKS_MAX};
#[doc(hidden)] // For the fuzzer.
pub use multi_pack_index::names as names_in_multi_pack_index;
pub use upkeep::Upkeep;

/// How git begins the name of a pack.
const PREFIX: &str = "pack-";
/// Digits that tell our packs: no other pack ends like this by chance.
const SIGN_LENGTH: usize = 16;

/// The packs of one repository that we wrote.
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
    /// A name that no pack has or ever had.
    ///
    /// git takes the pack's checksum, and reads any name. The checksum would not do: when an
    /// attempt is repeated with the same objects, a `git gc` that listed the first, unprotected
    /// pack deletes files by that name later, and takes the second with its `.keep`.
    fn unique(checksum: ObjectId) -> PackName {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let count = COUNTER.fetch_add(1, Ordering::Relaxed);
        let process = ProcessIdentity::current().to_string();
        let parts = [checksum.as_bytes(), process.as_bytes(), &count.to_be_bytes()];
        let unique = checksum.hash_kind().digest(&parts).to_string();
        let (unique, _) = unique.split_at(unique.len() - SIGN_LENGTH);
        PackName(format!("{PREFIX}{unique}{}", sign(unique)))
    }

    /// Whether it is the name of a pack that we wrote: it ends in a hash of its beginning. A file
    /// that says so would be one more to be made, synced and removed with every entry.
    fn is_ours(&self) -> bool {
        let hash = self.0.strip_prefix(PREFIX).unwrap_or_default();
        let split = hash.len().checked_sub(SIGN_LENGTH);
        let parts = split.and_then(|length| hash.split_at_checked(length));
        parts.is_some_and(|(unique, end)| end == sign(unique))
    }

    /// What these characters name, if it is a pack that we wrote.
    fn of_ours(text: &str) -> Option<PackName> {
        text.parse().ok().filter(PackName::is_ours)
    }

    /// The name of one of its files.
    fn file(&self, part: Part) -> String {
        format!("{self}.{}", part.extension())
    }
}

impl fmt::Display for PackName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What the name of a pack of ours ends in, by its beginning.
fn sign(unique: &str) -> String {
    let mut sign = HashKind::Sha1.digest(&[b"git-coord ", unique.as_bytes()]).to_string();
    sign.truncate(SIGN_LENGTH);
    sign
}

/// Text that names no pack.
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
    /// Our packs in a repository with these common and object directories.
    pub fn new(common: &Path, objects: &Path, hash: HashKind, files: Files) -> Packs {
        Packs { common: common.to_owned(), directory: objects.join("pack"), hash, files }
    }

    /// The packs that are ours, whole or not.
    pub fn ours(&self) -> Result<BTreeSet<PackName>, FileError> {
        Ok(self.listed()?.keys().filter_map(|name| PackName::of_ours(name)).collect())
    }

    /// Which files there are of each pack, whoever's it is.
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

    /// Whether some remote promised objects that are not here: git marks the packs of a partial
    /// clone.
    pub fn has_promises(&self) -> bool {
        let names = self.files.list(&self.directory).unwrap_or_default();
        names.iter().any(|name| name.as_encoded_bytes().ends_with(b".promisor"))
    }

    /// Where those are named that are left alone.
    fn left_alone(&self) -> PathBuf {
        HelperDir::Packs.below(&self.common)
    }

    /// Where files are written before they appear, since git deletes unknown ones in `objects`.
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

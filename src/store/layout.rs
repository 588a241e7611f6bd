//! Where things are: the refs of the ledgers, and the helper files beside them.
//!
//! The only place in the source that spells these names.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::core::ledger::LedgerName;
use crate::core::time::Timestamp;
use crate::store::git::object::{HashKind, ObjectId};

/// Everything below this is ours and nothing else is.
pub const NAMESPACE: &str = "refs/coord/";

/// All of them, as git's configuration spells a pattern of refs.
pub const EVERY_REF: &str = "refs/coord/*";

/// Below this are chains that compactions replaced.
const ARCHIVE: &str = "archive";
/// Below this is what was damaged.
const DAMAGED: &str = "damaged";

/// Text that names no ledger.
#[derive(Debug, thiserror::Error)]
#[error("no ledger '{}'; there is: {}", .0.escape_debug(), every_name())]
pub struct NoSuchLedger(String);

fn every_name() -> String {
    LedgerName::ALL.map(LedgerName::as_str).join(", ")
}

impl LedgerName {
    /// The ref.
    pub fn reference(self) -> String {
        format!("{NAMESPACE}{}", self.as_str())
    }

    /// Where compactions keep the chains that they replace.
    pub fn archives(self) -> String {
        format!("{NAMESPACE}{ARCHIVE}/{self}/")
    }

    /// Where a compaction keeps the chain that it replaces.
    pub fn archive(self, at: Timestamp, tip: &ObjectId) -> String {
        format!("{}{}-{}", self.archives(), at.compact(), tip.short())
    }

    /// Where a repair keeps a damaged entry.
    pub fn damaged(self, at: Timestamp, tip: &ObjectId) -> String {
        format!("{NAMESPACE}{DAMAGED}/{self}/{}-{}", at.compact(), tip.short())
    }
}

/// What a ref in our namespace is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnRef {
    /// A ledger.
    Ledger,
    /// A chain that a compaction replaced.
    Archive,
    /// What a repair kept.
    Damaged,
    /// Nothing of ours, and in the way of this ledger.
    InTheWayOf(LedgerName),
    /// Nothing of ours.
    Stranger,
}

impl OwnRef {
    /// What the ref of that full name is.
    pub fn of(reference: &str) -> OwnRef {
        let name = reference.strip_prefix(NAMESPACE).unwrap_or(reference);
        let (first, rest) = name.split_once('/').unwrap_or((name, ""));
        let ledger = LedgerName::ALL.into_iter().find(|ledger| ledger.as_str() == first);
        match (first, ledger) {
            (ARCHIVE, _) if !rest.is_empty() => OwnRef::Archive,
            (DAMAGED, _) if !rest.is_empty() => OwnRef::Damaged,
            (_, Some(_)) if rest.is_empty() => OwnRef::Ledger,
            (_, Some(ledger)) => OwnRef::InTheWayOf(ledger),
            _ => OwnRef::Stranger,
        }
    }
}

/// Returns the directories that are ours alone. Neither they nor what stands in them may lead out
/// of the repository.
pub fn own_directories(common_dir: &Path) -> [PathBuf; 3] {
    let refs = common_dir.join(NAMESPACE.trim_end_matches('/'));
    [helpers(common_dir), HelperDir::Locks.below(common_dir), refs]
}

/// The name of a helper file about something that can be longer than a file's name, and hold what
/// no name may.
pub fn hashed_name(about: &[&[u8]]) -> String {
    // Not the other one: it asks the processor what it can do, which takes a virtual machine as
    // long as opening several files, and every edit waits for these names.
    HashKind::Sha1.digest(about).to_string()
}

impl FromStr for LedgerName {
    type Err = NoSuchLedger;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let name = text.strip_prefix(NAMESPACE).unwrap_or(text);
        LedgerName::ALL
            .into_iter()
            .find(|ledger| ledger.as_str() == name)
            .ok_or_else(|| NoSuchLedger(text.to_owned()))
    }
}

/// A directory of helper files under the common git directory. Losing it loses no state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HelperDir {
    /// Locks that queue writers.
    Locks,
    /// Files on their way to where they belong.
    Staging,
    /// Which of our packs cannot be merged.
    Packs,
    /// How far consumers have read.
    Cursors,
    /// What was damaged and could not be kept under a ref.
    Damaged,
    /// What was edited and not committed yet; each worktree has its own, below its git directory.
    Notes,
    /// The agents that made commits.
    CommitAuthors,
    /// What files of others were before `install` changed them.
    Before,
    /// Those of this machine who wait.
    Waiters,
    /// Requests of writers that wait for their turn. Older versions know the name on disk.
    PendingRequests,
    /// When agents were last seen.
    Presence,
    /// Which entries were the newest, for repairs.
    Published,
    /// What runs under `with`.
    Commands,
}

impl HelperDir {
    /// Where it is.
    pub fn below(self, common_dir: &Path) -> PathBuf {
        let name = match self {
            HelperDir::Locks => "locks",
            HelperDir::Staging => "tmp",
            HelperDir::Packs => "packs",
            HelperDir::Cursors => "cursors",
            HelperDir::Damaged => "damaged",
            HelperDir::Notes => "notes",
            HelperDir::CommitAuthors => "makers",
            HelperDir::Before => "before",
            HelperDir::Waiters => "waiters",
            HelperDir::PendingRequests => "errands",
            HelperDir::Presence => "presence",
            HelperDir::Published => "published",
            HelperDir::Commands => "commands",
        };
        helpers(common_dir).join(name)
    }
}

/// The directory that all helper files of a git directory are below.
pub fn helpers(git_dir: &Path) -> PathBuf {
    git_dir.join("coord")
}

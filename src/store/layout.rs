//! The names of the ledgers' refs and of the helper files.
//!
//! This is the only place in the source that contains these names.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::core::ledger::LedgerName;
use crate::core::time::Timestamp;
use crate::store::git::object::{HashKind, ObjectId};

/// The namespace of our refs. It contains nothing else.
pub const NAMESPACE: &str = "refs/coord/";

/// All our refs, as a refspec pattern in git's configuration.
pub const EVERY_REF: &str = "refs/coord/*";

/// The directory of the chains that compactions replaced.
const ARCHIVE: &str = "archive";
/// The directory of damaged entries.
const DAMAGED: &str = "damaged";
/// The directory of snapshots of uncommitted content.
const RESCUE: &str = "rescue";
/// Stands for the main worktree, which git gives no name.
pub const MAIN_WORKTREE: &str = "-";

/// The error for text that is not the name of a ledger.
#[derive(Debug, thiserror::Error)]
#[error("no ledger '{}'; there is: {}", .0.escape_debug(), every_name())]
pub struct NoSuchLedger(String);

fn every_name() -> String {
    LedgerName::ALL.map(LedgerName::as_str).join(", ")
}

impl LedgerName {
    /// Returns the full name of the ledger's ref.
    pub fn reference(self) -> String {
        format!("{NAMESPACE}{}", self.as_str())
    }

    /// Returns the prefix of the refs that keep the chains replaced by compactions.
    pub fn archives(self) -> String {
        format!("{NAMESPACE}{ARCHIVE}/{self}/")
    }

    /// Returns the ref that keeps the chain replaced by a compaction.
    pub fn archive(self, at: Timestamp, tip: &ObjectId) -> String {
        format!("{}{}-{}", self.archives(), at.compact(), tip.short())
    }

    /// Returns the ref under which a repair keeps a damaged entry.
    pub fn damaged(self, at: Timestamp, tip: &ObjectId) -> String {
        format!("{NAMESPACE}{DAMAGED}/{self}/{}-{}", at.compact(), tip.short())
    }
}

/// The meaning of a ref in our namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnRef {
    Ledger,
    /// A chain that a compaction replaced.
    Archive,
    /// A damaged entry that a repair kept.
    Damaged,
    /// A snapshot of uncommitted content.
    Rescue,
    /// Not one of ours, and in the way of this ledger.
    InTheWayOf(LedgerName),
    /// Not one of ours.
    Stranger,
}

impl OwnRef {
    /// Classifies a ref by its full name.
    pub fn of(reference: &str) -> OwnRef {
        let name = reference.strip_prefix(NAMESPACE).unwrap_or(reference);
        let (first, rest) = name.split_once('/').unwrap_or((name, ""));
        let ledger = LedgerName::ALL.into_iter().find(|ledger| ledger.as_str() == first);
        match (first, ledger) {
            (ARCHIVE, _) if !rest.is_empty() => OwnRef::Archive,
            (DAMAGED, _) if !rest.is_empty() => OwnRef::Damaged,
            (RESCUE, _) if !rest.is_empty() => OwnRef::Rescue,
            (_, Some(_)) if rest.is_empty() => OwnRef::Ledger,
            (_, Some(ledger)) => OwnRef::InTheWayOf(ledger),
            _ => OwnRef::Stranger,
        }
    }
}

/// Returns the prefix of the refs of snapshots: of all worktrees, or of one. The main one has no
/// name.
pub fn rescues(worktree: Option<Option<&str>>) -> String {
    let of_all = format!("{NAMESPACE}{RESCUE}/");
    worktree.map_or(of_all.clone(), |name| format!("{of_all}{}/", rescue_directory(name)))
}

/// Returns the ref of a snapshot.
pub fn rescue_ref(worktree: Option<&str>, at: Timestamp, id: &str) -> String {
    format!("{}{}-{id}", rescues(Some(worktree)), at.compact())
}

/// Names the directory of a worktree's snapshots. A name that a ref cannot have is hashed.
pub fn rescue_directory(worktree: Option<&str>) -> String {
    let Some(name) = worktree else { return MAIN_WORKTREE.to_owned() };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let is_usable = name != MAIN_WORKTREE && !name.is_empty() && name.chars().all(is_plain);
    if is_usable { name.to_owned() } else { format!("x.{}", hashed_name(&[name.as_bytes()])) }
}

/// Tells whether a ref is that of a snapshot.
pub fn is_rescue(reference: &str) -> bool {
    OwnRef::of(reference) == OwnRef::Rescue && reference.starts_with(NAMESPACE)
}

/// Returns the directories that are ours alone. Neither they nor their entries may lead out of the
/// repository.
pub fn own_directories(common_dir: &Path) -> [PathBuf; 3] {
    let refs = common_dir.join(NAMESPACE.trim_end_matches('/'));
    [helpers(common_dir), HelperDir::Locks.below(common_dir), refs]
}

/// Names a helper file about a subject that may be too long for a file name, or contain invalid
/// characters.
pub fn hashed_name(about: &[&[u8]]) -> String {
    // Not SHA-256: its implementation detects the processor's features, which takes a virtual
    // machine as long as opening several files, and every edit waits for these names.
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
    /// Files that are complete before they are moved to their place.
    Staging,
    /// Marks of packs that cannot be merged, and records of merges.
    Packs,
    /// The positions of consumers.
    Cursors,
    /// Damaged state that could not be kept under a ref.
    Damaged,
    /// Edits that are not committed yet. Each worktree has its own directory, below its git
    /// directory.
    Notes,
    /// Changes that are gone, for their agents. Each worktree has its own directory.
    Losses,
    /// The agents that made commits.
    CommitAuthors,
    /// Copies of the user's files from before `install` changed them.
    Before,
    /// Processes of this machine that wait for a reservation.
    Waiters,
    /// Requests of writers that wait for their turn. Older versions know the name on disk.
    PendingRequests,
    /// The last signs of life of agents.
    Presence,
    /// Logs of published entries, for repairs.
    Published,
    /// Commands that run under `with`.
    Commands,
    /// Files as edits have left them, until a snapshot has them.
    Saved,
}

impl HelperDir {
    /// Returns the path of the directory.
    pub fn below(self, common_dir: &Path) -> PathBuf {
        let name = match self {
            HelperDir::Locks => "locks",
            HelperDir::Staging => "tmp",
            HelperDir::Packs => "packs",
            HelperDir::Cursors => "cursors",
            HelperDir::Damaged => "damaged",
            HelperDir::Notes => "notes",
            HelperDir::Losses => "losses",
            HelperDir::CommitAuthors => "makers",
            HelperDir::Before => "before",
            HelperDir::Waiters => "waiters",
            HelperDir::PendingRequests => "errands",
            HelperDir::Presence => "presence",
            HelperDir::Published => "published",
            HelperDir::Commands => "commands",
            HelperDir::Saved => "saved",
        };
        helpers(common_dir).join(name)
    }
}

/// Returns the directory of all helper files of a git directory.
pub fn helpers(git_dir: &Path) -> PathBuf {
    git_dir.join("coord")
}

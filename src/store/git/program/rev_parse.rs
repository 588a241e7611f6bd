//! The location and the format of a repository, according to `git rev-parse`.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use super::config_overrides::forbid_fetching;
use super::running;
use super::{ProgramError, failure, git};
use crate::core::environment::Environment;
use crate::core::ledger::LedgerName;
use crate::store::git::object::HashKind;

/// The storage of a repository's refs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefStorage {
    /// Loose files and `packed-refs`.
    Files,
    /// Another storage, by git's name.
    Other(String),
}

impl RefStorage {
    /// Lists the lock files that can block a move of a ledger, below the common directory.
    pub fn locks(&self) -> Vec<String> {
        match self {
            RefStorage::Files => {
                LedgerName::ALL.map(|ledger| format!("{}.lock", ledger.reference())).into()
            }
            RefStorage::Other(kind) if kind == "reftable" => {
                vec!["reftable/tables.list.lock".to_owned()]
            }
            RefStorage::Other(_) => Vec::new(),
        }
    }

    /// Returns git's name of the storage.
    pub fn name(&self) -> &str {
        match self {
            RefStorage::Files => "files",
            RefStorage::Other(name) => name,
        }
    }
}

/// The answer of git about the repository of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepositoryInfo {
    /// The git directory, of which a linked worktree has its own.
    pub git_dir: PathBuf,
    /// The git directory that all worktrees share.
    pub common_dir: PathBuf,
    pub hash: HashKind,
    pub refs: RefStorage,
    /// The top of the work tree that contains the directory.
    pub work_tree: Option<PathBuf>,
}

/// The last question has no answer outside of a work tree, and git stops there.
const ARGUMENTS: [&str; 7] = [
    "rev-parse",
    "--path-format=absolute",
    "--absolute-git-dir",
    "--git-common-dir",
    "--show-object-format=storage",
    "--show-ref-format",
    "--show-toplevel",
];

impl RepositoryInfo {
    /// Asks git in the caller's directory, with the caller's variables. Git refuses a repository
    /// that it does not support or trust.
    pub fn find(environment: &Environment) -> Result<RepositoryInfo, ProgramError> {
        let mut command = git(environment);
        forbid_fetching(&mut command);
        let output = running::output(command.args(ARGUMENTS))?;
        let mut lines = output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let mut next = || lines.next().map(OsStr::from_bytes);
        let (Some(git_dir), Some(common_dir), Some(hash), Some(refs)) =
            (next(), next(), next(), next())
        else {
            return Err(failure(&command, &output));
        };
        let invalid = |why: String| ProgramError::InvalidAnswer { verb: "rev-parse", why };
        let hash = match hash.to_str() {
            Some("sha1") => HashKind::Sha1,
            Some("sha256") => HashKind::Sha256,
            other => return Err(invalid(format!("no known object format: {other:?}"))),
        };
        let refs = match refs.to_str() {
            // A git that does not know the question repeats it, and knows nothing but files.
            Some("files" | "--show-ref-format") => RefStorage::Files,
            Some(name) => RefStorage::Other(name.to_owned()),
            None => return Err(invalid("no known ref format".to_owned())),
        };
        let work_tree = next().map(PathBuf::from);
        if next().is_some() {
            return Err(invalid("a path has a line break".to_owned()));
        }
        Ok(RepositoryInfo {
            git_dir: git_dir.into(),
            common_dir: common_dir.into(),
            hash,
            refs,
            work_tree,
        })
    }
}

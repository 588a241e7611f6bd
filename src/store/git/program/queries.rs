//! Queries about trees, indexes and work trees, for the detection of the kind of project.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::{Program, ProgramError, answer};
use crate::store::git::object::ObjectId;

impl Program {
    /// Resolves a revision to its tree; `None` if there is no such revision.
    pub(crate) fn tree_of(&self, revision: &str) -> Result<Option<ObjectId>, ProgramError> {
        self.named(&format!("{revision}^{{tree}}"))
    }

    /// Resolves a revision to its commit; `None` if there is none.
    pub(crate) fn commit_of(&self, revision: &str) -> Result<Option<ObjectId>, ProgramError> {
        self.named(&format!("{revision}^{{commit}}"))
    }

    fn named(&self, name: &str) -> Result<Option<ObjectId>, ProgramError> {
        match self.ask(&["rev-parse", "--verify", "--quiet", "--end-of-options", name]) {
            Ok(said) => Ok(String::from_utf8_lossy(&said).trim().parse().ok()),
            Err(ProgramError::Failed { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Lists the entries of an index: mode, id and stage, a tab, the path, and a terminating NUL.
    pub(crate) fn staged_entries(&self, index: &Path) -> Result<Vec<u8>, ProgramError> {
        let mut command = self.command(&["ls-files", "-z", "--stage", "--full-name"]);
        // Outside of a work tree, git lists all paths.
        command.env("GIT_INDEX_FILE", index).current_dir(self.git_dir());
        answer(command)
    }

    /// Compares, and lists the changed paths, each with a letter for the kind of change.
    pub(crate) fn diff(&self, words: &[&str], top: Option<&Path>) -> Result<Vec<u8>, ProgramError> {
        let options = ["--name-status", "-z", "--no-ext-diff", "--ignore-submodules=all", "-M"];
        let mut command = self.command(&["diff"]);
        command.args(options).args(words).arg("--");
        match top {
            Some(top) => command.env("GIT_WORK_TREE", top).current_dir(top),
            None => command.current_dir(self.git_dir()),
        };
        answer(command)
    }

    /// Hashes the content of a file without applying filters.
    pub(crate) fn hash_of(&self, path: &Path) -> Result<String, ProgramError> {
        let mut command = self.command(&["hash-object", "--no-filters", "--"]);
        command.arg(path);
        Ok(String::from_utf8_lossy(&answer(command)?).trim().to_owned())
    }

    /// Lists the top directories of all worktrees that are not bare.
    pub(crate) fn work_trees(&self) -> Result<Vec<PathBuf>, ProgramError> {
        let listed = self.ask(&["worktree", "list", "--porcelain", "-z"])?;
        let mut tops = Vec::new();
        for line in listed.split(|byte| *byte == 0) {
            if let Some(top) = line.strip_prefix(b"worktree ") {
                tops.push(PathBuf::from(OsStr::from_bytes(top)));
            } else if line == b"bare" {
                tops.pop();
            }
        }
        Ok(tops)
    }

    /// Lists the paths of a work tree that are neither tracked nor ignored.
    pub(crate) fn untracked(&self, top: &Path) -> Result<Vec<Vec<u8>>, ProgramError> {
        let mut command = self.command(&["ls-files", "-z", "--others", "--exclude-standard"]);
        command.env("GIT_WORK_TREE", top).current_dir(top);
        let listed = answer(command)?;
        let paths = listed.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        Ok(paths.map(<[u8]>::to_vec).collect())
    }
}

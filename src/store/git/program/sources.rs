//! What git says of the trees that are asked what kind of project they are.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::{Program, ProgramError, answer};
use crate::store::git::object::ObjectId;

impl Program {
    /// The tree of a revision; none if there is no such revision.
    pub(crate) fn tree_of(&self, revision: &str) -> Result<Option<ObjectId>, ProgramError> {
        self.named(&format!("{revision}^{{tree}}"))
    }

    /// The commit that a revision names; none if there is none.
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

    /// What an index holds: mode, id and stage, a tab, the path, and a NUL after each.
    pub(crate) fn staged_entries(&self, index: &Path) -> Result<Vec<u8>, ProgramError> {
        let mut command = self.command(&["ls-files", "-z", "--stage", "--full-name"]);
        // Without a work tree to be inside of, all paths are listed.
        command.env("GIT_INDEX_FILE", index).current_dir(self.git_dir());
        answer(command)
    }

    /// The paths that a comparison finds, each with a letter that says what happened to it.
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

    /// The id that the content of a file has as it is, without a filter.
    pub(crate) fn hash_of(&self, path: &Path) -> Result<String, ProgramError> {
        let mut command = self.command(&["hash-object", "--no-filters", "--"]);
        command.arg(path);
        Ok(String::from_utf8_lossy(&answer(command)?).trim().to_owned())
    }

    /// The tops of all worktrees of the repository that have one.
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

    /// What is neither tracked nor ignored in the work tree with that top.
    pub(crate) fn untracked(&self, top: &Path) -> Result<Vec<Vec<u8>>, ProgramError> {
        let mut command = self.command(&["ls-files", "-z", "--others", "--exclude-standard"]);
        command.env("GIT_WORK_TREE", top).current_dir(top);
        let listed = answer(command)?;
        let paths = listed.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        Ok(paths.map(<[u8]>::to_vec).collect())
    }
}

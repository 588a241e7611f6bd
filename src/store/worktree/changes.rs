//! The changes of a commit or push that is about to be made, read through the git program.
//!
//! Nothing here takes a lock or writes. Paths are bytes, relative to the top of the repository, and
//! a renamed file counts as two paths.

pub mod order;
pub mod pushed;
mod replaced;
pub mod staged;

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use crate::store::error::StoreError;
use crate::store::git::object::{HashKind, Object, ObjectId, ObjectKind};
use crate::store::git::program::{Program, ProgramError};
use staged::StagedPath;

/// The directories of a rebase that is under way.
const REBASES: [&str; 2] = ["rebase-merge", "rebase-apply"];

/// A path as git stores it.
pub type PathBytes = Vec<u8>;

/// Reads the changes that commits and pushes of one worktree make.
pub struct Changes {
    program: Program,
    git_dir: PathBuf,
    hash: HashKind,
}

impl Changes {
    pub(in crate::store) fn of(program: Program, git_dir: &Path, hash: HashKind) -> Changes {
        Changes { program, git_dir: git_dir.to_owned(), hash }
    }

    /// Tells whether there is no commit yet.
    pub fn is_before_first_commit(&self) -> Result<bool, StoreError> {
        Ok(self.head()?.is_none())
    }

    /// Tells whether git makes commits again that were made before: a rebase, a cherry-pick or a
    /// revert is under way. Git names the last two nowhere before a conflict, but they have a
    /// message as a merge has, and merge nothing.
    pub fn is_replay(&self) -> bool {
        let has = |name: &str| self.git_dir.join(name).exists();
        REBASES.into_iter().any(has) || (has("MERGE_MSG") && !has("MERGE_HEAD"))
    }

    /// Lists the paths that a commit of this index would change. In a merge these are the paths
    /// that differ from every parent: each side was free to make its own changes.
    ///
    /// `merged` are parents that git has not recorded yet, as while a merge without conflicts is
    /// committed.
    pub fn staged(
        &self,
        index: Option<&Path>,
        merged: &[ObjectId],
    ) -> Result<Vec<StagedPath>, StoreError> {
        let mut parents = self.merge_heads()?;
        parents.extend(merged);
        let head = self.head()?.unwrap_or_else(|| self.empty_tree());
        let mut staged = self.staged_against(&head, index)?;
        for parent in parents.iter().filter(|parent| **parent != head) {
            let differing = self.names_against(parent, index)?;
            staged.retain(|staged| differing.contains(&staged.path));
        }
        Ok(staged)
    }

    /// Tells whether the next commit is a merge, by what git has recorded so far.
    pub fn is_merge(&self) -> bool {
        self.git_dir.join("MERGE_HEAD").exists()
    }

    fn names_against(
        &self,
        parent: &ObjectId,
        index: Option<&Path>,
    ) -> Result<BTreeSet<PathBytes>, StoreError> {
        let staged = self.staged_against(parent, index)?;
        Ok(staged.into_iter().map(|staged| staged.path).collect())
    }

    /// Returns the newest commit, and the paths that a commit of this index would revert to their
    /// state before it; `None` before the second commit. This happens if another process commits
    /// between git's reading of `HEAD` and its call of a hook. Git notices it only later.
    pub fn undone(
        &self,
        index: Option<&Path>,
    ) -> Result<Option<(ObjectId, Vec<PathBytes>)>, StoreError> {
        let (Some(head), Some(before)) = (self.head()?, self.commit("HEAD^")?) else {
            return Ok(None);
        };
        let differing = self.names_against(&before, index)?;
        let undone = self.names_against(&head, index)?.into_iter();
        Ok(Some((head, undone.filter(|path| !differing.contains(path)).collect())))
    }

    /// Returns the newest commit and the paths that it changed. A merge changes the paths that
    /// differ from every parent. Returns `None` if it changed nothing.
    pub fn committed(&self) -> Result<Option<(ObjectId, Vec<PathBytes>)>, StoreError> {
        let diff_tree = ["diff-tree", "--name-only", "-z", "-r", "-c", "--root", "--no-renames"];
        let mut records = paths(&self.program.ask(&[&diff_tree[..], &["HEAD", "--"]].concat())?);
        if records.is_empty() {
            return Ok(None);
        }
        let id = records.remove(0);
        Ok(String::from_utf8_lossy(&id).parse().ok().map(|id| (id, records)))
    }

    /// Returns the abbreviated id of the newest commit and the first line of its message.
    pub fn newest_commit(&self) -> Result<String, StoreError> {
        let told =
            self.program.ask(&["log", "-1", "--no-show-signature", "--format=%h %s", "HEAD"])?;
        Ok(String::from_utf8_lossy(&told).trim_end().to_owned())
    }

    /// Returns the id of the commit that is checked out; `None` before the first.
    pub fn head(&self) -> Result<Option<ObjectId>, StoreError> {
        self.commit("HEAD")
    }

    fn commit(&self, revision: &str) -> Result<Option<ObjectId>, StoreError> {
        let commit = format!("{revision}^{{commit}}");
        match self.program.ask(&["rev-parse", "--verify", "--quiet", &commit]) {
            Ok(id) => Ok(String::from_utf8_lossy(&id).trim_end().parse().ok()),
            // Git is quiet about a missing revision only.
            Err(ProgramError::Failed { words, .. }) if words.is_empty() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn empty_tree(&self) -> ObjectId {
        Object { kind: ObjectKind::Tree, bytes: Vec::new() }.id(self.hash)
    }

    /// Reads the other parents of a merge that is not committed yet. They are in a file, whatever
    /// the storage of refs.
    fn merge_heads(&self) -> Result<Vec<ObjectId>, StoreError> {
        match std::fs::read_to_string(self.git_dir.join("MERGE_HEAD")) {
            Ok(text) => Ok(text.lines().filter_map(|line| line.parse().ok()).collect()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(StoreError::Malformed(format!("cannot read MERGE_HEAD: {error}"))),
        }
    }
}

fn paths(listed: &[u8]) -> Vec<PathBytes> {
    let paths = listed.split(|byte| *byte == 0).filter(|path| !path.is_empty());
    paths.map(<[u8]>::to_vec).collect()
}

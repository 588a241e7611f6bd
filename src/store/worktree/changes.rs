//! What a commit or a push is about to change, asked of the git program.
//!
//! Nothing here takes a lock or writes. Paths are bytes, relative to the top of the repository, and
//! a renamed file is two of them.

pub mod order;
pub mod pushed;
mod replaced;

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use crate::store::error::StoreError;
use crate::store::git::object::{HashKind, Object, ObjectId, ObjectKind};
use crate::store::git::program::{Program, ProgramError, answer};

/// A path as git has it.
pub type PathBytes = Vec<u8>;

/// The changes of one worktree's commits.
pub struct Changes {
    program: Program,
    git_dir: PathBuf,
    hash: HashKind,
}

impl Changes {
    pub(in crate::store) fn of(program: Program, git_dir: &Path, hash: HashKind) -> Changes {
        Changes { program, git_dir: git_dir.to_owned(), hash }
    }

    /// Whether there is no commit yet.
    pub fn is_before_first_commit(&self) -> Result<bool, StoreError> {
        Ok(self.head()?.is_none())
    }

    /// The paths that a commit of that index would change. In a merge these are the paths that
    /// differ from every parent: what one side has made was that side's to make.
    ///
    /// `merged` are parents that git has not written down yet, as it is while a merge without
    /// conflicts is committed.
    pub fn staged(
        &self,
        index: Option<&Path>,
        merged: &[ObjectId],
    ) -> Result<Vec<PathBytes>, StoreError> {
        let mut parents = self.merge_heads()?;
        parents.extend(merged);
        let head = self.head()?.unwrap_or_else(|| self.empty_tree());
        let mut staged = self.staged_against(&head, index)?;
        for parent in parents.iter().filter(|parent| **parent != head) {
            let differing: BTreeSet<PathBytes> =
                self.staged_against(parent, index)?.into_iter().collect();
            staged.retain(|path| differing.contains(path));
        }
        Ok(staged)
    }

    /// The newest commit, and the paths that a commit of that index would set back to what they
    /// were before it; none before a second commit. So it looks when somebody commits between git's
    /// look at `HEAD` and its call of a hook; git notices later.
    pub fn undone(
        &self,
        index: Option<&Path>,
    ) -> Result<Option<(ObjectId, Vec<PathBytes>)>, StoreError> {
        let (Some(head), Some(before)) = (self.head()?, self.commit("HEAD^")?) else {
            return Ok(None);
        };
        let differing: BTreeSet<PathBytes> =
            self.staged_against(&before, index)?.into_iter().collect();
        let mut undone = self.staged_against(&head, index)?;
        undone.retain(|path| !differing.contains(path));
        Ok(Some((head, undone)))
    }

    fn staged_against(
        &self,
        parent: &ObjectId,
        index: Option<&Path>,
    ) -> Result<Vec<PathBytes>, StoreError> {
        let parent = parent.to_string();
        let mut command = self.program.command(&[
            "diff-index",
            "--cached",
            "--name-only",
            "-z",
            "--no-renames",
            // What is only meant to be added is in no commit.
            "--ita-invisible-in-index",
            &parent,
            "--",
        ]);
        if let Some(index) = index {
            command.env("GIT_INDEX_FILE", index);
        }
        Ok(paths(&answer(command)?))
    }

    /// The newest commit and the paths that it has changed, of a merge those that differ from every
    /// parent; none if it has changed nothing.
    pub fn committed(&self) -> Result<Option<(ObjectId, Vec<PathBytes>)>, StoreError> {
        let diff_tree = ["diff-tree", "--name-only", "-z", "-r", "-c", "--root", "--no-renames"];
        let mut records = paths(&self.program.ask(&[&diff_tree[..], &["HEAD", "--"]].concat())?);
        if records.is_empty() {
            return Ok(None);
        }
        let id = records.remove(0);
        Ok(String::from_utf8_lossy(&id).parse().ok().map(|id| (id, records)))
    }

    /// The short name of the newest commit and the first line of its message.
    pub fn newest_commit(&self) -> Result<String, StoreError> {
        let told =
            self.program.ask(&["log", "-1", "--no-show-signature", "--format=%h %s", "HEAD"])?;
        Ok(String::from_utf8_lossy(&told).trim_end().to_owned())
    }

    fn head(&self) -> Result<Option<ObjectId>, StoreError> {
        self.commit("HEAD")
    }

    fn commit(&self, revision: &str) -> Result<Option<ObjectId>, StoreError> {
        let commit = format!("{revision}^{{commit}}");
        match self.program.ask(&["rev-parse", "--verify", "--quiet", &commit]) {
            Ok(id) => Ok(String::from_utf8_lossy(&id).trim_end().parse().ok()),
            // Quiet about what is not there, and about nothing else.
            Err(ProgramError::Failed { words, .. }) if words.is_empty() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn empty_tree(&self) -> ObjectId {
        Object { kind: ObjectKind::Tree, bytes: Vec::new() }.id(self.hash)
    }

    /// The other parents of a merge that waits to be committed. This is a file however refs are
    /// kept.
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

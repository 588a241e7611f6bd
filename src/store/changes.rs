//! What a commit or a push is about to change, asked of the git program.
//!
//! Nothing here takes a lock or writes. Paths are bytes, relative to the top of the repository, and
//! a renamed file is two of them.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Stdio};

use crate::store::error::StoreError;
use crate::store::object::{HashKind, Object, ObjectId, ObjectKind};
use crate::store::program::{Program, ProgramError, answer};

/// How many commits of a push are looked at.
pub const COMMITS_MAX: usize = 1_000;
/// How many paths of a push are looked at.
pub const PATHS_MAX: usize = 10_000;

/// A path as git has it.
pub type PathBytes = Vec<u8>;

/// The changes of one worktree's commits.
pub struct Changes {
    program: Program,
    git_dir: PathBuf,
    hash: HashKind,
}

/// What a push is going to send.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Push {
    /// The revisions that are pushed.
    pub tips: Vec<String>,
    /// What the other side has, as far as it said.
    pub known: Vec<ObjectId>,
    /// The name of the other side; none where it is only an address.
    pub remote: Option<String>,
}

/// The paths that the commits of a push change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PushedPaths {
    /// Each once.
    pub paths: Vec<PathBytes>,
    /// Whether there were more commits or paths than are looked at.
    pub is_cut_short: bool,
}

impl Changes {
    pub(super) fn of(git_dir: &Path, hash: HashKind) -> Changes {
        Changes { program: Program::of(git_dir), git_dir: git_dir.to_owned(), hash }
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
        index: Option<&OsStr>,
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

    fn staged_against(
        &self,
        parent: &ObjectId,
        index: Option<&OsStr>,
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

    /// The paths that the newest commit has changed; of a merge those that differ from every
    /// parent.
    pub fn committed(&self) -> Result<Vec<PathBytes>, StoreError> {
        let diff_tree = ["diff-tree", "--no-commit-id", "--name-only", "-z", "-r", "-c", "--root"];
        Ok(paths(&self.program.ask(&[&diff_tree[..], &["--no-renames", "HEAD", "--"]].concat())?))
    }

    /// The paths that are changed by what is pushed and not yet on the other side, merges left out.
    /// What is on an address without a name is not known: there, nothing counts that is on any
    /// remote.
    pub fn to_be_pushed(&self, push: &Push) -> Result<PushedPaths, StoreError> {
        if push.tips.is_empty() {
            return Ok(PushedPaths::default());
        }
        let mut commits = self.commits_of(push)?;
        let is_cut_short = commits.len() > COMMITS_MAX;
        commits.truncate(COMMITS_MAX);
        let mut pushed = self.changed_by(commits)?;
        pushed.is_cut_short |= is_cut_short;
        Ok(pushed)
    }

    fn commits_of(&self, push: &Push) -> Result<Vec<String>, StoreError> {
        let count = format!("--max-count={}", COMMITS_MAX + 1);
        let there = match &push.remote {
            Some(name) => format!("--remotes={name}"),
            None => "--remotes".to_owned(),
        };
        let mut words = vec!["rev-list", "--no-merges", "--ignore-missing", &count];
        words.extend(["--not", &there, "--not", "--end-of-options"]);
        let known: Vec<String> = push.known.iter().map(|id| format!("^{id}")).collect();
        words.extend(push.tips.iter().chain(&known).map(String::as_str));
        words.push("--");
        let listed = self.program.ask(&words)?;
        Ok(String::from_utf8_lossy(&listed).lines().map(str::to_owned).collect())
    }

    fn changed_by(&self, commits: Vec<String>) -> Result<PushedPaths, StoreError> {
        let diff_tree = ["diff-tree", "--stdin", "--no-commit-id", "--name-only", "-z", "-r"];
        let mut command = self.program.command(&[&diff_tree[..], &["--root"]].concat());
        command.arg("--no-renames").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn().map_err(ProgramError::NotStarted)?;
        let piped = "a child with pipes has them";
        let mut questions = child.stdin.take().expect(piped);
        let answers = BufReader::new(child.stdout.take().expect(piped));
        // Both pipes may be full at once. That git stops reading is seen in what it answers.
        let ask = move || {
            commits
                .iter()
                .try_for_each(|commit| questions.write_all(format!("{commit}\n").as_bytes()))
        };
        let asking = std::thread::spawn(ask);
        let read = first_paths(answers);
        finish(child, &read)?;
        asking.join().ok();
        read.map_err(|error| garbled(&error).into())
    }

    fn head(&self) -> Result<Option<ObjectId>, StoreError> {
        match self.program.ask(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]) {
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

/// Each path once, as far as they are looked at.
fn first_paths(answers: BufReader<ChildStdout>) -> io::Result<PushedPaths> {
    let mut paths = BTreeSet::new();
    for path in answers.split(0) {
        paths.insert(path?);
        if paths.len() > PATHS_MAX {
            break;
        }
    }
    let is_cut_short = paths.len() > PATHS_MAX;
    Ok(PushedPaths { paths: paths.into_iter().take(PATHS_MAX).collect(), is_cut_short })
}

/// Waits for git, which is not needed any more once enough was read.
fn finish(mut child: Child, read: &io::Result<PushedPaths>) -> Result<(), ProgramError> {
    let is_enough = read.as_ref().is_ok_and(|read| read.is_cut_short);
    if is_enough {
        child.kill().ok();
    }
    let status = child.wait().map_err(|error| garbled(&error))?;
    if status.success() || is_enough {
        return Ok(());
    }
    Err(ProgramError::Failed { verb: "diff-tree".to_owned(), words: String::new() })
}

fn garbled(error: &io::Error) -> ProgramError {
    ProgramError::Garbled { verb: "diff-tree", why: error.to_string() }
}

fn paths(listed: &[u8]) -> Vec<PathBytes> {
    let paths = listed.split(|byte| *byte == 0).filter(|path| !path.is_empty());
    paths.map(<[u8]>::to_vec).collect()
}

//! The uncommitted changes of a work tree, as git sees them, and moves of `HEAD`.

use std::collections::BTreeMap;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use schemars::JsonSchema;
use serde::Serialize;

use super::changes::PathBytes;
use crate::core::ownership::Content;
use crate::core::ownership::content::{Mode, Stored};
use crate::core::text::Line;
use crate::store::error::StoreError;
use crate::store::git::object::ObjectId;
use crate::store::git::program::answer;
use crate::store::git::repository::Repository;

/// The part of the log of `HEAD` that is read.
const LOG_BYTES_MAX: u64 = 16 * 1024;
/// The log of the stash, whose lines are its entries.
const STASH_LOG: &str = "logs/refs/stash";
/// The largest number of commits of a branch that are looked at.
const COMMITS_MAX: usize = 200;
/// The beginnings of messages in that log for moves to another branch.
const MOVES: [&str; 2] = ["checkout: ", "Branch: renamed "];

/// The kind of an uncommitted change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    Modified,
    /// Not in the newest commit, but in the index.
    Added,
    Deleted,
    /// Neither in the newest commit nor in the index, and not ignored.
    Untracked,
    /// A merge left it to be resolved.
    Unmerged,
}

impl ChangeKind {
    pub fn name(self) -> &'static str {
        match self {
            ChangeKind::Modified => "modified",
            ChangeKind::Added => "added",
            ChangeKind::Deleted => "deleted",
            ChangeKind::Untracked => "untracked",
            ChangeKind::Unmerged => "unmerged",
        }
    }
}

/// An uncommitted change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uncommitted {
    pub kind: ChangeKind,
    /// True if the index differs from the newest commit.
    pub is_staged: bool,
}

/// A path that differs from the newest commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unsettled {
    /// The content in the index, if that differs from the newest commit.
    pub staged: Option<Content>,
    /// True if it is in the index or in the newest commit.
    pub is_tracked: bool,
}

impl Repository {
    /// Lists the paths that differ from the newest commit, in the index or in the work tree.
    pub fn uncommitted(&self) -> Result<BTreeMap<PathBytes, Uncommitted>, StoreError> {
        let listed = self.status()?;
        let mut changes: BTreeMap<PathBytes, Uncommitted> = BTreeMap::new();
        for (path, change) in listed.split(|byte| *byte == 0).filter_map(parsed) {
            // A file that was removed from the index and is still there is listed twice.
            let both = |first: &mut Uncommitted| first.kind = ChangeKind::Modified;
            changes.entry(path).and_modify(both).or_insert(change);
        }
        Ok(changes)
    }

    /// Lists the paths that differ from the newest commit, each with what is staged for it if that
    /// differs as well.
    pub fn uncommitted_and_staged(&self) -> Result<BTreeMap<PathBytes, Unsettled>, StoreError> {
        let listed = self.status()?;
        let mut changes: BTreeMap<PathBytes, Unsettled> = BTreeMap::new();
        for line in listed.split(|byte| *byte == 0) {
            let Some((path, change)) = parsed(line) else { continue };
            let staged = change.is_staged.then(|| staged_content(line)).flatten();
            let known = changes.entry(path).or_default();
            known.staged = known.staged.take().or(staged);
            known.is_tracked |= change.kind != ChangeKind::Untracked;
        }
        Ok(changes)
    }

    /// Asks git for the state of the work tree, in its format for programs.
    fn status(&self) -> Result<Vec<u8>, StoreError> {
        let Some(tree) = self.work_tree() else { return Ok(Vec::new()) };
        let mut command = self.program().command(&[
            "status",
            "--porcelain=v2",
            "-z",
            "--no-renames",
            "--untracked-files=all",
            "--ignore-submodules=all",
        ]);
        command.env("GIT_WORK_TREE", &tree.top).current_dir(&tree.top);
        Ok(answer(command)?)
    }

    /// Tells whether there may be other worktrees than this one, without asking git.
    pub fn has_linked_worktrees(&self) -> bool {
        self.common_dir().join("worktrees").is_dir()
    }

    /// Lists the worktrees with their top directories; the main one has no name.
    pub fn worktrees(&self) -> Result<Vec<(Option<String>, PathBuf)>, StoreError> {
        let mut found: Vec<(Option<String>, PathBuf)> = Vec::new();
        for top in self.program().work_trees()? {
            // A linked worktree has a file there that names its git directory.
            let link = std::fs::read_to_string(top.join(".git")).ok();
            let name = link.and_then(|link| {
                let directory = link.trim_end().strip_prefix("gitdir: ")?.to_owned();
                let directory = Path::new(&directory);
                let is_linked = directory.parent()?.file_name()? == "worktrees";
                is_linked.then(|| directory.file_name()?.to_str().map(str::to_owned)).flatten()
            });
            found.push((name, top));
        }
        Ok(found)
    }

    /// Lists the commits that only this branch has, and not the commit that it is moved to, the
    /// newest first, up to a limit.
    pub fn commits_only_on(
        &self,
        branch: &str,
        moved_to: Option<&str>,
    ) -> Result<Vec<ObjectId>, StoreError> {
        if !self.has_branch(branch) {
            return Ok(Vec::new());
        }
        self.commits_of(&format!("refs/heads/{branch}"), Some(branch), moved_to)
    }

    /// Lists the commits that only the branch has that is checked out, and not another commit, the
    /// newest first, up to a limit. None if there is no such commit.
    pub fn commits_left_behind(&self, by: &str) -> Result<Vec<ObjectId>, StoreError> {
        let branch = self.branch();
        let branch = branch.as_ref().map(Line::as_str);
        if self.head_commit()?.is_none() || self.commit_named(by).is_none() {
            return Ok(Vec::new());
        }
        self.commits_of("HEAD", branch, Some(by))
    }

    /// Lists the commits of `tip` that neither another commit has nor any branch or tag but one.
    fn commits_of(
        &self,
        tip: &str,
        but: Option<&str>,
        other: Option<&str>,
    ) -> Result<Vec<ObjectId>, StoreError> {
        let max = format!("--max-count={COMMITS_MAX}");
        let but = but.map(|branch| format!("--exclude={branch}"));
        let other = other.and_then(|name| self.commit_named(name)).map(|id| id.to_string());
        let mut words = vec!["rev-list", &max, tip, "--not"];
        words.extend(but.as_deref());
        words.extend(["--branches", "--remotes", "--tags"]);
        words.extend(other.as_deref());
        Ok(ids(&self.program().ask(&words)?))
    }

    /// Finds the commit that a word means to git.
    fn commit_named(&self, name: &str) -> Option<ObjectId> {
        let commit = format!("{name}^{{commit}}");
        let words = ["rev-parse", "--verify", "--quiet", "--end-of-options", &commit];
        ids(&self.program().ask(&words).ok()?).first().copied()
    }

    /// Returns the first parent of a commit.
    pub fn first_parent(&self, commit: &ObjectId) -> Option<ObjectId> {
        self.commit_named(&format!("{commit}^"))
    }

    /// Lists the entries of the stash, the newest first.
    pub fn stash_entries(&self) -> Result<Vec<ObjectId>, StoreError> {
        if !self.common_dir().join(STASH_LOG).exists() {
            return Ok(Vec::new());
        }
        Ok(ids(&self.program().ask(&["rev-list", "--walk-reflogs", "refs/stash"])?))
    }

    /// Tells whether the log of the stash was written since a time.
    pub fn stash_was_written_since(&self, then: SystemTime) -> bool {
        let log = self.common_dir().join(STASH_LOG).metadata();
        log.and_then(|log| log.modified()).is_ok_and(|written| written >= then)
    }

    /// Returns the second in which another branch was last checked out here, if the log of `HEAD`
    /// tells.
    pub fn head_moved_at(&self) -> Option<i64> {
        let mut log = std::fs::File::open(self.git_dir().join("logs/HEAD")).ok()?;
        let length = log.metadata().ok()?.len();
        log.seek(SeekFrom::Start(length.saturating_sub(LOG_BYTES_MAX))).ok()?;
        let mut end = Vec::new();
        log.take(LOG_BYTES_MAX).read_to_end(&mut end).ok()?;
        let end = String::from_utf8_lossy(&end);
        end.lines().rev().find_map(moved_at)
    }

    /// Tells whether the log of `HEAD` was written since a time.
    pub fn head_was_written_since(&self, then: SystemTime) -> bool {
        let log = self.git_dir().join("logs/HEAD").metadata();
        log.and_then(|log| log.modified()).is_ok_and(|written| written >= then)
    }

    /// Tells whether there is a branch of this name.
    pub fn has_branch(&self, name: &str) -> bool {
        let reference = format!("refs/heads/{name}");
        self.program().ask(&["rev-parse", "--verify", "--quiet", &reference]).is_ok()
    }
}

/// Reads the ids that git lists, a line each.
fn ids(listed: &[u8]) -> Vec<ObjectId> {
    String::from_utf8_lossy(listed).lines().filter_map(|id| id.parse().ok()).collect()
}

/// Reads a line of git's status.
fn parsed(line: &[u8]) -> Option<(PathBytes, Uncommitted)> {
    let (kind, fields) = match line.first()? {
        b'1' => (None, 8),
        b'u' => (Some(ChangeKind::Unmerged), 10),
        b'?' => (Some(ChangeKind::Untracked), 1),
        _ => return None,
    };
    let path = line.splitn(fields + 1, |byte| *byte == b' ').nth(fields)?.to_vec();
    if let Some(kind) = kind {
        return Some((path, Uncommitted { kind, is_staged: false }));
    }
    let (staged, work) = (line.get(2)?, line.get(3)?);
    let kind = match (staged, work) {
        (_, b'D') | (b'D', b'.') => ChangeKind::Deleted,
        (b'A', _) | (_, b'A') => ChangeKind::Added,
        _ => ChangeKind::Modified,
    };
    Some((path, Uncommitted { kind, is_staged: *staged != b'.' }))
}

/// Reads what the index has, from a line of git's status about a tracked path: the fifth and the
/// eighth of its words.
fn staged_content(line: &[u8]) -> Option<Content> {
    let words: Vec<&[u8]> = line.splitn(9, |byte| *byte == b' ').collect();
    let [mode, id] = [words.get(4)?, words.get(7)?].map(|word| std::str::from_utf8(word));
    let mode = u32::from_str_radix(mode.ok()?, 8).ok()?;
    if mode == 0 {
        return Some(Content::Gone);
    }
    let (mode, blob) = (Mode::of_git(mode)?, id.ok()?.parse().ok()?);
    Some(Content::Stored(Stored { blob, mode }))
}

/// Reads the time of a line of a log, if it is about a move to another branch.
fn moved_at(line: &str) -> Option<i64> {
    let (facts, message) = line.split_once('\t')?;
    let is_move = MOVES.iter().any(|beginning| message.starts_with(beginning));
    let mut words = facts.rsplit(' ');
    let (_zone, second) = (words.next()?, words.next()?);
    second.parse().ok().filter(|_| is_move)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_status_are_read() {
        let zeros = "0".repeat(40);
        let line = |letters: &str| {
            format!("1 {letters} N... 100644 100644 100644 {zeros} {zeros} a b").into_bytes()
        };
        for (letters, kind, is_staged) in [
            (".M", ChangeKind::Modified, false),
            ("MM", ChangeKind::Modified, true),
            ("A.", ChangeKind::Added, true),
            ("D.", ChangeKind::Deleted, true),
            (".D", ChangeKind::Deleted, false),
        ] {
            let expected = (b"a b".to_vec(), Uncommitted { kind, is_staged });
            assert_eq!(parsed(&line(letters)), Some(expected), "{letters}");
        }
        let untracked = Uncommitted { kind: ChangeKind::Untracked, is_staged: false };
        assert_eq!(parsed(b"? new file"), Some((b"new file".to_vec(), untracked)));
        assert_eq!(parsed(b""), None);
        assert_eq!(parsed(b"# branch.oid x"), None);
    }

    #[test]
    fn what_is_staged_is_read() {
        let (head, index) = ("1".repeat(40), "2".repeat(40));
        let line =
            |mode: &str| format!("1 MM N... 100644 {mode} 100644 {head} {index} a b").into_bytes();
        let blob = index.parse().unwrap();
        let stored = Content::Stored(Stored { blob, mode: Mode::Executable });
        assert_eq!(staged_content(&line("100755")), Some(stored));
        assert_eq!(staged_content(&line("000000")), Some(Content::Gone));
        assert_eq!(staged_content(&line("160000")), None, "a submodule");
        assert_eq!(staged_content(b"1 M."), None);
    }

    #[test]
    fn only_moves_to_a_branch_count() {
        let line = |message: &str| format!("0 1 A B <a@b> 1700000000 +0100\t{message}");
        assert_eq!(moved_at(&line("checkout: moving from a to b")), Some(1_700_000_000));
        assert_eq!(moved_at(&line("commit: checkout: moving")), None);
        assert_eq!(moved_at("no line"), None);
    }
}

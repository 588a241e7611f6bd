//! Snapshots of uncommitted content: commits under `refs/coord/rescue`, which no branch leads to.
//!
//! The first parent of a snapshot is the commit that was checked out, and its tree is that commit's
//! tree with the changed files in it, byte for byte. A second parent has what was staged, where the
//! index differed from both. A snapshot of commits that a command was about to drop has these as
//! its last parents, and the tree of the newest. `core::rescue` says what is saved and what goes;
//! this module reads and writes it. Single edits are saved by [`edits`] until a snapshot has them.

pub mod edits;
pub mod patch;
mod tree;

use crate::core::ownership::Content;
use crate::core::ownership::content::{Mode, Stored};
use crate::core::rescue::Record;
use crate::core::rescue::prune;
use crate::core::text::Line;
use crate::core::time::Timestamp;
use crate::store::error::StoreError;
use crate::store::git::backend::{Backend, Swap, Update};
use crate::store::git::object::{NewObjects, Object, ObjectId, ObjectKind};
use crate::store::git::refs::LogNote;
use crate::store::git::repository::Repository;
use crate::store::layout::{rescue_ref, rescues};
use crate::store::ledger::entry::Committer;
use tree::{Changes, changed_between, with_changes};

/// The snapshots of a repository.
pub struct Snapshots<'r> {
    repository: &'r Repository,
    backend: &'r dyn Backend,
    now: Timestamp,
}

/// A snapshot.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub commit: ObjectId,
    /// The full name of its ref.
    pub reference: String,
    pub record: Record,
    /// The commit that was checked out; none before the first.
    pub head: Option<ObjectId>,
    /// The commit with what was staged, if that was neither committed nor in the files.
    pub staged: Option<ObjectId>,
    /// The commits that it keeps, the newest first.
    pub dropped: Vec<ObjectId>,
    tree: ObjectId,
}

/// The name of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The time of it, to the second.
    pub at: Timestamp,
    /// The full name of its ref.
    pub reference: String,
}

/// The content to save.
#[derive(Clone, Debug, Default)]
pub struct Unsaved {
    files: Changes,
    staged: Changes,
    blobs: Vec<(ObjectId, Object)>,
}

/// A file of a snapshot that differs from the commit that was checked out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedFile {
    pub path: Vec<u8>,
    /// The content in the commit that was checked out.
    pub before: Content,
    /// `Gone` if the file had been deleted.
    pub content: Content,
}

impl Unsaved {
    /// Adds a file with its bytes.
    pub fn file(&mut self, path: Vec<u8>, stored: &Stored, bytes: Vec<u8>) {
        let entry = entry_of(stored);
        self.blobs.extend(entry.map(|(_, id)| (id, Object { kind: ObjectKind::Blob, bytes })));
        self.files.insert(path, entry);
    }

    /// Adds a file that was deleted.
    pub fn deletion(&mut self, path: Vec<u8>) {
        self.files.insert(path, None);
    }

    /// Adds what is staged for a path. Git has stored its bytes.
    pub fn staged(&mut self, path: Vec<u8>, content: &Content) {
        let entry = match content {
            Content::Gone => None,
            Content::Stored(stored) => entry_of(stored),
        };
        self.staged.insert(path, entry);
    }

    /// Counts the files.
    pub fn files(&self) -> usize {
        self.files.len()
    }

    /// Tells whether a file is among them with this content.
    pub fn has_as(&self, path: &[u8], stored: &Stored) -> bool {
        self.files.get(path).is_some_and(|entry| *entry == entry_of(stored))
    }

    /// Tells whether a path is among the files.
    pub fn has(&self, path: &[u8]) -> bool {
        self.files.contains_key(path)
    }
}

fn entry_of(stored: &Stored) -> Option<(u32, ObjectId)> {
    Some((stored.mode.to_git(), stored.blob.as_str().parse().ok()?))
}

impl Snapshot {
    /// Returns the name that people type: the first digits of its commit.
    pub fn id(&self) -> String {
        id_of(&self.commit)
    }
}

fn id_of(commit: &ObjectId) -> String {
    const DIGITS: usize = 8;
    commit.to_string()[..DIGITS].to_owned()
}

impl<'r> Snapshots<'r> {
    pub fn new(
        repository: &'r Repository,
        backend: &'r dyn Backend,
        now: Timestamp,
    ) -> Snapshots<'r> {
        Snapshots { repository, backend, now }
    }

    /// Lists the snapshots of a worktree, the newest first. One that cannot be read is left out.
    pub fn of_worktree(&self, worktree: Option<&Line>) -> Result<Vec<Snapshot>, StoreError> {
        self.below(&rescues(Some(worktree.map(Line::as_str))))
    }

    /// Lists the names of the snapshots of a worktree, the newest first. No snapshot is read.
    pub fn names(&self, worktree: Option<&Line>) -> Result<Vec<Name>, StoreError> {
        let prefix = rescues(Some(worktree.map(Line::as_str)));
        let name = |reference: String| {
            let (at, _) = reference.strip_prefix(&prefix)?.split_once('-')?;
            Some(Name { at: Timestamp::of_compact(at)?, reference })
        };
        let mut names: Vec<Name> =
            self.backend.refs_below(&prefix)?.into_iter().filter_map(name).collect();
        names.sort_by_key(|name| std::cmp::Reverse(prune::order(name.at, self.now)));
        Ok(names)
    }

    /// Reads the newest of named snapshots that has files, or that keeps commits. Names have
    /// seconds, so several may have that time.
    pub fn newest(&self, names: &[Name], has_files: bool) -> Option<Snapshot> {
        let of_a_time = names.chunk_by(|one, other| one.at == other.at);
        let mut newest = of_a_time.filter_map(|names| {
            let read = names.iter().filter_map(|name| self.at(name.reference.clone()).ok()?);
            let meant = read.filter(|snapshot| snapshot.dropped.is_empty() == has_files);
            meant.max_by_key(|snapshot| (snapshot.record.at, snapshot.commit))
        });
        newest.next()
    }

    /// Lists the snapshots of all worktrees, the newest first.
    pub fn all(&self) -> Result<Vec<Snapshot>, StoreError> {
        self.below(&rescues(None))
    }

    fn below(&self, prefix: &str) -> Result<Vec<Snapshot>, StoreError> {
        let mut snapshots = Vec::new();
        for reference in self.backend.refs_below(prefix)? {
            if let Ok(Some(snapshot)) = self.at(reference) {
                snapshots.push(snapshot);
            }
        }
        let order =
            |snapshot: &Snapshot| (prune::order(snapshot.record.at, self.now), snapshot.commit);
        snapshots.sort_by_key(|snapshot| std::cmp::Reverse(order(snapshot)));
        Ok(snapshots)
    }

    fn at(&self, reference: String) -> Result<Option<Snapshot>, StoreError> {
        let Some(commit) = self.backend.tip(&reference)? else { return Ok(None) };
        let Some(object) = self.backend.look(&commit)? else { return Ok(None) };
        let text = String::from_utf8_lossy(&object.bytes);
        let Some((head, message)) = text.split_once("\n\n") else { return Ok(None) };
        let Some(record) = Record::of_message(message) else { return Ok(None) };
        let ids = |name: &str| -> Vec<ObjectId> {
            let values = head.lines().filter_map(|line| line.strip_prefix(name));
            values.filter_map(|id| id.parse().ok()).collect()
        };
        let Some(tree) = ids("tree ").first().copied() else { return Ok(None) };
        let mut parents = ids("parent ");
        let kept = record.dropped.map_or(0, |dropped| dropped.parents);
        let dropped = parents.split_off(parents.len().saturating_sub(kept));
        let (head, staged) = (parents.first().copied(), parents.get(1).copied());
        Ok(Some(Snapshot { commit, reference, record, head, staged, dropped, tree }))
    }

    /// Lists the files of a snapshot that differ from the commit that was checked out.
    pub fn files(&self, snapshot: &Snapshot) -> Result<Vec<SavedFile>, StoreError> {
        let before = snapshot.head.map(|head| self.tree_of(&head)).transpose()?;
        let changed = changed_between(self.backend, before, Some(snapshot.tree))?;
        let saved = changed.into_iter().filter_map(|(path, (was, is))| {
            Some(SavedFile { path, before: content_of(was)?, content: content_of(is)? })
        });
        Ok(saved.collect())
    }

    /// Reads the bytes of a saved file.
    pub fn bytes(&self, stored: &Stored) -> Result<Vec<u8>, StoreError> {
        let id: ObjectId = stored.blob.as_str().parse().map_err(|_| {
            StoreError::Malformed(format!("'{}' names no object", stored.blob.as_str()))
        })?;
        match self.backend.read(&id)? {
            Some(Object { kind: ObjectKind::Blob, bytes }) => Ok(bytes),
            Some(Object { kind, .. }) => {
                Err(StoreError::WrongKind { id, found: kind, expected: ObjectKind::Blob })
            }
            None => Err(StoreError::Missing { id }),
        }
    }

    /// Reads the number of bytes of a saved file; `None` if it is not known.
    pub fn size(&self, stored: &Stored) -> Option<u64> {
        self.backend.size(&stored.blob.as_str().parse().ok()?).ok()?
    }

    /// Saves content. Returns `None` if it is what the newest commit has, and `newest`, the newest
    /// snapshot of the worktree, if that has it already.
    pub fn save(
        &self,
        unsaved: &mut Unsaved,
        record: Record,
        committer: &Committer,
        newest: Option<&Snapshot>,
    ) -> Result<Option<Snapshot>, StoreError> {
        let head = self.repository.head_commit()?;
        let before = head.map(|head| self.tree_of(&head)).transpose()?;
        let mut objects = NewObjects::new(self.backend.hash_kind());
        let tree = with_changes(self.backend, before, &unsaved.files, &mut objects)?;
        let index = with_changes(self.backend, before, &unsaved.staged, &mut objects)?;
        let index = (index != tree && Some(index) != before).then_some(index);
        if Some(tree) == before && index.is_none() {
            return Ok(None);
        }
        if let Some(newest) = newest
            && newest.tree == tree
            && newest.head == head
            && newest.staged.map(|staged| self.tree_of(&staged)).transpose()? == index
        {
            return Ok(Some(newest.clone()));
        }
        let signed = Signed { committer, record: &record };
        let staged = index.map(|index| objects.add(signed.commit(index, &[head], "staged\n")));
        let message = record.to_message(unsaved.files.len());
        let commit = objects.add(signed.commit(tree, &[head, staged], &message));
        for (id, blob) in std::mem::take(&mut unsaved.blobs) {
            objects.add_as(id, blob);
        }
        let worktree = record.worktree.as_ref().map(Line::as_str);
        let reference = rescue_ref(worktree, record.at, &id_of(&commit));
        self.publish(&objects, commit, &reference, &signed)?;
        let dropped = Vec::new();
        Ok(Some(Snapshot { commit, reference, record, head, staged, dropped, tree }))
    }

    /// Keeps commits that nothing may lead to soon, the newest first. Its files are those in which
    /// the newest differs from `base`.
    pub fn keep(
        &self,
        dropped: Vec<ObjectId>,
        base: Option<ObjectId>,
        record: Record,
        committer: &Committer,
    ) -> Result<Option<Snapshot>, StoreError> {
        let Some(newest) = dropped.first() else { return Ok(None) };
        let tree = self.tree_of(newest)?;
        let signed = Signed { committer, record: &record };
        let parents: Vec<Option<ObjectId>> =
            [base].into_iter().chain(dropped.iter().copied().map(Some)).collect();
        let mut objects = NewObjects::new(self.backend.hash_kind());
        let commit = objects.add(signed.commit(tree, &parents, &record.to_message(0)));
        let worktree = record.worktree.as_ref().map(Line::as_str);
        let reference = rescue_ref(worktree, record.at, &id_of(&commit));
        self.publish(&objects, commit, &reference, &signed)?;
        let (head, staged) = (base, None);
        Ok(Some(Snapshot { commit, reference, record, head, staged, dropped, tree }))
    }

    /// Stores the objects, and then makes the ref that leads to them.
    fn publish(
        &self,
        objects: &NewObjects,
        commit: ObjectId,
        reference: &str,
        signed: &Signed<'_>,
    ) -> Result<(), StoreError> {
        let Some(stored) = self.backend.store(objects, commit, &|| true)? else { return Ok(()) };
        let committer = signed.committer.signature(signed.record.at);
        let note = LogNote { committer: &committer, message: "save" };
        let publish =
            || self.backend.swap(Update::new(reference, None, commit, note), Some(&stored));
        let mut swap = publish()?;
        // A process that was killed may have left its lock.
        if swap != Swap::Done && self.backend.clear_lock(reference)?.is_some() {
            swap = publish()?;
        }
        // Another process may have saved this content in this second, for an equal command.
        if swap != Swap::Done && self.backend.tip(reference)? != Some(commit) {
            let why = format!("'{reference}' could not be made: another process has it");
            return Err(StoreError::Malformed(why));
        }
        stored.release()?;
        self.backend.sync_ref(reference)
    }

    /// Removes a snapshot, if it still is as it was seen.
    pub fn remove(&self, snapshot: &Snapshot) -> Result<(), StoreError> {
        let program = self.repository.common_program();
        Ok(program.delete_ref(&snapshot.reference, &snapshot.commit.to_string())?)
    }

    fn tree_of(&self, commit: &ObjectId) -> Result<ObjectId, StoreError> {
        let object = self.backend.read(commit)?.ok_or(StoreError::Missing { id: *commit })?;
        let text = String::from_utf8_lossy(&object.bytes);
        let tree = text.lines().next().and_then(|line| line.strip_prefix("tree "));
        tree.and_then(|id| id.parse().ok()).ok_or(StoreError::WrongKind {
            id: *commit,
            found: object.kind,
            expected: ObjectKind::Commit,
        })
    }
}

/// The committer of a snapshot, and whose work it is.
struct Signed<'s> {
    committer: &'s Committer,
    record: &'s Record,
}

impl Signed<'_> {
    fn commit(&self, tree: ObjectId, parents: &[Option<ObjectId>], message: &str) -> Object {
        let parents: Vec<String> =
            parents.iter().flatten().map(|parent| format!("parent {parent}\n")).collect();
        let parents = parents.concat();
        let at = self.record.at;
        let author = Committer::new(self.record.agent.as_str(), &self.committer.email);
        let text = format!(
            "tree {tree}\n{parents}author {}\ncommitter {}\n\n{message}",
            author.signature(at),
            self.committer.signature(at),
        );
        Object { kind: ObjectKind::Commit, bytes: text.into_bytes() }
    }
}

/// Reads an entry of a tree; `None` if it is a submodule.
fn content_of(entry: Option<(u32, ObjectId)>) -> Option<Content> {
    let Some((mode, id)) = entry else { return Some(Content::Gone) };
    let (mode, blob) = (Mode::of_git(mode)?, id.to_string().parse().ok()?);
    Some(Content::Stored(Stored { blob, mode }))
}

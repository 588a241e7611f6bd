//! The forms of snapshots in answers.

use schemars::JsonSchema;
use serde::Serialize;

use super::keep::owners_by_path;
use crate::app::Ctx;
use crate::app::error::AppError;
use crate::app::ownership::view::PathView;
use crate::core::ids::AgentName;
use crate::core::ownership::Content;
use crate::core::ownership::content::{BlobId, Mode};
use crate::core::rescue::{Dropped, DroppedFrom, LeftOut, Why};
use crate::core::text::Line;
use crate::core::time::Timestamp;
use crate::store::git::object::ObjectId;
use crate::store::rescue::edits::SavedEdit;
use crate::store::rescue::{SavedFile, Snapshot};

/// The largest number of files of a snapshot that a list shows.
const FILES_SHOWN_MAX: usize = 100;

/// A snapshot.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Snapshot")]
pub struct SnapshotView {
    /// The first digits of its commit.
    pub id: String,
    /// Its commit, which 'git show' shows.
    pub commit: ObjectId,
    #[serde(rename = "ref")]
    pub reference: String,
    pub at: Timestamp,
    /// The linked worktree whose files it has; absent for the main one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worktree: Option<Line>,
    /// The agent that caused it.
    pub agent: AgentName,
    pub why: Why,
    /// The command that was about to run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The reason that somebody gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Line>,
    /// The commit that was checked out; absent before the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<ObjectId>,
    /// The number of files that differ from that commit.
    pub files: usize,
    /// These files, at most a hundred of them.
    pub paths: Vec<SavedView>,
    /// Changed files that it does not have.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// The commits that it keeps, in the place of uncommitted files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dropped: Option<DroppedView>,
}

/// Commits that a command has dropped.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "DroppedCommits")]
pub struct DroppedView {
    pub from: DroppedFrom,
    /// The newest commit of a branch, or entries of the stash, the newest first.
    pub commits: Vec<ObjectId>,
    /// The command that brings the first of them back.
    pub back: String,
}

/// A file of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "SavedFile")]
pub struct SavedView {
    pub path: PathView,
    /// The agent whose change it was; absent if that was nobody's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<AgentName>,
    /// Git's number for the kind of file; absent if the file had been deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub mode: Option<Mode>,
    /// Its size; absent if the file had been deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

/// A file as an edit has left it, which no snapshot has yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "SavedEdit")]
pub struct EditView {
    pub path: PathView,
    pub agent: AgentName,
    pub at: Timestamp,
    pub blob: BlobId,
    pub bytes: u64,
}

impl SnapshotView {
    /// Shows a snapshot with those of its files that are wanted; none if it has none of them.
    pub(super) fn of(
        ctx: &Ctx,
        snapshot: &Snapshot,
        is_wanted: impl Fn(&[u8]) -> bool,
    ) -> Result<Option<SnapshotView>, AppError> {
        let mut files = ctx.snapshots().files(snapshot)?;
        let is_empty = files.is_empty();
        files.retain(|file| is_wanted(&file.path));
        let has_more = snapshot.staged.is_some() || is_empty && !snapshot.dropped.is_empty();
        if files.is_empty() && !has_more {
            return Ok(None);
        }
        let owners = owners_by_path(snapshot);
        let view = |file: &SavedFile| {
            let stored = match &file.content {
                Content::Gone => None,
                Content::Stored(stored) => Some(stored),
            };
            SavedView {
                owner: owners.get(&file.path).cloned(),
                path: PathView(file.path.clone()),
                mode: stored.map(|stored| stored.mode),
                bytes: stored.and_then(|stored| ctx.snapshots().size(stored)),
            }
        };
        let record = snapshot.record.clone();
        Ok(Some(SnapshotView {
            id: snapshot.id(),
            commit: snapshot.commit,
            reference: snapshot.reference.clone(),
            at: record.at,
            worktree: record.worktree,
            agent: record.agent,
            why: record.why,
            command: record.command,
            reason: record.reason,
            head: snapshot.head,
            files: files.len(),
            paths: files.iter().take(FILES_SHOWN_MAX).map(view).collect(),
            left_out: record.left_out,
            dropped: DroppedView::of(snapshot),
        }))
    }
}

impl DroppedView {
    /// Shows the commits that a snapshot keeps; none if it keeps none.
    pub fn of(snapshot: &Snapshot) -> Option<DroppedView> {
        let Dropped { from, .. } = snapshot.record.dropped?;
        let commit = snapshot.dropped.first()?.short();
        let back = match from {
            DroppedFrom::Stash => format!("git stash store {commit}"),
            DroppedFrom::Branch => format!("git branch rescued-{commit} {commit}"),
        };
        Some(DroppedView { from, commits: snapshot.dropped.clone(), back })
    }

    /// Formats the commits for people.
    pub fn text(&self) -> String {
        let what = match (self.from, self.commits.len()) {
            (DroppedFrom::Branch, _) => "commits".to_owned(),
            (DroppedFrom::Stash, 1) => "1 entry of the stash".to_owned(),
            (DroppedFrom::Stash, count) => format!("{count} entries of the stash"),
        };
        format!("{what}, back with: {}", self.back)
    }
}

impl SavedView {
    /// Formats the file for people.
    pub fn text(&self) -> String {
        let path = self.path.text();
        if self.mode.is_none() { format!("{path} (deleted)") } else { path }
    }
}

impl EditView {
    pub(super) fn of(edit: &SavedEdit) -> EditView {
        EditView {
            path: PathView::of(&edit.path),
            agent: edit.agent.clone(),
            at: edit.at,
            blob: edit.stored.blob.clone(),
            bytes: edit.bytes,
        }
    }
}

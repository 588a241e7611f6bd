//! Saved uncommitted content: what hooks and commands save, and how it comes back.
//!
//! [`keep`] saves, `versions` finds what is saved, and the others are the commands. The rules are
//! in `core::rescue`.

pub mod diff;
pub mod drop;
pub mod keep;
pub mod list;
pub mod restore;
pub mod save;
pub mod terminal;
mod versions;
pub mod view;

use std::collections::{BTreeMap, BTreeSet};

use super::Ctx;
use super::error::AppError;
use super::next::command;
use super::ownership::changes::{Body, ChangeView};
use super::problem::{Hint, Problem};
use crate::core::ownership::Content;
use crate::core::rescue::bounds::SNAPSHOT_BYTES_MAX;
use crate::core::text::Line;
use crate::store::git::object::ObjectId;
use crate::store::layout::MAIN_WORKTREE;
use crate::store::rescue::Snapshots;
use crate::store::rescue::edits::SavedEdits;
use versions::{Version, Wanted};

impl Ctx {
    fn snapshots(&self) -> Snapshots<'_> {
        Snapshots::new(&self.repository, &*self.backend, self.clock())
    }

    fn saved_edits(&self, worktree: Option<&Line>) -> SavedEdits {
        SavedEdits::new(self.repository.common_dir(), worktree, self.files)
    }
}

/// Reads the name of a worktree; `-` is the main one. It need not exist any more. Without a name,
/// the worktree of the request is meant.
fn worktree_of(ctx: &Ctx, name: Option<&str>) -> Result<Option<Line>, AppError> {
    match name {
        None => Ok(ctx.worktree()),
        Some(MAIN_WORKTREE) => Ok(None),
        Some(name) => Line::new(name).map(Some).map_err(|error| AppError::Usage(error.to_string())),
    }
}

/// Finds what is saved of changes that are gone and, if `of_present`, of those in their files.
pub fn find_saved(ctx: &Ctx, body: &mut Body, of_present: bool) -> Result<(), AppError> {
    let is_asked = of_present && !body.changes.is_empty();
    if !is_asked && body.lost.is_empty() {
        return Ok(());
    }
    let worktree = ctx.worktree();
    let saved = versions::versions(ctx, worktree.as_ref(), None, &Wanted::new(&[]))?;
    if is_asked {
        find_present(ctx, &mut body.changes, &saved);
    }
    for lost in &mut body.lost {
        let is_it = |version: &&Version| {
            version.path == lost.path.0 && lost.blob.as_ref() == Some(&version.stored.blob)
        };
        lost.saved = saved.iter().find(is_it).map(|version| version.from().to_owned());
    }
    Ok(())
}

/// Finds the newest saved versions that files are as. Only files with a version are read, and no
/// more of them than a snapshot has room for.
fn find_present(ctx: &Ctx, changes: &mut [ChangeView], saved: &[Version]) {
    let mut by_path: BTreeMap<&[u8], Vec<&Version>> = BTreeMap::new();
    for version in saved {
        by_path.entry(&version.path).or_default().push(version);
    }
    let (repository, file_bytes_max) = (ctx.repository(), ctx.settings().rescue.file_bytes_max);
    let mut bytes_left = SNAPSHOT_BYTES_MAX;
    for change in changes {
        let path = &change.path.0;
        let Some(versions) = by_path.get(path.as_slice()) else { continue };
        let Some(rest) = bytes_left.checked_sub(repository.as_left(path).bytes) else { continue };
        bytes_left = rest;
        if let Some(Content::Stored(stored)) = repository.read_file(path, file_bytes_max).content()
        {
            let is_it = |version: &&&Version| version.stored == stored;
            change.saved = versions.iter().find(is_it).map(|version| version.from().to_owned());
        }
    }
}

/// Lists the commits of all snapshots, also those with what was staged.
pub fn commits(ctx: &Ctx) -> Result<BTreeSet<ObjectId>, AppError> {
    let snapshots = ctx.snapshots().all()?.into_iter();
    Ok(snapshots.flat_map(|snapshot| [Some(snapshot.commit), snapshot.staged]).flatten().collect())
}

/// Explains that nothing is saved.
fn nothing_saved(message: impl Into<String>) -> Problem {
    let problem = Problem::from(AppError::nothing("nothing_saved", message));
    problem.suggesting(vec![command(&["rescue", "list"])], Hint::plain)
}

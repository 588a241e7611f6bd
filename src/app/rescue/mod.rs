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
mod versions;
pub mod view;

use std::collections::BTreeSet;

use super::Ctx;
use super::error::AppError;
use super::next::command;
use super::ownership::changes::LostView;
use super::problem::{Hint, Problem};
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

/// Finds what is saved of changes that are gone.
pub fn find_lost(ctx: &Ctx, lost: &mut [LostView]) -> Result<(), AppError> {
    if lost.is_empty() {
        return Ok(());
    }
    let worktree = ctx.worktree();
    let saved = versions::versions(ctx, worktree.as_ref(), None, &Wanted::new(&[]))?;
    for lost in lost {
        let is_it = |version: &&Version| {
            version.path == lost.path.0 && lost.blob.as_ref() == Some(&version.stored.blob)
        };
        lost.saved = saved.iter().find(is_it).map(|version| version.from().to_owned());
    }
    Ok(())
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

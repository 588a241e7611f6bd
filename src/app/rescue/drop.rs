//! Removes snapshots.

use schemars::JsonSchema;
use serde::Serialize;

use super::versions::snapshot;
use super::{nothing_saved, worktree_of};
use crate::app::Ctx;
use crate::app::answer::Answer;
use crate::app::error::AppError;
use crate::app::problem::Problem;
use crate::store::rescue::Snapshot;

/// Snapshots to remove.
pub struct Request<'r> {
    /// The ids; none if all are meant.
    pub ids: &'r [String],
    /// All of this worktree, with the edits that no snapshot has yet.
    pub all: bool,
}

impl Request<'_> {
    /// Checks that the request says what it means.
    pub fn check(&self) -> Result<(), AppError> {
        match (self.ids.is_empty(), self.all) {
            (true, false) => {
                Err(AppError::usage("nothing to drop: name snapshots, or everything with --all"))
            }
            (false, true) => Err(AppError::usage("--all goes with no id")),
            _ => Ok(()),
        }
    }
}

/// The answer to `rescue drop`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    /// The ids of the snapshots that are gone.
    pub dropped: Vec<String>,
    /// The number of saved edits that are gone.
    pub edits: usize,
}

/// Removes snapshots. Git removes their content when it next collects garbage.
pub fn drop(ctx: &Ctx, request: &Request<'_>) -> Result<Answer<Body>, Problem> {
    request.check()?;
    let mut body = Body { dropped: Vec::new(), edits: 0 };
    let worktree = worktree_of(ctx, None)?;
    let mut dropped: Vec<Snapshot> = Vec::new();
    if request.all {
        dropped = ctx.snapshots().of_worktree(worktree.as_ref()).map_err(AppError::from)?;
        let edits = ctx.saved_edits(worktree.as_ref());
        for edit in edits.all().map_err(AppError::from)? {
            edits.forget(&edit).map_err(AppError::from)?;
            body.edits += 1;
        }
    } else {
        let known = ctx.snapshots().all().map_err(AppError::from)?;
        for id in request.ids {
            dropped.push(snapshot(&known, id)?);
        }
    }
    dropped.dedup_by_key(|snapshot| snapshot.commit);
    if dropped.is_empty() && body.edits == 0 {
        return Err(nothing_saved("nothing is saved"));
    }
    for snapshot in dropped {
        ctx.snapshots().remove(&snapshot).map_err(AppError::from)?;
        body.dropped.push(snapshot.id());
    }
    Ok(Answer::read(body, ctx.clock()))
}

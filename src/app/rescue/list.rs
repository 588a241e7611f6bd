//! Lists what is saved.

use std::ffi::OsString;

use schemars::JsonSchema;
use serde::Serialize;

use super::versions::Wanted;
use super::view::{EditView, SnapshotView};
use super::worktree_of;
use crate::app::answer::{Answer, Note};
use crate::app::error::AppError;
use crate::app::problem::Problem;
use crate::app::{Ctx, specs};
use crate::core::bounded::Limit;
use crate::core::ids::AgentName;
use crate::core::pattern::Reading;

/// The number of snapshots if the caller gives no limit.
pub const LIMIT_DEFAULT: Limit = Limit::FIFTY;

/// A choice of what is saved.
pub struct Request<'r> {
    /// Only these paths, relative to the caller's directory, or patterns.
    pub paths: &'r [OsString],
    /// The worktree; `-` is the main one.
    pub worktree: Option<&'r str>,
    /// Only what this agent or its subagents caused or own.
    pub agent: Option<&'r AgentName>,
    /// The largest number of snapshots.
    pub limit: Limit,
}

/// The answer to `rescue list`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    /// The snapshots, the newest first.
    pub snapshots: Vec<SnapshotView>,
    /// Edits that no snapshot has yet, the newest first.
    pub edits: Vec<EditView>,
    /// True if there are more snapshots.
    pub more: bool,
}

/// Lists snapshots and saved edits of a worktree.
pub fn list(ctx: &Ctx, request: &Request<'_>) -> Result<Answer<Body>, Problem> {
    let wanted = specs::patterns(ctx.repository(), request.paths, Reading::Glob)?;
    let wanted = Wanted::new(&wanted);
    let worktree = worktree_of(ctx, request.worktree)?;
    let is_theirs = |agent: &AgentName| request.agent.is_none_or(|asked| asked.covers(agent));
    let mut unreadable = Vec::new();
    let mut body = Body { snapshots: Vec::new(), edits: Vec::new(), more: false };
    for snapshot in ctx.snapshots().of_worktree(worktree.as_ref()).map_err(AppError::from)? {
        let record = &snapshot.record;
        let concerns =
            is_theirs(&record.agent) || record.owners.iter().any(|owner| is_theirs(&owner.agent));
        if !concerns {
            continue;
        }
        let view = match SnapshotView::of(ctx, &snapshot, |path| wanted.has(path)) {
            Ok(Some(view)) => view,
            Ok(None) => continue,
            Err(error) => {
                unreadable.push(format!("{}: {error}", snapshot.reference));
                continue;
            }
        };
        if body.snapshots.len() == request.limit.rows() {
            body.more = true;
            break;
        }
        body.snapshots.push(view);
    }
    let edits = ctx.saved_edits(worktree.as_ref()).all().map_err(AppError::from)?;
    let edits = edits.iter().filter(|edit| {
        let path = edit.path.literal_path().unwrap_or_default();
        is_theirs(&edit.agent) && wanted.has(&path)
    });
    body.edits = edits.take(request.limit.rows()).map(EditView::of).collect();
    let is_empty = body.snapshots.is_empty() && body.edits.is_empty();
    let nothing = is_empty.then(|| Note::plain("nothing is saved"));
    let damaged = (!unreadable.is_empty()).then(|| {
        let mut warning = Note::warning("these snapshots cannot be read");
        warning.details = unreadable;
        warning
    });
    Ok(Answer::read(body, ctx.clock()).noting(nothing.into_iter().chain(damaged)))
}

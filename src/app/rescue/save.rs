//! Saves everything that no commit has, because somebody asked for it.

use schemars::JsonSchema;
use serde::Serialize;

use super::keep::{self, NOT_SAVED, Occasion};
use super::view::SnapshotView;
use crate::app::Ctx;
use crate::app::answer::{Answer, Note};
use crate::app::error::AppError;
use crate::app::problem::Problem;
use crate::core::rescue::Why;
use crate::core::text::Line;
use crate::store::error::StoreError;

/// A wish to save everything.
pub struct Request<'r> {
    pub reason: Option<&'r Line>,
}

/// The answer to `rescue save`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    /// The snapshot that has everything; absent if there is nothing to save.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<SnapshotView>,
}

/// Saves the uncommitted content of this worktree.
pub fn save(ctx: &Ctx, request: &Request<'_>) -> Result<Answer<Body>, Problem> {
    if !ctx.settings().rescue.enabled {
        let message = "nothing is saved here: coord.rescue.enabled is off";
        return Err(Problem::refused("rescue_off", message));
    }
    if ctx.repository().work_tree().is_none() {
        return Err(AppError::from(StoreError::NoWorkTree).into());
    }
    let occasion = Occasion { reason: request.reason, ..Occasion::of(Why::Asked) };
    let kept = keep::uncommitted(ctx, occasion, |_| true)?;
    let snapshot = kept.as_ref().and_then(|kept| kept.snapshot.as_ref());
    let snapshot = snapshot.map(|snapshot| SnapshotView::of(ctx, snapshot, |_| true));
    let snapshot = snapshot.transpose()?.flatten();
    let note = match &kept {
        None => Some(Note::plain("nothing to save: everything is committed")),
        Some(kept) if kept.was_there => Some(Note::plain("it was saved already")),
        Some(_) => None,
    };
    let left_out = kept.map(|kept| kept.left_out).filter(|left_out| !left_out.is_empty());
    let left_out = left_out.map(|left_out| {
        let mut warning = Note::warning(format!("not saved, {NOT_SAVED}"));
        warning.details = left_out.iter().map(|file| file.path.shown()).collect();
        warning
    });
    Ok(Answer::read(Body { snapshot }, ctx.clock()).noting(note.into_iter().chain(left_out)))
}

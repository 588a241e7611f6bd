//! Tells agents of their changes that are gone.

use super::{judge, tidy};
use crate::app::Ctx;
use crate::app::error::AppError;
use crate::core::ownership::lost::Loss;
use crate::core::ownership::{Content, Note};

/// Takes out what the agent and its subagents have lost here and were not told of.
pub fn take(ctx: &Ctx) -> Result<Vec<Loss>, AppError> {
    let mut losses = ctx.losses().take(ctx.actor())?;
    let Some(oldest) = losses.iter().map(|loss| loss.changed_at.as_seconds()).min() else {
        return Ok(losses);
    };
    let path = |loss: &Loss| loss.path.literal_path().unwrap_or_default();
    let paths: Vec<Vec<u8>> = losses.iter().map(path).collect();
    // If git cannot tell, they are told: to look in vain is better than not to look.
    let committed = ctx.repository().last_committed(&paths, oldest).unwrap_or_default();
    losses.retain(|loss| {
        let path = path(loss);
        let file: Option<Content> = ctx.repository().content_of(&path);
        loss.is_so(file.as_ref(), committed.get(&path).copied())
    });
    losses.sort_by(|one, other| (&one.path, &one.agent).cmp(&(&other.path, &other.agent)));
    losses.dedup_by(|one, other| (&one.path, &one.agent) == (&other.path, &other.agent));
    Ok(losses)
}

/// Looks whether changes of the agent are gone, so that it is told. A file that is as the agent
/// left it is not read.
pub fn look(ctx: &Ctx) -> Result<(), AppError> {
    let mut notes = ctx.notes().all()?;
    notes.retain(|note: &Note| {
        let path = note.path.literal_path().unwrap_or_default();
        let is_moved = || note.left.is_some_and(|left| left != ctx.repository().as_left(&path));
        ctx.actor().covers(&note.agent) && !note.lost && !note.by_shell && is_moved()
    });
    if !notes.is_empty() {
        tidy(ctx, &judge(ctx, notes)?);
    }
    Ok(())
}

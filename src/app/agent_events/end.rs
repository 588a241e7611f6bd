//! At the ends of turns, subagents and sessions.

use crate::app::config::ReleaseWith;
use crate::app::error::AppError;
use crate::app::rescue::keep::{self, Occasion};
use crate::app::{Ctx, edits, ownership};
use crate::core::rescue::Why;
use crate::core::reservation::index::Whose;

/// Ends the turn before the one that begins: of a turn that was interrupted an agent's program says
/// nothing until then.
pub fn turn_before(ctx: &Ctx) -> Result<(), AppError> {
    ownership::lost::look(ctx).ok();
    turn(ctx)
}

/// Ends the turn of an agent or a subagent.
pub fn turn(ctx: &Ctx) -> Result<(), AppError> {
    end(ctx, Whose::Own, ctx.settings().hook.release == ReleaseWith::Turn)
}

/// Ends a session, with its subagents.
pub fn session(ctx: &Ctx) -> Result<(), AppError> {
    let release = ctx.settings().hook.release;
    end(ctx, Whose::Session, matches!(release, ReleaseWith::Turn | ReleaseWith::Session))
}

/// Ends the edits of a turn or a session, and releases the holds that came with them if they end
/// with it. The agent itself releases those that it asked for.
fn end(ctx: &Ctx, whose: Whose, lets_go: bool) -> Result<(), AppError> {
    let concluded = edits::conclude(ctx, whose);
    if lets_go {
        edits::let_go(ctx, whose)?;
    }
    // A failure holds nobody up: the next end saves again, and each edit is saved by itself.
    keep::noted(ctx, Occasion::of(Why::Turn)).ok();
    concluded
}

//! At the beginning of a session or a subagent.

use crate::app::error::AppError;
use crate::app::install::plugin;
use crate::app::negotiation::view::RequestView;
use crate::app::open::Door;
use crate::app::{Ctx, negotiation, ownership, presence, reservations};
use crate::core::reservation::Hold;
use crate::core::time::Timestamp;

/// The words for an agent at its beginning, beside its name.
#[derive(Debug)]
pub struct Welcome {
    /// The holds of others.
    pub others: Vec<Hold>,
    /// The requests of others to the agent.
    pub requests: Vec<RequestView>,
    /// The time of the look.
    pub now: Timestamp,
}

/// Welcomes a session, and takes over what an earlier one of its name has left. Returns none if
/// another call of ours at the same event welcomes it.
pub fn session(ctx: &Ctx, door: &Door, event: &str) -> Result<Option<Welcome>, AppError> {
    if is_welcomed_elsewhere(ctx, door, event) {
        return Ok(None);
    }
    // A session begins seldom, and nobody waits for it. It is welcome even if nothing of an
    // earlier one can be found.
    ownership::inherit(ctx).ok();
    ownership::lost::look(ctx).ok();
    presence::forget_old(ctx);
    look(ctx).map(Some)
}

/// Welcomes a subagent. Returns none as [`session`] does.
pub fn subagent(ctx: &Ctx, door: &Door, event: &str) -> Result<Option<Welcome>, AppError> {
    if is_welcomed_elsewhere(ctx, door, event) { Ok(None) } else { look(ctx).map(Some) }
}

/// Tells whether this is the call of a plugin, and the agent's settings have a call at the event as
/// well. One welcome is enough, and the other call gives it.
fn is_welcomed_elsewhere(ctx: &Ctx, door: &Door, event: &str) -> bool {
    plugin::is_called_besides(ctx, door.environment(), event)
}

fn look(ctx: &Ctx) -> Result<Welcome, AppError> {
    let reservations::Listed { holds: mut others, now, .. } =
        reservations::find(ctx, &reservations::Filter::default())?;
    others.retain(|hold| !ctx.actor().is_one_with(&hold.holder));
    // An agent is welcome even if the requests cannot be read.
    let requests = ctx.read().and_then(|reading| negotiation::requests(ctx, &reading));
    Ok(Welcome { others, requests: requests.unwrap_or_default().to_answer, now })
}

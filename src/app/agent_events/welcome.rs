//! At the beginning of a session or a subagent.

use crate::app::error::AppError;
use crate::app::install::plugin;
use crate::app::negotiation::view::RequestView;
use crate::app::open::Door;
use crate::app::prime::{self, Others};
use crate::app::{Ctx, negotiation, ownership, presence};

/// The words for an agent at its beginning.
#[derive(Debug)]
pub struct Welcome {
    /// The text that `git coord prime` prints.
    pub text: String,
    /// The requests of others to the agent.
    pub requests: Vec<RequestView>,
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
    let Others { holds, now } = prime::others(ctx)?;
    // An agent is welcome even if the requests cannot be read.
    let requests = ctx.read().and_then(|reading| negotiation::requests(ctx, &reading));
    let text = prime::text(ctx.actor(), &holds, now);
    Ok(Welcome { text, requests: requests.unwrap_or_default().to_answer })
}

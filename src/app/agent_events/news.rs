//! News for an agent at events of its session. It hears of each once.

use crate::app::negotiation::view::RequestView;
use crate::app::{Ctx, news, ownership};
use crate::core::ownership::lost::Loss;

/// Takes the requests that an agent is to hear of between two calls.
pub fn take_requests(ctx: &Ctx) -> Vec<RequestView> {
    let news = news::in_between(ctx);
    news.remember(ctx);
    news.requests
}

/// Takes the changes of the agent and its subagents that are gone.
pub fn take_lost(ctx: &Ctx) -> Vec<Loss> {
    ownership::lost::take(ctx).unwrap_or_default()
}

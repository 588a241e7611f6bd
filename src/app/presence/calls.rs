//! The records of an agent's calls, for the hooks.

use std::time::SystemTime;

use crate::app::Ctx;

/// Returns the time at which an open shell command of the agent began, by the clock that files are
/// stamped with.
pub fn started(ctx: &Ctx, call: &str) -> Option<SystemTime> {
    ctx.presences().open_tool_calls(ctx.actor()).call(call)?.started
}

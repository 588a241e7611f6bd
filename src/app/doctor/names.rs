//! Finds sessions that act under one name: a reservation of one does not stop the other.

use super::{Check, State};
use crate::app::Ctx;
use crate::app::presence::live_sessions;
use crate::core::time::Timestamp;
use crate::store::machine::presence::Presence;

const NAME: &str = "names";

/// Reports each name that several live sessions of this machine share.
pub(super) fn names(ctx: &Ctx) -> Vec<Check> {
    let mut seen = ctx.presences().all();
    seen.retain(|presence| presence.host == *ctx.host());
    seen.sort_by(|one, other| one.agent.cmp(&other.agent));
    judged(&seen, ctx.clock())
}

fn judged(seen: &[Presence], now: Timestamp) -> Vec<Check> {
    let mut checks = Vec::new();
    for presence in seen {
        let sessions: Vec<&str> = live_sessions(presence, now).collect();
        if sessions.len() > 1 {
            let text = format!(
                "{} live sessions are '{}' ({}), and so do not keep each other from anything; \
                 restart all but one of them",
                sessions.len(),
                presence.agent,
                sessions.join(", ")
            );
            checks.push(Check::new(NAME, State::Warning, text));
        }
    }
    if checks.is_empty() {
        checks.push(Check::ok(NAME, "no two live sessions share one"));
    }
    checks
}

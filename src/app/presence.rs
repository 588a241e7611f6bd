//! Signs of life: any command or hook of an agent leaves one on its own machine, and nothing else
//! does. Who gave none for a while, there, is silent; of who works elsewhere nothing is known.

use std::collections::BTreeMap;

use crate::app::Ctx;
use crate::core::ids::AgentName;
use crate::core::limits::WINDOW_SECONDS;
use crate::core::negotiation::standing::Evidence;
use crate::core::refusal::Conflict;
use crate::core::time::Timestamp;
use crate::store::presence::Presence;

/// A sign of life this young is not given again.
const FRESH_SECONDS: u64 = 5;
/// What is remembered of what an agent was told.
const TOLD_MAX: usize = 200;
/// Who gave no sign for longer counts as not alive: twice the time that a holder has to answer.
pub const SILENCE_SECONDS: u64 = 2 * WINDOW_SECONDS;

/// What an agent does as it is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// A command of its own, which may be part of a tool call.
    Command,
    /// A tool call begins.
    CallBegins,
    /// A tool call or a turn ends.
    CallEnds,
    /// The session ends.
    SessionEnds,
}

/// Leaves a sign of life. That it cannot be left is no reason to fail.
pub fn touch(ctx: &Ctx, doing: Doing) {
    leave(ctx, doing, BTreeMap::new());
}

/// The same, with what the agent was told.
pub fn touch_telling(ctx: &Ctx, told: BTreeMap<String, String>) {
    leave(ctx, Doing::Command, told);
}

fn leave(ctx: &Ctx, doing: Doing, news: BTreeMap<String, String>) {
    let presences = ctx.presences();
    let before = presences.get(ctx.actor());
    let busy_since = match doing {
        Doing::Command => before.as_ref().and_then(|before| before.busy_since),
        Doing::CallBegins => Some(ctx.clock()),
        Doing::CallEnds | Doing::SessionEnds => None,
    };
    let sessions = sessions(ctx, doing, before.as_ref());
    let mut told = before.as_ref().map(|before| before.told.clone()).unwrap_or_default();
    told.extend(news);
    if told.len() > TOLD_MAX {
        // Who is told of so much can be told again.
        told.clear();
    }
    let now = Presence {
        agent: ctx.actor().clone(),
        host: ctx.host().clone(),
        last_seen: ctx.clock(),
        worktree: ctx.worktree(),
        branch: ctx.repository().branch(),
        terminal: ctx.terminal().cloned(),
        busy_since,
        sessions,
        told,
    };
    if before.is_none_or(|before| is_news(&before, &now)) {
        presences.put(&now).ok();
    }
}

/// The sessions under this name that are not known to be over.
fn sessions(ctx: &Ctx, doing: Doing, before: Option<&Presence>) -> BTreeMap<String, Timestamp> {
    let now = ctx.clock();
    let mut sessions = before.map(|before| before.sessions.clone()).unwrap_or_default();
    sessions.retain(|_, seen| now.seconds_since(*seen) < SILENCE_SECONDS);
    match &ctx.identity().session {
        Some(session) if doing == Doing::SessionEnds => drop(sessions.remove(session)),
        Some(session) => drop(sessions.insert(session.clone(), now)),
        None => {}
    }
    sessions
}

/// Those of an agent's sessions that gave a sign of life of late.
pub fn live_sessions(presence: &Presence, now: Timestamp) -> impl Iterator<Item = &str> {
    let live = presence
        .sessions
        .iter()
        .filter(move |(_, seen)| now.seconds_since(**seen) < SILENCE_SECONDS);
    live.map(|(session, _)| session.as_str())
}

fn is_news(before: &Presence, now: &Presence) -> bool {
    let apart = now.last_seen.as_seconds().abs_diff(before.last_seen.as_seconds());
    let is_busy_as_before = before.busy_since.is_some() == now.busy_since.is_some();
    let has_same_sessions = before.sessions.keys().eq(now.sessions.keys());
    let same = Presence {
        last_seen: now.last_seen,
        busy_since: now.busy_since,
        sessions: now.sessions.clone(),
        ..before.clone()
    };
    apart >= FRESH_SECONDS || !is_busy_as_before || !has_same_sessions || same != *now
}

/// What is known of an agent's last sign of life, if it gave it on this machine.
pub fn evidence(ctx: &Ctx, agent: &AgentName) -> Option<Evidence> {
    let presence = ctx.presences().get(agent).filter(|presence| presence.host == *ctx.host())?;
    Some(Evidence {
        agent: presence.agent,
        host: presence.host,
        last_seen: presence.last_seen,
        busy_since: presence.busy_since,
    })
}

/// Whether an agent is alive at that time.
pub fn is_alive(presence: &Presence, now: Timestamp) -> bool {
    presence.busy_since.is_some() || now.seconds_since(presence.last_seen) < SILENCE_SECONDS
}

/// What is known of those who stand in somebody's way.
#[derive(Clone, Debug, Default)]
pub struct Sightings {
    /// Those who were seen on this machine.
    pub seen: BTreeMap<AgentName, Presence>,
    /// Whether they can be asked to let go.
    pub can_ask: bool,
}

impl Sightings {
    /// Of the holders in the way.
    pub fn of(ctx: &Ctx, conflicts: &[Conflict]) -> Sightings {
        Sightings::of_agents(ctx, conflicts.iter().map(|conflict| &conflict.held.holder))
    }

    /// Of these agents.
    pub fn of_agents<'a>(ctx: &Ctx, agents: impl Iterator<Item = &'a AgentName>) -> Sightings {
        let mut seen = BTreeMap::new();
        for agent in agents {
            if seen.contains_key(agent) {
                continue;
            }
            let here = ctx.presences().get(agent).filter(|found| found.host == *ctx.host());
            seen.extend(here.map(|presence| (agent.clone(), presence)));
        }
        Sightings { seen, can_ask: ctx.settings().negotiation }
    }
}

//! Signs of life: any command or hook of an agent leaves one on its own machine, and nothing else
//! does. Who gave none for a while, there, is silent; of who works elsewhere nothing is known.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::time::Duration;

use crate::app::dead_holders::Orphans;
use crate::app::{Ctx, Reading, dead_holders};
use crate::core::ids::AgentName;
use crate::core::limits::{URGENT_WINDOW_SECONDS, WINDOW_SECONDS};
use crate::core::negotiation::Asked;
use crate::core::negotiation::answer::pinned;
use crate::core::negotiation::standing::{Evidence, Held, Standing};
use crate::core::refusal::Conflict;
use crate::core::reservation::Hold;
use crate::core::reservation::index::{self, Whose};
use crate::core::time::Timestamp;
use crate::store::machine::presence::Presence;

/// A sign of life this young is not given again.
const FRESH_SECONDS: u64 = 5;
/// What is remembered of what an agent was told.
const TOLD_MAX: usize = 200;
/// Who gave no sign for longer counts as not alive: twice the time that a holder has to answer.
const SILENCE_SECONDS: u64 = 2 * WINDOW_SECONDS;
/// The shortest silence that anything follows from.
const SILENCE_SECONDS_MIN: u64 = 2 * URGENT_WINDOW_SECONDS;

/// Who gave no sign for longer is forgotten: a week, when whatever they held has long run out.
const FORGOTTEN_SECONDS: u64 = 7 * 24 * 60 * 60;
/// How many are forgotten at once, so that nobody waits for it.
const FORGOTTEN_MAX: usize = 100;

/// What an agent does as it is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing<'c> {
    /// A command of its own, which may be part of a tool call.
    Command,
    /// A tool call begins, which the agent calls so.
    CallBegins(&'c str),
    /// That tool call ends.
    CallEnds(&'c str),
    /// A turn ends or a session begins, and no tool call is open.
    NoCall,
    /// The session ends, and with it every tool call.
    SessionEnds,
}

/// Leaves a sign of life. That it cannot be left is no reason to fail.
pub fn touch(ctx: &Ctx, doing: Doing<'_>) {
    let calls = ctx.presences().open_tool_calls(ctx.actor());
    match doing {
        Doing::Command => {}
        Doing::CallBegins(call) => drop(calls.begin(call, ctx.clock())),
        Doing::CallEnds(call) => drop(calls.end(call)),
        Doing::NoCall | Doing::SessionEnds => drop(calls.end_all()),
    }
    leave(ctx, doing, BTreeMap::new());
}

/// The same, with what the agent was told.
pub fn touch_telling(ctx: &Ctx, told: BTreeMap<String, String>) {
    leave(ctx, Doing::Command, told);
}

fn leave(ctx: &Ctx, doing: Doing<'_>, news: BTreeMap<String, String>) {
    let presences = ctx.presences();
    let before = presences.get(ctx.actor());
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
        sessions,
        told,
    };
    if before.is_none_or(|before| is_news(&before, &now)) {
        presences.put(&now).ok();
    }
}

/// Forgets agents of long ago. That it cannot be done is no reason to fail.
pub fn forget_old(ctx: &Ctx) {
    let presences = ctx.presences();
    let old = presences.all().into_iter().filter(|seen| is_old(seen, ctx.clock()));
    for seen in old.take(FORGOTTEN_MAX) {
        presences.forget(&seen.agent).ok();
    }
}

fn is_old(seen: &Presence, now: Timestamp) -> bool {
    now.seconds_since(seen.last_seen) >= FORGOTTEN_SECONDS
}

/// The sessions under this name that are not known to be over.
fn sessions(ctx: &Ctx, doing: Doing<'_>, before: Option<&Presence>) -> BTreeMap<String, Timestamp> {
    let now = ctx.clock();
    let mut sessions = before.map(|before| before.sessions.clone()).unwrap_or_default();
    sessions.retain(|_, seen| now.seconds_since(*seen) < SILENCE_SECONDS);
    match &ctx.identity().session {
        Some(session) if doing == Doing::SessionEnds => drop(sessions.remove(&session.id)),
        Some(session) => drop(sessions.insert(session.id.clone(), now)),
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
    let has_same_sessions = before.sessions.keys().eq(now.sessions.keys());
    let same =
        Presence { last_seen: now.last_seen, sessions: now.sessions.clone(), ..before.clone() };
    apart >= FRESH_SECONDS || !has_same_sessions || same != *now
}

/// The signs of life of a command that takes long.
#[derive(Debug, Default)]
pub struct Pulse {
    /// When the next one is due, by how long the command has lasted.
    next: Duration,
}

impl Pulse {
    /// Leaves one if it is due.
    pub fn beat(&mut self, ctx: &Ctx, elapsed: Duration) {
        if elapsed >= self.next {
            touch(ctx, Doing::Command);
            self.next = elapsed + Duration::from_secs(FRESH_SECONDS);
        }
    }
}

/// An agent that was seen on this machine, and what shows whether it is alive.
#[derive(Clone, Debug)]
pub struct Seen {
    /// When and where it was last seen.
    pub presence: Presence,
    /// What that, its tool calls and its processes show.
    pub evidence: Evidence,
}

impl Seen {
    /// Whether it is alive at that time.
    pub fn is_alive(&self, now: Timestamp) -> bool {
        !self.evidence.shows_silence(SILENCE_SECONDS, now)
    }
}

/// What this machine knows of others, looked up once for each of them.
pub struct Witness<'c> {
    ctx: &'c Ctx,
    reading: OnceCell<Option<Reading<'c>>>,
    known: RefCell<BTreeMap<AgentName, Option<Seen>>>,
}

impl<'c> Witness<'c> {
    /// Of one request.
    pub fn new(ctx: &'c Ctx) -> Witness<'c> {
        Witness { ctx, reading: OnceCell::new(), known: RefCell::default() }
    }

    /// An agent, if it was seen on this machine.
    pub fn seen(&self, agent: &AgentName) -> Option<Seen> {
        if let Some(known) = self.known.borrow().get(agent) {
            return known.clone();
        }
        let seen = self.look_for(agent);
        self.known.borrow_mut().insert(agent.clone(), seen.clone());
        seen
    }

    fn look_for(&self, agent: &AgentName) -> Option<Seen> {
        let presences = self.ctx.presences();
        let presence = presences.get(agent).filter(|found| found.host == *self.ctx.host())?;
        let mut evidence = Evidence {
            agent: presence.agent.clone(),
            host: presence.host.clone(),
            last_seen: presence.last_seen,
            busy_since: presences.open_tool_calls(agent).open().into_iter().max(),
            runs: false,
        };
        let now = self.reading().map_or(self.ctx.clock(), |reading| reading.now);
        // Looked for only where nothing else shows that it is there.
        evidence.runs = evidence.shows_silence(SILENCE_SECONDS_MIN, now) && self.runs(agent);
        Some(Seen { presence, evidence })
    }

    /// Whether a process runs here that the agent holds something for.
    fn runs(&self, agent: &AgentName) -> bool {
        let held = self
            .reading()
            .and_then(|reading| index::of_agent(&reading.base.snapshot, agent, Whose::Own).ok());
        held.is_some_and(|held| held.iter().any(|hold| dead_holders::runs(self.ctx, hold)))
    }

    /// What cannot be read shows nothing.
    fn reading(&self) -> Option<&Reading<'c>> {
        self.reading.get_or_init(|| self.ctx.read().ok()).as_ref()
    }

    /// What is known of an agent's last sign of life.
    pub fn evidence(&self, agent: &AgentName) -> Option<Evidence> {
        self.seen(agent).map(|seen| seen.evidence)
    }

    /// Where a request stands.
    pub fn standing(&self, asked: &Asked, now: Timestamp) -> Standing {
        if !asked.is_open() {
            return asked.standing(now, Held::NoMore, None);
        }
        asked.standing(now, self.held(asked, now), self.evidence(&asked.holder).as_ref())
    }

    /// What cannot be read is taken to be held.
    fn held(&self, asked: &Asked, now: Timestamp) -> Held {
        let holds = self.reading().and_then(|reading| pinned(&reading.base.snapshot, asked).ok());
        let is_live = |hold: &Hold| hold.is_live(now) && !dead_holders::has_ended(self.ctx, hold);
        match holds {
            Some(holds) if !holds.iter().any(is_live) => Held::NoMore,
            _ => Held::Yes,
        }
    }
}

/// What is known of those who stand in somebody's way.
#[derive(Clone, Debug, Default)]
pub struct Sightings {
    /// Those who were seen on this machine.
    pub seen: BTreeMap<AgentName, Seen>,
    /// The commands that run on although their `with` is gone.
    pub orphans: Orphans,
    /// Whether they can be asked to let go.
    pub can_ask: bool,
}

impl Sightings {
    /// Of the holders in the way.
    pub fn of(ctx: &Ctx, conflicts: &[Conflict]) -> Sightings {
        let holders = conflicts.iter().map(|conflict| &conflict.held.holder);
        let orphans = dead_holders::orphans(ctx, conflicts);
        Sightings { orphans, ..Sightings::of_agents(ctx, holders) }
    }

    /// Of these agents.
    pub fn of_agents<'a>(ctx: &Ctx, agents: impl Iterator<Item = &'a AgentName>) -> Sightings {
        let witness = Witness::new(ctx);
        let seen = agents.filter_map(|agent| Some((agent.clone(), witness.seen(agent)?)));
        let can_ask = ctx.settings().negotiation;
        Sightings { seen: seen.collect(), orphans: Orphans::new(), can_ask }
    }
}

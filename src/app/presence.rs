//! The presence of agents: every command and hook of an agent records it on its own machine, and
//! nothing else does. An agent of this machine that has not been seen for a while counts as silent;
//! nothing is known of agents on other machines.

mod calls;

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
use crate::core::ownership::tool_call::CallKind;
use crate::core::ownership::turn::{Signs, Turn};
use crate::core::place::are_apart;
use crate::core::refusal::Conflict;
use crate::core::reservation::Hold;
use crate::core::reservation::index::{self, Whose};
use crate::core::reservation::process::Process;
use crate::core::time::Timestamp;
use crate::store::machine::presence::{Presence, Presences};
use crate::store::os::process::ProcessIdentity;

pub use self::calls::started;

/// A presence this young is not written again.
const FRESH_SECONDS: u64 = 5;
/// The largest number of processes that are remembered for a name.
const PROCESSES_MAX: usize = 8;
/// The largest number of things that an agent was told and that are remembered.
const TOLD_MAX: usize = 200;
/// An agent that was not seen for longer counts as not alive: twice the time that a holder has to
/// answer.
const SILENCE_SECONDS: u64 = 2 * WINDOW_SECONDS;
/// The shortest silence that any decision follows from.
const SILENCE_SECONDS_MIN: u64 = 2 * URGENT_WINDOW_SECONDS;

/// An agent that was not seen for longer is forgotten: after a week its reservations have long
/// expired.
const FORGOTTEN_SECONDS: u64 = 7 * 24 * 60 * 60;
/// The largest number of agents that are forgotten at once, so that no command takes long.
const FORGOTTEN_MAX: usize = 100;

/// The activity of an agent that is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing<'c> {
    /// A command of its own, which may be part of a tool call.
    Command,
    /// Something that a hook reports and that tells nothing of its calls and turns.
    Reported,
    /// A tool call of this id and kind begins.
    CallBegins(&'c str, CallKind),
    /// The tool call of this id ends.
    CallEnds(&'c str),
    /// Something within a turn, of which nothing was said before.
    Works,
    /// A turn begins, and no tool call of an earlier one is open.
    TurnBegins,
    /// A turn ends or a session begins, and no tool call is open.
    NoCall,
    /// The session ends, and with it every tool call.
    SessionEnds,
}

impl Doing<'_> {
    /// Tells whether the agent is in a turn. A command alone does not show that: people and agents
    /// without hooks run commands as well.
    fn is_in_turn(self, before: Option<&Presence>) -> bool {
        match self {
            Doing::Command | Doing::Reported => before.is_some_and(|before| before.in_turn),
            Doing::Works | Doing::TurnBegins | Doing::CallBegins(..) | Doing::CallEnds(_) => true,
            Doing::NoCall | Doing::SessionEnds => false,
        }
    }
}

/// Tells whether hooks report the agent. Only hooks know of tool calls, turns and sessions. A
/// session that has ended is reported no more.
fn is_hooked(doing: Doing<'_>, before: Option<&Presence>) -> bool {
    let was_hooked = |before: &Presence| before.hooked && !before.has_ended();
    match doing {
        Doing::Command => before.is_some_and(was_hooked),
        Doing::SessionEnds => false,
        Doing::Reported
        | Doing::Works
        | Doing::CallBegins(..)
        | Doing::CallEnds(_)
        | Doing::TurnBegins
        | Doing::NoCall => true,
    }
}

/// Records the presence of the agent. A failure to write it is ignored.
pub fn touch(ctx: &Ctx, doing: Doing<'_>) {
    let calls = ctx.presences().open_tool_calls(ctx.actor());
    match doing {
        Doing::Command | Doing::Reported | Doing::Works => {}
        Doing::CallBegins(call, kind) => drop(calls.begin(call, ctx.clock(), kind)),
        Doing::CallEnds(call) => drop(calls.end(call)),
        Doing::TurnBegins | Doing::NoCall => drop(calls.end_all()),
        Doing::SessionEnds => drop(ctx.presences().end_calls(ctx.actor())),
    }
    leave(ctx, doing, BTreeMap::new());
}

/// Records the presence of the agent, and what it was told.
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
        // It may be told again; the list must not grow without end.
        told.clear();
    }
    let mut now = Presence {
        agent: ctx.actor().clone(),
        host: ctx.host().clone(),
        last_seen: ctx.clock(),
        worktree: ctx.worktree(),
        branch: ctx.repository().branch(),
        terminal: ctx.terminal().cloned(),
        in_turn: doing.is_in_turn(before.as_ref()),
        hooked: is_hooked(doing, before.as_ref()),
        has_left: doing == Doing::SessionEnds && sessions.is_empty(),
        sessions,
        processes: before.as_ref().map(|before| before.processes.clone()).unwrap_or_default(),
        told,
    };
    let is_due = before.is_none_or(|before| is_news(&before, &now) || before.has_ended());
    if is_due {
        note_process(ctx, &mut now.processes);
        presences.put(&now).ok();
    }
}

/// Tells whether hooks report the agent or its session, in a tool call or between two.
pub fn is_reported_by_hooks(presences: &Presences, agent: &AgentName) -> bool {
    let is_reported = |agent: &AgentName| {
        let is_hooked = |seen: Presence| seen.hooked && !seen.has_ended();
        presences.get(agent).is_some_and(is_hooked)
            || !presences.open_tool_calls(agent).open().is_empty()
    };
    is_reported(agent) || is_reported(&agent.session())
}

/// Adds the process of the agent's program to those that still run.
fn note_process(ctx: &Ctx, processes: &mut Vec<Process>) {
    processes.retain(|process| !ProcessIdentity::of(process).has_ended_here());
    let known = ctx.agent_process();
    if let Some(process) = known.filter(|process| !processes.contains(process)) {
        processes.insert(0, process);
        processes.truncate(PROCESSES_MAX);
    }
}

/// Tells whether the session of an agent is known to have ended on this machine. A subagent ends
/// with its session.
pub fn has_ended(ctx: &Ctx, agent: &AgentName) -> bool {
    let presences = ctx.presences();
    let seen = presences.get(&agent.session()).or_else(|| presences.get(agent));
    seen.is_some_and(|seen| seen.has_ended())
}

/// Tells whether an agent is at work, as far as this machine knows.
pub fn turn(ctx: &Ctx, agent: &AgentName) -> Turn {
    let signs = |agent: &AgentName| {
        let presences = ctx.presences();
        let seen = presences.get(agent)?;
        let is_silent = ctx.clock().seconds_since(seen.last_seen) >= SILENCE_SECONDS;
        Some(Signs {
            last_seen: seen.last_seen,
            in_turn: seen.in_turn,
            is_alive: !is_silent || !presences.open_tool_calls(agent).open().is_empty(),
            has_left: seen.has_left,
            has_no_process: seen.has_no_process(),
        })
    };
    let session = agent.session();
    Turn::of(signs(agent).filter(|_| session != *agent), signs(&session), ctx.clock())
}

/// Forgets agents that were last seen long ago. A failure to do so is ignored.
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

/// Lists the sessions under this name that are not known to be over.
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

/// Lists the sessions of an agent that were seen recently.
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

/// The heartbeat of a command that takes long.
#[derive(Debug, Default)]
pub struct Pulse {
    /// The time of the next beat, since the command began.
    next: Duration,
}

impl Pulse {
    /// Records the presence of the agent if a beat is due.
    pub fn beat(&mut self, ctx: &Ctx, elapsed: Duration) {
        if elapsed >= self.next {
            touch(ctx, Doing::Command);
            self.next = elapsed + Duration::from_secs(FRESH_SECONDS);
        }
    }
}

/// The liveness of an agent that was seen on this machine.
#[derive(Clone, Debug)]
pub struct Liveness {
    pub presence: Presence,
    /// The last time that it was seen, its open tool calls, and its processes.
    pub evidence: Evidence,
}

impl Liveness {
    pub fn is_alive(&self, now: Timestamp) -> bool {
        !self.evidence.shows_silence(SILENCE_SECONDS, now)
    }

    /// Tells whether the session of the agent has ended, and nothing of it runs on.
    pub fn has_ended(&self) -> bool {
        self.evidence.ended && !self.evidence.runs
    }

    /// Describes the state in one word.
    pub fn word(&self, now: Timestamp) -> &'static str {
        liveness_word(self.is_alive(now), self.has_ended())
    }
}

/// Describes the state of an agent in one word.
pub fn liveness_word(alive: bool, ended: bool) -> &'static str {
    match (alive, ended) {
        (_, true) => "ended",
        (true, false) => "alive",
        (false, false) => "silent",
    }
}

/// Finds the liveness of agents on this machine, once for each of them.
pub struct LivenessProbe<'c> {
    ctx: &'c Ctx,
    reading: OnceCell<Option<Reading<'c>>>,
    known: RefCell<BTreeMap<AgentName, Option<Liveness>>>,
}

impl<'c> LivenessProbe<'c> {
    pub fn new(ctx: &'c Ctx) -> LivenessProbe<'c> {
        LivenessProbe { ctx, reading: OnceCell::new(), known: RefCell::default() }
    }

    /// Returns the liveness of an agent; none if it was not seen on this machine.
    pub fn liveness(&self, agent: &AgentName) -> Option<Liveness> {
        if let Some(known) = self.known.borrow().get(agent) {
            return known.clone();
        }
        let found = self.look_for(agent);
        self.known.borrow_mut().insert(agent.clone(), found.clone());
        found
    }

    fn look_for(&self, agent: &AgentName) -> Option<Liveness> {
        let now = self.reading().map_or(self.ctx.clock(), |reading| reading.now);
        let presences = self.ctx.presences();
        let presence = presences.get(agent).filter(|found| found.host == *self.ctx.host())?;
        let mut evidence = Evidence {
            agent: presence.agent.clone(),
            host: presence.host.clone(),
            last_seen: presence.last_seen,
            busy_since: presences.open_tool_calls(agent).open().into_iter().max(),
            runs: false,
            place: self.ctx.known_place(),
            observed_at: Some(now),
            ended: has_ended(self.ctx, agent),
        };
        // Processes are looked for only if nothing else shows that the agent lives.
        evidence.runs = evidence.shows_silence(SILENCE_SECONDS_MIN, now) && self.runs(agent);
        Some(Liveness { presence, evidence })
    }

    /// Tells whether a process runs here that a reservation of the agent belongs to.
    fn runs(&self, agent: &AgentName) -> bool {
        let held = self
            .reading()
            .and_then(|reading| index::of_agent(&reading.base.snapshot, agent, Whose::Own).ok());
        held.is_some_and(|held| held.iter().any(|hold| dead_holders::runs(self.ctx, hold)))
    }

    /// Reads the ledger once; none if it cannot be read.
    fn reading(&self) -> Option<&Reading<'c>> {
        self.reading.get_or_init(|| self.ctx.read().ok()).as_ref()
    }

    pub fn evidence(&self, agent: &AgentName) -> Option<Evidence> {
        self.liveness(agent).map(|liveness| liveness.evidence)
    }

    /// Works out the state of a request, by the liveness of its holder.
    pub fn standing(&self, asked: &Asked, now: Timestamp) -> Standing {
        if !asked.is_open() {
            return asked.standing(now, Held::NoMore, None);
        }
        let holds = self.reading().and_then(|reading| pinned(&reading.base.snapshot, asked).ok());
        let evidence = self.evidence(&asked.holder);
        let evidence =
            evidence.filter(|evidence| holds.as_ref().is_none_or(|holds| evidence.is_about(holds)));
        asked.standing(now, self.held(holds, now), evidence.as_ref())
    }

    /// Tells whether any of the holds of a request is live. If they cannot be read, they count as
    /// held.
    fn held(&self, holds: Option<Vec<Hold>>, now: Timestamp) -> Held {
        let is_live = |hold: &Hold| hold.is_live(now) && !dead_holders::has_ended(self.ctx, hold);
        match holds {
            Some(holds) if !holds.iter().any(is_live) => Held::NoMore,
            _ => Held::Yes,
        }
    }
}

/// The liveness of the holders that stand in an agent's way.
#[derive(Clone, Debug, Default)]
pub struct HolderLiveness {
    /// The holders that were seen on this machine.
    pub known: BTreeMap<AgentName, Liveness>,
    /// The commands that go on although their `with` was killed.
    pub orphans: Orphans,
    /// Set if negotiation is on, so that the holders can be asked.
    pub can_ask: bool,
}

impl HolderLiveness {
    pub fn of(ctx: &Ctx, conflicts: &[Conflict]) -> HolderLiveness {
        // The presence of an agent here says nothing of its hold elsewhere.
        let here = ctx.known_place();
        let is_here = |held: &Hold| !are_apart(held.about.place.as_ref(), here.as_ref());
        let held = conflicts.iter().map(|conflict| &conflict.held);
        let holders = held.filter(|held| is_here(held)).map(|held| &held.holder);
        let orphans = dead_holders::orphans(ctx, conflicts);
        HolderLiveness { orphans, ..HolderLiveness::of_agents(ctx, holders) }
    }

    pub fn of_agents<'a>(ctx: &Ctx, agents: impl Iterator<Item = &'a AgentName>) -> HolderLiveness {
        let probe = LivenessProbe::new(ctx);
        let known = agents.filter_map(|agent| Some((agent.clone(), probe.liveness(agent)?)));
        let can_ask = ctx.settings().negotiation;
        HolderLiveness { known: known.collect(), orphans: Orphans::new(), can_ask }
    }
}

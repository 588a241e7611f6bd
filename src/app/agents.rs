//! Lists the agents that are here: those that hold or ask for something, and those that were seen
//! on this machine lately.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::app::answer::{Answer, Note};
use crate::app::error::AppError;
use crate::app::presence::{Liveness, LivenessProbe};
use crate::app::problem::Problem;
use crate::app::reservations::release::ids;
use crate::app::{Ctx, dead_holders};
use crate::core::damage::{Damage, Found};
use crate::core::documents::{ChildKind, Documents, Key, ReadError};
use crate::core::ids::{AgentName, HoldId};
use crate::core::negotiation::thread_index;
use crate::core::pattern::node_segment;
use crate::core::reservation::{Hold, index};
use crate::core::text::Line;
use crate::core::time::Timestamp;

/// An agent that was seen longer ago, and neither holds nor asks for anything, is not listed.
const LATELY_SECONDS: u64 = 24 * 60 * 60;

/// The answer to `agents`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    /// The agents that hold or ask for something, or were seen on this machine lately, by name.
    pub agents: Vec<AgentView>,
    /// Requests and reservations that cannot be read, and count for no agent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub damaged: Vec<Damage>,
}

/// An agent with its reservations, its requests and its presence.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Agent")]
pub struct AgentView {
    pub agent: AgentName,
    /// The number of its live reservations.
    pub holds: usize,
    /// The ids of these reservations.
    pub ids: Vec<HoldId>,
    /// The number of open requests that wait for its answer.
    pub to_answer: usize,
    /// The number of these requests that have waited for too long.
    pub overdue: usize,
    /// The number of its own open requests.
    pub asks: usize,
    /// False if it was not seen for a while, or has ended; absent if it was never seen on this
    /// machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alive: Option<bool>,
    /// True if its session has ended.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub ended: bool,
    /// The time when its oldest reservation was granted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holds_since: Option<Timestamp>,
    /// The task of its newest reservation that has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<Line>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub presence: Option<PresenceView>,
}

/// The time and place where an agent was last seen on this machine.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PresenceView {
    /// The time of its last command or hook.
    pub last_seen: Timestamp,
    pub host: Line,
    /// The linked worktree that it was in; absent for the main one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worktree: Option<Line>,
    /// The branch that it was on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<Line>,
    /// The terminal that it ran in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminal: Option<Line>,
    /// The start of a tool call of its that is still open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub busy_since: Option<Timestamp>,
}

/// Lists the agents that are here.
pub fn agents(ctx: &Ctx) -> Result<Answer<Body>, Problem> {
    let reading = ctx.read()?;
    let (documents, now) = (&reading.base.snapshot, reading.now);
    let probe = LivenessProbe::new(ctx);
    let mut roster = Roster::default();
    let mut damaged = roster.note_holds(ctx, documents, now)?;
    damaged.extend(roster.note_requests(documents, &probe, now)?);
    for seen in ctx.presences().all() {
        let was_lately = now.seconds_since(seen.last_seen) <= LATELY_SECONDS;
        let is_here = was_lately || roster.0.contains_key(&seen.agent);
        if is_here && let Some(known) = probe.liveness(&seen.agent) {
            roster.agent(&seen.agent).liveness = Some(known);
        }
    }
    damaged.sort_by(|one, other| one.key.cmp(&other.key));
    damaged.dedup();
    let agents = roster.0.into_iter().map(|(name, agent)| agent.view(name, now)).collect();
    let notes = Note::of_damage(&damaged);
    Ok(Answer::read(Body { agents, damaged }, now).noting(notes))
}

/// The facts about an agent.
#[derive(Default)]
struct Agent {
    liveness: Option<Liveness>,
    holds: Vec<Hold>,
    to_answer: usize,
    overdue: usize,
    made: usize,
}

impl Agent {
    fn view(self, agent: AgentName, now: Timestamp) -> AgentView {
        let newest = self.holds.iter().filter(|hold| hold.about.task.is_some());
        let newest = newest.max_by_key(|hold| hold.fence);
        AgentView {
            agent,
            holds: self.holds.len(),
            ids: ids(&self.holds),
            to_answer: self.to_answer,
            overdue: self.overdue,
            asks: self.made,
            alive: self.liveness.as_ref().map(|liveness| liveness.is_alive(now)),
            ended: self.liveness.as_ref().is_some_and(Liveness::has_ended),
            holds_since: self.holds.iter().map(|hold| hold.granted_at).min(),
            task: newest.and_then(|hold| hold.about.task.clone()),
            presence: self.liveness.map(|liveness| PresenceView::new(liveness, now)),
        }
    }
}

impl PresenceView {
    fn new(liveness: Liveness, now: Timestamp) -> PresenceView {
        let Liveness { presence, evidence } = liveness;
        PresenceView {
            last_seen: presence.last_seen,
            host: presence.host,
            worktree: presence.worktree,
            branch: presence.branch,
            terminal: presence.terminal,
            busy_since: evidence.busy(now),
        }
    }
}

/// Agents by name.
#[derive(Default)]
struct Roster(BTreeMap<AgentName, Agent>);

impl Roster {
    fn agent(&mut self, name: &AgentName) -> &mut Agent {
        self.0.entry(name.clone()).or_default()
    }

    /// Adds the live reservations, and returns those that cannot be read.
    fn note_holds(
        &mut self,
        ctx: &Ctx,
        documents: &dyn Documents,
        now: Timestamp,
    ) -> Result<Vec<Damage>, AppError> {
        let (mut holds, damaged) = index::all_readable(documents)?;
        dead_holders::keep_live(ctx, &mut holds, now);
        for hold in holds {
            self.agent(&hold.holder.clone()).holds.push(hold);
        }
        Ok(damaged)
    }

    /// Adds the open requests, and returns those that cannot be read.
    fn note_requests(
        &mut self,
        documents: &dyn Documents,
        probe: &LivenessProbe<'_>,
        now: Timestamp,
    ) -> Result<Vec<Damage>, AppError> {
        let mut damaged = Vec::new();
        for party in parties(documents)? {
            for found in thread_index::open_of(documents, &party)? {
                let thread = match found {
                    Found::Whole(thread) => thread,
                    Found::Damaged(damage) => {
                        damaged.push(damage);
                        continue;
                    }
                };
                let Some(asked) = thread.open() else { continue };
                // The threads of subagents are found with those of their session, too.
                if asked.holder == party {
                    let standing = probe.standing(asked, now);
                    // A request for something that is no longer held needs no answer.
                    let is_waiting = standing.stage.is_some();
                    let agent = self.agent(&party);
                    agent.to_answer += usize::from(is_waiting);
                    agent.overdue += usize::from(is_waiting && standing.can_take);
                } else if thread.opened_by == party {
                    self.agent(&party).made += 1;
                }
            }
        }
        Ok(damaged)
    }
}

/// Finds the agents that have open requests, by the directories of the index.
fn parties(documents: &dyn Documents) -> Result<Vec<AgentName>, ReadError> {
    let mut found = Vec::new();
    let mut pending = vec![(String::new(), Key::of(["parties"]))];
    while let Some((above, dir)) = pending.pop() {
        let mut is_party = false;
        for child in documents.list(&dir)? {
            if child.kind == ChildKind::Document {
                is_party = true;
                continue;
            }
            let segment = node_segment(&child.name).and_then(|name| String::from_utf8(name).ok());
            if let Some(name) = segment {
                let name = if above.is_empty() { name } else { format!("{above}/{name}") };
                pending.push((name, dir.join(&child.name)));
            }
        }
        found.extend(above.parse().ok().filter(|_| is_party));
    }
    Ok(found)
}

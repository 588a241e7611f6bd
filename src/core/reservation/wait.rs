//! Waiting for holds of others: the obstacles, the order of the waiting agents, and deadlocks.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};
use serde_json::Map;

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::{Documents, ReadError};
use crate::core::ids::{AgentName, HoldId, TicketId};
use crate::core::limits::TICKETS_MAX;
use crate::core::refusal::{Conflict, Refusal, within};
use crate::core::reservation::check::Asker;
use crate::core::reservation::paths::Comparing;
use crate::core::reservation::process::{Gone, Process};
use crate::core::reservation::reserve::{Reserve, Reserved};
use crate::core::reservation::tickets::{self, Over, Ticket};
use crate::core::reservation::{Hold, Target, index};
use crate::core::time::Timestamp;

/// An agent's readiness to wait, and its place in line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wait {
    /// The agent's ticket; none while it only asks whether it has to wait at all.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ticket: Option<TicketId>,
    /// The time that the agent is ready to wait from now on.
    pub seconds: u64,
    /// The holds that end only once this wait does, because the waiting command runs under them.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub within: Vec<HoldId>,
}

/// One state, as the waiting agents see it.
#[derive(Clone, Copy)]
pub struct Line<'a> {
    pub documents: &'a dyn Documents,
    pub now: Timestamp,
    pub by: Comparing,
    /// The processes that are known to have ended.
    pub gone: &'a Gone,
}

/// The obstacles of a waiting agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Obstacles {
    pub conflicts: Vec<Conflict>,
    /// The tickets of agents that wait for the same targets and go first.
    pub before: Vec<Ticket>,
}

/// One link of a circle: an agent waits for a target that another holds, or is to get first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Link {
    pub agent: AgentName,
    #[serde(flatten)]
    pub target: Target,
    /// The agent that holds the target, or goes first.
    pub waits_for: AgentName,
}

impl Obstacles {
    pub fn is_empty(&self) -> bool {
        self.conflicts.is_empty() && self.before.is_empty()
    }
}

impl<'a> Line<'a> {
    fn of(act: &'a Act<'_>) -> Line<'a> {
        let Env { now, gone, .. } = act.env;
        Line { documents: act, now, by: act.env.comparing(), gone }
    }

    /// Finds the obstacles of an asker with this place in line. An asker without a place stands at
    /// the end.
    pub fn obstacles(
        &self,
        asker: Asker<'_>,
        wanted: &[Target],
        place: Option<u64>,
    ) -> Result<Obstacles, ReadError> {
        let mut conflicts = Vec::new();
        for target in wanted {
            let meeting = index::meeting(self.documents, target, self.by)?;
            conflicts.extend(asker.conflicts(target, &meeting));
        }
        conflicts.retain(|conflict| !self.gone.has_hold(&conflict.held));
        let mut before = tickets::all(self.documents)?;
        before.retain(|ticket| {
            place.is_none_or(|place| ticket.place < place)
                && ticket.is_live(self.now, self.gone)
                && asker.mode.excludes(ticket.mode)
                && asker.is_stranger_to(&ticket.agent, ticket.process.as_ref())
                && ticket.shared_with(wanted, self.by).is_some()
        });
        Ok(Obstacles { conflicts, before })
    }

    /// Returns an edge from `from` to every party that these obstacles belong to.
    fn edges(&self, from: &Party, wanted: &[Target], obstacles: Obstacles) -> Vec<Edge> {
        let edge = |target: Target, to: Party| Edge { from: from.clone(), target, to };
        let held = obstacles.conflicts.into_iter().map(|Conflict { target, held }| {
            let Hold { id, holder: agent, process, .. } = held;
            // A command can only run under a hold that goes with a process.
            let holds = process.is_some().then_some(id);
            edge(target, Party { agent, process, holds, within: Vec::new() })
        });
        let first = obstacles.before.into_iter().filter_map(|ticket| {
            let target = ticket.shared_with(wanted, self.by)?.clone();
            Some(edge(target, Party::of(ticket)))
        });
        held.chain(first).collect()
    }

    /// Returns the edges of a party that may be waiting already.
    fn edges_of(&self, party: &Party) -> Result<Vec<Edge>, ReadError> {
        let mut edges = Vec::new();
        let mut own = tickets::all(self.documents)?;
        own.retain(|ticket| {
            ticket.is_live(self.now, self.gone) && Party::of(ticket.clone()).holds_up(party)
        });
        for ticket in own {
            let asker = Asker {
                mode: ticket.mode,
                process: ticket.process.as_ref(),
                ..Asker::exclusive(&ticket.agent, self.now)
            };
            let wanted = ticket.targets();
            let obstacles = self.obstacles(asker, &wanted, Some(ticket.place))?;
            edges.extend(self.edges(party, &wanted, obstacles));
        }
        Ok(edges)
    }

    /// Finds the shortest circle that an asker with these obstacles would close by waiting.
    fn circle(
        &self,
        asker: &Party,
        wanted: &[Target],
        obstacles: Obstacles,
    ) -> Result<Option<Vec<Link>>, ReadError> {
        let mut reached_by: BTreeMap<Party, Edge> = BTreeMap::new();
        let mut pending = VecDeque::from(self.edges(asker, wanted, obstacles));
        while let Some(edge) = pending.pop_front() {
            if asker.holds_up(&edge.to) {
                return Ok(Some(traced(edge, &mut reached_by)));
            }
            if reached_by.contains_key(&edge.to) {
                continue;
            }
            let next = edge.to.clone();
            reached_by.insert(next.clone(), edge);
            pending.extend(self.edges_of(&next)?);
        }
        Ok(None)
    }
}

/// A party that holds or waits: an agent, or one process of an agent that goes on and ends by
/// itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Party {
    agent: AgentName,
    process: Option<Process>,
    /// The hold by which the party is an obstacle.
    holds: Option<HoldId>,
    /// The holds that the party runs under.
    within: Vec<HoldId>,
}

impl Party {
    fn of(ticket: Ticket) -> Party {
        let Ticket { agent, process, within, .. } = ticket;
        Party { agent, process, holds: None, within }
    }

    /// Tells whether the other party cannot go on while this one waits. An agent waits when any of
    /// its processes does. A process waits only for what it runs itself, not because another
    /// process of the same agent waits.
    fn holds_up(&self, other: &Party) -> bool {
        let is_its =
            other.agent == self.agent && (other.process.is_none() || other.process == self.process);
        is_its || other.holds.as_ref().is_some_and(|hold| self.within.contains(hold))
    }
}

/// A party that waits for another.
struct Edge {
    from: Party,
    target: Target,
    to: Party,
}

/// Returns the path that led to the edge which closes a circle, in the order of waiting.
fn traced(last: Edge, reached_by: &mut BTreeMap<Party, Edge>) -> Vec<Link> {
    let mut circle = VecDeque::new();
    let mut next = Some(last);
    while let Some(Edge { from, target, to }) = next {
        next = reached_by.remove(&from);
        circle.push_front(Link { agent: from.agent, target, waits_for: to.agent });
    }
    circle.into()
}

impl Reserve {
    /// Lets a request that is ready to wait pass if it has no obstacles. Otherwise gives it a place
    /// in line, or refuses it because its turn has not come.
    pub(super) fn stand_in_line(
        &self,
        act: &mut Act<'_>,
        wait: &Wait,
        wanted: &[Target],
    ) -> Result<Option<Reserved>, No> {
        let standing = match &wait.ticket {
            Some(id) => tickets::readable(act, id)?,
            None => None,
        };
        let own = standing.as_ref().filter(|ticket| ticket.agent == *act.env.actor);
        let line = Line::of(act);
        let asker = self.asker(act.env);
        let obstacles = line.obstacles(asker, wanted, own.map(|ticket| ticket.place))?;
        let Obstacles { conflicts, before } = obstacles.clone();
        let at = act.env.now;
        match (&wait.ticket, standing) {
            (_, standing) if obstacles.is_empty() => {
                if let Some(ticket) = standing.filter(|ticket| ticket.agent == *act.env.actor) {
                    tickets::remove(act, &ticket, Over::Granted);
                }
                Ok(None)
            }
            (Some(_), Some(ticket)) if renews(act, wait, &ticket) => {
                let ticket = Ticket { until: tickets::until(at, wait.seconds), ..ticket };
                tickets::put(act, &ticket);
                let waiting = Some(ticket);
                Ok(Some(Reserved { conflicts, waiting, before, ..Reserved::default() }))
            }
            (None, _) | (Some(_), Some(_)) => Err(Refusal::Held { conflicts, before, at }.into()),
            (Some(id), None) => {
                let party = Party {
                    agent: act.env.actor.clone(),
                    process: self.process.clone(),
                    holds: None,
                    within: wait.within.clone(),
                };
                if let Some(circle) = line.circle(&party, wanted, obstacles)? {
                    return Err(Refusal::Deadlock { circle }.into());
                }
                tickets::remove_ended(act)?;
                within("waiting requests", tickets::all(act)?.len() + 1, TICKETS_MAX)?;
                let ticket = self.ticket(act, id.clone(), wait);
                tickets::put(act, &ticket);
                let waiting = Some(ticket);
                Ok(Some(Reserved { conflicts, waiting, before, ..Reserved::default() }))
            }
        }
    }

    fn ticket(&self, act: &mut Act<'_>, id: TicketId, wait: &Wait) -> Ticket {
        Ticket {
            id,
            agent: act.env.actor.clone(),
            patterns: self.patterns.clone(),
            locks: self.locks.clone(),
            facts: self.facts_by(act.env.rules).clone(),
            mode: self.mode,
            place: act.new_fence(),
            asked_at: act.env.now,
            until: match act.env.rules {
                ..2 => act.env.now.plus_seconds(wait.seconds),
                _ => tickets::until(act.env.now, wait.seconds),
            },
            host: act.env.host.clone(),
            process: self.process.clone(),
            within: wait.within.clone(),
            unknown: Map::new(),
        }
    }
}

/// Tells whether the actor is to renew its own ticket.
fn renews(act: &Act<'_>, wait: &Wait, ticket: &Ticket) -> bool {
    let is_own = ticket.agent == *act.env.actor;
    act.env.rules >= 2 && is_own && ticket.is_due(act.env.now, wait.seconds)
}

/// Gives up a place in line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leave {
    pub ticket: TicketId,
}

impl Decide for Leave {
    /// True if the asker had this place in line.
    type Answer = bool;

    fn decide(&self, act: &mut Act<'_>) -> Result<bool, No> {
        let own = tickets::readable(act, &self.ticket)?;
        let Some(ticket) = own.filter(|ticket| ticket.agent == *act.env.actor) else {
            return Ok(false);
        };
        tickets::remove(act, &ticket, Over::GaveUp);
        Ok(true)
    }

    fn summary(&self, _: &bool, env: &Env<'_>) -> String {
        format!("stop waiting as {} by {}", self.ticket, env.actor)
    }
}

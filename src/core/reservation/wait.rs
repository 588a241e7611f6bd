//! Waiting for what others hold: what stands in the way, who goes first, and who would wait for
//! whom in a circle.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};
use serde_json::Map;

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::{Documents, ReadError};
use crate::core::ids::{AgentName, HoldId, TicketId};
use crate::core::limits::TICKETS_MAX;
use crate::core::pattern::Case;
use crate::core::refusal::{Conflict, Refusal, within};
use crate::core::reservation::check::Asker;
use crate::core::reservation::process::{Gone, Process};
use crate::core::reservation::reserve::{Reserve, Reserved};
use crate::core::reservation::tickets::{self, Over, Ticket};
use crate::core::reservation::{Hold, Target, index};
use crate::core::time::Timestamp;

/// That somebody is ready to wait, and its place among those who are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wait {
    /// Its ticket; none while it only asks whether it has to wait at all.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ticket: Option<TicketId>,
    /// For how long it is ready to from now on.
    pub seconds: u64,
    /// The holds that end only once this wait does: what it is part of runs under them.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub within: Vec<HoldId>,
}

/// One state as those who wait see it.
#[derive(Clone, Copy)]
pub struct Line<'a> {
    /// The documents.
    pub documents: &'a dyn Documents,
    /// The time that counts.
    pub now: Timestamp,
    /// How the ledger compares names.
    pub case: Case,
    /// What is known to have ended.
    pub gone: &'a Gone,
}

/// What stands in the way of one who waits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Obstacles {
    /// What others hold.
    pub conflicts: Vec<Conflict>,
    /// Who waits for the same and goes first.
    pub before: Vec<Ticket>,
}

/// One link of a circle: an agent waits for what another holds or is to get first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Link {
    /// Who waits.
    pub agent: AgentName,
    /// For what.
    #[serde(flatten)]
    pub target: Target,
    /// Whose turn or hold it is.
    pub waits_for: AgentName,
}

impl Obstacles {
    /// Whether there is nothing to wait for.
    pub fn is_empty(&self) -> bool {
        self.conflicts.is_empty() && self.before.is_empty()
    }
}

impl<'a> Line<'a> {
    fn of(act: &'a Act<'_>) -> Line<'a> {
        let Env { now, case, gone, .. } = act.env;
        Line { documents: act, now, case, gone }
    }

    /// What stands in the way of these targets, for one at that place in line; without a place,
    /// at its end.
    pub fn obstacles(
        &self,
        asker: Asker<'_>,
        wanted: &[Target],
        place: Option<u64>,
    ) -> Result<Obstacles, ReadError> {
        let mut conflicts = Vec::new();
        for target in wanted {
            let meeting = index::meeting(self.documents, target, self.case)?;
            conflicts.extend(asker.conflicts(target, &meeting));
        }
        conflicts.retain(|conflict| !self.gone.has_hold(&conflict.held));
        let mut before = tickets::all(self.documents)?;
        before.retain(|ticket| {
            place.is_none_or(|place| ticket.place < place)
                && ticket.is_live(self.now, self.gone)
                && asker.mode.excludes(ticket.mode)
                && asker.is_stranger_to(&ticket.agent, ticket.process.as_ref())
                && ticket.shared_with(wanted, self.case).is_some()
        });
        Ok(Obstacles { conflicts, before })
    }

    /// Whom one with these obstacles waits for, and over what.
    fn edges(&self, from: &Party, wanted: &[Target], obstacles: Obstacles) -> Vec<Edge> {
        let edge = |target: Target, to: Party| Edge { from: from.clone(), target, to };
        let held = obstacles.conflicts.into_iter().map(|Conflict { target, held }| {
            let Hold { id, holder: agent, process, .. } = held;
            // Whoever may run under a hold, runs in a process that it goes with.
            let holds = process.is_some().then_some(id);
            edge(target, Party { agent, process, holds, within: Vec::new() })
        });
        let first = obstacles.before.into_iter().filter_map(|ticket| {
            let target = ticket.shared_with(wanted, self.case)?.clone();
            Some(edge(target, Party::of(ticket)))
        });
        held.chain(first).collect()
    }

    /// Whom one that may wait already waits for.
    fn edges_of(&self, party: &Party) -> Result<Vec<Edge>, ReadError> {
        let mut edges = Vec::new();
        let mut own = tickets::all(self.documents)?;
        own.retain(|ticket| {
            ticket.is_live(self.now, self.gone) && Party::of(ticket.clone()).holds_up(party)
        });
        for ticket in own {
            let asker = Asker {
                agent: &ticket.agent,
                mode: ticket.mode,
                now: self.now,
                process: ticket.process.as_ref(),
            };
            let wanted = ticket.targets();
            let obstacles = self.obstacles(asker, &wanted, Some(ticket.place))?;
            edges.extend(self.edges(party, &wanted, obstacles));
        }
        Ok(edges)
    }

    /// The shortest circle that one with these obstacles would close by waiting.
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

/// One who holds or waits: an agent, or one process of it that goes on and ends by itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Party {
    agent: AgentName,
    process: Option<Process>,
    /// The hold that it stands in the way with.
    holds: Option<HoldId>,
    /// The holds that it runs under.
    within: Vec<HoldId>,
}

impl Party {
    /// One who waits.
    fn of(ticket: Ticket) -> Party {
        let Ticket { agent, process, within, .. } = ticket;
        Party { agent, process, holds: None, within }
    }

    /// Whether the other cannot go on while this one waits. An agent waits with any of its
    /// processes; a process of its waits for what it runs, and not because another one does.
    fn holds_up(&self, other: &Party) -> bool {
        let is_its =
            other.agent == self.agent && (other.process.is_none() || other.process == self.process);
        is_its || other.holds.as_ref().is_some_and(|hold| self.within.contains(hold))
    }
}

/// One waits for another.
struct Edge {
    from: Party,
    target: Target,
    to: Party,
}

/// The way that led to the edge which closes a circle, in the order of waiting.
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
    /// Lets one who is ready to wait pass if nothing stands in its way; otherwise gives it a place
    /// in line, or tells it that its turn has not come.
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
            mode: self.mode,
            place: act.new_fence(),
            asked_at: act.env.now,
            until: act.env.now.plus_seconds(wait.seconds),
            host: act.env.host.clone(),
            process: self.process.clone(),
            within: wait.within.clone(),
            unknown: Map::new(),
        }
    }
}

/// Gives up a place in line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leave {
    /// Which.
    pub ticket: TicketId,
}

impl Decide for Leave {
    /// Whether there was such a place.
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

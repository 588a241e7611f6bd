//! Waiting for what others hold: what stands in the way, who goes first, and who would wait for
//! whom in a circle.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};
use serde_json::Map;

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::{Documents, ReadError};
use crate::core::ids::{AgentName, TicketId};
use crate::core::limits::TICKETS_MAX;
use crate::core::pattern::Case;
use crate::core::refusal::{Conflict, Refusal, within};
use crate::core::reservation::check::Asker;
use crate::core::reservation::process::Gone;
use crate::core::reservation::reserve::{Reserve, Reserved};
use crate::core::reservation::tickets::{self, Over, Ticket};
use crate::core::reservation::{Target, index};
use crate::core::time::Timestamp;

/// That somebody is ready to wait, and its place among those who are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wait {
    /// Its ticket; none while it only asks whether it has to wait at all.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ticket: Option<TicketId>,
    /// For how long it is ready to from now on.
    pub seconds: u64,
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
    fn links(&self, agent: &AgentName, wanted: &[Target], obstacles: Obstacles) -> Vec<Link> {
        let link = |target: Target, waits_for| Link { agent: agent.clone(), target, waits_for };
        let held = obstacles.conflicts.into_iter().map(|it| link(it.target, it.held.holder));
        let first = obstacles.before.into_iter().filter_map(|ticket| {
            let target = ticket.shared_with(wanted, self.case)?.clone();
            Some(link(target, ticket.agent))
        });
        // Two processes of one agent that want the same take turns; that is no circle.
        held.chain(first).filter(|link| link.waits_for != *agent).collect()
    }

    /// Whom an agent that waits already waits for.
    fn links_of(&self, agent: &AgentName) -> Result<Vec<Link>, ReadError> {
        let mut links = Vec::new();
        let mut own = tickets::all(self.documents)?;
        own.retain(|ticket| ticket.agent == *agent && ticket.is_live(self.now, self.gone));
        for ticket in own {
            let asker =
                Asker { agent, mode: ticket.mode, now: self.now, process: ticket.process.as_ref() };
            let wanted = ticket.targets();
            let obstacles = self.obstacles(asker, &wanted, Some(ticket.place))?;
            links.extend(self.links(agent, &wanted, obstacles));
        }
        Ok(links)
    }

    /// The shortest circle that an agent with these links would close.
    fn circle(&self, agent: &AgentName, links: Vec<Link>) -> Result<Option<Vec<Link>>, ReadError> {
        let mut reached_by: BTreeMap<AgentName, Link> = BTreeMap::new();
        let mut pending = VecDeque::from(links);
        while let Some(link) = pending.pop_front() {
            let next = link.waits_for.clone();
            if reached_by.contains_key(&next) {
                continue;
            }
            reached_by.insert(next.clone(), link);
            if next == *agent {
                return Ok(Some(traced(agent, &mut reached_by)));
            }
            pending.extend(self.links_of(&next)?);
        }
        Ok(None)
    }
}

/// The links from an agent back to itself, in the order of waiting.
fn traced(agent: &AgentName, reached_by: &mut BTreeMap<AgentName, Link>) -> Vec<Link> {
    let mut circle = VecDeque::new();
    let mut at = agent.clone();
    while let Some(link) = reached_by.remove(&at) {
        at = link.agent.clone();
        circle.push_front(link);
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
            Some(id) => tickets::by_id(act, id)?,
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
                let links = line.links(act.env.actor, wanted, obstacles);
                if let Some(circle) = line.circle(act.env.actor, links)? {
                    return Err(Refusal::Deadlock { circle }.into());
                }
                tickets::remove_ended(act)?;
                within("waiting requests", tickets::all(act)?.len() + 1, TICKETS_MAX)?;
                let ticket = self.ticket(act, id.clone(), wait.seconds);
                tickets::put(act, &ticket);
                let waiting = Some(ticket);
                Ok(Some(Reserved { conflicts, waiting, before, ..Reserved::default() }))
            }
        }
    }

    fn ticket(&self, act: &mut Act<'_>, id: TicketId, seconds: u64) -> Ticket {
        Ticket {
            id,
            agent: act.env.actor.clone(),
            patterns: self.patterns.clone(),
            locks: self.locks.clone(),
            mode: self.mode,
            place: act.new_fence(),
            asked_at: act.env.now,
            until: act.env.now.plus_seconds(seconds),
            host: act.env.host.clone(),
            process: self.process.clone(),
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
        let own = tickets::by_id(act, &self.ticket)?;
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

//! Tickets: the line of agents that wait.
//!
//! ```text
//! tickets/k3v9x0ab     one document for each that waits
//! ```
//!
//! A ticket keeps a place in line, and nothing is ever granted on its behalf. An agent that
//! reserves with a ticket is held up by earlier tickets on the same targets; an agent that reserves
//! without one is not. A ticket ends with its time, or when its own host knows that the waiting
//! process has ended. The next write removes it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::core::damage::{self, Damage, Found};
use crate::core::decision::Act;
use crate::core::documents::{Documents, Key, ReadError, read};
use crate::core::ids::{AgentName, HoldId, LockName, TicketId};
use crate::core::limits::TICKET_SECONDS_MAX;
use crate::core::pattern::Pattern;
use crate::core::reservation::paths::{Comparing, PathFacts};
use crate::core::reservation::process::{Gone, Process};
use crate::core::reservation::target::{Target, targets};
use crate::core::reservation::{Mode, events};
use crate::core::text::Line;
use crate::core::time::Timestamp;

/// The directory that this module owns.
pub const ROOT: &str = "tickets";

/// The place in line of a waiting agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ticket {
    /// The id of the ticket.
    pub id: TicketId,
    /// The agent that waits.
    pub agent: AgentName,
    /// The paths that the agent waits for.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub patterns: Vec<Pattern>,
    /// The locks that the agent waits for.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub locks: Vec<LockName>,
    #[serde(flatten)]
    pub facts: PathFacts,
    /// The kind of hold that the agent waits for.
    pub mode: Mode,
    /// The place in line; the lowest number goes first.
    pub place: u64,
    /// The time when the agent began to wait.
    pub asked_at: Timestamp,
    /// The time when the agent gives up, or by when it renews the ticket.
    pub until: Timestamp,
    /// The host that the agent waits on.
    pub host: Line,
    /// The process that the hold is to end with, if any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub process: Option<Process>,
    /// The holds that end only once this wait does, because the waiting command runs under them.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub within: Vec<HoldId>,
    /// Fields of a later version, kept as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

impl Ticket {
    pub fn targets(&self) -> Vec<Target> {
        targets(&self.patterns, &self.locks, &self.facts)
    }

    /// Tells whether the ticket still counts.
    pub fn is_live(&self, now: Timestamp, gone: &Gone) -> bool {
        now < self.until && !gone.has_ticket(&self.id)
    }

    /// Tells whether the agent is to renew the ticket, if it is ready to wait that long from now
    /// on.
    pub fn is_due(&self, now: Timestamp, seconds: u64) -> bool {
        /// The wait counts in seconds, so two counts can differ by one.
        const GAIN_SECONDS_MIN: u64 = 2;
        let gain = until(now, seconds).seconds_since(self.until);
        self.until.seconds_since(now) <= TICKET_SECONDS_MAX / 2 && gain >= GAIN_SECONDS_MIN
    }

    /// Finds the first of these targets that the ticket waits for too.
    pub fn shared_with<'t>(&self, wanted: &'t [Target], by: Comparing) -> Option<&'t Target> {
        let own = self.targets();
        let meets = |other: &&Target| {
            let reach = other.reach(by);
            own.iter().any(|own| own.reach(by).meets(&reach))
        };
        wanted.iter().find(meets)
    }
}

/// Returns the end of a ticket of an agent that is ready to wait that long.
pub fn until(now: Timestamp, seconds: u64) -> Timestamp {
    now.plus_seconds(seconds.min(TICKET_SECONDS_MAX))
}

/// The reason why a ticket ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Over {
    /// The agent got what it waited for.
    Granted,
    /// The agent stopped waiting.
    GaveUp,
    /// The time is up, or the waiting process has ended.
    Gone,
}

pub fn key(id: &TicketId) -> Key {
    Key::of([ROOT, id.as_str()])
}

/// Reads a ticket, live or not.
fn by_id(documents: &dyn Documents, id: &TicketId) -> Result<Option<Ticket>, ReadError> {
    read(documents, &key(id))
}

/// Reads a ticket; `None` if there is none or it cannot be read. An agent whose ticket cannot be
/// read takes a new one.
pub fn readable(documents: &dyn Documents, id: &TicketId) -> Result<Option<Ticket>, ReadError> {
    Ok(damage::found(at_its_place(documents, id))?.and_then(Found::whole))
}

/// Reads all tickets, live or not, in the order of the line. A ticket that cannot be read keeps no
/// place.
pub fn all(documents: &dyn Documents) -> Result<Vec<Ticket>, ReadError> {
    Ok(found(documents)?.0)
}

/// Reads all tickets in the order of the line, and reports those that cannot be read.
pub fn found(documents: &dyn Documents) -> Result<(Vec<Ticket>, Vec<Damage>), ReadError> {
    let (mut tickets, mut damaged) = (Vec::new(), Vec::new());
    for child in documents.list(&Key::of([ROOT]))? {
        // Other names belong to a later version.
        let Ok(id) = child.name.parse::<TicketId>() else { continue };
        match damage::found(at_its_place(documents, &id))? {
            Some(Found::Whole(ticket)) => tickets.push(ticket),
            Some(Found::Damaged(damage)) => damaged.push(damage),
            None => {}
        }
    }
    tickets.sort_by(|one, other| (one.place, &one.id).cmp(&(other.place, &other.id)));
    Ok((tickets, damaged))
}

/// Reads a ticket and checks that it is the one that its place is named for.
fn at_its_place(documents: &dyn Documents, id: &TicketId) -> Result<Option<Ticket>, ReadError> {
    match by_id(documents, id)? {
        Some(other) if other.id != *id => {
            Err(ReadError::damaged(&key(id), format!("it is {}", other.id)))
        }
        ticket => Ok(ticket),
    }
}

pub fn put(act: &mut Act<'_>, ticket: &Ticket) {
    act.put(key(&ticket.id), ticket);
    events::waiting(act, ticket);
}

pub fn remove(act: &mut Act<'_>, ticket: &Ticket, over: Over) {
    act.remove(key(&ticket.id));
    events::wait_over(act, ticket, over);
}

/// Removes the tickets that have ended. Unreadable ones stay for commands that ask about them.
pub fn remove_ended(act: &mut Act<'_>) -> Result<(), ReadError> {
    for ticket in all(act)? {
        if !ticket.is_live(act.env.now, act.env.gone) {
            remove(act, &ticket, Over::Gone);
        }
    }
    Ok(())
}

/// Removes the tickets that cannot be read. An agent that waits with one takes a new one.
pub fn remove_unreadable(act: &mut Act<'_>, because: &Line) -> Result<(), ReadError> {
    for child in act.list(&Key::of([ROOT]))? {
        let Ok(id) = child.name.parse::<TicketId>() else { continue };
        if readable(act, &id)?.is_none() {
            act.remove(key(&id));
            events::wait_over_unread(act, &id, because);
        }
    }
    Ok(())
}

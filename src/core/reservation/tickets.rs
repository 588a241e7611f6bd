//! Tickets: who waits for what, in which order.
//!
//! ```text
//! tickets/k3v9x0ab     one document for each that waits
//! ```
//!
//! Nothing is ever granted on behalf of a ticket. It keeps a place: who reserves with a ticket is
//! held up by earlier tickets that want the same, and who reserves without is not. A ticket ends
//! with its time, or when its own host knows that its waiter has ended; whoever writes next removes
//! it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::core::damage::{self, Damage, Found};
use crate::core::decision::Act;
use crate::core::documents::{Documents, Key, ReadError, read};
use crate::core::ids::{AgentName, HoldId, LockName, TicketId};
use crate::core::pattern::{Case, Pattern};
use crate::core::reservation::process::{Gone, Process};
use crate::core::reservation::target::{Target, targets};
use crate::core::reservation::{Mode, events};
use crate::core::text::Line;
use crate::core::time::Timestamp;

/// The directory that this module owns.
pub const ROOT: &str = "tickets";

/// One that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ticket {
    /// Its name.
    pub id: TicketId,
    /// Who waits.
    pub agent: AgentName,
    /// For which paths.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub patterns: Vec<Pattern>,
    /// For which locks.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub locks: Vec<LockName>,
    /// Exclusive or shared.
    pub mode: Mode,
    /// Lower ones go first.
    pub place: u64,
    /// Since when.
    pub asked_at: Timestamp,
    /// How long at most.
    pub until: Timestamp,
    /// On which host.
    pub host: Line,
    /// The process that the hold is to go with, if it is to go with one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub process: Option<Process>,
    /// The holds that end only once this wait does: what it is part of runs under them.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub within: Vec<HoldId>,
    /// Fields of a later version, kept as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

impl Ticket {
    /// What it waits for.
    pub fn targets(&self) -> Vec<Target> {
        targets(&self.patterns, &self.locks)
    }

    /// Whether it still counts.
    pub fn is_live(&self, now: Timestamp, gone: &Gone) -> bool {
        now < self.until && !gone.has_ticket(&self.id)
    }

    /// The first of these targets that it wants too.
    pub fn shared_with<'t>(&self, wanted: &'t [Target], case: Case) -> Option<&'t Target> {
        let own = self.targets();
        let meets = |other: &&Target| {
            let reach = other.reach(case);
            own.iter().any(|own| own.reach(case).meets(&reach))
        };
        wanted.iter().find(meets)
    }
}

/// Why a ticket is no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// Its waiter has what it waited for.
    Granted,
    /// Its waiter wants it no longer.
    GaveUp,
    /// Its time is up, or its waiter has ended.
    Gone,
}

impl Over {
    /// The word that an event says.
    pub fn word(self) -> &'static str {
        match self {
            Over::Granted => "granted",
            Over::GaveUp => "gave_up",
            Over::Gone => "gone",
        }
    }
}

/// Where a ticket stands.
pub fn key(id: &TicketId) -> Key {
    Key::of([ROOT, id.as_str()])
}

/// The ticket of that name, live or not.
fn by_id(documents: &dyn Documents, id: &TicketId) -> Result<Option<Ticket>, ReadError> {
    read(documents, &key(id))
}

/// The ticket of that name, unless there is none or it cannot be read: who waits with one that
/// cannot takes it anew.
pub fn readable(documents: &dyn Documents, id: &TicketId) -> Result<Option<Ticket>, ReadError> {
    Ok(damage::found(at_its_place(documents, id))?.and_then(Found::whole))
}

/// All tickets, live or not, the first in line first. What cannot be read keeps no place.
pub fn all(documents: &dyn Documents) -> Result<Vec<Ticket>, ReadError> {
    Ok(found(documents)?.0)
}

/// The same, and what cannot be read.
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

/// The ticket of that name, which must be the one that its place is named for.
fn at_its_place(documents: &dyn Documents, id: &TicketId) -> Result<Option<Ticket>, ReadError> {
    match by_id(documents, id)? {
        Some(other) if other.id != *id => {
            Err(ReadError::damaged(&key(id), format!("it is {}", other.id)))
        }
        ticket => Ok(ticket),
    }
}

/// Writes a ticket.
pub fn put(act: &mut Act<'_>, ticket: &Ticket) {
    act.put(key(&ticket.id), ticket);
    events::waiting(act, ticket);
}

/// Removes a ticket.
pub fn remove(act: &mut Act<'_>, ticket: &Ticket, over: Over) {
    act.remove(key(&ticket.id));
    events::wait_over(act, ticket, over);
}

/// Removes the tickets that have ended. What cannot be read is left to those who ask about it.
pub fn remove_ended(act: &mut Act<'_>) -> Result<(), ReadError> {
    for ticket in all(act)? {
        if !ticket.is_live(act.env.now, act.env.gone) {
            remove(act, &ticket, Over::Gone);
        }
    }
    Ok(())
}

/// Removes the tickets that cannot be read: who waits takes a new one.
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

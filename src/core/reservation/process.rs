//! The process that a hold goes with, and what is known of processes that have ended.
//!
//! Whether a process still runs is a fact from outside, which only its own host can tell. It is
//! looked up there before a command is decided, handed to the decision as [`Gone`], and recorded
//! with the command. A decision believes exactly what it is handed: a process of another host is
//! in no such list, and only the time frees what goes with it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::ids::{HoldId, TicketId};
use crate::core::reservation::Hold;
use crate::core::text::Line;

/// One run of one process. An id alone says nothing, since ids are used again.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Process {
    /// Its number on its host.
    pub pid: u32,
    /// Its host.
    pub host: Line,
    /// When it started, as its host counts; absent where the host does not tell.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub started: Option<Line>,
    /// In which boot of the host.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub boot: Option<Line>,
    /// In which space of numbers: containers may share a host name but not this.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub namespace: Option<Line>,
}

/// A hold whose process has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoneHold {
    /// The hold.
    pub id: HoldId,
    /// The process that was looked for: a hold that goes with another one by now stays.
    pub process: Process,
}

/// What the asker's host knows to have ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gone {
    /// Holds whose process has ended.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub holds: Vec<GoneHold>,
    /// Tickets whose waiter has ended, or does not move.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub tickets: Vec<TicketId>,
}

impl Gone {
    /// Nothing is known to have ended.
    pub const NOTHING: Gone = Gone { holds: Vec::new(), tickets: Vec::new() };

    /// Whether nothing is known to have ended.
    pub fn is_empty(&self) -> bool {
        self.holds.is_empty() && self.tickets.is_empty()
    }

    /// Whether the process of a hold is known to have ended.
    pub fn has_hold(&self, hold: &Hold) -> bool {
        let process = hold.process.as_ref();
        self.holds.iter().any(|gone| gone.id == hold.id && Some(&gone.process) == process)
    }

    /// Whether the waiter with that ticket is known to have ended.
    pub fn has_ticket(&self, id: &TicketId) -> bool {
        self.tickets.contains(id)
    }
}

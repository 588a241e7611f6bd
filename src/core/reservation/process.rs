//! The process that a hold goes with, and the processes that are known to have ended.
//!
//! Only the host of a process can tell whether it still runs. The host looks it up before a command
//! is decided, hands it to the decision as [`Gone`], and records it with the command. A decision
//! believes exactly what it is handed. Processes of other hosts are never in the list, so only time
//! frees the holds that go with them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::ids::{HoldId, TicketId};
use crate::core::reservation::Hold;
use crate::core::text::Line;

/// One run of one process. A process id alone does not identify it, since ids are used again.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Process {
    /// The number of the process on its host.
    pub pid: u32,
    /// The name of the host.
    pub host: Line,
    /// The start time, as the host counts it; absent if the host does not tell.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub started: Option<Line>,
    /// The boot of the host during which the process started.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub boot: Option<Line>,
    /// The PID namespace: containers may share a host name but not this.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub namespace: Option<Line>,
}

/// A hold whose process has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoneHold {
    pub id: HoldId,
    /// The process that was looked for. A hold that goes with another process by now stays.
    pub process: Process,
}

/// The holds and tickets that the asker's host knows to have ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gone {
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub holds: Vec<GoneHold>,
    /// Tickets whose waiting process has ended, or does not move.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub tickets: Vec<TicketId>,
}

impl Gone {
    /// Knows of nothing that has ended.
    pub const NOTHING: Gone = Gone { holds: Vec::new(), tickets: Vec::new() };

    pub fn is_empty(&self) -> bool {
        self.holds.is_empty() && self.tickets.is_empty()
    }

    /// Tells whether the process of the hold is known to have ended.
    pub fn has_hold(&self, hold: &Hold) -> bool {
        let process = hold.process.as_ref();
        self.holds.iter().any(|gone| gone.id == hold.id && Some(&gone.process) == process)
    }

    /// Tells whether the process that waits with this ticket is known to have ended.
    pub fn has_ticket(&self, id: &TicketId) -> bool {
        self.tickets.contains(id)
    }
}

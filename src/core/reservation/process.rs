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
use crate::core::time::Timestamp;

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

/// A hold that has ended before its time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoneHold {
    pub id: HoldId,
    #[serde(flatten)]
    pub with: EndedWith,
}

/// The thing that a hold has ended with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum EndedWith {
    /// The process that was looked for. A hold that goes with another process by now stays.
    Process { process: Process },
    /// The session of its holder. A hold that does not last until exactly then was renewed since,
    /// and stays.
    Session { until: Timestamp },
}

impl EndedWith {
    /// Tells whether this is still true of a hold.
    fn ends(&self, hold: &Hold) -> bool {
        match self {
            EndedWith::Process { process } => hold.process.as_ref() == Some(process),
            EndedWith::Session { until } => hold.ends_with_session() && hold.expires_at == *until,
        }
    }
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

    /// Tells whether the hold is known to have ended with its process or its holder's session.
    pub fn has_hold(&self, hold: &Hold) -> bool {
        self.holds.iter().any(|gone| gone.id == hold.id && gone.with.ends(hold))
    }

    /// Tells whether the process that waits with this ticket is known to have ended.
    pub fn has_ticket(&self, id: &TicketId) -> bool {
        self.tickets.contains(id)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::core::ids::{Derived as _, OpId};
    use crate::core::reservation::{About, Mode, Target, Via};

    fn id_of(number: u64) -> HoldId {
        HoldId::derive(&OpId::from_bits(1), number)
    }

    fn process(pid: u32) -> Process {
        Process { pid, host: "h".parse().unwrap(), started: None, boot: None, namespace: None }
    }

    fn hold(id: u64, via: Via, process: Option<Process>, until: i64) -> Hold {
        Hold {
            id: id_of(id),
            holder: "alice".parse().unwrap(),
            target: Target::Lock("x".parse().unwrap()),
            mode: Mode::Exclusive,
            about: About { reason: None, task: None, run: None, via, worktree: None, place: None },
            process,
            shell: None,
            granted_at: Timestamp::from_millis(0),
            expires_at: Timestamp::from_millis(until),
            fence: 1,
            unknown: serde_json::Map::new(),
        }
    }

    proptest! {
        /// 8/ENDED-IS-NOT-ALIVE: a hold has ended exactly if the list has its id with its own
        /// process, or it came with work and lasts until the time in the list.
        #[test]
        fn a_hold_ends_with_what_it_belongs_to(
            via in prop::sample::select(vec![Via::Command, Via::Hook, Via::Ask]),
            runs_in in prop::option::of(0..2_u32),
            until in 1..3_i64,
            facts in prop::collection::vec((0..2_u64, prop::option::of(0..2_u32), 1..3_i64), 0..6),
        ) {
            let held = hold(1, via, runs_in.map(process), until);
            let fact = |(id, pid, until): &(u64, Option<u32>, i64)| GoneHold {
                id: id_of(*id),
                with: match pid {
                    Some(pid) => EndedWith::Process { process: process(*pid) },
                    None => EndedWith::Session { until: Timestamp::from_millis(*until) },
                },
            };
            let gone = Gone { holds: facts.iter().map(fact).collect(), tickets: Vec::new() };
            let mut expected = false;
            for (id, pid, end) in &facts {
                let with_process = pid.is_some() && *pid == runs_in;
                let came_with_work = runs_in.is_none() && via != Via::Command;
                let with_session = pid.is_none() && came_with_work && *end == until;
                expected |= *id == 1 && (with_process || with_session);
            }
            prop_assert_eq!(gone.has_hold(&held), expected);
            let written = serde_json::to_string(&gone).unwrap();
            prop_assert_eq!(serde_json::from_str::<Gone>(&written).unwrap(), gone);
        }
    }
}

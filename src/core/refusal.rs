//! The reasons why a decision says no.
//!
//! A refusal is data. The doors turn it into a message, JSON, or a hook's verdict.

use serde::{Deserialize, Serialize};

use crate::core::domain;
use crate::core::ids::{AgentName, HoldId, HoldIdPrefix, RequestId};
use crate::core::negotiation::dispute::Dispute;
use crate::core::reservation::tickets::Ticket;
use crate::core::reservation::wait::Link;
use crate::core::reservation::{Hold, Target};
use crate::core::routing;
use crate::core::run;
use crate::core::time::Timestamp;

/// A request and the hold that stands in its way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conflict {
    #[serde(flatten)]
    pub target: Target,
    pub held: Hold,
}

/// A decision that said no. Nothing was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Another agent holds the target.
    #[error("held by another")]
    Held {
        /// Each target with each hold that stands in its way.
        conflicts: Vec<Conflict>,
        /// The tickets of agents that wait for the same targets and go first.
        before: Vec<Ticket>,
        /// The time of the decision.
        at: Timestamp,
    },
    /// The asker would close a circle of agents that wait for each other.
    #[error("waiting would never end: {}", in_words(circle))]
    Deadlock {
        /// The links of the circle, which ends at the asker; at least two.
        circle: Vec<Link>,
    },
    /// The holds belong to another agent.
    #[error("'{}' belongs to '{}'", holds[0].id, holds[0].holder)]
    NotYours {
        /// The named holds; at least one.
        holds: Vec<Hold>,
        /// The time of the decision.
        at: Timestamp,
    },
    #[error("{what}: {count}, at most {max} are allowed")]
    TooMany { what: &'static str, count: usize, max: usize },
    /// A prefix that several ids begin with.
    #[error("'{prefix}' is the beginning of {} ids: {}", ids.len(), listed(ids, ", "))]
    Ambiguous { prefix: HoldIdPrefix, ids: Vec<HoldId> },
    #[error("no live reservation '{}'", listed(named, "', '"))]
    NothingThere { named: Vec<String> },
    /// A request id that was used for something else.
    #[error("request id '{id}' was used by '{by}' for another request")]
    RequestMismatch {
        id: RequestId,
        /// The agent that used the id first.
        by: AgentName,
    },
    /// A request that was answered before, with an answer that is not true any more.
    #[error("request '{id}' was granted before, and {} ended since", ended_holds(ended))]
    RequestOver { id: RequestId, ended: Vec<HoldId> },
    /// A hold is no longer as the act left it that is to be taken back.
    #[error("'{}' is no longer as your act left it", hold.target)]
    BuiltOn {
        /// The hold as it is now, or as the act left it if it has ended since.
        hold: Box<Hold>,
    },
    #[error(transparent)]
    Routing(#[from] routing::refusal::Refusal),
    #[error(transparent)]
    Run(#[from] run::refusal::Refusal),
    /// The time that was asked for has passed before it could be granted.
    #[error("the request is over: it was for the time until {ended}")]
    Over { ended: Timestamp },
    /// The ledger is not in the state that the caller expected.
    #[error("the ledger has moved on: expected entry '{expected}', found '{found}'")]
    Changed { expected: String, found: String },
    #[error(transparent)]
    Dispute(Box<Dispute>),
    #[error(transparent)]
    Domain(#[from] domain::refusal::Refusal),
}

fn in_words(circle: &[Link]) -> String {
    let one = |link: &Link| {
        format!("'{}' waits for '{}' of '{}'", link.agent, link.target, link.waits_for)
    };
    circle.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn listed(ids: &[impl ToString], between: &str) -> String {
    ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(between)
}

fn ended_holds(ids: &[HoldId]) -> String {
    let has = if ids.len() == 1 { "has" } else { "have" };
    format!("{} {has}", listed(ids, ", "))
}

/// Refuses a count above its maximum.
pub fn within(what: &'static str, count: usize, max: usize) -> Result<(), Refusal> {
    if count > max { Err(Refusal::TooMany { what, count, max }) } else { Ok(()) }
}

impl Refusal {
    /// Returns the code of the refusal, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Refusal::Held { .. } => "held",
            Refusal::Deadlock { .. } => "deadlock",
            Refusal::NotYours { .. } => "not_yours",
            Refusal::TooMany { .. } => "too_many",
            Refusal::Ambiguous { .. } => "ambiguous",
            Refusal::NothingThere { .. } => "nothing_there",
            Refusal::RequestMismatch { .. } => "request_mismatch",
            Refusal::RequestOver { .. } => "request_over",
            Refusal::Over { .. } => "over",
            Refusal::BuiltOn { .. } => "built_on",
            Refusal::Run(refusal) => refusal.code(),
            Refusal::Routing(refusal) => refusal.code(),
            Refusal::Changed { .. } => "changed",
            Refusal::Dispute(dispute) => dispute.code(),
            Refusal::Domain(refusal) => refusal.code(),
        }
    }
}

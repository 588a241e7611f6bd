//! Why a decision said no: what stands in the way, and what can be done about it.
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
    /// What was asked for.
    #[serde(flatten)]
    pub target: Target,
    /// What stands in the way.
    pub held: Hold,
}

/// A decision that said no. Nothing was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Somebody else holds what was asked for.
    #[error("held by another")]
    Held {
        /// Each request with each hold that stands in its way.
        conflicts: Vec<Conflict>,
        /// Who waits for the same and goes first.
        before: Vec<Ticket>,
        /// When that was so.
        at: Timestamp,
    },
    /// Those who wait would wait for each other.
    #[error("waiting would never end: {}", told(circle))]
    Deadlock {
        /// Who waits for whom, back to the one who asked; at least two.
        circle: Vec<Link>,
    },
    /// The holds belong to somebody else.
    #[error("'{}' belongs to '{}'", holds[0].id, holds[0].holder)]
    NotYours {
        /// Whose holds were named; at least one.
        holds: Vec<Hold>,
        /// When that was so.
        at: Timestamp,
    },
    /// More than is allowed.
    #[error("{what}: {count}, at most {max} are allowed")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many there would be.
        count: usize,
        /// How many there may be.
        max: usize,
    },
    /// The beginning of several ids.
    #[error("'{prefix}' is the beginning of {} ids: {}", ids.len(), listed(ids, ", "))]
    Ambiguous {
        /// What was typed.
        prefix: HoldIdPrefix,
        /// What begins so.
        ids: Vec<HoldId>,
    },
    /// No such thing.
    #[error("no live reservation '{}'", listed(named, "', '"))]
    NothingThere {
        /// What was named.
        named: Vec<String>,
    },
    /// A request id that was used for something else.
    #[error("request id '{id}' was used by '{by}' for another request")]
    RequestMismatch {
        /// The id.
        id: RequestId,
        /// Who used it first.
        by: AgentName,
    },
    /// A request that was answered before, and whose answer is not true any more.
    #[error("request '{id}' was granted before, and {} ended since", ended_holds(ended))]
    RequestOver {
        /// The id.
        id: RequestId,
        /// What has ended.
        ended: Vec<HoldId>,
    },
    /// A decision about routing.
    #[error(transparent)]
    Routing(#[from] routing::refusal::Refusal),
    /// A decision about a run.
    #[error(transparent)]
    Run(#[from] run::refusal::Refusal),
    /// The ledger is not in the state that was expected.
    #[error("the ledger has moved on: expected entry '{expected}', found '{found}'")]
    Changed {
        /// What the caller had seen.
        expected: String,
        /// What is there.
        found: String,
    },
    /// A negotiation does not go on.
    #[error(transparent)]
    Dispute(Box<Dispute>),
    /// It was about domains.
    #[error(transparent)]
    Domain(#[from] domain::refusal::Refusal),
}

fn told(circle: &[Link]) -> String {
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

/// Refuses more than is allowed.
pub fn within(what: &'static str, count: usize, max: usize) -> Result<(), Refusal> {
    if count > max { Err(Refusal::TooMany { what, count, max }) } else { Ok(()) }
}

impl Refusal {
    /// The word for programs.
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
            Refusal::Run(refusal) => refusal.code(),
            Refusal::Routing(refusal) => refusal.code(),
            Refusal::Changed { .. } => "changed",
            Refusal::Dispute(dispute) => dispute.code(),
            Refusal::Domain(refusal) => refusal.code(),
        }
    }
}

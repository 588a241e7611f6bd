//! The reasons why a negotiation does not go on.

use crate::core::ids::{AgentName, HoldId};
use crate::core::negotiation::How;
use crate::core::negotiation::ids::ThreadId;
use crate::core::pattern::Pattern;
use crate::core::reservation::{Hold, Target};
use crate::core::text::Line;
use crate::core::time::Timestamp;

/// A question, an answer or a takeover that is not possible. Nothing was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Dispute {
    /// No agent has to be asked.
    #[error("nobody stands in the way of '{what}'{}", of(holder.as_ref()))]
    NotHeld {
        what: String,
        /// The targets that were asked for; none if the caller named a hold.
        targets: Vec<Target>,
        /// The agent that the caller named as the holder.
        holder: Option<AgentName>,
    },
    /// More than one agent has to be asked.
    #[error("'{what}' is held by {}: name one with --holder", listed(holders))]
    SeveralHolders { what: String, holders: Vec<AgentName> },
    /// A word that is both a path that is held and the beginning of an id.
    #[error("'{what}' is held, and the id '{id}' begins so too: write './{what}' or the whole id")]
    PathOrId { what: String, id: HoldId },
    #[error("no thread '{what}'")]
    NoThread { what: String },
    #[error("no open request for '{what}' that you {role}")]
    NoRequest {
        what: String,
        /// The targets that the actor could ask for; none if it is asked.
        to_ask_for: Vec<Target>,
        /// The role that the actor would need.
        role: &'static str,
    },
    #[error("'{what}' means {} threads: {}", threads.len(), listed(threads))]
    SeveralThreads { what: String, threads: Vec<ThreadId> },
    #[error("nothing is asked for in thread '{thread}'")]
    NothingAsked { thread: ThreadId },
    /// The actor is not the holder, which alone may answer.
    #[error("only '{holder}', who is asked, can answer thread '{thread}'")]
    NotHolder { thread: ThreadId, holder: AgentName },
    /// The actor is not the asker, which alone may take the holds.
    #[error("only '{asker}', who asks, can take what thread '{thread}' is about")]
    NotAsker { thread: ThreadId, asker: AgentName },
    /// The request is over.
    #[error("thread '{thread}' is over: {} by '{by}' at {at}", how.name())]
    Over { thread: ThreadId, how: How, by: AgentName, at: Timestamp },
    /// The holder refused, which rules out taking the holds.
    #[error("'{by}' refused at {at}, so it cannot be taken{}", because(reason.as_ref()))]
    Barred { thread: ThreadId, by: AgentName, at: Timestamp, reason: Option<Line> },
    /// The holder has time left.
    #[error("too early: '{holder}' has until {window_ends_at} to answer, and {presence}")]
    TooEarly {
        thread: ThreadId,
        holder: AgentName,
        window_ends_at: Timestamp,
        /// The holder's last sign of life, in words.
        presence: String,
    },
    /// The holder has holds in the way that were not asked for.
    #[error("what '{holder}' holds has changed since you asked; ask again")]
    ReservationChanged {
        thread: ThreadId,
        holder: AgentName,
        /// The holds that were not asked for.
        holds: Vec<Hold>,
    },
    /// A release would end holds as a whole, of which the request did not tell the holder.
    #[error("all of {} would be free: its rest cannot be kept", quoted(holds))]
    EndsWhole { thread: ThreadId, holds: Vec<Hold> },
    /// A takeover would end holds as a whole, of which the request did not tell the holder.
    #[error(
        "'{holder}' would lose all of {}: its rest cannot be kept, and your request did \
         not say so; ask again",
        quoted(holds)
    )]
    TakesWhole {
        thread: ThreadId,
        holder: AgentName,
        holds: Vec<Hold>,
        /// The paths that were asked for.
        patterns: Vec<Pattern>,
    },
    /// The holder has that much time anyway.
    #[error("you have until {window_ends_at} anyway: put it off for longer, or answer")]
    DefersNothing { thread: ThreadId, window_ends_at: Timestamp },
    /// The holder deferred its answer before.
    #[error("thread '{thread}' was put off before, until {until}; that can be done once")]
    DeferredBefore { thread: ThreadId, until: Timestamp },
    #[error("no message '{what}' in your inbox")]
    NoMessage { what: String },
    /// Negotiation is switched off in this repository.
    #[error("negotiation is switched off here: coord.negotiation is false")]
    SwitchedOff,
}

fn listed(items: &[impl ToString]) -> String {
    let quoted: Vec<String> = items.iter().map(|item| format!("'{}'", item.to_string())).collect();
    quoted.join(", ")
}

fn quoted(holds: &[Hold]) -> String {
    listed(&holds.iter().map(|hold| hold.target.shown()).collect::<Vec<_>>())
}

fn of(holder: Option<&AgentName>) -> String {
    holder.map_or_else(String::new, |holder| format!(" that '{holder}' holds"))
}

fn because(reason: Option<&Line>) -> String {
    reason.map_or_else(String::new, |reason| format!(": {reason}"))
}

impl Dispute {
    /// Returns the code of the dispute, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Dispute::NotHeld { .. } => "not_held",
            Dispute::SeveralHolders { .. } => "several_holders",
            Dispute::PathOrId { .. } => "path_or_id",
            Dispute::NoThread { .. } => "no_thread",
            Dispute::NoRequest { .. } => "no_request",
            Dispute::SeveralThreads { .. } => "several_threads",
            Dispute::NothingAsked { .. } => "nothing_asked",
            Dispute::NotHolder { .. } => "not_holder",
            Dispute::NotAsker { .. } => "not_asker",
            Dispute::Over { .. } => "over",
            Dispute::Barred { .. } => "refused",
            Dispute::TooEarly { .. } => "too_early",
            Dispute::ReservationChanged { .. } => "reservation_changed",
            Dispute::EndsWhole { .. } | Dispute::TakesWhole { .. } => "ends_whole",
            Dispute::DefersNothing { .. } => "defers_nothing",
            Dispute::DeferredBefore { .. } => "deferred_before",
            Dispute::NoMessage { .. } => "no_message",
            Dispute::SwitchedOff => "switched_off",
        }
    }

    /// Tells whether the named thing does not exist, rather than being out of reach.
    pub fn is_absence(&self) -> bool {
        matches!(
            self,
            Dispute::NoThread { .. } | Dispute::NoRequest { .. } | Dispute::NoMessage { .. }
        )
    }
}

//! Why a negotiation does not go on, each reason with words of its own.

use crate::core::ids::{AgentName, HoldId};
use crate::core::negotiation::How;
use crate::core::negotiation::ids::ThreadId;
use crate::core::reservation::Hold;
use crate::core::text::Line;
use crate::core::time::Timestamp;

/// Something that was to be asked, answered or taken, and cannot be. Nothing was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Dispute {
    /// Nobody has to be asked.
    #[error("nobody stands in the way of '{what}'{}", of(holder.as_ref()))]
    NotHeld {
        /// What was asked for.
        what: String,
        /// Who was said to hold it.
        holder: Option<AgentName>,
    },
    /// More than one agent has to be asked.
    #[error("'{what}' is held by {}: name one with --holder", listed(holders))]
    SeveralHolders {
        /// What was asked for.
        what: String,
        /// Who holds it.
        holders: Vec<AgentName>,
    },
    /// A word that is a path in somebody's hands, and the beginning of an id.
    #[error("'{what}' is held, and the id '{id}' begins so too: write './{what}' or the whole id")]
    PathOrId {
        /// What was asked for.
        what: String,
        /// The hold whose id begins so.
        id: HoldId,
    },
    /// No such thread.
    #[error("no thread '{what}'")]
    NoThread {
        /// What was named.
        what: String,
    },
    /// No request for that.
    #[error("no open request for '{what}' that you {role}")]
    NoRequest {
        /// What was named.
        what: String,
        /// What the actor wanted to do with it.
        role: &'static str,
    },
    /// Several threads are meant.
    #[error("'{what}' means {} threads: {}", threads.len(), listed(threads))]
    SeveralThreads {
        /// What was named.
        what: String,
        /// What it can mean.
        threads: Vec<ThreadId>,
    },
    /// In that thread nothing is asked for.
    #[error("nothing is asked for in thread '{thread}'")]
    NothingAsked {
        /// Which.
        thread: ThreadId,
    },
    /// Only the holder may do that.
    #[error("only '{holder}', who is asked, can answer thread '{thread}'")]
    NotHolder {
        /// Which thread.
        thread: ThreadId,
        /// Who is asked.
        holder: AgentName,
    },
    /// Only the asker may do that.
    #[error("only '{asker}', who asks, can take what thread '{thread}' is about")]
    NotAsker {
        /// Which thread.
        thread: ThreadId,
        /// Who asks.
        asker: AgentName,
    },
    /// It is over.
    #[error("thread '{thread}' is over: {} by '{by}' at {at}", how.name())]
    Over {
        /// Which thread.
        thread: ThreadId,
        /// How it ended.
        how: How,
        /// By whose act.
        by: AgentName,
        /// When.
        at: Timestamp,
    },
    /// The holder has said no, and that bars taking.
    #[error("'{by}' refused at {at}, so it cannot be taken{}", because(reason.as_ref()))]
    Barred {
        /// Which thread.
        thread: ThreadId,
        /// Who said no.
        by: AgentName,
        /// When.
        at: Timestamp,
        /// Why.
        reason: Option<Line>,
    },
    /// The holder has time left.
    #[error("too early: '{holder}' has until {window_ends_at} to answer, and {presence}")]
    TooEarly {
        /// Which thread.
        thread: ThreadId,
        /// Who has time.
        holder: AgentName,
        /// Until when.
        window_ends_at: Timestamp,
        /// What is known of the holder.
        presence: String,
    },
    /// What the holder holds is not what was asked for any more.
    #[error("what '{holder}' holds has changed since you asked; ask again")]
    ReservationChanged {
        /// Which thread.
        thread: ThreadId,
        /// Whose holds.
        holder: AgentName,
        /// What it holds that was not asked for.
        holds: Vec<Hold>,
    },
    /// The holder has that much time anyway.
    #[error("you have until {window_ends_at} anyway: put it off for longer, or answer")]
    DefersNothing {
        /// Which thread.
        thread: ThreadId,
        /// Until when.
        window_ends_at: Timestamp,
    },
    /// It was put off before.
    #[error("thread '{thread}' was put off before, until {until}; that can be done once")]
    DeferredBefore {
        /// Which thread.
        thread: ThreadId,
        /// Until when.
        until: Timestamp,
    },
    /// No such message.
    #[error("no message '{what}' in your inbox")]
    NoMessage {
        /// What was named.
        what: String,
    },
    /// It is switched off here.
    #[error("negotiation is switched off here: coord.negotiation is false")]
    SwitchedOff,
}

fn listed(items: &[impl ToString]) -> String {
    let quoted: Vec<String> = items.iter().map(|item| format!("'{}'", item.to_string())).collect();
    quoted.join(", ")
}

fn of(holder: Option<&AgentName>) -> String {
    holder.map_or_else(String::new, |holder| format!(" that '{holder}' holds"))
}

fn because(reason: Option<&Line>) -> String {
    reason.map_or_else(String::new, |reason| format!(": {reason}"))
}

impl Dispute {
    /// The word for programs.
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
            Dispute::DefersNothing { .. } => "defers_nothing",
            Dispute::DeferredBefore { .. } => "deferred_before",
            Dispute::NoMessage { .. } => "no_message",
            Dispute::SwitchedOff => "switched_off",
        }
    }

    /// Whether what was named is not there, rather than not to be had.
    pub fn is_absence(&self) -> bool {
        matches!(
            self,
            Dispute::NoThread { .. } | Dispute::NoRequest { .. } | Dispute::NoMessage { .. }
        )
    }
}

//! Negotiation: asking a holder to let go, answering, taking over, and messages.
//!
//! A [`Thread`] is a conversation of two or more agents. A thread that asks for something
//! ([`Asked`]) is pinned to the holds that stand in the way, and is *open* until they are gone, the
//! holder refuses, or the asker takes them. However a pinned hold ends, a message in the same entry
//! tells the asker ([`notify`]).
//!
//! Time never acts. Each reader computes windows, reminders and the right to take from stored times
//! ([`standing`]).
//!
//! One file a verb ([`ask`], [`answer`], [`take`], [`send`], [`acknowledge`], [`prune`]), each a
//! pure decision. [`thread_index`] places threads and messages in the tree, [`events`] writes the
//! events, [`laws`] checks what must be true of every state.

pub mod acknowledge;
pub mod answer;
pub mod ask;
pub mod body;
pub mod dispute;
pub mod events;
pub mod find;
pub mod ids;
pub mod inbox;
pub mod laws;
pub mod notify;
pub mod prune;
pub mod send;
pub mod standing;
pub mod take;
pub mod thread_index;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::core::ids::{AgentName, HoldId, LockName};
use crate::core::limits::{URGENT_WINDOW_SECONDS, WINDOW_SECONDS};
use crate::core::negotiation::ids::{MessageId, ThreadId};
use crate::core::pattern::Pattern;
use crate::core::place::Place;
use crate::core::reservation::paths::PathFacts;
use crate::core::reservation::target::targets;
use crate::core::reservation::{Target, named_targets};
use crate::core::text::Line;
use crate::core::time::{Timestamp, Ttl};
use crate::core::words::words;

/// A conversation of agents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thread {
    pub id: ThreadId,
    /// The agent that opened the thread; in a request, the asker.
    pub opened_by: AgentName,
    pub opened_at: Timestamp,
    /// The request; absent if the agents only talk.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub asked: Option<Asked>,
    /// Fields of a later version, kept as they are.
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

/// A request to release holds, and its outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// The agent that is asked.
    pub holder: AgentName,
    /// The paths that are asked for.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub patterns: Vec<Pattern>,
    /// The facts about these paths.
    #[serde(flatten)]
    pub facts: PathFacts,
    /// The locks that are asked for.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub locks: Vec<LockName>,
    /// The reason, in the asker's words.
    pub reason: Line,
    /// True if the request is urgent, which makes the window shorter.
    pub urgent: bool,
    /// The time for which the asker wants the holds.
    pub ttl: Ttl,
    /// The linked worktree that the asker works in; absent for the main one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub worktree: Option<Line>,
    /// True if the asker works through hooks, which end its holds with its turn.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub through_hooks: bool,
    /// The clone that the asker works in.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub place: Option<Place>,
    /// The holds in the way.
    pub pinned: Vec<HoldId>,
    /// The pinned holds that would end as a whole, although the request is for a part of them: they
    /// cannot go on without it. The holder was told so with the request.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub ends_whole: Vec<HoldId>,
    /// Set once a pinned hold has become another one that the asker does not know yet.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub changed: bool,
    pub window_began_at: Timestamp,
    /// The time when the window is over and the asker may take the holds.
    pub window_ends_at: Timestamp,
    /// The holder's word that it needs more time.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub deferred: Option<Deferral>,
    /// The end of the request; absent while it is open.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub outcome: Option<Outcome>,
}

/// A holder's word that it needs more time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Deferral {
    /// The time of the answer.
    pub at: Timestamp,
    /// The end of the time that the holder needs.
    pub until: Timestamp,
    pub reason: Line,
}

/// The end of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Outcome {
    pub how: How,
    pub at: Timestamp,
    /// The agent whose act ended it.
    pub by: AgentName,
    /// The reason, if somebody gave one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub because: Option<Line>,
    /// True if holds of the old holder were freed for the asker, and a message told it so.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub acknowledged: bool,
    /// The holds that were freed.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub freed: Vec<HoldId>,
    /// The holds that go on without the targets.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub narrowed: Vec<HoldId>,
    /// The holds that the asker got.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub granted: Vec<HoldId>,
    /// The highest fence at that time: a hold with a higher one was granted later.
    pub fence: u64,
}

words! {
    /// The way in which a request ended.
    pub enum How {
        /// The holder released the hold.
        Released = "released",
        /// The holder refused.
        Refused = "refused",
        /// The asker took the hold.
        Taken = "taken",
        /// The time of the hold ran out.
        Expired = "expired",
        /// The hold went to another agent.
        Transferred = "transferred",
        /// A rollback undid the hold.
        Revoked = "revoked",
    }
}

impl Asked {
    /// Tells whether the request waits for an answer.
    pub fn is_open(&self) -> bool {
        self.outcome.is_none()
    }

    /// Returns the time that the holder has to answer.
    pub fn window_seconds(&self) -> u64 {
        window_seconds(self.urgent)
    }

    pub fn targets(&self) -> Vec<Target> {
        targets(&self.patterns, &self.locks, &self.facts)
    }

    /// Names the targets in a line of text.
    pub fn what(&self) -> String {
        named_targets(&self.targets())
    }
}

/// Returns the time that a holder has to answer.
pub fn window_seconds(urgent: bool) -> u64 {
    if urgent { URGENT_WINDOW_SECONDS } else { WINDOW_SECONDS }
}

impl Thread {
    /// Returns the request, while it waits for an answer.
    pub fn open(&self) -> Option<&Asked> {
        self.asked.as_ref().filter(|asked| asked.is_open())
    }
}

words! {
    /// The subject of a message.
    pub enum MessageKind {
        /// An agent asks for holds of the recipient.
        Ask = "ask",
        /// The holder released the holds for the asker.
        Released = "released",
        /// The holder needs more time.
        Deferred = "deferred",
        /// The holder refuses.
        Refused = "refused",
        /// The asker took the holds.
        Taken = "taken",
        /// A hold that was asked for is not in the way any more, or went to another agent.
        Freed = "freed",
        /// An agent committed paths that the recipient holds or asked for.
        Commit = "commit",
        /// An agent took uncommitted changes of the recipient over.
        Adopted = "adopted",
        /// The recipient acknowledged a message.
        Ack = "ack",
        /// Anything else that an agent has to say.
        Note = "note",
    }
}

/// One message. It never changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Message {
    /// The id of the message. A later message has a greater one.
    pub id: MessageId,
    /// The thread that the message belongs to.
    pub thread: ThreadId,
    #[serde(rename = "type")]
    pub kind: MessageKind,
    pub from: AgentName,
    pub to: Vec<AgentName>,
    pub at: Timestamp,
    /// The message in a line.
    pub subject: Line,
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub urgent: bool,
    /// True if the sender wants an acknowledgement.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub ack: bool,
    /// The paths that the message is about.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub patterns: Vec<Pattern>,
    /// The length of the body; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub body_bytes: Option<usize>,
    /// Fields of a later version, kept as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

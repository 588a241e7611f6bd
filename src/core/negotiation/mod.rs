//! Negotiation: asking a holder to let go, answering, taking over, and messages.
//!
//! A [`Thread`] is what two or more agents have to say to each other. One that [`Asked`] for
//! something is pinned to the holds that stand in the way, and is *open* until they are gone, the
//! holder refuses, or the asker takes them. Whatever ends a hold that is asked for, the asker is
//! told in the same entry ([`notify`]).
//!
//! Time never acts. Windows, reminders and what may be taken are computed from stored times by
//! whoever reads ([`standing`]).
//!
//! One file a verb ([`ask`], [`answer`], [`take`], [`send`], [`acknowledge`], [`prune`]), each a
//! pure decision; [`thread_index`] is where threads and messages live in the tree, [`events`] the
//! events they leave, [`laws`] what must be true of every state.

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
use crate::core::reservation::target::targets;
use crate::core::reservation::{Target, named_targets};
use crate::core::text::Line;
use crate::core::time::{Timestamp, Ttl};

/// What some agents have to say to each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thread {
    /// Its name.
    pub id: ThreadId,
    /// Who opened it; of a request, who asks.
    pub opened_by: AgentName,
    /// When.
    pub opened_at: Timestamp,
    /// What is asked for; absent where agents only talk.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub asked: Option<Asked>,
    /// Fields of a later version, kept as they are.
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

/// A request to let go, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// Who is asked.
    pub holder: AgentName,
    /// For which paths.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub patterns: Vec<Pattern>,
    /// For which named locks.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub locks: Vec<LockName>,
    /// Why, in the asker's words.
    pub reason: Line,
    /// Whether it is urgent, which makes the window shorter.
    pub urgent: bool,
    /// For how long the asker wants it.
    pub ttl: Ttl,
    /// The linked worktree that the asker works in; absent for the main one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub worktree: Option<Line>,
    /// The holds in the way, by id.
    pub pinned: Vec<HoldId>,
    /// Whether one of them has become another since, so that the asker does not know it yet.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub changed: bool,
    /// When the window began.
    pub window_began_at: Timestamp,
    /// When the holder has had time enough.
    pub window_ends_at: Timestamp,
    /// That the holder needs more time, and why.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub deferred: Option<Deferral>,
    /// What became of it; absent while it is open.
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

/// How a request ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Outcome {
    pub how: How,
    pub at: Timestamp,
    /// The agent whose act ended it.
    pub by: AgentName,
    /// The reason, if somebody gave one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub because: Option<Line>,
    /// Whether holds of the old holder were freed for the asker, which was told so.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub acknowledged: bool,
    /// The holds that were freed by that.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub freed: Vec<HoldId>,
    /// The holds that the asker got by it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub granted: Vec<HoldId>,
    /// The highest fence at that time: a hold with a higher one was given out later.
    pub fence: u64,
}

/// In which way a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum How {
    /// The holder let go.
    Released,
    /// The holder said no.
    Refused,
    /// The asker took it.
    Taken,
    /// Its time ran out.
    Expired,
    /// It went to somebody else.
    Transferred,
    /// A rollback undid it.
    Revoked,
}

impl How {
    /// The word that is stored and shown.
    pub fn name(self) -> &'static str {
        match self {
            How::Released => "released",
            How::Refused => "refused",
            How::Taken => "taken",
            How::Expired => "expired",
            How::Transferred => "transferred",
            How::Revoked => "revoked",
        }
    }
}

impl Asked {
    /// Whether it waits for an answer.
    pub fn is_open(&self) -> bool {
        self.outcome.is_none()
    }

    /// How long a holder is given.
    pub fn window_seconds(&self) -> u64 {
        window_seconds(self.urgent)
    }

    /// What is asked for.
    pub fn targets(&self) -> Vec<Target> {
        targets(&self.patterns, &self.locks)
    }

    /// What is asked for, in a line of text.
    pub fn what(&self) -> String {
        named_targets(&self.targets())
    }
}

/// How long a holder is given to answer.
pub fn window_seconds(urgent: bool) -> u64 {
    if urgent { URGENT_WINDOW_SECONDS } else { WINDOW_SECONDS }
}

impl Thread {
    /// The request, while it waits for an answer.
    pub fn open(&self) -> Option<&Asked> {
        self.asked.as_ref().filter(|asked| asked.is_open())
    }
}

/// What a message is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MessageKind {
    /// Somebody asks for something.
    Ask,
    /// The holder let go for the asker.
    Released,
    /// The holder needs more time.
    Deferred,
    /// The holder says no.
    Refused,
    /// The asker took it.
    Taken,
    /// What was asked for is not in the way any more, or went to somebody else.
    Freed,
    /// Somebody committed what the recipient holds or asked for.
    Commit,
    /// A message was acknowledged.
    Ack,
    /// Anything else that somebody has to say.
    Note,
}

impl MessageKind {
    /// Every kind.
    pub const ALL: [MessageKind; 9] = [
        MessageKind::Ask,
        MessageKind::Released,
        MessageKind::Deferred,
        MessageKind::Refused,
        MessageKind::Taken,
        MessageKind::Freed,
        MessageKind::Commit,
        MessageKind::Ack,
        MessageKind::Note,
    ];

    /// The word that is stored and shown.
    pub fn name(self) -> &'static str {
        match self {
            MessageKind::Ask => "ask",
            MessageKind::Released => "released",
            MessageKind::Deferred => "deferred",
            MessageKind::Refused => "refused",
            MessageKind::Taken => "taken",
            MessageKind::Freed => "freed",
            MessageKind::Commit => "commit",
            MessageKind::Ack => "ack",
            MessageKind::Note => "note",
        }
    }
}

/// One message. It never changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Message {
    /// Its name. A later message has a greater one.
    pub id: MessageId,
    /// The thread that it belongs to.
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
    /// Whether the sender wants it acknowledged.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub ack: bool,
    /// The paths that it is about.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub patterns: Vec<Pattern>,
    /// How long its body is; absent if it has none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub body_bytes: Option<usize>,
    /// Fields of a later version, kept as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

//! The forms of requests and messages in every answer.

use schemars::JsonSchema;
use serde::Serialize;

use crate::app::presence::LivenessProbe;
use crate::core::damage::{Damage, Found};
use crate::core::ids::{AgentName, HoldId, LockName};
use crate::core::negotiation::ids::{MessageId, ThreadId};
use crate::core::negotiation::inbox::Delivered;
use crate::core::negotiation::standing::{Stage, Status};
use crate::core::negotiation::{Deferral, Message, Outcome, Thread};
use crate::core::pattern::Pattern;
use crate::core::reservation::named_targets;
use crate::core::reservation::paths::PathFacts;
use crate::core::reservation::target::targets;
use crate::core::text::Line;
use crate::core::time::Timestamp;

/// The largest number of open requests of one kind that an answer lists.
pub const REQUESTS_MAX: usize = 20;
/// The limit for these requests in bytes, which the first alone may exceed.
const REQUESTS_BYTES_MAX: usize = 12 * 1024;

/// A thread, with the state of the request in it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Thread")]
pub struct RequestView {
    /// The name of the thread.
    pub thread: ThreadId,
    pub opened_at: Timestamp,
    /// The agent that opened the thread; absent if it has a request, which names its asker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opened_by: Option<AgentName>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub asked: Option<AskedView>,
}

/// A request: its targets, its parties and its state.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Request")]
pub struct AskedView {
    pub status: Status,
    pub asker: AgentName,
    /// The agent that holds the targets, and has to answer.
    pub holder: AgentName,
    /// The paths that the asker wants.
    pub patterns: Vec<Pattern>,
    /// The paths that the asker leaves out, because the reservation that it asks for has these
    /// exceptions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub except: Vec<Pattern>,
    /// The named locks that the asker wants.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub locks: Vec<LockName>,
    pub reason: Line,
    pub urgent: bool,
    /// The ids of the reservations in the way.
    pub pinned: Vec<HoldId>,
    /// The end of the time that the holder has to answer.
    pub window_ends_at: Timestamp,
    /// True if the asker may take the targets now.
    pub can_take: bool,
    pub age_seconds: u64,
    /// The part of the holder's time to answer that is over; absent once there is nothing to wait
    /// for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<Stage>,
    /// The holder's answer that it needs more time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deferred: Option<Deferral>,
    /// The end of the request; absent while it is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
}

impl RequestView {
    /// Shows a thread at a time, with the state that follows from the liveness of the holder.
    pub fn of(probe: &LivenessProbe<'_>, thread: Thread, now: Timestamp) -> RequestView {
        let Thread { id, opened_by, opened_at, asked, .. } = thread;
        let Some(asked) = asked else {
            return RequestView { thread: id, opened_at, opened_by: Some(opened_by), asked: None };
        };
        let standing = probe.standing(&asked, now);
        let asked = AskedView {
            status: standing.status,
            asker: opened_by,
            holder: asked.holder,
            patterns: asked.patterns,
            except: asked.facts.except,
            locks: asked.locks,
            reason: asked.reason,
            urgent: asked.urgent,
            pinned: asked.pinned,
            window_ends_at: asked.window_ends_at,
            can_take: standing.can_take,
            age_seconds: now.seconds_since(opened_at),
            stage: standing.stage,
            deferred: asked.deferred,
            outcome: asked.outcome,
        };
        RequestView { thread: id, opened_at, opened_by: None, asked: Some(asked) }
    }

    /// Tells whether the asker waits for an answer: the request is open, and its targets are held.
    pub fn is_waiting(&self) -> bool {
        self.asked.as_ref().is_some_and(|asked| asked.stage.is_some())
    }

    /// Tells whether the asker may take it now.
    pub fn can_take(&self) -> bool {
        self.asked.as_ref().is_some_and(|asked| asked.can_take)
    }

    /// Selects as many requests as an answer of bounded length has room for.
    pub fn bounded<'r>(requests: impl IntoIterator<Item = &'r RequestView>) -> Vec<RequestView> {
        let (mut bytes, mut taken) = (0, Vec::new());
        for request in requests.into_iter().take(REQUESTS_MAX) {
            let text = serde_json::to_string(request).expect("a request is plain data");
            bytes += text.len();
            if bytes > REQUESTS_BYTES_MAX && !taken.is_empty() {
                break;
            }
            taken.push(request.clone());
        }
        taken
    }
}

impl AskedView {
    /// Lists the targets in a line of text.
    pub fn what(&self) -> String {
        let facts = PathFacts { except: self.except.clone(), ..PathFacts::NONE };
        named_targets(&targets(&self.patterns, &self.locks, &facts))
    }
}

/// A message as its reader gets it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "DeliveredMessage")]
pub struct MessageView {
    #[serde(flatten)]
    pub message: MessageOrDamage,
    /// True if the reader has not acknowledged it.
    pub unread: bool,
    /// The text below the subject; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The reason why the text cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_damaged: Option<Damage>,
}

/// A message, or its place where it cannot be read.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum MessageOrDamage {
    Whole(Message),
    Damaged {
        id: MessageId,
        /// The reason why it cannot be read.
        damaged: Damage,
    },
}

impl From<Delivered> for MessageView {
    fn from(delivered: Delivered) -> MessageView {
        let Delivered { id, message, body, is_unread } = delivered;
        let message = match message {
            Found::Whole(message) => MessageOrDamage::Whole(message),
            Found::Damaged(damaged) => MessageOrDamage::Damaged { id, damaged },
        };
        let (body, body_damaged) = match body {
            Some(Found::Whole(body)) => (Some(body), None),
            Some(Found::Damaged(damage)) => (None, Some(damage)),
            None => (None, None),
        };
        MessageView { message, unread: is_unread, body, body_damaged }
    }
}

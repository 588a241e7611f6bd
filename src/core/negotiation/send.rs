//! `send`: sends a message to one or more agents, in an existing thread or in a new one.
//!
//! A message in the thread of a request changes nothing about the request: only
//! [`answer`](crate::core::negotiation::answer) answers it.

use serde::{Deserialize, Serialize};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::ids::AgentName;
use crate::core::limits::{PATTERNS_PER_COMMAND_MAX, RECIPIENTS_MAX};
use crate::core::negotiation::body::Body;
use crate::core::negotiation::dispute::Dispute;
use crate::core::negotiation::events::{self, ThreadEvent};
use crate::core::negotiation::find::{by_prefix, refused};
use crate::core::negotiation::ids::{ThreadId, ThreadPrefix};
use crate::core::negotiation::thread_index::{self, Letter};
use crate::core::negotiation::{Message, MessageKind, Thread};
use crate::core::pattern::Pattern;
use crate::core::refusal::within;
use crate::core::text::Line;

/// A message to send.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Send {
    pub to: Vec<AgentName>,
    #[serde(rename = "type")]
    pub kind: MessageKind,
    pub subject: Line,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub body: Option<Body>,
    /// The thread that the message belongs to; a new one if none is named.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub thread: Option<ThreadPrefix>,
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub urgent: bool,
    /// Set if the sender wants an acknowledgement.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub ack: bool,
    /// The paths that the message is about.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub patterns: Vec<Pattern>,
}

impl Decide for Send {
    type Answer = Message;

    fn decide(&self, act: &mut Act<'_>) -> Result<Message, No> {
        let mut to: Vec<AgentName> = Vec::new();
        for agent in &self.to {
            if !to.contains(agent) {
                to.push(agent.clone());
            }
        }
        within("agents that a message goes to", to.len(), RECIPIENTS_MAX)?;
        within("paths of a message", self.patterns.len(), PATTERNS_PER_COMMAND_MAX)?;
        let thread = match &self.thread {
            Some(prefix) => match by_prefix(act, prefix)? {
                Some(thread) => thread.id,
                None => return Err(refused(Dispute::NoThread { what: prefix.to_string() })),
            },
            None => open(act),
        };
        let letter = Letter {
            thread: &thread,
            kind: self.kind,
            to,
            subject: self.subject.clone(),
            body: self.body.as_ref(),
            urgent: self.urgent,
            ack: self.ack,
            patterns: self.patterns.clone(),
        };
        Ok(thread_index::post(act, letter))
    }

    fn summary(&self, answer: &Message, env: &Env<'_>) -> String {
        let to: Vec<&str> = answer.to.iter().map(AgentName::as_str).collect();
        format!("message of {} to {}: {}", env.actor, to.join(", "), self.subject)
    }
}

fn open(act: &mut Act<'_>) -> ThreadId {
    let thread = Thread {
        id: ThreadId::derive(act.env.op, act.next_number()),
        opened_by: act.env.actor.clone(),
        opened_at: act.env.now,
        asked: None,
        unknown: serde_json::Map::new(),
    };
    thread_index::put(act, None, &thread);
    events::record(act, ThreadEvent::Opened, &thread);
    thread.id
}

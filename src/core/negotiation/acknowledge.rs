//! `inbox --ack`: acknowledges messages, all that are named or none.

use serde::{Deserialize, Serialize};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::Documents as _;
use crate::core::limits::PATTERNS_PER_COMMAND_MAX;
use crate::core::negotiation::dispute::Dispute;
use crate::core::negotiation::find::refused;
use crate::core::negotiation::ids::MessageId;
use crate::core::negotiation::thread_index::{self, Letter, UNREAD};
use crate::core::negotiation::{MessageKind, events, inbox};
use crate::core::refusal::within;

/// The messages that a recipient acknowledges.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Acknowledge {
    pub messages: Vec<MessageId>,
}

impl Decide for Acknowledge {
    /// The messages that were not acknowledged before.
    type Answer = Vec<MessageId>;

    fn decide(&self, act: &mut Act<'_>) -> Result<Vec<MessageId>, No> {
        within("messages in one command", self.messages.len(), PATTERNS_PER_COMMAND_MAX)?;
        let mut acknowledged = Vec::new();
        for id in &self.messages {
            let mut is_known = false;
            for (agent, _) in inbox::mailboxes(act, thread_index::INBOX, act.env.actor)? {
                let Some(got) = act.get(&thread_index::link(thread_index::INBOX, &agent, id))?
                else {
                    continue;
                };
                is_known = true;
                let unread = thread_index::link(UNREAD, &agent, id);
                if act.get(&unread)?.is_none() {
                    continue;
                }
                act.remove(unread);
                events::acknowledged(act, id, &agent);
                acknowledged.push(id.clone());
                // A message that cannot be read can be acknowledged all the same.
                if let Ok(message) = serde_json::from_slice(&got) {
                    tell_sender(act, &message);
                }
            }
            if !is_known {
                return Err(refused(Dispute::NoMessage { what: id.to_string() }));
            }
        }
        acknowledged.dedup();
        Ok(acknowledged)
    }

    fn summary(&self, answer: &Vec<MessageId>, env: &Env<'_>) -> String {
        let count = answer.len();
        let messages = if count == 1 { "message" } else { "messages" };
        format!("acknowledge {count} {messages} by {}", env.actor)
    }
}

/// Tells the sender of a message that it was acknowledged, if the sender wanted to know.
fn tell_sender(act: &mut Act<'_>, message: &crate::core::negotiation::Message) {
    if !message.ack || message.from == *act.env.actor {
        return;
    }
    let subject = format!("{} has read: {}", act.env.actor, message.subject);
    let letter = Letter {
        thread: &message.thread,
        kind: MessageKind::Ack,
        to: vec![message.from.clone()],
        subject: thread_index::line(&subject),
        body: None,
        urgent: false,
        ack: false,
        patterns: Vec::new(),
    };
    thread_index::post(act, letter);
}

//! The events of negotiation, written and read back.
//!
//! Each event of a thread carries the whole thread, and each message its head: [`fold`] gives the
//! threads and messages that the events lead to.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::core::decision::Act;
use crate::core::event::Event;
use crate::core::ids::AgentName;
use crate::core::negotiation::ids::{MessageId, ThreadId};
use crate::core::negotiation::{Message, Thread};

/// What an event says besides the thread that it is about.
const AUDIT: &str = "audit";

/// What happened to a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadEvent {
    /// Agents began to talk.
    Opened,
    /// Somebody asked for something, or asked again.
    Asked,
    /// The holds that are asked for became others.
    Changed,
    /// The holder let go for the asker.
    Answered,
    /// The holder put it off.
    Deferred,
    /// The holder said no.
    Refused,
    /// The asker took it.
    Taken,
    /// What was asked for went otherwise.
    Freed,
}

impl ThreadEvent {
    const ALL: [ThreadEvent; 8] = [
        ThreadEvent::Opened,
        ThreadEvent::Asked,
        ThreadEvent::Changed,
        ThreadEvent::Answered,
        ThreadEvent::Deferred,
        ThreadEvent::Refused,
        ThreadEvent::Taken,
        ThreadEvent::Freed,
    ];

    fn kind(self) -> &'static str {
        match self {
            ThreadEvent::Opened => "thread_opened",
            ThreadEvent::Asked => "asked",
            ThreadEvent::Changed => "ask_changed",
            ThreadEvent::Answered => "answered",
            ThreadEvent::Deferred => "deferred",
            ThreadEvent::Refused => "refused",
            ThreadEvent::Taken => "taken",
            ThreadEvent::Freed => "freed",
        }
    }
}

const SENT: &str = "sent";
const ACKNOWLEDGED: &str = "acknowledged";
const PRUNED: &str = "thread_pruned";

/// Something happened to a thread.
pub fn record(act: &mut Act<'_>, event: ThreadEvent, thread: &Thread) {
    act.record(event.kind(), &thread.id, object(thread));
}

/// A thread's holds were taken; everything that somebody may want to know about that later.
pub fn taken(act: &mut Act<'_>, thread: &Thread, audit: Value) {
    let mut data = object(thread);
    data.insert(AUDIT.to_owned(), audit);
    act.record(ThreadEvent::Taken.kind(), &thread.id, data);
}

/// A message was sent.
pub fn sent(act: &mut Act<'_>, message: &Message) {
    act.record(SENT, &message.id, object(message));
}

/// A message was acknowledged by one who got it.
pub fn acknowledged(act: &mut Act<'_>, message: &MessageId, by: &AgentName) {
    let data = Map::from_iter([("recipient".to_owned(), json!(by))]);
    act.record(ACKNOWLEDGED, message, data);
}

/// A thread that was over is forgotten, with its messages.
pub fn pruned(act: &mut Act<'_>, thread: &ThreadId, messages: &[MessageId]) {
    let data = Map::from_iter([("messages".to_owned(), json!(messages))]);
    act.record(PRUNED, thread, data);
}

fn object(value: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(value) {
        Ok(Value::Object(map)) => map,
        _ => unreachable!("a thread and a message are objects"),
    }
}

/// What the events have led to so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folded {
    /// Threads by name.
    pub threads: BTreeMap<String, Map<String, Value>>,
    /// Messages by name.
    pub messages: BTreeMap<String, Map<String, Value>>,
    /// What has not been acknowledged: recipient and message.
    pub unread: std::collections::BTreeSet<(String, String)>,
}

/// Follows the events.
pub fn fold(folded: &mut Folded, event: &Event) {
    let Some(subject) = &event.subject else { return };
    if ThreadEvent::ALL.iter().any(|one| one.kind() == event.kind) {
        let mut thread = event.data.clone();
        thread.shift_remove(AUDIT);
        folded.threads.insert(subject.clone(), thread);
        return;
    }
    match event.kind.as_str() {
        SENT => {
            let to = event.data.get("to").and_then(Value::as_array).cloned().unwrap_or_default();
            for agent in to.iter().filter_map(Value::as_str) {
                folded.unread.insert((agent.to_owned(), subject.clone()));
            }
            folded.messages.insert(subject.clone(), event.data.clone());
        }
        ACKNOWLEDGED => {
            let by = event.text("recipient").unwrap_or_default().to_owned();
            folded.unread.remove(&(by, subject.clone()));
        }
        PRUNED => {
            folded.threads.remove(subject);
            let gone = event.data.get("messages").and_then(Value::as_array).cloned();
            for id in gone.unwrap_or_default().iter().filter_map(Value::as_str) {
                folded.messages.remove(id);
                folded.unread.retain(|(_, message)| message != id);
            }
        }
        _ => {}
    }
}

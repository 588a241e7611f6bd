//! The events of negotiation: functions that record them, and [`fold`], which reads them back.
//!
//! Each event of a thread carries the whole thread, and each event of a message carries the message
//! without its body. [`fold`] computes the threads and messages that the events lead to.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::core::decision::Act;
use crate::core::event::Event;
use crate::core::ids::AgentName;
use crate::core::negotiation::ids::{MessageId, ThreadId};
use crate::core::negotiation::{Message, Thread};

/// The field for data that is not part of the thread.
const AUDIT: &str = "audit";

/// A change of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadEvent {
    /// An agent opened a thread to talk.
    Opened,
    /// An agent asked for something, or asked again.
    Asked,
    /// The pinned holds became others.
    Changed,
    /// The holder released the holds for the asker.
    Answered,
    /// The holder deferred its answer.
    Deferred,
    /// The holder refused.
    Refused,
    /// The asker took the holds.
    Taken,
    /// The holds ended in another way.
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

/// Records a change of a thread.
pub fn record(act: &mut Act<'_>, event: ThreadEvent, thread: &Thread) {
    act.record(event.kind(), &thread.id, object(thread));
}

/// Records a takeover with its audit: everything that a reader may want to know about it later.
pub fn taken(act: &mut Act<'_>, thread: &Thread, audit: Value) {
    let mut data = object(thread);
    data.insert(AUDIT.to_owned(), audit);
    act.record(ThreadEvent::Taken.kind(), &thread.id, data);
}

/// Records a message.
pub fn sent(act: &mut Act<'_>, message: &Message) {
    act.record(SENT, &message.id, object(message));
}

/// Records that a recipient acknowledged a message.
pub fn acknowledged(act: &mut Act<'_>, message: &MessageId, by: &AgentName) {
    let data = Map::from_iter([("recipient".to_owned(), json!(by))]);
    act.record(ACKNOWLEDGED, message, data);
}

/// Records that a closed thread was removed, with its messages.
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

/// The state that the events have led to so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folded {
    /// Threads by id.
    pub threads: BTreeMap<String, Map<String, Value>>,
    /// Messages by id.
    pub messages: BTreeMap<String, Map<String, Value>>,
    /// Unacknowledged messages, as recipient and message.
    pub unread: std::collections::BTreeSet<(String, String)>,
}

/// Applies an event to the state.
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

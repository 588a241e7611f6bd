//! The events of routing, written and read back.
//!
//! An event has every document that it wrote, by its kind, and the keys that it removed. [`fold`]
//! computes the documents that the events lead to, and a property test compares them with the tree.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::core::decision::Act;
use crate::core::documents::{Key, ReadError, walk};
use crate::core::event::Event;
use crate::core::routing::canary::{Canary, Sample};
use crate::core::routing::evidence::{Evidence, Session};
use crate::core::routing::index::{self, Document};
use crate::core::routing::overlay::Overlay;
use crate::core::routing::{Block, Modification, Override};

const GONE: &str = "gone";
const GONE_BELOW: &str = "gone_below";
const THRESHOLDS: &str = "thresholds";
const DOCUMENT: &str = "document";

/// An event that is being built, with the edits that belong to it.
pub struct EventBuilder {
    kind: &'static str,
    subject: String,
    data: Map<String, Value>,
}

impl EventBuilder {
    /// Starts an event of that kind about a subject.
    pub fn new(kind: &'static str, subject: &impl ToString) -> EventBuilder {
        EventBuilder { kind, subject: subject.to_string(), data: Map::new() }
    }

    /// Writes a document.
    #[must_use]
    pub fn put<D: Document>(mut self, act: &mut Act<'_>, document: &D) -> EventBuilder {
        act.put(document.key(), document);
        self.data.insert(D::FIELD.to_owned(), value(document));
        self
    }

    /// Writes the thresholds.
    #[must_use]
    pub fn put_thresholds(mut self, act: &mut Act<'_>, set: &Map<String, Value>) -> EventBuilder {
        act.put(index::thresholds_key(), set);
        self.data.insert(THRESHOLDS.to_owned(), json!(set));
        self
    }

    /// Writes the unknown fields of an imported document.
    #[must_use]
    pub fn put_document(mut self, act: &mut Act<'_>, unknown: &Map<String, Value>) -> EventBuilder {
        act.put(index::document_key(), unknown);
        self.data.insert(DOCUMENT.to_owned(), json!(unknown));
        self
    }

    /// Removes a document.
    #[must_use]
    pub fn gone(mut self, act: &mut Act<'_>, key: Key) -> EventBuilder {
        self.list(GONE, json!(key.as_str()));
        act.remove(key);
        self
    }

    /// Removes everything below a directory.
    pub fn gone_below(mut self, act: &mut Act<'_>, dir: &Key) -> Result<EventBuilder, ReadError> {
        for key in walk(act, dir)? {
            act.remove(key);
        }
        self.list(GONE_BELOW, json!(dir.as_str()));
        Ok(self)
    }

    /// Adds a value that is no document.
    #[must_use]
    pub fn say(mut self, name: &str, what: &impl Serialize) -> EventBuilder {
        self.data.insert(name.to_owned(), value(what));
        self
    }

    /// Records the event.
    pub fn record(self, act: &mut Act<'_>) {
        act.record(self.kind, &self.subject, self.data);
    }

    fn list(&mut self, name: &str, what: Value) {
        let list = self.data.entry(name).or_insert_with(|| json!([]));
        if let Value::Array(items) = list {
            items.push(what);
        }
    }
}

fn value(document: &impl Serialize) -> Value {
    serde_json::to_value(document).expect("a document is plain data")
}

/// Applies an event to the documents before it, by key.
pub fn fold(state: &mut BTreeMap<String, Value>, event: &Event) {
    for (field, value) in &event.data {
        if let Some(key) = place(field, value) {
            state.insert(key.as_str().to_owned(), value.clone());
        }
    }
    for key in texts(event, GONE) {
        state.remove(key);
    }
    for dir in texts(event, GONE_BELOW) {
        let below = format!("{dir}/");
        state.retain(|key, _| !key.starts_with(&below));
    }
}

fn texts<'e>(event: &'e Event, field: &str) -> impl Iterator<Item = &'e str> {
    let list = event.data.get(field).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str)
}

/// Returns the key of a document in an event.
fn place(field: &str, value: &Value) -> Option<Key> {
    match field {
        Override::FIELD => of::<Override>(value),
        Modification::FIELD => of::<Modification>(value),
        Canary::FIELD => of::<Canary>(value),
        Sample::FIELD => of::<Sample>(value),
        Block::FIELD => of::<Block>(value),
        Evidence::FIELD => of::<Evidence>(value),
        Session::FIELD => of::<Session>(value),
        Overlay::FIELD => of::<Overlay>(value),
        THRESHOLDS => Some(index::thresholds_key()),
        DOCUMENT => Some(index::document_key()),
        _ => None,
    }
}

fn of<D: Document + DeserializeOwned>(value: &Value) -> Option<Key> {
    serde_json::from_value::<D>(value.clone()).ok().map(|document| document.key())
}

//! Events, as entries record them.
//!
//! An event says in the past tense what happened. It has an actor, a subject (the id of the thing
//! it is about) and data. It is kept as it was written: readers get a type that this version does
//! not know unchanged.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::core::ids::AgentName;

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Event {
    /// The type of event, in the past tense: `granted`, `released`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The agent that did it.
    pub actor: AgentName,
    /// The id of the thing that it happened to.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub subject: Option<String>,
    /// The data, which depends on the type.
    #[serde(default)]
    pub data: Map<String, Value>,
}

impl Event {
    /// Returns the text in a field of the data.
    pub fn text(&self, field: &str) -> Option<&str> {
        self.data.get(field).and_then(Value::as_str)
    }
}

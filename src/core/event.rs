//! What happened, as it is written into an entry.
//!
//! An event is a fact in the past tense with an actor, a subject (the id of the thing it is about)
//! and data. It is kept as it was written: a type that this version does not know is passed on to
//! readers unchanged.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::core::ids::AgentName;

/// One fact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Event {
    /// What happened, in the past tense: `granted`, `released`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Who did it.
    pub actor: AgentName,
    /// The id of what it happened to.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub subject: Option<String>,
    /// The rest, by type.
    #[serde(default)]
    pub data: Map<String, Value>,
}

impl Event {
    /// The text in a field of the data.
    pub fn text(&self, field: &str) -> Option<&str> {
        self.data.get(field).and_then(Value::as_str)
    }
}

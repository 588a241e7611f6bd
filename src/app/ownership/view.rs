//! The forms of paths and turns in answers.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

use crate::core::ownership::turn::Turn;
use crate::core::pattern::{Pattern, quoted_path};

/// A path from the top of the work tree, as it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PathView(pub Vec<u8>);

impl PathView {
    /// Formats the path for people, as git does.
    pub fn text(&self) -> String {
        quoted_path(&self.0)
    }

    /// Shows the path of a literal pattern.
    pub fn of(path: &Pattern) -> PathView {
        PathView(path.literal_path().unwrap_or_else(|| path.as_bytes().to_vec()))
    }
}

/// A string, or an object with the bytes in base64 where the path is not UTF-8.
impl Serialize for PathView {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Ok(text) = std::str::from_utf8(&self.0) {
            return serializer.serialize_str(text);
        }
        let bytes = STANDARD.encode(&self.0);
        serde_json::json!({ "bytes": bytes }).serialize(serializer)
    }
}

impl JsonSchema for PathView {
    fn schema_name() -> Cow<'static, str> {
        "Path".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A path, or its bytes in base64 where it is not UTF-8.",
            "anyOf": [
                { "type": "string" },
                {
                    "type": "object",
                    "properties": { "bytes": { "type": "string" } },
                    "required": ["bytes"],
                },
            ],
        })
    }
}

/// The turn of the owner of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TurnView {
    /// It is at work.
    Running,
    /// It has nothing to do, and may go on.
    Over,
    /// Its session has ended, or its process has died.
    Ended,
}

impl From<Turn> for TurnView {
    fn from(turn: Turn) -> TurnView {
        match turn {
            Turn::Running => TurnView::Running,
            Turn::Over => TurnView::Over,
            Turn::Ended | Turn::Died => TurnView::Ended,
        }
    }
}

/// Says how far the owner of a change is, for the end of a sentence about it.
pub fn turn_text(turn: Turn) -> &'static str {
    match turn {
        Turn::Running => "whose turn is running",
        Turn::Over => "whose turn is over",
        Turn::Ended => "whose session has ended",
        Turn::Died => "whose session has died",
    }
}

//! Patterns in stored documents: a JSON string, or base64 where the text is not UTF-8.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::canonical::Pattern;

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Stored<Text> {
    Text(Text),
    /// The bytes in base64.
    Bytes {
        bytes: String,
    },
}

/// A string, or an object where the text is not UTF-8.
impl JsonSchema for Pattern {
    fn schema_name() -> Cow<'static, str> {
        "Pattern".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Stored::<String>::json_schema(generator)
    }
}

impl Serialize for Pattern {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let stored = match std::str::from_utf8(self.as_bytes()) {
            Ok(text) => Stored::Text(text),
            Err(_) => Stored::Bytes { bytes: STANDARD.encode(self.as_bytes()) },
        };
        stored.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Pattern, D::Error> {
        let bytes = match Stored::<String>::deserialize(deserializer)? {
            Stored::Text(text) => text.into_bytes(),
            Stored::Bytes { bytes } => STANDARD.decode(bytes).map_err(D::Error::custom)?,
        };
        Pattern::canonical(&bytes).map_err(D::Error::custom)
    }
}

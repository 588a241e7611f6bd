//! The ids of runs and of their parts, and the names of phases.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use crate::core::ids::{BadId, Derived, HoldIdPrefix, OpId, short_text, text_conversions};
use crate::core::limits::{METADATA_KEY_CHARS_MAX, PHASE_CHARS_MAX};

/// Defines types for ids of 8 characters, one for each kind.
macro_rules! short_ids {
    ($($(#[$about:meta])* $name:ident,)*) => {$(
        $(#[$about])*
        #[derive(
            Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
        )]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        text_conversions!($name);

        impl FromStr for $name {
            type Err = BadId;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let id: crate::core::ids::HoldId = text.parse()?;
                Ok($name(id.into()))
            }
        }

        impl Derived for $name {
            fn derive(op: &OpId, counter: u64) -> $name {
                let id = crate::core::ids::HoldId::derive(op, counter);
                $name(id.into())
            }
        }
    )*};
}

short_ids! {
    /// The id of a run.
    RunId,
    /// The id of an artifact within a run.
    ArtifactId,
    /// The id of a dispatch within a run.
    DispatchId,
    /// The id of an agent's work in a run.
    MemberId,
    /// The id of a verdict within a run.
    VerdictId,
}

impl ArtifactId {
    /// Derives the id from the content of an artifact, so that adding it twice adds it once.
    pub fn of(hashed: Sha256) -> ArtifactId {
        ArtifactId(short_text(hashed))
    }
}

/// The beginning of an id, as people type it.
pub type IdPrefix = HoldIdPrefix;

/// The name of a phase: letters, digits, `_` and `-`.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
pub struct PhaseName(String);

text_conversions!(PhaseName);

/// A text that is not a phase name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{}' is not a phase: 1 to {PHASE_CHARS_MAX} of letters, digits, '_' and '-'", clipped(.0))]
pub struct NotAPhase(String);

fn clipped(text: &str) -> String {
    text.chars().take(80).collect::<String>().escape_debug().to_string()
}

impl FromStr for PhaseName {
    type Err = NotAPhase;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
        if (1..=PHASE_CHARS_MAX).contains(&text.len()) && text.bytes().all(is_part) {
            Ok(PhaseName(text.to_owned()))
        } else {
            Err(NotAPhase(text.to_owned()))
        }
    }
}

/// The name of a value that a run carries: letters, digits, `_`, `-` and `.`.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
pub struct MetadataKey(String);

text_conversions!(MetadataKey);

/// A text that is not the name of a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{}' is not a name: 1 to {METADATA_KEY_CHARS_MAX} of letters, digits, '_', '-' and '.'",
    clipped(.0)
)]
pub struct NotAKey(String);

impl FromStr for MetadataKey {
    type Err = NotAKey;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
        if (1..=METADATA_KEY_CHARS_MAX).contains(&text.len()) && text.bytes().all(is_part) {
            Ok(MetadataKey(text.to_owned()))
        } else {
            Err(NotAKey(text.to_owned()))
        }
    }
}

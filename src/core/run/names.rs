//! Names of runs, of their phases, and of what belongs to them.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use crate::core::ids::{BadId, Derived, HoldIdPrefix, OpId, short_text, text_conversions};
use crate::core::limits::{METADATA_KEY_CHARS_MAX, PHASE_CHARS_MAX};

/// An id of 8 characters, each kind its own type.
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
    /// The name of a run.
    RunId,
    /// The name of an artifact within a run.
    ArtifactId,
    /// The name of a dispatch within a run.
    DispatchId,
    /// The name under which an agent works in a run.
    MemberId,
    /// The name of a verdict within a run.
    VerdictId,
}

impl ArtifactId {
    /// The name that follows from what an artifact is, so that adding it twice adds it once.
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

/// Text that is no name of a phase.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{}' is not a phase: 1 to {PHASE_CHARS_MAX} of letters, digits, '_' and '-'", clipped(.0))]
pub struct NotAPhase(String);

fn clipped(text: &str) -> String {
    text.chars().take(80).collect::<String>().escape_debug().to_string()
}

impl PhaseName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
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

impl TryFrom<String> for PhaseName {
    type Error = NotAPhase;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<PhaseName> for String {
    fn from(name: PhaseName) -> String {
        name.0
    }
}

impl fmt::Display for PhaseName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The name of a fact that a run carries: letters, digits, `_`, `-` and `.`.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
pub struct MetadataKey(String);

/// Text that is no such name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{}' is not a name: 1 to {METADATA_KEY_CHARS_MAX} of letters, digits, '_', '-' and '.'",
    clipped(.0)
)]
pub struct NotAKey(String);

impl MetadataKey {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

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

impl TryFrom<String> for MetadataKey {
    type Error = NotAKey;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<MetadataKey> for String {
    fn from(key: MetadataKey) -> String {
        key.0
    }
}

impl fmt::Display for MetadataKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

//! The ids of runs and of their parts, and the names of phases.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use crate::core::ids::{
    BadId, Derived, EntryName, HoldIdPrefix, OpId, short_text, text_conversions,
};
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

/// A commit of git as a caller names it: its id, or enough of the beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitName(EntryName);

/// A text that does not name a commit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a commit is named by {COMMIT_CHARS_MIN} or more hexadecimal digits")]
pub struct NotACommit;

/// The least number of digits that name a commit: fewer may name another commit tomorrow.
const COMMIT_CHARS_MIN: usize = 7;

impl CommitName {
    /// Returns the name as it is recorded.
    pub fn entry(&self) -> &EntryName {
        &self.0
    }
}

impl FromStr for CommitName {
    type Err = NotACommit;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let name = text.to_ascii_lowercase().parse::<EntryName>();
        let name = name.ok().filter(|name| name.as_str().len() >= COMMIT_CHARS_MIN);
        name.map(CommitName).ok_or(NotACommit)
    }
}

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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// 7/ANY-DOOR: a commit is named by enough digits, whatever door the name comes through.
        #[test]
        fn a_commit_is_named_by_seven_or_more_digits(text in "[0-9a-fA-F]{0,70}|[0-9a-z]{7,12}") {
            let is_one = (7..=64).contains(&text.len())
                && text.bytes().all(|byte| byte.is_ascii_hexdigit());
            let name = text.parse::<CommitName>();
            prop_assert_eq!(name.is_ok(), is_one);
            if let Ok(name) = name {
                prop_assert_eq!(name.entry().as_str(), text.to_ascii_lowercase());
            }
        }
    }
}

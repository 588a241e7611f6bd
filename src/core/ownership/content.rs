//! The content of a path: what git would store for it, before any filter.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::ids::text_conversions;

/// The content of a path. Two are the same if blob, executable bit and kind of file are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// Nothing is there.
    Gone,
    Stored(Stored),
}

/// A file or a symbolic link, which is not followed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stored {
    pub blob: BlobId,
    pub mode: Mode,
}

/// The kind of a file, in git's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mode {
    #[serde(rename = "100644")]
    File,
    #[serde(rename = "100755")]
    Executable,
    #[serde(rename = "120000")]
    Link,
}

impl Mode {
    /// Reads git's number. A submodule is none of these.
    pub fn of_git(mode: u32) -> Option<Mode> {
        match mode {
            0o120_000 => Some(Mode::Link),
            0o100_755 => Some(Mode::Executable),
            0o100_644 | 0o100_664 => Some(Mode::File),
            _ => None,
        }
    }

    /// Returns git's number.
    pub fn to_git(self) -> u32 {
        match self {
            Mode::File => 0o100_644,
            Mode::Executable => 0o100_755,
            Mode::Link => 0o120_000,
        }
    }
}

impl Content {
    /// Returns the id of the blob; none if nothing is there.
    pub fn blob(&self) -> Option<&BlobId> {
        match self {
            Content::Gone => None,
            Content::Stored(stored) => Some(&stored.blob),
        }
    }
}

/// The id of a blob, in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct BlobId(String);

text_conversions!(BlobId);

/// A text that is no id of a blob.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not the id of a blob")]
pub struct NoBlobId;

impl FromStr for BlobId {
    type Err = NoBlobId;

    fn from_str(text: &str) -> Result<BlobId, NoBlobId> {
        let is_hex = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let is_id = is_hex && matches!(text.len(), 40 | 64);
        is_id.then(|| BlobId(text.to_owned())).ok_or(NoBlobId)
    }
}

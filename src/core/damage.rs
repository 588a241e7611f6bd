//! Damage that is passed over: it is reported, and stops no command that does not need the
//! document.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::documents::ReadError;

/// A document, or the reason why it cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found<T> {
    Whole(T),
    Damaged(Damage),
}

/// A document that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Damage {
    /// The path of the document in the ledger's tree.
    pub key: String,
    /// The reason why the document cannot be read.
    pub why: String,
}

impl<T> Found<T> {
    /// Returns the document if it can be read.
    pub fn whole(self) -> Option<T> {
        match self {
            Found::Whole(found) => Some(found),
            Found::Damaged(_) => None,
        }
    }
}

/// Turns damage into a value, for callers that pass over it; `None` if there is no document.
pub fn found<T>(reading: Result<Option<T>, ReadError>) -> Result<Option<Found<T>>, ReadError> {
    match reading {
        Ok(found) => Ok(found.map(Found::Whole)),
        Err(ReadError::Damaged { key, why }) => {
            Ok(Some(Found::Damaged(Damage { key: key.to_string(), why })))
        }
        Err(error) => Err(error),
    }
}

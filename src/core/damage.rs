//! Going on past what cannot be read: it is named, and stops nobody who has no need of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::documents::ReadError;

/// Something that can be read, or why it cannot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found<T> {
    /// It can be read.
    Whole(T),
    /// It cannot, and is passed over.
    Damaged(Damage),
}

/// A document that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Damage {
    /// Where it stands.
    pub key: String,
    /// What is wrong with it.
    pub why: String,
}

impl<T> Found<T> {
    /// What was found, if it can be read.
    pub fn whole(self) -> Option<T> {
        match self {
            Found::Whole(found) => Some(found),
            Found::Damaged(_) => None,
        }
    }
}

/// What a reading comes to, for those who go on past what is damaged. Nothing where nothing is.
pub fn found<T>(reading: Result<Option<T>, ReadError>) -> Result<Option<Found<T>>, ReadError> {
    match reading {
        Ok(found) => Ok(found.map(Found::Whole)),
        Err(ReadError::Damaged { key, why }) => {
            Ok(Some(Found::Damaged(Damage { key: key.to_string(), why })))
        }
        Err(error) => Err(error),
    }
}

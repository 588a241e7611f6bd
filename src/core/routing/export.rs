//! `override export`: the overrides as one document of version 1, for readers that know no ledger.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::core::documents::{Documents, ReadError, read};
use crate::core::routing::{Override, index};

/// The version of the document.
pub const VERSION: u64 = 1;

/// The document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Exported {
    /// Always 1.
    pub version: u64,
    /// The overrides.
    pub overrides: Vec<Override>,
    /// What an imported document said besides.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

/// The overrides of a state.
pub fn export(documents: &dyn Documents) -> Result<Exported, ReadError> {
    Ok(Exported {
        version: VERSION,
        overrides: index::overrides(documents)?,
        unknown: read(documents, &index::document_key())?.unwrap_or_default(),
    })
}

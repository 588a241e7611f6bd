//! `override export`: the overrides as one document of version 1, for readers that do not know the
//! ledger.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::core::documents::{Documents, ReadError, read};
use crate::core::routing::{Override, index};

/// The version of the document.
pub const VERSION: u64 = 1;

/// The exported document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Exported {
    /// Always 1.
    pub version: u64,
    /// All overrides of the ledger.
    pub overrides: Vec<Override>,
    /// The other fields of an imported document.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

/// Builds the document from a state.
pub fn export(documents: &dyn Documents) -> Result<Exported, ReadError> {
    Ok(Exported {
        version: VERSION,
        overrides: index::overrides(documents)?,
        unknown: read(documents, &index::document_key())?.unwrap_or_default(),
    })
}

//! What the ledger of domains holds: what was detected, once for every list that it was detected
//! by, and what somebody has classified.
//!
//! A program that looks at other things has a document of its own. So two versions in one
//! repository do not take turns in calling each other's answer stale, and neither drops what it
//! does not know of the other's.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::core::documents::{Documents, Key, ReadError, read};
use crate::core::domain::detection::Found;
use crate::core::domain::structure::{Basis, Fingerprint, Structure};
use crate::core::ids::{AgentName, OpId};
use crate::core::text::Line;
use crate::core::time::Timestamp;

/// Lists whose answers are kept; the oldest answer goes first.
pub const LISTS_KEPT_MAX: usize = 4;
const DETECTED: &str = "detected";
const CLASSIFIED: &str = "classified";

/// What was detected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Detected {
    /// The domains, the primary one first; none if this is nothing that is known.
    pub domains: Vec<Found>,
    /// When. Nothing is decided by it.
    pub detected_at: Timestamp,
    /// What that rests on, named.
    pub fingerprint: Fingerprint,
    /// Who says so: `heuristic`.
    pub source: Line,
    /// What that rests on.
    pub structure: Structure,
    /// Whether there was more than is looked at.
    #[serde(default)]
    pub cut_short: bool,
    /// The commit that was checked out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub head: Option<Line>,
    /// The act that found it out, which a later one may have to know.
    pub op: OpId,
    /// Fields of a later version, kept as they are.
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

/// What somebody else has said: a person, or a model that they asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Classified {
    /// The domains, the primary one first.
    pub domains: Vec<Found>,
    /// Where that comes from: `human`, the name of a model.
    pub source: Line,
    /// Why.
    pub reason: Line,
    /// Who recorded it.
    pub by: AgentName,
    /// When.
    pub classified_at: Timestamp,
    /// Fields of a later version, kept as they are.
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

/// What a reader of one list sees.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cache {
    /// What was detected by this list.
    pub own: Option<Detected>,
    /// What was last detected by another list, if nothing was by this one.
    pub other: Option<Detected>,
    /// What somebody has classified, which goes before what was detected.
    pub classified: Option<Classified>,
}

impl Cache {
    /// Everything that a reader of that list sees in a state.
    pub fn read(documents: &dyn Documents, basis: &Basis) -> Result<Cache, ReadError> {
        let own = read(documents, &detected_key(basis))?;
        let other = if own.is_some() { None } else { newest_other(documents, basis)? };
        Ok(Cache { own, other, classified: read(documents, &classified_key())? })
    }

    /// The domains to go by.
    pub fn domains(&self) -> &[Found] {
        match (&self.classified, self.detected()) {
            (Some(classified), _) => &classified.domains,
            (None, Some(detected)) => &detected.domains,
            (None, None) => &[],
        }
    }

    /// What was detected, by this list or else by another.
    pub fn detected(&self) -> Option<&Detected> {
        self.own.as_ref().or(self.other.as_ref())
    }

    /// Whether there is any answer.
    pub fn is_empty(&self) -> bool {
        self.classified.is_none() && self.detected().is_none()
    }
}

/// Where what was detected by a list stands.
pub fn detected_key(basis: &Basis) -> Key {
    Key::of([DETECTED, &basis.to_string()])
}

/// Where what was classified stands.
pub fn classified_key() -> Key {
    Key::of([CLASSIFIED, "domains"])
}

/// Every list that something was detected by.
pub fn bases(documents: &dyn Documents) -> Result<Vec<Basis>, ReadError> {
    let names = documents.list(&Key::of([DETECTED]))?.into_iter().map(|child| child.name);
    // A name that says nothing to this version is a later one's.
    Ok(names.filter_map(|name| name.parse().ok()).collect())
}

/// What other lists have found out, as far as it can be read: it is only there to be replaced.
pub fn others(
    documents: &dyn Documents,
    basis: &Basis,
) -> Result<Vec<(Basis, Option<Detected>)>, ReadError> {
    let mut others = Vec::new();
    for other in bases(documents)?.into_iter().filter(|other| other != basis) {
        let detected = match read(documents, &detected_key(&other)) {
            Err(ReadError::Damaged { .. }) => None,
            read => read?,
        };
        others.push((other, detected));
    }
    Ok(others)
}

fn newest_other(documents: &dyn Documents, basis: &Basis) -> Result<Option<Detected>, ReadError> {
    let all = others(documents, basis)?.into_iter().filter_map(|(_, detected)| detected);
    Ok(all.max_by_key(|detected| detected.detected_at))
}

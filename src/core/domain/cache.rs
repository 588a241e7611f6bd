//! What the ledger of domains holds: what was detected, by what it was detected from, and what
//! somebody has classified.
//!
//! An answer is kept under the list that it was taken by and the structure that it rests on. So
//! worktrees with different content each have their own, a tree that is as it was once has its
//! answer back, and two versions of the program do not take turns in calling each other's stale.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::core::documents::{Documents, Key, ReadError, read};
use crate::core::domain::detection::Found;
use crate::core::domain::freshness::differences;
use crate::core::domain::structure::{Basis, Fingerprint, Structure};
use crate::core::ids::{AgentName, OpId};
use crate::core::text::Line;
use crate::core::time::Timestamp;

/// Answers that are kept, of all lists together; the one that was recorded first goes first.
pub const ANSWERS_KEPT_MAX: usize = 32;
const DETECTED: &str = "detected";
const CLASSIFIED: &str = "classified";

/// What was detected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Detected {
    /// The domains, the primary one first; none if this is nothing that is known.
    pub domains: Vec<Found>,
    /// When. Nothing is decided by it.
    pub detected_at: Timestamp,
    /// Which answer of this ledger it is: what was recorded later has a higher number.
    pub number: u64,
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

/// What a reader of one list sees, whose tree has a certain structure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cache {
    /// What was detected from a tree of that structure.
    pub own: Option<Detected>,
    /// If nothing was: the answer by this list whose structure differs least, and of several the
    /// newest. It is the one that is stale.
    pub near: Option<Detected>,
    /// If there is none by this list: the newest by another.
    pub other: Option<Detected>,
    /// What somebody has classified, which goes before what was detected.
    pub classified: Option<Classified>,
}

impl Cache {
    /// Everything that a reader of that list sees in a state.
    pub fn read(
        documents: &dyn Documents,
        basis: &Basis,
        structure: &Structure,
    ) -> Result<Cache, ReadError> {
        let own = read(documents, &own_key(basis, structure))?;
        let classified = read(documents, &classified_key())?;
        Cache::around(documents, basis, structure, own, classified)
    }

    /// The same of a state in which something is damaged: what cannot be read is not there.
    pub fn read_legible(
        documents: &dyn Documents,
        basis: &Basis,
        structure: &Structure,
    ) -> Result<Cache, ReadError> {
        let own = legible(documents, &own_key(basis, structure))?;
        let classified = legible(documents, &classified_key())?;
        Cache::around(documents, basis, structure, own, classified)
    }

    fn around(
        documents: &dyn Documents,
        basis: &Basis,
        structure: &Structure,
        own: Option<Detected>,
        classified: Option<Classified>,
    ) -> Result<Cache, ReadError> {
        let mut cache = Cache { own, classified, ..Cache::default() };
        if cache.own.is_some() {
            return Ok(cache);
        }
        let all = answers(documents)?.into_iter().filter_map(|(_, detected)| detected);
        let (of_list, others): (Vec<_>, Vec<_>) =
            all.partition(|detected| detected.fingerprint.basis() == *basis);
        cache.near = of_list.into_iter().min_by_key(|detected| {
            (differences(&detected.structure, structure).len(), Reverse(detected.number))
        });
        if cache.near.is_none() {
            cache.other = others.into_iter().max_by_key(|detected| detected.number);
        }
        Ok(cache)
    }

    /// The domains to go by.
    pub fn domains(&self) -> &[Found] {
        match (&self.classified, self.detected()) {
            (Some(classified), _) => &classified.domains,
            (None, Some(detected)) => &detected.domains,
            (None, None) => &[],
        }
    }

    /// What was detected: from such a tree, or else from one that is near, or else by another list.
    pub fn detected(&self) -> Option<&Detected> {
        self.own.as_ref().or(self.near.as_ref()).or(self.other.as_ref())
    }

    /// Whether there is any answer.
    pub fn is_empty(&self) -> bool {
        self.classified.is_none() && self.detected().is_none()
    }
}

/// Where what was detected from a tree of that structure stands.
pub fn detected_key(fingerprint: &Fingerprint) -> Key {
    Key::of([DETECTED, &fingerprint.basis().to_string(), &fingerprint.digest])
}

fn own_key(basis: &Basis, structure: &Structure) -> Key {
    let fingerprint = structure.fingerprint(&basis.list);
    detected_key(&Fingerprint { algorithm: basis.algorithm, ..fingerprint })
}

/// Where what was classified stands.
pub fn classified_key() -> Key {
    Key::of([CLASSIFIED, "domains"])
}

/// Whether anything was detected, by whatever list.
pub fn has_answers(documents: &dyn Documents) -> Result<bool, ReadError> {
    Ok(!documents.list(&Key::of([DETECTED]))?.is_empty())
}

/// Where everything stands that was detected, by every list that says something to this version.
pub fn answer_keys(documents: &dyn Documents) -> Result<Vec<Key>, ReadError> {
    let mut keys = Vec::new();
    for list in documents.list(&Key::of([DETECTED]))? {
        // A name that says nothing to this version is a later one's.
        if list.name.parse::<Basis>().is_err() {
            continue;
        }
        let place = Key::of([DETECTED, &list.name]);
        keys.extend(documents.list(&place)?.into_iter().map(|child| place.join(&child.name)));
    }
    Ok(keys)
}

/// Everything that was detected, as far as it can be read: it is only there to be replaced.
pub fn answers(documents: &dyn Documents) -> Result<Vec<(Key, Option<Detected>)>, ReadError> {
    let keys = answer_keys(documents)?.into_iter();
    keys.map(|key| Ok((key.clone(), legible(documents, &key)?))).collect()
}

/// The act that recorded the newest answer by a list. Whoever looks at a tree begins from it.
pub fn newest(documents: &dyn Documents, basis: &Basis) -> Result<Option<OpId>, ReadError> {
    let all = answers(documents)?.into_iter().filter_map(|(_, detected)| detected);
    let of_list = all.filter(|detected| detected.fingerprint.basis() == *basis);
    Ok(of_list.max_by_key(|detected| detected.number).map(|detected| detected.op))
}

fn legible<D: serde::de::DeserializeOwned>(
    documents: &dyn Documents,
    key: &Key,
) -> Result<Option<D>, ReadError> {
    match read(documents, key) {
        Err(ReadError::Damaged { .. }) => Ok(None),
        read => read,
    }
}

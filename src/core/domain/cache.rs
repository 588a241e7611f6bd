//! The documents of the ledger of domains: answers of detections, each stored under its basis and
//! its structure, and the classification that somebody recorded.
//!
//! An answer is stored under the list that the detection went by and the structure that it rests
//! on. So worktrees with different content each have their own answer, a tree that returns to an
//! earlier structure gets its earlier answer back, and two versions of the program do not take
//! turns in calling each other's answers stale.

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

/// Most answers that the ledger holds, of all lists together. The oldest is removed first.
pub const ANSWERS_KEPT_MAX: usize = 32;
const DETECTED: &str = "detected";
const CLASSIFIED: &str = "classified";

/// The answer of a detection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Detected {
    /// The domains, the primary one first; none if the project belongs to no known domain.
    pub domains: Vec<Found>,
    /// No decision depends on it.
    pub detected_at: Timestamp,
    /// The position of this answer in the ledger: a later answer has a higher number.
    pub number: u64,
    /// Names `structure`.
    pub fingerprint: Fingerprint,
    /// The author of the answer: always `heuristic`.
    pub source: Line,
    /// The structure that the answer rests on.
    pub structure: Structure,
    /// Set if the tree had more projects or directories than a survey lists.
    #[serde(default)]
    pub cut_short: bool,
    /// The commit that was checked out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub head: Option<Line>,
    /// The act that recorded the answer. A later detection names it to tell whether it is out of
    /// date.
    pub op: OpId,
    /// Fields of a later version, preserved as they are.
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

/// The answer of somebody else: a person, or a model that they asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Classified {
    /// The domains, the primary one first.
    pub domains: Vec<Found>,
    /// The author of the answer: `human`, or the name of a model.
    pub source: Line,
    pub reason: Line,
    /// The agent that recorded it.
    pub by: AgentName,
    pub classified_at: Timestamp,
    /// Fields of a later version, preserved as they are.
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

/// The answers of a ledger, as a reader sees them that goes by one list and whose tree has a
/// certain structure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cache {
    /// The answer for a tree of exactly that structure.
    pub exact: Option<Detected>,
    /// If there is none: the answer by this list whose structure differs least, the newest of
    /// several. This one is stale.
    pub nearest: Option<Detected>,
    /// If there is no answer by this list: the newest by another list.
    pub other: Option<Detected>,
    /// The classification that somebody recorded. It takes precedence over detections.
    pub classified: Option<Classified>,
}

impl Cache {
    /// Reads the answers for a reader of that basis and structure.
    pub fn read(
        documents: &dyn Documents,
        basis: &Basis,
        structure: &Structure,
    ) -> Result<Cache, ReadError> {
        let exact = read(documents, &exact_key(basis, structure))?;
        let classified = read(documents, &classified_key())?;
        Cache::around(documents, basis, structure, exact, classified)
    }

    /// Reads the answers of a state that may be damaged: skips a document that cannot be parsed.
    pub fn read_legible(
        documents: &dyn Documents,
        basis: &Basis,
        structure: &Structure,
    ) -> Result<Cache, ReadError> {
        let exact = legible(documents, &exact_key(basis, structure))?;
        let classified = legible(documents, &classified_key())?;
        Cache::around(documents, basis, structure, exact, classified)
    }

    fn around(
        documents: &dyn Documents,
        basis: &Basis,
        structure: &Structure,
        exact: Option<Detected>,
        classified: Option<Classified>,
    ) -> Result<Cache, ReadError> {
        let mut cache = Cache { exact, classified, ..Cache::default() };
        if cache.exact.is_some() {
            return Ok(cache);
        }
        let all = answers(documents)?.into_iter().filter_map(|(_, detected)| detected);
        let (of_list, others): (Vec<_>, Vec<_>) =
            all.partition(|detected| detected.fingerprint.basis() == *basis);
        cache.nearest = of_list.into_iter().min_by_key(|detected| {
            (differences(&detected.structure, structure).len(), Reverse(detected.number))
        });
        if cache.nearest.is_none() {
            cache.other = others.into_iter().max_by_key(|detected| detected.number);
        }
        Ok(cache)
    }

    /// Returns the domains in effect: those of the classification, or those that were detected.
    pub fn domains(&self) -> &[Found] {
        match (&self.classified, self.detected()) {
            (Some(classified), _) => &classified.domains,
            (None, Some(detected)) => &detected.domains,
            (None, None) => &[],
        }
    }

    /// Returns the answer of a detection: from a tree of this structure, or else from a similar
    /// one, or else by another list.
    pub fn detected(&self) -> Option<&Detected> {
        self.exact.as_ref().or(self.nearest.as_ref()).or(self.other.as_ref())
    }

    pub fn is_empty(&self) -> bool {
        self.classified.is_none() && self.detected().is_none()
    }
}

/// Returns the key of the answer for a tree of that structure.
pub fn detected_key(fingerprint: &Fingerprint) -> Key {
    Key::of([DETECTED, &fingerprint.basis().to_string(), &fingerprint.digest])
}

fn exact_key(basis: &Basis, structure: &Structure) -> Key {
    let fingerprint = structure.fingerprint(&basis.list);
    detected_key(&Fingerprint { algorithm: basis.algorithm, ..fingerprint })
}

/// Returns the key of the classification.
pub fn classified_key() -> Key {
    Key::of([CLASSIFIED, "domains"])
}

/// Tells whether the ledger holds an answer by any list.
pub fn has_answers(documents: &dyn Documents) -> Result<bool, ReadError> {
    Ok(!documents.list(&Key::of([DETECTED]))?.is_empty())
}

/// Lists the keys of all answers, by every list whose name this version can parse.
pub fn answer_keys(documents: &dyn Documents) -> Result<Vec<Key>, ReadError> {
    let mut keys = Vec::new();
    for list in documents.list(&Key::of([DETECTED]))? {
        // A name that cannot be parsed is a later version's.
        if list.name.parse::<Basis>().is_err() {
            continue;
        }
        let place = Key::of([DETECTED, &list.name]);
        keys.extend(documents.list(&place)?.into_iter().map(|child| place.join(&child.name)));
    }
    Ok(keys)
}

/// Reads all answers. An answer that cannot be parsed is `None`: it is only there to be replaced.
pub fn answers(documents: &dyn Documents) -> Result<Vec<(Key, Option<Detected>)>, ReadError> {
    let keys = answer_keys(documents)?.into_iter();
    keys.map(|key| Ok((key.clone(), legible(documents, &key)?))).collect()
}

/// Finds the act that recorded the newest answer by a list. A detection begins from it.
pub fn newest(documents: &dyn Documents, basis: &Basis) -> Result<Option<OpId>, ReadError> {
    let all = answers(documents)?.into_iter().filter_map(|(_, detected)| detected);
    let of_list = all.filter(|detected| detected.fingerprint.basis() == *basis);
    Ok(of_list.max_by_key(|detected| detected.number).map(|detected| detected.op))
}

/// Reads a document. One that cannot be parsed says nothing, and is as good as absent.
pub(super) fn legible<D: serde::de::DeserializeOwned>(
    documents: &dyn Documents,
    key: &Key,
) -> Result<Option<D>, ReadError> {
    match read(documents, key) {
        Err(ReadError::Damaged { .. }) => Ok(None),
        read => read,
    }
}

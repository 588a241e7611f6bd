//! The keys of the documents in this ledger.
//!
//! ```text
//! overrides/fd-safety.json                   one override, by agent
//! modifications/fd-safety/k3v9x0ab.json      the records of how overrides came and went
//! canaries/fd-safety/k3v9x0ab.json           the trial of that record
//! samples/fd-safety/k3v9x0ab/9f86....json    one sample a session of that trial
//! blocked/fd-safety.json                     an agent that must not be left out
//! evidence/2026-01-31/fd-safety/a1b2c3d4.json
//! sessions/9f86....json                      the last number given to a row of that session
//! overlays/fd-safety/wording.json            an additional text for an agent
//! settings/thresholds.json                   numbers that differ from the defaults
//! settings/document.json                     unknown fields of an imported document
//! ```
//!
//! Uniqueness is by key: an agent has one override, a session gives one sample, a block has one
//! reason.

use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest as _, Sha256};

use crate::core::documents::{ChildKind, Documents, Key, ReadError, read};
use crate::core::routing::canary::{Canary, Sample};
use crate::core::routing::evidence::{Evidence, Session};
use crate::core::routing::names::{RecordId, RoutedName};
use crate::core::routing::overlay::Overlay;
use crate::core::routing::text::Note;
use crate::core::routing::{Block, Modification, Override};
use crate::core::time::Timestamp;

/// A document of this ledger.
pub trait Document: Serialize + DeserializeOwned {
    /// The name of such a document in events.
    const FIELD: &'static str;

    /// Returns the key of the document.
    fn key(&self) -> Key;
}

/// Directories of append-only documents: a rollback leaves them alone.
const APPEND_ONLY: [&str; 2] = [EVIDENCE, SESSIONS];

pub fn is_append_only(key: &Key) -> bool {
    key.parts().next().is_some_and(|root| APPEND_ONLY.contains(&root))
}

/// Rows of evidence, by day and agent.
pub const EVIDENCE: &str = "evidence";
/// Sessions that rows came from.
pub const SESSIONS: &str = "sessions";
pub const CANARIES: &str = "canaries";
pub const SAMPLES: &str = "samples";
/// Records of changes.
pub const MODIFICATIONS: &str = "modifications";
const OVERRIDES: &str = "overrides";
const BLOCKED: &str = "blocked";
const OVERLAYS: &str = "overlays";
const SETTINGS: &str = "settings";

fn file(name: &str) -> String {
    format!("{name}.json")
}

fn stem(name: &str) -> &str {
    name.strip_suffix(".json").unwrap_or(name)
}

/// Computes a file name for any text: a harness may give a session any name.
fn digest(text: &str) -> String {
    format!("{:x}", Sha256::digest(text))[..32].to_owned()
}

/// Returns the key of an agent's override.
pub fn override_key(agent: &RoutedName) -> Key {
    Key::of([OVERRIDES, &file(agent.as_str())])
}

/// Returns the key of an agent's block.
pub fn block_key(agent: &RoutedName) -> Key {
    Key::of([BLOCKED, &file(agent.as_str())])
}

/// Returns the key of the trial that belongs to a record.
pub fn canary_key(agent: &RoutedName, id: &RecordId) -> Key {
    Key::of([CANARIES, agent.as_str(), &file(id.as_str())])
}

/// Returns the directory of a trial's samples.
pub fn samples_dir(agent: &RoutedName, id: &RecordId) -> Key {
    Key::of([SAMPLES, agent.as_str(), id.as_str()])
}

/// Returns the key of a session's sample.
pub fn sample_key(agent: &RoutedName, id: &RecordId, session: &Note) -> Key {
    samples_dir(agent, id).join(&file(&digest(session.as_str())))
}

/// Returns the key of a session.
pub fn session_key(session: &Note) -> Key {
    Key::of([SESSIONS, &file(&digest(session.as_str()))])
}

/// Returns the directory of a day's evidence.
pub fn day_dir(at: Timestamp) -> Key {
    Key::of([EVIDENCE, &day(at)])
}

/// Formats the day of a time: `2026-01-31`.
pub fn day(at: Timestamp) -> String {
    at.to_string().chars().take_while(|letter| *letter != 'T').collect()
}

/// Returns the key of the thresholds.
pub fn thresholds_key() -> Key {
    Key::of([SETTINGS, &file("thresholds")])
}

/// Returns the key of the unknown fields of an imported document.
pub fn document_key() -> Key {
    Key::of([SETTINGS, &file("document")])
}

impl Document for Override {
    const FIELD: &'static str = "override";

    fn key(&self) -> Key {
        override_key(&self.agent)
    }
}

impl Document for Modification {
    const FIELD: &'static str = "modification";

    fn key(&self) -> Key {
        Key::of([MODIFICATIONS, self.agent.as_str(), &file(self.id.as_str())])
    }
}

impl Document for Canary {
    const FIELD: &'static str = "canary";

    fn key(&self) -> Key {
        canary_key(&self.agent, &self.id)
    }
}

impl Document for Sample {
    const FIELD: &'static str = "sample";

    fn key(&self) -> Key {
        sample_key(&self.agent, &self.canary, &self.session)
    }
}

impl Document for Block {
    const FIELD: &'static str = "block";

    fn key(&self) -> Key {
        block_key(&self.agent)
    }
}

impl Document for Evidence {
    const FIELD: &'static str = "evidence";

    fn key(&self) -> Key {
        day_dir(self.at).join(self.source.as_str()).join(&file(self.id.as_str()))
    }
}

impl Document for Session {
    const FIELD: &'static str = "session";

    fn key(&self) -> Key {
        session_key(&self.session)
    }
}

impl Document for Overlay {
    const FIELD: &'static str = "overlay";

    fn key(&self) -> Key {
        Key::of([OVERLAYS, self.agent.as_str(), &file(self.id.as_str())])
    }
}

/// Reads the override of an agent.
pub fn override_of(
    documents: &dyn Documents,
    agent: &RoutedName,
) -> Result<Option<Override>, ReadError> {
    at(documents, &override_key(agent))
}

/// Reads the block of an agent.
pub fn block_of(documents: &dyn Documents, agent: &RoutedName) -> Result<Option<Block>, ReadError> {
    at(documents, &block_key(agent))
}

/// Reads every override.
pub fn overrides(documents: &dyn Documents) -> Result<Vec<Override>, ReadError> {
    all_in(documents, &Key::of([OVERRIDES]))
}

/// Reads the overrides that can be parsed, and collects the errors of the others, for readers that
/// go on.
pub fn readable_overrides(
    documents: &dyn Documents,
) -> Result<(Vec<Override>, Vec<ReadError>), ReadError> {
    let (mut found, mut faults) = (Vec::new(), Vec::new());
    for key in files(documents, &Key::of([OVERRIDES]))? {
        match at(documents, &key) {
            Ok(document) => found.extend(document),
            Err(fault @ ReadError::Damaged { .. }) => faults.push(fault),
            Err(error) => return Err(error),
        }
    }
    Ok((found, faults))
}

/// Reads every block.
pub fn blocks(documents: &dyn Documents) -> Result<Vec<Block>, ReadError> {
    all_in(documents, &Key::of([BLOCKED]))
}

/// Reads the records of an agent.
pub fn modifications_of(
    documents: &dyn Documents,
    agent: &RoutedName,
) -> Result<Vec<Modification>, ReadError> {
    all_in(documents, &Key::of([MODIFICATIONS, agent.as_str()]))
}

/// Reads every record.
pub fn modifications(documents: &dyn Documents) -> Result<Vec<Modification>, ReadError> {
    all_below(documents, &Key::of([MODIFICATIONS]))
}

/// Reads the trials of an agent.
pub fn canaries_of(
    documents: &dyn Documents,
    agent: &RoutedName,
) -> Result<Vec<Canary>, ReadError> {
    all_in(documents, &Key::of([CANARIES, agent.as_str()]))
}

/// Reads every trial.
pub fn canaries(documents: &dyn Documents) -> Result<Vec<Canary>, ReadError> {
    all_below(documents, &Key::of([CANARIES]))
}

/// Reads the samples of a trial, in the order in which they were recorded.
pub fn samples(
    documents: &dyn Documents,
    agent: &RoutedName,
    id: &RecordId,
) -> Result<Vec<Sample>, ReadError> {
    let mut samples: Vec<Sample> = all_in(documents, &samples_dir(agent, id))?;
    samples.sort_by(|one, other| (one.at, &one.session).cmp(&(other.at, &other.session)));
    Ok(samples)
}

/// Reads the overlays of an agent.
pub fn overlays_of(
    documents: &dyn Documents,
    agent: &RoutedName,
) -> Result<Vec<Overlay>, ReadError> {
    all_in(documents, &Key::of([OVERLAYS, agent.as_str()]))
}

/// Reads every overlay.
pub fn overlays(documents: &dyn Documents) -> Result<Vec<Overlay>, ReadError> {
    all_below(documents, &Key::of([OVERLAYS]))
}

/// Reads every session.
pub fn sessions(documents: &dyn Documents) -> Result<Vec<Session>, ReadError> {
    all_in(documents, &Key::of([SESSIONS]))
}

/// Reads the rows in a directory of evidence.
pub fn evidence_in(documents: &dyn Documents, dir: &Key) -> Result<Vec<Evidence>, ReadError> {
    all_in(documents, dir)
}

/// Reads a document, and checks that it belongs to that key.
pub fn at<D: Document>(documents: &dyn Documents, key: &Key) -> Result<Option<D>, ReadError> {
    let found: Option<D> = read(documents, key)?;
    match found {
        Some(document) if document.key() != *key => {
            Err(ReadError::damaged(key, format!("it belongs to '{}'", document.key())))
        }
        found => Ok(found),
    }
}

/// Lists the names of the directories in a directory.
pub fn directories(documents: &dyn Documents, dir: &Key) -> Result<Vec<String>, ReadError> {
    let children = documents.list(dir)?.into_iter();
    let directories = children.filter(|child| child.kind == ChildKind::Directory);
    Ok(directories.map(|child| child.name).collect())
}

fn files(documents: &dyn Documents, dir: &Key) -> Result<Vec<Key>, ReadError> {
    let children = documents.list(dir)?.into_iter();
    // Other names are a later version's.
    let ours = children
        .filter(|child| child.kind == ChildKind::Document && stem(&child.name) != child.name);
    Ok(ours.map(|child| dir.join(&child.name)).collect())
}

fn all_in<D: Document>(documents: &dyn Documents, dir: &Key) -> Result<Vec<D>, ReadError> {
    let mut found = Vec::new();
    for key in files(documents, dir)? {
        found.extend(at(documents, &key)?);
    }
    Ok(found)
}

/// Reads all documents one directory deeper.
fn all_below<D: Document>(documents: &dyn Documents, dir: &Key) -> Result<Vec<D>, ReadError> {
    let mut found = Vec::new();
    for name in directories(documents, dir)? {
        found.extend(all_in(documents, &dir.join(&name))?);
    }
    Ok(found)
}

//! Where the documents of this ledger stand.
//!
//! ```text
//! overrides/fd-safety.json                   one override, by agent
//! modifications/fd-safety/k3v9x0ab.json      the records of how overrides came and went
//! canaries/fd-safety/k3v9x0ab.json           the trial of that record
//! samples/fd-safety/k3v9x0ab/9f86....json    one sample a session of that trial
//! blocked/fd-safety.json                     who is not to be left out
//! evidence/2026-01-31/fd-safety/a1b2c3d4.json
//! sessions/9/9f86....json                    the last number given to a row of that session
//! overlays/fd-safety/wording.json            what an agent is told besides
//! settings/thresholds.json                   numbers that differ from the usual ones
//! settings/document.json                     fields of an imported document that nobody knows
//! ```
//!
//! What is unique is a name: an agent has one override, a session gives one sample, a block has
//! one reason.

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
    /// What it is called in events.
    const FIELD: &'static str;

    /// Where it stands.
    fn key(&self) -> Key;
}

/// The directories that hold what is append-only: a rollback leaves them alone.
const APPEND_ONLY: [&str; 2] = [EVIDENCE, SESSIONS];

/// Whether a document is append-only.
pub fn is_append_only(key: &Key) -> bool {
    key.parts().next().is_some_and(|root| APPEND_ONLY.contains(&root))
}

/// Rows of evidence, by day and agent.
pub const EVIDENCE: &str = "evidence";
/// Sessions that rows came from.
pub const SESSIONS: &str = "sessions";
/// Trials.
pub const CANARIES: &str = "canaries";
/// Samples of trials.
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

/// A name for any text: a session may be called whatever its harness likes.
fn digest(text: &str) -> String {
    format!("{:x}", Sha256::digest(text))[..32].to_owned()
}

/// Where the override of an agent stands.
pub fn override_key(agent: &RoutedName) -> Key {
    Key::of([OVERRIDES, &file(agent.as_str())])
}

/// Where a block stands.
pub fn block_key(agent: &RoutedName) -> Key {
    Key::of([BLOCKED, &file(agent.as_str())])
}

/// Where the trial of a record stands.
pub fn canary_key(agent: &RoutedName, id: &RecordId) -> Key {
    Key::of([CANARIES, agent.as_str(), &file(id.as_str())])
}

/// Where the samples of a trial stand.
pub fn samples_dir(agent: &RoutedName, id: &RecordId) -> Key {
    Key::of([SAMPLES, agent.as_str(), id.as_str()])
}

/// Where the sample of a session stands.
pub fn sample_key(agent: &RoutedName, id: &RecordId, session: &Note) -> Key {
    samples_dir(agent, id).join(&file(&digest(session.as_str())))
}

/// Where a session stands.
pub fn session_key(session: &Note) -> Key {
    let name = digest(session.as_str());
    Key::of([SESSIONS, &name[..1], &file(&name)])
}

/// The directory of a day's evidence.
pub fn day_dir(at: Timestamp) -> Key {
    Key::of([EVIDENCE, &day(at)])
}

/// The day of a moment: `2026-01-31`.
pub fn day(at: Timestamp) -> String {
    at.to_string().chars().take_while(|letter| *letter != 'T').collect()
}

/// Where the thresholds stand.
pub fn thresholds_key() -> Key {
    Key::of([SETTINGS, &file("thresholds")])
}

/// Where the unknown fields of an imported document stand.
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

/// The override of an agent.
pub fn override_of(
    documents: &dyn Documents,
    agent: &RoutedName,
) -> Result<Option<Override>, ReadError> {
    at(documents, &override_key(agent))
}

/// Whether the agent is not to be left out.
pub fn block_of(documents: &dyn Documents, agent: &RoutedName) -> Result<Option<Block>, ReadError> {
    at(documents, &block_key(agent))
}

/// Every override.
pub fn overrides(documents: &dyn Documents) -> Result<Vec<Override>, ReadError> {
    all_in(documents, &Key::of([OVERRIDES]))
}

/// The overrides that can be read, and the faults of the others: for readers that go on.
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

/// Every block.
pub fn blocks(documents: &dyn Documents) -> Result<Vec<Block>, ReadError> {
    all_in(documents, &Key::of([BLOCKED]))
}

/// The records of an agent.
pub fn modifications_of(
    documents: &dyn Documents,
    agent: &RoutedName,
) -> Result<Vec<Modification>, ReadError> {
    all_in(documents, &Key::of([MODIFICATIONS, agent.as_str()]))
}

/// Every record.
pub fn modifications(documents: &dyn Documents) -> Result<Vec<Modification>, ReadError> {
    all_below(documents, &Key::of([MODIFICATIONS]))
}

/// The trials of an agent.
pub fn canaries_of(
    documents: &dyn Documents,
    agent: &RoutedName,
) -> Result<Vec<Canary>, ReadError> {
    all_in(documents, &Key::of([CANARIES, agent.as_str()]))
}

/// Every trial.
pub fn canaries(documents: &dyn Documents) -> Result<Vec<Canary>, ReadError> {
    all_below(documents, &Key::of([CANARIES]))
}

/// The samples of a trial, in the order they came.
pub fn samples(
    documents: &dyn Documents,
    agent: &RoutedName,
    id: &RecordId,
) -> Result<Vec<Sample>, ReadError> {
    let mut samples: Vec<Sample> = all_in(documents, &samples_dir(agent, id))?;
    samples.sort_by(|one, other| (one.at, &one.session).cmp(&(other.at, &other.session)));
    Ok(samples)
}

/// The overlays of an agent.
pub fn overlays_of(
    documents: &dyn Documents,
    agent: &RoutedName,
) -> Result<Vec<Overlay>, ReadError> {
    all_in(documents, &Key::of([OVERLAYS, agent.as_str()]))
}

/// Every overlay.
pub fn overlays(documents: &dyn Documents) -> Result<Vec<Overlay>, ReadError> {
    all_below(documents, &Key::of([OVERLAYS]))
}

/// Every session.
pub fn sessions(documents: &dyn Documents) -> Result<Vec<Session>, ReadError> {
    all_below(documents, &Key::of([SESSIONS]))
}

/// The rows of a directory of evidence.
pub fn evidence_in(documents: &dyn Documents, dir: &Key) -> Result<Vec<Evidence>, ReadError> {
    all_in(documents, dir)
}

/// A document that says itself where it stands.
pub fn at<D: Document>(documents: &dyn Documents, key: &Key) -> Result<Option<D>, ReadError> {
    let found: Option<D> = read(documents, key)?;
    match found {
        Some(document) if document.key() != *key => {
            Err(ReadError::damaged(key, format!("it belongs to '{}'", document.key())))
        }
        found => Ok(found),
    }
}

/// The names of the directories in one.
pub fn directories(documents: &dyn Documents, dir: &Key) -> Result<Vec<String>, ReadError> {
    let children = documents.list(dir)?.into_iter();
    let directories = children.filter(|child| child.kind == ChildKind::Directory);
    Ok(directories.map(|child| child.name).collect())
}

fn files(documents: &dyn Documents, dir: &Key) -> Result<Vec<Key>, ReadError> {
    let children = documents.list(dir)?.into_iter();
    // Other names are of a later version.
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

/// One directory deeper.
fn all_below<D: Document>(documents: &dyn Documents, dir: &Key) -> Result<Vec<D>, ReadError> {
    let mut found = Vec::new();
    for name in directories(documents, dir)? {
        found.extend(all_in(documents, &dir.join(&name))?);
    }
    Ok(found)
}

//! Records of the agents whose files were generated: for each path, the hashes of the content that
//! was written there.
//!
//! Only these records identify a generated file, never its content, so a header that somebody
//! removes or copies changes nothing. All worktrees share the records, and each may have another
//! version of a file, or none. So a record lists every version that was written, and is not deleted
//! because one worktree does not have the file.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::{Documents, Key, ReadError, walk};
use crate::core::domain::AGENTS;
use crate::core::domain::cache::legible;
use crate::core::domain::name::Name;
use crate::core::domain::tree_path::TreePath;
use crate::core::pattern::{Case, node_name};
use crate::core::refusal::within;
use crate::core::time::Timestamp;

/// Most agents that one command may record.
const AGENTS_MAX: usize = 2_000;

/// Versions of a file that a record lists, the newest ones.
const VERSIONS_KEPT_MAX: usize = 16;

/// The record of an agent whose file was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentRecord {
    pub path: TreePath,
    pub agent: Name,
    pub domain: Name,
    /// The SHA-256 of the version that was written last.
    pub content: String,
    /// The SHA-256 of earlier versions, the newest first: another worktree may still have one.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub earlier: Vec<String>,
    /// The version of the generator that wrote it.
    pub generator: u32,
    /// No decision depends on it.
    pub made_at: Timestamp,
    /// The SHA-256 of edits that somebody made and accepted, the newest first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub accepted: Vec<String>,
    /// Set if nobody misses the file. Then a file of unknown content at this path is somebody
    /// else's.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub forgotten: bool,
    /// Fields of a later version, preserved as they are.
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

impl AgentRecord {
    /// Tells whether content of that SHA-256 was once written here.
    pub fn wrote(&self, content: &str) -> bool {
        self.content == content || self.earlier.iter().any(|earlier| earlier == content)
    }

    /// Tells whether content of that SHA-256 is an edit that somebody accepted.
    pub fn has_accepted(&self, content: &str) -> bool {
        self.accepted.iter().any(|accepted| accepted == content)
    }
}

/// Puts a version first, and drops the oldest if there are too many.
fn remember(versions: &mut Vec<String>, content: String) {
    versions.retain(|version| *version != content);
    versions.insert(0, content);
    versions.truncate(VERSIONS_KEPT_MAX);
}

/// Returns the key of the record for a path.
pub fn key(path: &TreePath) -> Key {
    let parts = path.as_str().split('/');
    let names = parts.map(|part| node_name(part.as_bytes(), Case::Sensitive));
    names.fold(Key::of([AGENTS]), |key, name| key.join(&name))
}

/// Reads every record, by path. Skips a document that cannot be parsed: its file belongs to nobody
/// until it is recorded anew, and the laws name it.
pub fn all(documents: &dyn Documents) -> Result<Vec<AgentRecord>, ReadError> {
    let mut found = Vec::new();
    for key in walk(documents, &Key::of([AGENTS]))? {
        found.extend(legible::<AgentRecord>(documents, &key)?);
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(found)
}

/// An agent whose file was written or found up to date.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    pub path: TreePath,
    pub agent: Name,
    pub domain: Name,
    /// The SHA-256 of the file.
    pub content: String,
    /// The version of the generator that wrote it.
    pub generator: u32,
}

/// An edit of an agent's file that stays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accepted {
    pub path: TreePath,
    /// The SHA-256 of the edited file.
    pub content: String,
}

/// Records changes of files, after they were made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordAgents {
    /// Files that were written, or were already up to date.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub written: Vec<Written>,
    /// Files whose edits are kept.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub accepted: Vec<Accepted>,
    /// Files that are gone and that nobody misses.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub forgotten: Vec<TreePath>,
}

impl RecordAgents {
    pub fn is_empty(&self) -> bool {
        self.written.is_empty() && self.accepted.is_empty() && self.forgotten.is_empty()
    }
}

impl Decide for RecordAgents {
    /// The number of agents whose record changed.
    type Answer = usize;

    fn decide(&self, act: &mut Act<'_>) -> Result<usize, No> {
        let count = self.written.len() + self.accepted.len() + self.forgotten.len();
        within("agents of one command", count, AGENTS_MAX)?;
        let mut changed = 0;
        for written in &self.written {
            changed += usize::from(record(act, written)?);
        }
        for Accepted { path, content } in &self.accepted {
            let Some(mut stored) = legible::<AgentRecord>(act, &key(path))? else { continue };
            if !stored.has_accepted(content) {
                remember(&mut stored.accepted, content.clone());
                act.put(key(path), &stored);
                act.record("agent_accepted", path, named(&stored.agent, &stored.domain));
                changed += 1;
            }
        }
        for path in &self.forgotten {
            let stored =
                legible::<AgentRecord>(act, &key(path))?.filter(|stored| !stored.forgotten);
            let Some(mut stored) = stored else { continue };
            stored.forgotten = true;
            act.put(key(path), &stored);
            act.record("agent_forgotten", path, named(&stored.agent, &stored.domain));
            changed += 1;
        }
        Ok(changed)
    }

    fn summary(&self, changed: &usize, env: &Env<'_>) -> String {
        let noun = if *changed == 1 { "agent" } else { "agents" };
        format!("record {changed} {noun} by {}", env.actor)
    }
}

fn record(act: &mut Act<'_>, written: &Written) -> Result<bool, ReadError> {
    let Written { path, agent, domain, content, generator } = written.clone();
    let before = legible::<AgentRecord>(act, &key(&path))?;
    let is_known = before.as_ref().is_some_and(|stored| {
        stored.agent == agent
            && stored.domain == domain
            && stored.content == content
            && stored.generator == generator
            && !stored.forgotten
    });
    if is_known {
        return Ok(false);
    }
    let (mut earlier, mut accepted, mut unknown) = (Vec::new(), Vec::new(), Map::new());
    if let Some(before) = before {
        (earlier, accepted, unknown) = (before.earlier, before.accepted, before.unknown);
        remember(&mut earlier, before.content);
        earlier.retain(|version| *version != content);
    }
    let stored = AgentRecord {
        path: path.clone(),
        agent,
        domain,
        content,
        earlier,
        generator,
        made_at: act.env.now,
        accepted,
        forgotten: false,
        unknown,
    };
    act.put(key(&path), &stored);
    act.record("agent_made", &path, named(&stored.agent, &stored.domain));
    Ok(true)
}

fn named(agent: &Name, domain: &Name) -> Map<String, Value> {
    let mut data = Map::new();
    data.insert("agent".to_owned(), json!(agent));
    data.insert("domain".to_owned(), json!(domain));
    data
}

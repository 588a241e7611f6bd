//! The agents that were made, as the ledger remembers them: by path, with what was written there.
//!
//! A file is known by this and by nothing that stands in it, so a header that somebody removes or
//! copies changes nothing.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::{Documents, Key, ReadError, read, walk};
use crate::core::domain::AGENTS;
use crate::core::domain::name::Name;
use crate::core::domain::tree_path::TreePath;
use crate::core::pattern::{Case, node_name};
use crate::core::refusal::within;
use crate::core::time::Timestamp;

/// Agents that one command may record.
const AGENTS_MAX: usize = 2_000;

/// An agent whose file was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Made {
    /// Where.
    pub path: TreePath,
    /// Which agent.
    pub agent: Name,
    /// Of which domain.
    pub domain: Name,
    /// The SHA-256 of what was written.
    pub content: String,
    /// Which generator wrote it.
    pub generator: u32,
    /// When it was recorded. Nothing is decided by it.
    pub made_at: Timestamp,
    /// The SHA-256 of what somebody made of it, once that was accepted.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub accepted: Option<String>,
    /// Fields of a later version, kept as they are.
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

/// Where a path's agent stands.
pub fn key(path: &TreePath) -> Key {
    let parts = path.as_str().split('/');
    let names = parts.map(|part| node_name(part.as_bytes(), Case::Sensitive));
    names.fold(Key::of([AGENTS]), |key, name| key.join(&name))
}

/// Every agent that was made, by path. A document that says nothing is passed over, and its file is
/// nobody's until it is recorded anew; the laws name it.
pub fn all(documents: &dyn Documents) -> Result<Vec<Made>, ReadError> {
    let mut found = Vec::new();
    for key in walk(documents, &Key::of([AGENTS]))? {
        match read::<Made>(documents, &key) {
            Err(ReadError::Damaged { .. }) => {}
            made => found.extend(made?),
        }
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(found)
}

/// An agent whose file is there now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// Where.
    pub path: TreePath,
    /// Which agent.
    pub agent: Name,
    /// Of which domain.
    pub domain: Name,
    /// The SHA-256 of what is there.
    pub content: String,
    /// Which generator wrote it.
    pub generator: u32,
}

/// What somebody made of an agent, and may keep.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accepted {
    /// Where.
    pub path: TreePath,
    /// The SHA-256 of what is there.
    pub content: String,
}

/// Records what was done to files, after it was done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordAgents {
    /// Files that were written, or were there already as they should be.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub written: Vec<Written>,
    /// Files whose edits are kept.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub accepted: Vec<Accepted>,
    /// Files that are gone and are not wanted any more.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub forgotten: Vec<TreePath>,
}

impl RecordAgents {
    /// Whether there is nothing to record.
    pub fn is_empty(&self) -> bool {
        self.written.is_empty() && self.accepted.is_empty() && self.forgotten.is_empty()
    }
}

impl Decide for RecordAgents {
    /// How many agents are now recorded otherwise than before.
    type Answer = usize;

    fn decide(&self, act: &mut Act<'_>) -> Result<usize, No> {
        let count = self.written.len() + self.accepted.len() + self.forgotten.len();
        within("agents of one command", count, AGENTS_MAX)?;
        let mut changed = 0;
        for written in &self.written {
            changed += usize::from(record(act, written)?);
        }
        for Accepted { path, content } in &self.accepted {
            let Some(mut made) = present(act, path)? else { continue };
            if made.accepted.as_ref() != Some(content) {
                made.accepted = Some(content.clone());
                act.put(key(path), &made);
                act.record("agent_accepted", path, named(&made.agent, &made.domain));
                changed += 1;
            }
        }
        for path in &self.forgotten {
            let Some(made) = present(act, path)? else { continue };
            act.remove(key(path));
            act.record("agent_forgotten", path, named(&made.agent, &made.domain));
            changed += 1;
        }
        Ok(changed)
    }

    fn summary(&self, changed: &usize, env: &Env<'_>) -> String {
        let noun = if *changed == 1 { "agent" } else { "agents" };
        format!("record {changed} {noun} by {}", env.actor)
    }
}

/// A document that cannot be read says nothing about its file, and is replaced.
fn present(act: &Act<'_>, path: &TreePath) -> Result<Option<Made>, ReadError> {
    match read(act, &key(path)) {
        Err(ReadError::Damaged { .. }) => Ok(None),
        read => read,
    }
}

fn record(act: &mut Act<'_>, written: &Written) -> Result<bool, ReadError> {
    let Written { path, agent, domain, content, generator } = written.clone();
    let before = present(act, &path)?;
    let is_known = before.as_ref().is_some_and(|made| {
        made.agent == agent
            && made.domain == domain
            && made.content == content
            && made.generator == generator
            && made.accepted.is_none()
    });
    if is_known {
        return Ok(false);
    }
    let made = Made {
        path: path.clone(),
        agent,
        domain,
        content,
        generator,
        made_at: act.env.now,
        accepted: None,
        unknown: before.map(|made| made.unknown).unwrap_or_default(),
    };
    act.put(key(&path), &made);
    act.record("agent_made", &path, named(&made.agent, &made.domain));
    Ok(true)
}

fn named(agent: &Name, domain: &Name) -> Map<String, Value> {
    let mut data = Map::new();
    data.insert("agent".to_owned(), json!(agent));
    data.insert("domain".to_owned(), json!(domain));
    data
}

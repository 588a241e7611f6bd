//! The agents that were made, as the ledger remembers them: by path, with what was written there.
//!
//! A file is known by this and by nothing that stands in it, so a header that somebody removes or
//! copies changes nothing. All worktrees share it, and each may have another version of a file, or
//! none: so every version that was written is remembered, and what was made is never forgotten for
//! good because one worktree does not have it.

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

/// Versions of a file that are remembered, the newest ones.
const VERSIONS_KEPT_MAX: usize = 16;

/// An agent whose file was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Made {
    /// Where.
    pub path: TreePath,
    /// Which agent.
    pub agent: Name,
    /// Of which domain.
    pub domain: Name,
    /// The SHA-256 of what was written last.
    pub content: String,
    /// That of what was written before, the newest first: another worktree may still have it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub earlier: Vec<String>,
    /// Which generator wrote it.
    pub generator: u32,
    /// When it was recorded. Nothing is decided by it.
    pub made_at: Timestamp,
    /// The SHA-256 of what somebody made of it, once that was accepted, the newest first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub accepted: Vec<String>,
    /// Whether nobody misses it. A file of unknown content in its place is somebody else's then.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub forgotten: bool,
    /// Fields of a later version, kept as they are.
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

impl Made {
    /// Whether content of that SHA-256 was written here once.
    pub fn wrote(&self, content: &str) -> bool {
        self.content == content || self.earlier.iter().any(|earlier| earlier == content)
    }

    /// Whether such content is somebody's edit that was accepted.
    pub fn has_accepted(&self, content: &str) -> bool {
        self.accepted.iter().any(|accepted| accepted == content)
    }
}

/// Puts a version first, and drops the oldest where there are too many.
fn remember(versions: &mut Vec<String>, content: String) {
    versions.retain(|version| *version != content);
    versions.insert(0, content);
    versions.truncate(VERSIONS_KEPT_MAX);
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
    /// Files that are gone and that nobody misses any more.
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
            if !made.has_accepted(content) {
                remember(&mut made.accepted, content.clone());
                act.put(key(path), &made);
                act.record("agent_accepted", path, named(&made.agent, &made.domain));
                changed += 1;
            }
        }
        for path in &self.forgotten {
            let made = present(act, path)?.filter(|made| !made.forgotten);
            let Some(mut made) = made else { continue };
            made.forgotten = true;
            act.put(key(path), &made);
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
            && !made.forgotten
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
    let made = Made {
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

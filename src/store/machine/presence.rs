//! The time and the place that each agent was last seen on this machine.
//!
//! One small file for each agent, in the place of an earlier one, and one for its tool calls. It is
//! no state: nothing is decided by it except what an entry names as its evidence, and losing it
//! loses one hint.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::core::ids::AgentName;
use crate::core::text::Line;
use crate::core::time::Timestamp;
use crate::store::error::StoreError;
use crate::store::layout::HelperDir;
use crate::store::machine::open_tool_calls::OpenToolCalls;
use crate::store::os::files::{Files, Purpose};

/// Some names and times.
const PRESENCE_BYTES_MAX: u64 = 64 * 1024;
/// More agents than this are not looked through.
const AGENTS_MAX: usize = 10_000;

/// An agent as it was last seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Presence {
    /// The agent.
    pub agent: AgentName,
    /// Its machine.
    pub host: Line,
    /// The time of its last call.
    pub last_seen: Timestamp,
    /// The linked worktree that it was in; absent for the main one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub worktree: Option<Line>,
    /// The branch that was checked out there.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub branch: Option<Line>,
    /// The terminal that it ran in.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub terminal: Option<Line>,
    /// The sessions that act under this name, and when each was last seen. Two of them share it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub sessions: BTreeMap<String, Timestamp>,
    /// The requests that it was told of, by thread, so that it is told once.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub told: BTreeMap<String, String>,
}

/// The agents of this repository on this machine.
#[derive(Clone, Debug)]
pub struct Presences {
    dir: PathBuf,
    files: Files,
}

impl Presences {
    /// Opens the records under that common directory.
    pub fn new(common_dir: &Path, files: Files) -> Presences {
        Presences { dir: HelperDir::Presence.below(common_dir), files }
    }

    /// A name may hold slashes; `%` is in none.
    fn name(agent: &AgentName) -> String {
        agent.as_str().replace('/', "%2F")
    }

    fn path(&self, agent: &AgentName) -> PathBuf {
        self.dir.join(format!("{}.json", Presences::name(agent)))
    }

    /// Reads when that agent was last seen; none where that cannot be read.
    pub fn get(&self, agent: &AgentName) -> Option<Presence> {
        self.read(&self.path(agent)).filter(|presence| presence.agent == *agent)
    }

    /// The sessions that are known to act under a name.
    pub fn sessions(&self, agent: &AgentName) -> Vec<String> {
        self.get(agent).map_or_else(Vec::new, |presence| presence.sessions.into_keys().collect())
    }

    fn read(&self, path: &Path) -> Option<Presence> {
        let bytes = self.files.read(path, PRESENCE_BYTES_MAX).ok()??;
        serde_json::from_slice(&bytes).ok()
    }

    /// Notes how an agent was seen.
    pub fn put(&self, presence: &Presence) -> Result<(), StoreError> {
        let name = format!(".{}.{}", Presences::name(&presence.agent), std::process::id());
        let staged = self.dir.join(name);
        let bytes = serde_json::to_vec(presence).expect("a presence is plain data");
        self.files.make_directories(&self.dir)?;
        self.files.remove(&staged)?;
        self.files.write_new(&staged, &bytes, Purpose::Helper)?;
        Ok(self.files.rename(&staged, &self.path(&presence.agent))?)
    }

    /// The tool calls of an agent.
    pub fn open_tool_calls(&self, agent: &AgentName) -> OpenToolCalls {
        let file = self.dir.join(format!("{}.open", Presences::name(agent)));
        OpenToolCalls::new(file, self.files)
    }

    /// Every agent that was seen here, as far as that can be read.
    pub fn all(&self) -> Vec<Presence> {
        let names = self.files.list(&self.dir).unwrap_or_default();
        let whole = names.iter().filter(|name| name.as_encoded_bytes().ends_with(b".json"));
        whole.take(AGENTS_MAX).filter_map(|name| self.read(&self.dir.join(name))).collect()
    }

    /// Forgets an agent.
    pub fn forget(&self, agent: &AgentName) -> Result<bool, StoreError> {
        self.open_tool_calls(agent).end_all()?;
        Ok(self.files.remove(&self.path(agent))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testing::FILES;

    fn seen(agent: &str, millis: i64) -> Presence {
        Presence {
            agent: agent.parse().unwrap(),
            host: "host".parse().unwrap(),
            last_seen: Timestamp::from_millis(millis),
            worktree: None,
            branch: None,
            terminal: None,
            sessions: BTreeMap::new(),
            told: BTreeMap::new(),
        }
    }

    #[test]
    fn the_last_sight_of_an_agent_stays_and_what_is_none_says_nothing() {
        let home = tempfile::tempdir().unwrap();
        let presences = Presences::new(home.path(), FILES);
        assert!(presences.all().is_empty());
        for millis in [1, 2] {
            presences.put(&seen("claude:1/sub", millis)).unwrap();
        }
        std::fs::write(presences.dir.join("bob.json"), "{\"agent\":").unwrap();
        assert_eq!(presences.all(), [seen("claude:1/sub", 2)]);
        assert_eq!(presences.get(&"bob".parse().unwrap()), None);
        let agent = "claude:1/sub".parse().unwrap();
        presences.open_tool_calls(&agent).begin("call", Timestamp::from_millis(3)).unwrap();
        assert_eq!(presences.all(), [seen("claude:1/sub", 2)], "a call is nobody's presence");
        assert!(presences.forget(&agent).unwrap());
        assert!(presences.open_tool_calls(&agent).open().is_empty());
        assert_eq!(presences.files.list(&presences.dir).unwrap(), ["bob.json"]);
    }
}

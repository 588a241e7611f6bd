//! When agents were last seen on this machine, and where.
//!
//! One small file for each agent, in the place of an earlier one, and one for each tool call that
//! is open: several begin and end at once, and none of them may undo what another has noted. It is
//! no state: nothing is decided by it except what an entry names as its evidence, and who loses it
//! has one hint less.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::core::ids::AgentName;
use crate::core::text::Line;
use crate::core::time::Timestamp;
use crate::store::error::StoreError;
use crate::store::files::{Files, Purpose};
use crate::store::layout::HelperDir;

/// Some names and times.
const PRESENCE_BYTES_MAX: u64 = 64 * 1024;
/// More agents than this are not looked through.
const AGENTS_MAX: usize = 10_000;
/// More open calls than this are not looked at.
const CALLS_MAX: usize = 1_000;

/// An agent as it was last seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Presence {
    /// Who.
    pub agent: AgentName,
    /// On which machine.
    pub host: Line,
    /// When.
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
    /// What it was told of requests, by thread, so that it is told once.
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
    /// Those under that common directory.
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

    /// How that agent was last seen; nothing where that cannot be read.
    pub fn get(&self, agent: &AgentName) -> Option<Presence> {
        self.read(&self.path(agent)).filter(|presence| presence.agent == *agent)
    }

    fn read(&self, path: &Path) -> Option<Presence> {
        let bytes = self.files.read(path, PRESENCE_BYTES_MAX).ok()??;
        serde_json::from_slice(&bytes).ok()
    }

    /// Notes how an agent was seen.
    pub fn put(&self, presence: &Presence) -> Result<(), StoreError> {
        let name = format!("{}.json", Presences::name(&presence.agent));
        self.replace(&self.dir, &name, presence)
    }

    fn replace(&self, dir: &Path, name: &str, what: &impl Serialize) -> Result<(), StoreError> {
        let staged = dir.join(format!(".{name}.{}", std::process::id()));
        let bytes = serde_json::to_vec(what).expect("a presence is plain data");
        self.files.make_directories(dir)?;
        self.files.remove(&staged)?;
        self.files.write_new(&staged, &bytes, Purpose::Helper)?;
        Ok(self.files.rename(&staged, &dir.join(name))?)
    }

    fn calls_dir(&self, agent: &AgentName) -> PathBuf {
        self.dir.join(format!("{}.calls", Presences::name(agent)))
    }

    /// Notes that a tool call of an agent has begun, by whatever it is called.
    ///
    /// Each is called differently, as a rule, so its file can be made in place: every edit waits
    /// for this.
    pub fn begin_call(
        &self,
        agent: &AgentName,
        call: &str,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let (dir, name) = (self.calls_dir(agent), call_name(call));
        let bytes = serde_json::to_vec(&at).expect("a time is plain data");
        let made = self.files.write_new(&dir.join(&name), &bytes, Purpose::Helper);
        made.or_else(|_| self.replace(&dir, &name, &at))
    }

    /// Notes that it has ended.
    pub fn end_call(&self, agent: &AgentName, call: &str) -> Result<bool, StoreError> {
        Ok(self.files.remove(&self.calls_dir(agent).join(call_name(call)))?)
    }

    /// Notes that no tool call of the agent is open.
    pub fn end_calls(&self, agent: &AgentName) -> Result<(), StoreError> {
        let dir = self.calls_dir(agent);
        for name in self.files.list(&dir)? {
            self.files.remove(&dir.join(name))?;
        }
        Ok(())
    }

    /// When the tool calls of an agent began that have not ended, as far as that can be read.
    pub fn open_calls(&self, agent: &AgentName) -> Vec<Timestamp> {
        let dir = self.calls_dir(agent);
        let names = self.files.list(&dir).unwrap_or_default();
        let whole = names.iter().filter(|name| !name.as_encoded_bytes().starts_with(b"."));
        let began = |name| {
            let path = dir.join(name);
            let bytes = self.files.read(&path, PRESENCE_BYTES_MAX).ok()??;
            // One that is just being written has a time of its own.
            serde_json::from_slice(&bytes).ok().or_else(|| self.modified(&path))
        };
        whole.take(CALLS_MAX).filter_map(began).collect()
    }

    fn modified(&self, path: &Path) -> Option<Timestamp> {
        let modified = self.files.stamp(path).ok()??.modified;
        let since_epoch = modified.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        i64::try_from(since_epoch.as_millis()).ok().map(Timestamp::from_millis)
    }

    /// Every agent that was seen here, as far as that can be read.
    pub fn all(&self) -> Vec<Presence> {
        let names = self.files.list(&self.dir).unwrap_or_default();
        let whole = names.iter().filter(|name| name.as_encoded_bytes().ends_with(b".json"));
        whole.take(AGENTS_MAX).filter_map(|name| self.read(&self.dir.join(name))).collect()
    }

    /// Forgets an agent.
    pub fn forget(&self, agent: &AgentName) -> Result<bool, StoreError> {
        self.end_calls(agent)?;
        self.files.remove_empty_directories(&self.calls_dir(agent))?;
        Ok(self.files.remove(&self.path(agent))?)
    }
}

/// What a call is called can be anything.
fn call_name(call: &str) -> String {
    let digest = Sha256::digest(call);
    let start = digest[..16].try_into().expect("a digest has 32 bytes");
    format!("{:032x}", u128::from_be_bytes(start))
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
        assert!(presences.forget(&"claude:1/sub".parse().unwrap()).unwrap());
        assert!(presences.all().is_empty());
    }

    /// Calls that run beside each other begin and end one by one, whatever they are called.
    #[test]
    fn calls_end_one_by_one() {
        let home = tempfile::tempdir().unwrap();
        let presences = Presences::new(home.path(), FILES);
        let agent = "claude:1/sub".parse().unwrap();
        let at = Timestamp::from_millis;
        assert!(presences.open_calls(&agent).is_empty());
        for (call, began) in [("../a", 1), ("b", 2), ("", 3)] {
            presences.begin_call(&agent, call, at(began)).unwrap();
        }
        assert!(presences.end_call(&agent, "b").unwrap());
        assert!(!presences.end_call(&agent, "b").unwrap());
        let mut began = presences.open_calls(&agent);
        began.sort();
        assert_eq!(began, [at(1), at(3)]);
        assert!(presences.all().is_empty(), "a call is nobody's presence");
        presences.begin_call(&agent, "", at(4)).unwrap();
        assert!(presences.open_calls(&agent).contains(&at(4)), "the last beginning counts");
        let half = presences.calls_dir(&agent).join("half");
        std::fs::write(&half, "").unwrap();
        let written = SystemTime::UNIX_EPOCH + std::time::Duration::from_millis(5);
        std::fs::File::options().append(true).open(half).unwrap().set_modified(written).unwrap();
        assert!(presences.open_calls(&agent).contains(&at(5)), "it is open while it is noted");
        presences.end_calls(&agent).unwrap();
        assert!(presences.open_calls(&agent).is_empty());
        presences.forget(&agent).unwrap();
        assert_eq!(std::fs::read_dir(&presences.dir).unwrap().count(), 0);
    }
}

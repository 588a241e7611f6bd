//! When and where each agent was last seen on this machine.
//!
//! Each agent has one small file, which is replaced each time, and one file for its tool calls.
//! They are not state: decisions depend on them only where an entry names them as its evidence, and
//! losing one loses a hint.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::core::identity::in_shell::Running;
use crate::core::ids::AgentName;
use crate::core::ownership::tool_call::CallKind;
use crate::core::reservation::process::Process;
use crate::core::text::Line;
use crate::core::time::Timestamp;
use crate::store::error::StoreError;
use crate::store::layout::HelperDir;
use crate::store::machine::open_tool_calls::{OpenCall, OpenToolCalls};
use crate::store::machine::record::{agent_of, file_name, replace};
use crate::store::os::files::{Files, Purpose};
use crate::store::os::process::ProcessIdentity;

/// The maximum size of a file, which holds some names and times.
const PRESENCE_BYTES_MAX: u64 = 64 * 1024;
/// Ends the name of the file of an agent's tool calls.
const OPEN_CALLS: &str = ".open";
/// The maximum number of agents that are read.
const AGENTS_MAX: usize = 10_000;

/// An agent as it was last seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Presence {
    pub agent: AgentName,
    pub host: Line,
    /// The time of its last call.
    pub last_seen: Timestamp,
    /// The linked worktree that the agent was in; absent for the main one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub worktree: Option<Line>,
    /// The branch that was checked out there.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub branch: Option<Line>,
    /// The terminal that the agent ran in.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub terminal: Option<Line>,
    /// The sessions that act under this name, with the time when each was last seen. Two sessions
    /// share the name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub sessions: BTreeMap<String, Timestamp>,
    /// The processes of the agent's program that it was seen below, and that ran at that time.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub processes: Vec<Process>,
    /// Set if the last call of a hook was part of a turn.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub in_turn: bool,
    /// Set once a hook has reported the agent: hooks end its holds with its turn.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub hooked: bool,
    /// Set once every session under this name has said that it ends.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub has_left: bool,
    /// The requests that the agent was told of, by thread, so that it is told of each once.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub told: BTreeMap<String, String>,
}

impl Presence {
    /// Tells whether the agent is no more: it said so, or its processes have ended. A process of
    /// another host, boot or container is never judged.
    pub fn has_ended(&self) -> bool {
        self.has_left || self.has_no_process()
    }

    /// Tells whether all of the agent's processes have ended; false if none is known.
    pub fn has_no_process(&self) -> bool {
        let has_died = |process| ProcessIdentity::of(process).has_ended_here();
        !self.processes.is_empty() && self.processes.iter().all(has_died)
    }
}

/// The records of one repository on this machine.
#[derive(Clone, Debug)]
pub struct Presences {
    dir: PathBuf,
    files: Files,
}

impl Presences {
    pub fn new(common_dir: &Path, files: Files) -> Presences {
        Presences { dir: HelperDir::Presence.below(common_dir), files }
    }

    fn path(&self, agent: &AgentName) -> PathBuf {
        self.dir.join(format!("{}.json", file_name(agent)))
    }

    /// Reads the record of an agent; `None` if it is missing or unreadable.
    pub fn get(&self, agent: &AgentName) -> Option<Presence> {
        self.read(&self.path(agent)).filter(|presence| presence.agent == *agent)
    }

    /// Lists the known sessions that act under a name.
    pub fn sessions(&self, agent: &AgentName) -> Vec<String> {
        self.get(agent).map_or_else(Vec::new, |presence| presence.sessions.into_keys().collect())
    }

    /// Finds the session that was seen last below a process and has not left, among names that
    /// pass.
    pub fn session_of(
        &self,
        process: &Process,
        passes: impl Fn(&AgentName) -> bool,
    ) -> Option<AgentName> {
        let mut below = self.all();
        below.retain(|seen| {
            seen.processes.contains(process) && !seen.has_left && passes(&seen.agent)
        });
        let last = below.into_iter().max_by_key(|seen| seen.last_seen)?;
        Some(last.agent.session())
    }

    fn read(&self, path: &Path) -> Option<Presence> {
        let bytes = self.files.read(path, PRESENCE_BYTES_MAX).ok()??;
        serde_json::from_slice(&bytes).ok()
    }

    /// Replaces the record of an agent.
    pub fn put(&self, presence: &Presence) -> Result<(), StoreError> {
        let bytes = serde_json::to_vec(presence).expect("a presence is plain data");
        Ok(replace(self.files, &self.path(&presence.agent), &bytes, Purpose::Helper)?)
    }

    /// Opens the records of an agent's tool calls.
    pub fn open_tool_calls(&self, agent: &AgentName) -> OpenToolCalls {
        let file = self.dir.join(format!("{}{OPEN_CALLS}", file_name(agent)));
        OpenToolCalls::new(file, self.files)
    }

    /// Lists the subagents of a session that have records of tool calls, be they open or not.
    fn subagents_with_calls(&self, session: &AgentName) -> Vec<AgentName> {
        let names = self.files.list(&self.dir).unwrap_or_default();
        let agent = |name: &OsString| {
            let agent = agent_of(name.to_str()?.strip_suffix(OPEN_CALLS)?)?;
            (session.covers(&agent) && agent != *session).then_some(agent)
        };
        names.iter().filter_map(agent).take(AGENTS_MAX).collect()
    }

    /// Lists the shell commands of a session and its subagents that are open. Where no subagent has
    /// one, those of the session are not read.
    pub fn running(&self, session: &AgentName) -> Vec<Running> {
        let of = |agent: AgentName| {
            let open = self.open_tool_calls(&agent).calls().into_iter();
            let open = open.filter(OpenCall::is_running_command);
            let running = open.map(move |call| Running {
                agent: agent.clone(),
                runs_git: call.kind == CallKind::Git,
            });
            running.collect::<Vec<_>>()
        };
        let mut running: Vec<Running> =
            self.subagents_with_calls(session).into_iter().flat_map(of).collect();
        if !running.is_empty() {
            running.extend(of(session.clone()));
        }
        running
    }

    /// Ends every tool call of a session and its subagents.
    pub fn end_calls(&self, session: &AgentName) -> Result<(), StoreError> {
        let subagents = self.subagents_with_calls(session);
        subagents.iter().chain([session]).try_for_each(|it| self.open_tool_calls(it).end_all())
    }

    /// Reads every readable record.
    pub fn all(&self) -> Vec<Presence> {
        let names = self.files.list(&self.dir).unwrap_or_default();
        let whole = names.iter().filter(|name| name.as_encoded_bytes().ends_with(b".json"));
        whole.take(AGENTS_MAX).filter_map(|name| self.read(&self.dir.join(name))).collect()
    }

    /// Removes the records of an agent. Returns false if there was none.
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
            processes: Vec::new(),
            in_turn: false,
            hooked: false,
            has_left: false,
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
        presences
            .open_tool_calls(&agent)
            .begin("call", Timestamp::from_millis(3), CallKind::Other)
            .unwrap();
        assert_eq!(presences.all(), [seen("claude:1/sub", 2)], "a call is nobody's presence");
        assert!(presences.forget(&agent).unwrap());
        assert!(presences.open_tool_calls(&agent).open().is_empty());
        assert_eq!(presences.files.list(&presences.dir).unwrap(), ["bob.json"]);
    }

    /// 8/SIBLING: the open shell commands of a session and its subagents are found, and no others.
    #[test]
    fn running_commands_are_those_of_one_session() {
        let home = tempfile::tempdir().unwrap();
        let presences = Presences::new(home.path(), FILES);
        let at = Timestamp::from_millis(1);
        let session: AgentName = "claude:1".parse().unwrap();
        let begin = |agent: &str, call: &str, kind: CallKind| {
            let agent = agent.parse().unwrap();
            presences.open_tool_calls(&agent).begin(call, at, kind).unwrap();
        };
        begin("claude:1", "a", CallKind::Git);
        assert_eq!(presences.running(&session), [], "no subagent is there");
        begin("claude:12/x", "b", CallKind::Shell);
        begin("claude:1/x", "c", CallKind::Other);
        begin("claude:1/x", "d", CallKind::Shell);
        let found: Vec<(String, bool)> = presences
            .running(&session)
            .into_iter()
            .map(|it| (it.agent.as_str().to_owned(), it.runs_git))
            .collect();
        assert_eq!(found, [("claude:1/x".to_owned(), false), ("claude:1".to_owned(), true)]);
        presences.end_calls(&session).unwrap();
        assert_eq!(presences.running(&session), []);
        assert_eq!(presences.running(&"claude:12".parse().unwrap()).len(), 1);
    }
}

//! The programs that run agents, and the variables that each sets for the commands of its agents.

use crate::core::environment::Environment;

/// A program that runs agents.
#[derive(Debug)]
pub struct Program {
    /// The first part of the names of its agents.
    pub kind: &'static str,
    /// The variables that tell the session, the best first.
    pub session: &'static [&'static str],
    /// The variable that tells the subagent.
    pub subagent: Option<&'static str>,
    /// The variable that tells only that the program is there.
    pub mark: Option<&'static str>,
    /// The variable that tells the number of its process.
    pub pid: Option<&'static str>,
    /// The names of its executables, its scripts and their packages.
    pub names: &'static [&'static str],
}

/// The known programs. The last one stands for all that set no variable but the common mark.
pub const PROGRAMS: [Program; 8] = [
    Program {
        kind: "claude",
        session: &["CLAUDE_CODE_SESSION_ID"],
        subagent: None,
        mark: Some("CLAUDECODE"),
        pid: Some("CLAUDE_PID"),
        names: &["claude", "claude-code"],
    },
    Program {
        kind: "codex",
        session: &["CODEX_SESSION_ID", "CODEX_THREAD_ID"],
        subagent: Some("CODEX_THREAD_ID"),
        mark: None,
        pid: None,
        names: &["codex"],
    },
    Program {
        kind: "copilot",
        session: &["COPILOT_AGENT_SESSION_ID"],
        subagent: None,
        mark: Some("COPILOT_CLI"),
        pid: None,
        names: &["copilot"],
    },
    Program {
        kind: "cursor",
        session: &["CURSOR_CONVERSATION_ID"],
        subagent: None,
        mark: Some("CURSOR_AGENT"),
        pid: None,
        names: &["cursor-agent", "cursor"],
    },
    Program {
        kind: "qwen",
        session: &["QWEN_CODE_SESSION_ID"],
        subagent: Some("QWEN_CODE_AGENT_ID"),
        mark: None,
        pid: None,
        names: &["qwen", "qwen-code"],
    },
    Program {
        kind: "gemini",
        session: &[],
        subagent: None,
        mark: Some("GEMINI_CLI"),
        pid: None,
        names: &["gemini", "gemini-cli"],
    },
    Program {
        kind: "opencode",
        session: &[],
        subagent: None,
        mark: Some("OPENCODE"),
        pid: Some("OPENCODE_PID"),
        names: &["opencode", "opencode-ai"],
    },
    Program {
        kind: "agent",
        session: &[],
        subagent: None,
        mark: Some("AGENT"),
        pid: None,
        names: &[],
    },
];

impl Program {
    /// Returns the variable that tells the session, with its value.
    pub fn session_variable<'e>(
        &self,
        environment: &'e Environment,
    ) -> Option<(&'static str, &'e str)> {
        let told = |name: &&'static str| Some((*name, environment.non_empty(name)?));
        self.session.iter().find_map(told)
    }

    /// Returns the first variable that tells that the program is there.
    pub fn sign(&self, environment: &Environment) -> Option<&'static str> {
        let mark = self.mark.filter(|name| environment.non_empty(name).is_some());
        self.session_variable(environment).map(|(name, _)| name).or(mark)
    }
}

/// Lists the variables that tell a session.
pub fn session_variables() -> impl Iterator<Item = &'static str> {
    PROGRAMS.iter().flat_map(|program| program.session.iter().copied())
}

/// Lists the variables that tell only that a program is there.
pub fn marks() -> impl Iterator<Item = &'static str> {
    PROGRAMS.iter().filter_map(|program| program.mark)
}

/// Lists every variable that tells of a program.
pub fn signs() -> impl Iterator<Item = &'static str> {
    session_variables().chain(marks())
}

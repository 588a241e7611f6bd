//! Agents' hooks: each agent has its dialect, all of them have one rule.
//!
//! ```text
//! payload -> dialect: Call{agent, event} -> rule -> Verdict -> dialect -> answer
//! ```
//!
//! A new agent is one more [`Dialect`]; `rule` does not change for it. `sender` knows the dialect
//! of a payload, and [`run`] is everything around that: reading the payload, the time limit, and
//! what happens when something fails.

mod claude;
#[doc(hidden)] // For the fuzzer.
pub mod heard;
mod rule;
pub mod run;
mod sender;
mod words;

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use crate::app::identity::Session;
use crate::app::presence::Doing;
use crate::app::{shell_gate, specs};
use crate::core::ownership::tool_call::CallKind;

/// How a kind of agent talks to its hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Claude Code.
    Claude,
}

/// A call of a hook: an agent did, or is about to do, something.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Call {
    /// The session that acts, or a subagent of it.
    session: Session,
    /// The current directory of that agent, if the payload has it.
    directory: Option<PathBuf>,
    /// The name of the event in the agent's own words, which the answer repeats.
    name: String,
    event: Event,
    /// The agent's id of the tool call; empty if the payload has none.
    tool_use: String,
}

impl Call {
    /// Follows the path of the call to what an edit of it changes, once for all that ask.
    fn follow(&mut self) {
        if let Event::Edit(path) | Event::CallEnds(Some(path)) = &mut self.event {
            *path = specs::resolved(path);
        }
    }

    /// Tells what the call shows of the agent's work. A refused call does not begin.
    fn doing(&self, is_refused: bool) -> Doing<'_> {
        match &self.event {
            Event::Edit(_) | Event::CallBegins(_) if is_refused => Doing::Reported,
            Event::Edit(_) => Doing::CallBegins(&self.tool_use, CallKind::Other),
            Event::CallBegins(text) => {
                Doing::CallBegins(&self.tool_use, shell_gate::kind(text.as_deref()))
            }
            Event::CallEnds(_) | Event::ShellRan(_) => Doing::CallEnds(&self.tool_use),
            Event::SessionStart | Event::SubagentStart | Event::TurnEnd | Event::SubagentEnd => {
                Doing::NoCall
            }
            Event::SessionEnd => Doing::SessionEnds,
            Event::TurnBegins => Doing::TurnBegins,
            Event::ToolRan => Doing::Works,
            Event::Other => Doing::Reported,
        }
    }
}

/// An event that agents call a hook for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Event {
    /// A session begins or goes on.
    SessionStart,
    /// A subagent begins.
    SubagentStart,
    /// A file is about to be changed, by an absolute path without `.` and `..`.
    Edit(PathBuf),
    /// A shell command is about to run, which may take its time; with its text if it is known.
    CallBegins(Option<String>),
    /// An edit is over: the file was changed, by the same path as before if the payload has it, or
    /// nothing is known of it.
    CallEnds(Option<PathBuf>),
    /// A shell command has run, well or not.
    ShellRan(ShellEnd),
    /// Another tool call is over, well or not.
    ToolRan,
    /// Somebody has asked for something: a turn begins, and one that was interrupted is over.
    TurnBegins,
    /// The agent has finished its turn, or an error has ended it.
    TurnEnd,
    /// A subagent has finished.
    SubagentEnd,
    /// The session is over.
    SessionEnd,
    /// Something that is no matter of ours.
    Other,
}

/// The end of a shell command, as far as the agent tells it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct ShellEnd {
    /// The time that it took.
    took: Option<Duration>,
    /// The files that it has changed, by absolute paths.
    changed: Option<Vec<PathBuf>>,
}

impl Event {
    /// Tells whether the agent can be told something at that event, be it on its way or in between.
    fn can_tell(&self) -> bool {
        !matches!(self, Event::TurnEnd | Event::SubagentEnd | Event::SessionEnd | Event::Other)
    }

    /// Tells whether the agent has done something, so that it has the time to hear what others ask
    /// for.
    fn is_pause(&self) -> bool {
        matches!(self, Event::CallEnds(_) | Event::ShellRan(_) | Event::ToolRan | Event::TurnBegins)
    }

    /// Tells whether a part of the session ends, in every work tree that it works in.
    fn is_end(&self) -> bool {
        matches!(self, Event::TurnBegins | Event::TurnEnd | Event::SubagentEnd | Event::SessionEnd)
    }
}

/// The message to the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Verdict {
    /// Nothing: what was to be done is done, under the user's own rules of permission.
    Silence,
    /// Not to do it, and why.
    Deny(String),
    /// To go on, knowing this.
    Tell(String),
    /// To go on, knowing this, which the person in front of it should know as well.
    Warn(String),
}

/// A payload that is not what was documented.
#[derive(Debug, thiserror::Error)]
enum Unreadable {
    /// More than any agent sends.
    #[error("the hook's input is longer than {} MB", run::INPUT_BYTES_MAX >> 20)]
    TooLong,
    /// It did not come.
    #[error("no input within {}s", crate::hook::deadline::LIMIT.as_secs())]
    Late,
    /// It could not be read at all.
    #[error("cannot read the hook's input: {0}")]
    Input(std::io::Error),
    /// It is not the JSON that the agent documents.
    #[error("the hook's input is not what {agent} sends: {why}")]
    Malformed {
        /// The agent that seems to have sent it.
        agent: &'static str,
        why: String,
    },
}

impl Verdict {
    /// Adds a text for the agent.
    fn and(self, more: &str) -> Verdict {
        let both = |text: String| format!("{text}\n{more}");
        match self {
            Verdict::Silence => Verdict::Tell(more.to_owned()),
            Verdict::Deny(text) => Verdict::Deny(both(text)),
            Verdict::Tell(text) => Verdict::Tell(both(text)),
            Verdict::Warn(text) => Verdict::Warn(both(text)),
        }
    }
}

impl Dialect {
    fn decode(self, input: &[u8]) -> Result<Call, Unreadable> {
        match self {
            Dialect::Claude => claude::decode(input),
        }
    }

    /// Encodes the answer to an event of that name; none where silence is the answer.
    fn encode(self, event: &str, verdict: &Verdict) -> Option<Value> {
        match self {
            Dialect::Claude => claude::encode(event, verdict),
        }
    }

    /// Names the event before an edit, which an input that cannot be read is taken for.
    fn gate(self) -> &'static str {
        match self {
            Dialect::Claude => claude::GATE,
        }
    }
}

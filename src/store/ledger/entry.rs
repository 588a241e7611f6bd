//! Entries: the format of their commits, and how they are written and parsed.
//!
//! ```text
//! reserve src/api/** for claude:7f3a91c2 (15m)
//!
//! {"type":"granted","actor":"claude:7f3a91c2","subject":"k3v9x0ab","data":{...}}
//! {"command":"reserve","input":{...},"actor":"...","host":"...","clock":"...","rules":1}
//!
//! Coord-Op: 6d0c3f...
//! Coord-Seq: 12
//! Coord-Time: 2026-01-31T08:30:00.123Z
//! Coord-Fence: 1769848200124
//! ```
//!
//! The counters are in the trailers and are read from the parent, never from a tree, so restoring
//! an older tree cannot turn them back.

mod rebase;

use std::collections::BTreeMap;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::core::clock::Leap;
use crate::core::decision::Changes;
use crate::core::event::Event;
use crate::core::ids::{AgentName, OpId};
use crate::core::time::Timestamp;
use crate::store::git::object::{Object, ObjectId, ObjectKind};
pub use crate::store::ledger::committer::Committer;
pub use rebase::rebase;

/// The document that holds a command too large for the message. It belongs to its own entry only.
pub const COMMAND_DOCUMENT: &str = "command";

/// The document that holds the events of an entry if they are too large for the message, so that
/// readers of the state need not read them. It belongs to its own entry only.
pub const EVENTS_DOCUMENT: &str = "events";

/// The highest valid counter. A larger one was forged rather than counted, and JSON readers lose
/// its last digits.
const COUNTER_MAX: u64 = 1 << 53;

const LEAPT_FROM: &str = "Coord-Leapt-From";
const ROLLBACK_TO: &str = "Coord-Rollback-To";
const STANDS_FOR: &str = "Coord-Stands-For";

/// The counters that an entry hands on to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counters {
    /// The act that the entry records.
    pub op: OpId,
    /// The number of the entry's last event. Events of a chain are numbered from 1.
    pub seq: u64,
    /// The time of the decision. It can be before that of the parent, if the parent's clock was
    /// wrong.
    pub at: Timestamp,
    /// The highest fence that was given out.
    pub fence: u64,
    /// The leap of the time that is in doubt; `None` for almost all entries.
    pub leap: Option<Leap>,
}

/// The number of values that a counter must have left so that writers can continue: more than any
/// entry takes.
const COUNTER_ROOM: u64 = 1_000_000;

impl Counters {
    /// Explains why no entry can follow these counters, if none can: a counter was forged.
    pub fn exhausted(&self) -> Option<String> {
        let counters = [("sequence", self.seq), ("fence", self.fence)];
        let (name, value) =
            counters.into_iter().find(|(_, value)| *value > COUNTER_MAX - COUNTER_ROOM)?;
        Some(format!("its {name} is {value}, so high that no entry can follow it"))
    }

    /// Tells whether the counters are so high that no reader accepts them.
    pub fn are_too_high(&self) -> bool {
        self.seq.max(self.fence) > COUNTER_MAX
    }

    /// Adds the events and fences of a decision.
    pub fn count(&mut self, changes: &Changes) {
        self.seq = self.seq.saturating_add(changes.events.len() as u64);
        self.fence = changes.fence;
    }
}

/// The place of the recorded command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// In the message.
    Inline(Value),
    /// In the document [`COMMAND_DOCUMENT`] of this entry's tree, under this id.
    Document(ObjectId),
}

/// The trailers of a rollback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undoes {
    /// The entry whose state is restored.
    pub to: ObjectId,
    /// The number of entries that the rollback undoes.
    pub count: u64,
}

/// The trailers of a checkpoint: the root of a ledger that was made shorter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The entry whose state and counters the checkpoint has.
    pub stands_for: ObjectId,
    /// The newest entry of the old chain.
    pub replaces: ObjectId,
    /// The number of entries that are no longer in the chain.
    pub set_aside: u64,
}

/// The message of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// One line for people.
    pub summary: String,
    pub events: Vec<Event>,
    /// The document [`EVENTS_DOCUMENT`] of this entry's tree, if the events are there.
    pub events_at: Option<ObjectId>,
    /// The command that was decided.
    pub command: Recorded,
    pub counters: Counters,
    /// Set for a rollback.
    pub undoes: Option<Undoes>,
    /// Set for a checkpoint.
    pub checkpoint: Option<Checkpoint>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The state after this entry.
    pub tree: ObjectId,
    pub parent: Option<ObjectId>,
    pub message: Message,
}

/// The part of an entry that readers of the state need. They have no use for the events, of which
/// an entry can have thousands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryHead {
    /// The state after this entry.
    pub tree: ObjectId,
    pub parent: Option<ObjectId>,
    pub counters: Counters,
    /// The agent that acted, if the message says so.
    pub actor: Option<AgentName>,
}

/// The error for a commit that is not an entry.
#[derive(Debug, thiserror::Error)]
#[error("not in the format of an entry: {0}")]
pub struct NotAnEntry(String);

fn not(why: impl Into<String>) -> NotAnEntry {
    NotAnEntry(why.into())
}

impl Message {
    fn encode(&self) -> String {
        let mut text = format!("{}\n\n", self.summary);
        match &self.events_at {
            Some(id) => text.push_str(&line(&json!({ "events": { "blob": id.to_string() } }))),
            None => text.push_str(&encode_events(&self.events)),
        }
        text.push_str(&match &self.command {
            Recorded::Inline(command) => line(command),
            Recorded::Document(id) => line(&json!({ "command": { "blob": id.to_string() } })),
        });
        let Counters { op, seq, at, fence, leap } = &self.counters;
        text.push_str(&format!(
            "\nCoord-Op: {op}\nCoord-Seq: {seq}\nCoord-Time: {at}\nCoord-Fence: {fence}\n"
        ));
        if let Some(Leap { from, to }) = leap {
            text.push_str(&format!("{LEAPT_FROM}: {from}\nCoord-Leapt-To: {to}\n"));
        }
        if let Some(Undoes { to, count }) = &self.undoes {
            text.push_str(&format!("{ROLLBACK_TO}: {to}\nCoord-Abandons: {count}\n"));
        }
        if let Some(Checkpoint { stands_for, replaces, set_aside }) = &self.checkpoint {
            text.push_str(&format!(
                "{STANDS_FOR}: {stands_for}\nCoord-Replaces: {replaces}\n\
                 Coord-Set-Aside: {set_aside}\n"
            ));
        }
        text
    }

    fn decode(text: &str) -> Result<Message, NotAnEntry> {
        let (summary, body, trailers) = split(text)?;
        let trailers = Trailers::parse(trailers);
        let (mut events, mut events_at, mut command) = (Vec::new(), None, None);
        for text in body.lines() {
            let value: Value = serde_json::from_str(text)
                .map_err(|error| not(format!("a line of it is not JSON: {error}")))?;
            match &value["command"] {
                Value::Null if value["events"].is_object() => {
                    events_at = Some(parse("events", &value["events"]["blob"])?);
                }
                Value::Null => events.push(event(value)?),
                Value::String(_) => command = Some(Recorded::Inline(value)),
                pointer => command = Some(Recorded::Document(parse("command", &pointer["blob"])?)),
            }
        }
        let undoes = match trailers.find(ROLLBACK_TO) {
            None => None,
            Some(_) => Some(Undoes {
                to: trailers.get(ROLLBACK_TO)?,
                count: trailers.get("Coord-Abandons")?,
            }),
        };
        let checkpoint = match trailers.find(STANDS_FOR) {
            None => None,
            Some(_) => Some(Checkpoint {
                stands_for: trailers.get(STANDS_FOR)?,
                replaces: trailers.get("Coord-Replaces")?,
                set_aside: trailers.get("Coord-Set-Aside")?,
            }),
        };
        let counters = trailers.counters()?;
        if counters.seq < events.len() as u64 {
            return Err(not("its counters are out of range"));
        }
        Ok(Message {
            summary: summary.to_owned(),
            events,
            events_at,
            command: command.ok_or_else(|| not("it names no command"))?,
            counters,
            undoes,
            checkpoint,
        })
    }
}

/// Encodes events, one line of JSON each.
pub fn encode_events(events: &[Event]) -> String {
    events.iter().map(line).collect()
}

fn event(value: Value) -> Result<Event, NotAnEntry> {
    serde_json::from_value(value)
        .map_err(|error| not(format!("an event of it is malformed: {error}")))
}

/// Splits a message into the summary for people, the JSON lines and the trailers.
fn split(text: &str) -> Result<(&str, &str, &str), NotAnEntry> {
    let (summary, rest) = text.split_once("\n\n").ok_or_else(|| not("it has no body"))?;
    let (body, trailers) =
        rest.trim_end().rsplit_once("\n\n").ok_or_else(|| not("it has no trailers"))?;
    Ok((summary, body, trailers))
}

fn line(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("events and commands are plain data") + "\n"
}

fn parse<T: FromStr>(what: &str, value: &Value) -> Result<T, NotAnEntry> {
    let text = value.as_str().unwrap_or_default();
    text.parse().map_err(|_| not(format!("its {what} is malformed")))
}

struct Trailers<'t>(BTreeMap<&'t str, &'t str>);

impl<'t> Trailers<'t> {
    fn parse(text: &'t str) -> Trailers<'t> {
        Trailers(text.lines().filter_map(|line| line.split_once(": ")).collect())
    }

    fn find(&self, name: &str) -> Option<&'t str> {
        self.0.get(name).copied()
    }

    fn counters(&self) -> Result<Counters, NotAnEntry> {
        let leap = match self.find(LEAPT_FROM) {
            None => None,
            Some(_) => Some(Leap { from: self.get(LEAPT_FROM)?, to: self.get("Coord-Leapt-To")? }),
        };
        let counters = Counters {
            leap,
            op: self.get("Coord-Op")?,
            seq: self.get("Coord-Seq")?,
            at: self.get("Coord-Time")?,
            fence: self.get("Coord-Fence")?,
        };
        // Every entry has an event.
        if counters.seq == 0 || counters.are_too_high() {
            return Err(not("its counters are out of range"));
        }
        Ok(counters)
    }

    fn get<T: FromStr>(&self, name: &str) -> Result<T, NotAnEntry> {
        let text = self.find(name).ok_or_else(|| not(format!("it has no {name} trailer")))?;
        text.parse().map_err(|_| not(format!("its {name} trailer is malformed")))
    }
}

impl Entry {
    /// Encodes the entry as a commit object.
    pub fn to_object(&self, signature: &str) -> Object {
        let mut text = format!("tree {}\n", self.tree);
        if let Some(parent) = &self.parent {
            text.push_str(&format!("parent {parent}\n"));
        }
        for role in ["author", "committer"] {
            text.push_str(&format!("{role} {signature}\n"));
        }
        text.push('\n');
        text.push_str(&self.message.encode());
        Object { kind: ObjectKind::Commit, bytes: text.into_bytes() }
    }

    /// Parses a commit object. Events that are in a document are not in it.
    pub fn parse(bytes: &[u8]) -> Result<Entry, NotAnEntry> {
        let (EntryHead { tree, parent, .. }, message) = EntryHead::parse_with_message(bytes)?;
        Ok(Entry { tree, parent, message: Message::decode(message)? })
    }

    /// Adds the events of the document that the message names.
    pub fn with_events(mut self, document: &[u8]) -> Result<Entry, NotAnEntry> {
        for line in document.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let value = serde_json::from_slice(line)
                .map_err(|error| not(format!("a line of its events is not JSON: {error}")))?;
            self.message.events.push(event(value)?);
        }
        if self.message.counters.seq < self.message.events.len() as u64 {
            return Err(not("its counters are out of range"));
        }
        Ok(self)
    }
}

/// Finds the agent that acted. The first event and the command both name it, unless they are in
/// documents because of their size.
fn actor_in(body: &str) -> Option<AgentName> {
    #[derive(Deserialize)]
    struct Named {
        actor: Option<AgentName>,
    }
    let named = |line| serde_json::from_str::<Named>(line).ok()?.actor;
    body.lines().next().and_then(named).or_else(|| body.lines().last().and_then(named))
}

impl EntryHead {
    /// Parses only the part of a commit object that readers of the state need.
    pub fn parse(bytes: &[u8]) -> Result<EntryHead, NotAnEntry> {
        EntryHead::parse_with_message(bytes).map(|(head, _)| head)
    }

    fn parse_with_message(bytes: &[u8]) -> Result<(EntryHead, &str), NotAnEntry> {
        let text = std::str::from_utf8(bytes).map_err(|_| not("it is not UTF-8"))?;
        let (header, message) = text.split_once("\n\n").ok_or_else(|| not("it has no message"))?;
        let field = |name: &str| -> Vec<&str> {
            let lines = header.lines().filter_map(|line| line.split_once(' '));
            lines.filter(|(field, _)| *field == name).map(|(_, value)| value).collect()
        };
        let id = |text: &str| text.parse().map_err(|_| not("an id in it is malformed"));
        let parent = match field("parent").as_slice() {
            [] => None,
            [parent] => Some(id(parent)?),
            _ => return Err(not("it has several parents")),
        };
        let tree = *field("tree").first().ok_or_else(|| not("it has no tree"))?;
        let (_, body, trailers) = split(message)?;
        let counters = Trailers::parse(trailers).counters()?;
        Ok((EntryHead { tree: id(tree)?, parent, counters, actor: actor_in(body) }, message))
    }
}

#[cfg(test)]
mod tests;

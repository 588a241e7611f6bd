//! The places of threads and messages in the tree.
//!
//! ```text
//! threads/abcd.../thread                  a thread, by its name
//! threads/abcd.../messages/mfz3k1c2       its messages, in order
//! threads/abcd.../bodies/mfz3k1c2         what a message says, if that is more than a line
//! parties/+claude:7f3a91c2/abcd...        the open requests of an agent, whichever side it is on
//! pins/k3v9x0ab/abcd...                   the open requests that a hold is pinned by
//! inbox/+claude:7f3a91c2/mfz/mfz3k1c2     the messages to an agent, by half days, in order
//! unread/+claude:7f3a91c2/mfz/mfz3k1c2    those that it has not acknowledged
//! ```
//!
//! All copies of a thread name the same blob, and so do all copies of a message. A closed request
//! has no links, so a search for open requests never looks at closed ones.

use std::collections::BTreeMap;

pub use crate::core::damage::{Damage, Found, found};
use crate::core::decision::Act;
use crate::core::documents::{ChildKind, Documents, Key, ReadError, read, walk};
use crate::core::ids::{AgentName, HoldId};
use crate::core::limits::OPEN_ASKS_PER_AGENT_MAX;
use crate::core::negotiation::body::Body;
use crate::core::negotiation::ids::{MessageId, ThreadId, ThreadPrefix};
use crate::core::negotiation::{Message, MessageKind, Thread, events};
use crate::core::pattern::Pattern;
use crate::core::reservation::index::agent_dir;
use crate::core::text::{Line, shown};

/// The directories that this module owns.
pub const ROOTS: [&str; 5] = ["threads", PARTIES, "pins", "inbox", "unread"];

/// The directory of all messages to an agent.
pub const INBOX: &str = "inbox";
/// The directory of the messages that an agent has not acknowledged.
pub const UNREAD: &str = "unread";

const PARTIES: &str = "parties";
const THREAD: &str = "thread";
const MESSAGES: &str = "messages";
const BODIES: &str = "bodies";

pub fn thread_dir(id: &ThreadId) -> Key {
    Key::of(["threads", id.as_str()])
}

fn pins_dir(hold: &HoldId) -> Key {
    Key::of(["pins", hold.as_str()])
}

/// Returns every place of a thread.
pub fn keys(thread: &Thread) -> Vec<Key> {
    let id = thread.id.as_str();
    let mut keys = vec![thread_dir(&thread.id).join(THREAD)];
    if let Some(asked) = thread.open() {
        let parties = [&thread.opened_by, &asked.holder];
        keys.extend(parties.map(|agent| agent_dir(PARTIES, agent).join(id)));
        keys.extend(asked.pinned.iter().map(|hold| pins_dir(hold).join(id)));
    }
    keys
}

/// Writes a thread to its places, and removes it from those that it had `before`.
pub fn put(act: &mut Act<'_>, before: Option<&Thread>, thread: &Thread) {
    let places = keys(thread);
    for key in before.map(keys).unwrap_or_default() {
        if !places.contains(&key) {
            act.remove(key);
        }
    }
    for key in places {
        act.put(key, thread);
    }
}

/// Reads a thread by its id.
pub fn thread(documents: &dyn Documents, id: &ThreadId) -> Result<Option<Thread>, ReadError> {
    let key = thread_dir(id).join(THREAD);
    let thread: Option<Thread> = read(documents, &key)?;
    match thread {
        Some(thread) if thread.id != *id => {
            Err(ReadError::damaged(&key, format!("it is the thread {}", thread.id)))
        }
        found => Ok(found),
    }
}

/// Lists the threads whose ids begin with the prefix.
pub fn with_prefix(
    documents: &dyn Documents,
    prefix: &ThreadPrefix,
) -> Result<Vec<ThreadId>, ReadError> {
    let children = documents.list_starting(&Key::of(["threads"]), prefix.as_str())?;
    Ok(children.iter().filter_map(|child| child.name.parse().ok()).collect())
}

/// Lists the ids of all threads.
pub fn all(documents: &dyn Documents) -> Result<Vec<ThreadId>, ReadError> {
    let children = documents.list(&Key::of(["threads"]))?;
    Ok(children.iter().filter_map(|child| child.name.parse().ok()).collect())
}

/// Reads the open requests that the agent or a subagent of it made or is to answer, the oldest
/// first.
pub fn open_of(
    documents: &dyn Documents,
    agent: &AgentName,
) -> Result<Vec<Found<Thread>>, ReadError> {
    read_open(documents, walk(documents, &agent_dir(PARTIES, agent))?)
}

/// Reads every open request, the oldest first.
pub fn open(documents: &dyn Documents) -> Result<Vec<Found<Thread>>, ReadError> {
    read_open(documents, walk(documents, &Key::of([PARTIES]))?)
}

/// Reads at most `most` of the open requests that neither the agent nor a subagent of it is a party
/// to, the oldest first.
pub fn open_of_others(
    documents: &dyn Documents,
    agent: &AgentName,
    most: usize,
) -> Result<Vec<Found<Thread>>, ReadError> {
    let names = |dir: &Key| -> Result<BTreeMap<String, Key>, ReadError> {
        let keys = walk(documents, dir)?.into_iter();
        Ok(keys.map(|key| (key.split_last().1.to_owned(), key)).collect())
    };
    let own = names(&agent_dir(PARTIES, agent))?;
    // Each request stands under both of its parties, and is read once.
    let mut others = names(&Key::of([PARTIES]))?;
    others.retain(|name, _| !own.contains_key(name));
    read_open(documents, others.into_values().take(most))
}

/// Reads the open requests at these places, the oldest first; those that cannot be read come last.
fn read_open(
    documents: &dyn Documents,
    keys: impl IntoIterator<Item = Key>,
) -> Result<Vec<Found<Thread>>, ReadError> {
    let mut threads = Vec::new();
    let mut damaged = Vec::new();
    for key in keys {
        match found(read::<Thread>(documents, &key))? {
            Some(Found::Whole(thread)) if thread.open().is_some() => threads.push(thread),
            Some(Found::Damaged(damage)) => damaged.push(Found::Damaged(damage)),
            Some(Found::Whole(_)) | None => {}
        }
    }
    threads.sort_by(|one, other| (one.opened_at, &one.id).cmp(&(other.opened_at, &other.id)));
    threads.dedup_by(|one, other| one.id == other.id);
    Ok(threads.into_iter().map(Found::Whole).chain(damaged).collect())
}

/// Counts the open requests that an agent has made, without those of its subagents. The requests
/// that the agent is to answer stand in the same place, so the requests are read to tell them
/// apart, but only if there are more than the limit.
pub fn count_made(documents: &dyn Documents, agent: &AgentName) -> Result<usize, ReadError> {
    let dir = agent_dir(PARTIES, agent);
    let children = documents.list(&dir)?;
    let own = children.iter().filter(|child| child.kind == ChildKind::Document);
    let keys: Vec<Key> = own.map(|child| dir.join(&child.name)).collect();
    if keys.len() <= OPEN_ASKS_PER_AGENT_MAX {
        return Ok(keys.len());
    }
    let mut count = 0;
    for key in &keys {
        let thread = found(read::<Thread>(documents, key))?.and_then(Found::whole);
        count += usize::from(thread.is_some_and(|thread| thread.opened_by == *agent));
    }
    Ok(count)
}

/// Reads the open requests that are pinned to a hold, and passes over those that cannot be read.
pub fn pinning(documents: &dyn Documents, hold: &HoldId) -> Result<Vec<Thread>, ReadError> {
    let mut threads = Vec::new();
    let dir = pins_dir(hold);
    for child in documents.list(&dir)? {
        let thread = found(read::<Thread>(documents, &dir.join(&child.name)))?;
        threads.extend(thread.and_then(Found::whole).filter(|thread| thread.open().is_some()));
    }
    Ok(threads)
}

/// A message before it is sent.
pub struct Letter<'a> {
    pub thread: &'a ThreadId,
    pub kind: MessageKind,
    pub to: Vec<AgentName>,
    pub subject: Line,
    pub body: Option<&'a Body>,
    pub urgent: bool,
    /// Set if the sender wants an acknowledgement.
    pub ack: bool,
    /// The paths that the message is about.
    pub patterns: Vec<Pattern>,
}

/// Sends a message from the actor, into the thread and into every recipient's inbox.
pub fn post(act: &mut Act<'_>, letter: Letter<'_>) -> Message {
    let Letter { thread, kind, to, subject, body, urgent, ack, patterns } = letter;
    let message = Message {
        id: MessageId::from_number(act.new_fence()),
        thread: thread.clone(),
        kind,
        from: act.env.actor.clone(),
        to,
        at: act.env.now,
        subject,
        urgent,
        ack,
        patterns,
        body_bytes: body.map(|body| body.as_str().len()),
        unknown: serde_json::Map::new(),
    };
    for key in message_keys(&message) {
        act.put(key, &message);
    }
    for agent in &message.to {
        act.put(link(UNREAD, agent, &message.id), &message);
    }
    if let Some(body) = body {
        act.put(body_key(thread, &message.id), body);
    }
    events::sent(act, &message);
    message
}

/// Makes a line of text that includes text of others: writes disguises out, and cuts the line to
/// its maximum length.
pub fn line(text: &str) -> Line {
    let safe: String = shown(text).chars().take(crate::core::limits::LINE_CHARS_MAX).collect();
    Line::new(&safe).expect("what is written out and cut is a line")
}

/// Returns the place of a message in the mailbox of an agent.
pub fn link(root: &str, agent: &AgentName, id: &MessageId) -> Key {
    agent_dir(root, agent).join(id.shard()).join(id.as_str())
}

/// Returns the permanent places of a message.
pub fn message_keys(message: &Message) -> Vec<Key> {
    let own = thread_dir(&message.thread).join(MESSAGES).join(message.id.as_str());
    let links = message.to.iter().map(|agent| link(INBOX, agent, &message.id));
    std::iter::once(own).chain(links).collect()
}

pub fn body_key(thread: &ThreadId, id: &MessageId) -> Key {
    thread_dir(thread).join(BODIES).join(id.as_str())
}

/// Reads the body of a message.
pub fn body(documents: &dyn Documents, message: &Message) -> Result<Option<Body>, ReadError> {
    read(documents, &body_key(&message.thread, &message.id))
}

/// Lists the messages of a thread, in order.
pub fn messages_of(
    documents: &dyn Documents,
    thread: &ThreadId,
) -> Result<Vec<MessageId>, ReadError> {
    let children = documents.list(&thread_dir(thread).join(MESSAGES))?;
    let is_document = |child: &&crate::core::documents::Child| child.kind == ChildKind::Document;
    let mut ids: Vec<MessageId> =
        children.iter().filter(is_document).filter_map(|child| child.name.parse().ok()).collect();
    ids.sort();
    Ok(ids)
}

/// Reads a message of a thread.
pub fn message(
    documents: &dyn Documents,
    thread: &ThreadId,
    id: &MessageId,
) -> Result<Option<Found<Message>>, ReadError> {
    let key = thread_dir(thread).join(MESSAGES).join(id.as_str());
    found(message_at(documents, &key, id))
}

/// Reads the message at a place, and checks that it is the one that the place is named for.
pub fn message_at(
    documents: &dyn Documents,
    key: &Key,
    id: &MessageId,
) -> Result<Option<Message>, ReadError> {
    match read::<Message>(documents, key)? {
        Some(message) if message.id != *id => {
            Err(ReadError::damaged(key, format!("it is the message {}", message.id)))
        }
        found => Ok(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::documents::encode;
    use crate::core::ids::{Derived as _, OpId};
    use crate::core::negotiation::Asked;
    use crate::core::reservation::paths::PathFacts;
    use crate::core::time::{Timestamp, Ttl};

    fn request(number: u64, asker: &str, holder: &str) -> Thread {
        let now = Timestamp::from_millis(0);
        Thread {
            id: ThreadId::derive(&OpId::from_bits(7), number),
            opened_by: asker.parse().unwrap(),
            opened_at: now,
            asked: Some(Asked {
                holder: holder.parse().unwrap(),
                patterns: Vec::new(),
                facts: PathFacts::NONE,
                locks: vec!["x".parse().unwrap()],
                reason: "r".parse().unwrap(),
                urgent: false,
                ttl: Ttl::from_seconds(60).unwrap(),
                worktree: None,
                through_hooks: false,
                ends_whole: Vec::new(),
                place: None,
                pinned: vec![HoldId::derive(&OpId::from_bits(7), number)],
                changed: false,
                window_began_at: now,
                window_ends_at: now,
                deferred: None,
                outcome: None,
            }),
            unknown: serde_json::Map::new(),
        }
    }

    /// An agent that many others ask may still ask: only the requests that it made count against
    /// it.
    #[test]
    fn what_others_ask_is_not_ones_own() {
        let most = u64::try_from(OPEN_ASKS_PER_AGENT_MAX).unwrap();
        let mut documents: BTreeMap<Key, Vec<u8>> = BTreeMap::new();
        let mut add = |thread: Thread| {
            documents.extend(keys(&thread).into_iter().map(|key| (key, encode(&thread))));
        };
        (0..most).for_each(|number| add(request(number, "bob", "alice")));
        add(request(most, "alice", "bob"));
        let count = |agent: &str| count_made(&documents, &agent.parse().unwrap()).unwrap();
        assert_eq!((count("alice"), count("bob")), (1, OPEN_ASKS_PER_AGENT_MAX));
        let others = |agent: &str, most| {
            open_of_others(&documents, &agent.parse().unwrap(), most).unwrap().len()
        };
        assert_eq!((others("alice", 10), others("carol", 10)), (0, 10));
        assert_eq!(others("carol", 2_000), OPEN_ASKS_PER_AGENT_MAX + 1);
    }
}

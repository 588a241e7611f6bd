//! The messages to an agent, a page at a time. A message that cannot be read is shown as damaged,
//! and does not keep the others from being read.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::core::documents::{Documents, Key, ReadError};
use crate::core::ids::AgentName;
use crate::core::negotiation::ids::MessageId;
use crate::core::negotiation::thread_index::{self, Found, INBOX, UNREAD};
use crate::core::negotiation::{Message, MessageKind};
use crate::core::pattern::node_segment;
use crate::core::reservation::index::agent_dir;

/// The maximum number of messages that one page looks at, however few of them match.
pub const LOOKED_AT_MAX: usize = 5_000;

/// The messages that a reader wants.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// The message after which the page begins, the oldest first; without it the page has the
    /// newest messages.
    pub since: Option<MessageId>,
    pub kind: Option<MessageKind>,
    /// Set to leave out messages that were acknowledged.
    pub unread: bool,
    /// The maximum number of messages on the page.
    pub limit: usize,
    /// The maximum number of messages to look at.
    pub look_at: usize,
    /// The maximum size of the messages in their JSON form. The first message may exceed it.
    pub bytes: usize,
}

/// A message in an inbox.
#[derive(Clone, Debug)]
pub struct Delivered {
    pub id: MessageId,
    pub message: Found<Message>,
    pub body: Option<Found<String>>,
    pub is_unread: bool,
}

/// A page of messages, in order.
#[derive(Clone, Debug, Default)]
pub struct Page {
    pub messages: Vec<Delivered>,
    /// The message after which the next page begins.
    pub next: Option<MessageId>,
    /// True if messages follow this page.
    pub has_more: bool,
    /// True if wanted messages precede the first one.
    pub has_older: bool,
}

/// Lists the mailboxes of an agent and of its subagents below a root.
pub fn mailboxes(
    documents: &dyn Documents,
    root: &str,
    agent: &AgentName,
) -> Result<Vec<(AgentName, Key)>, ReadError> {
    let mut boxes = Vec::new();
    let mut pending = vec![(agent.clone(), agent_dir(root, agent))];
    while let Some((agent, dir)) = pending.pop() {
        for child in documents.list_starting(&dir, "+")? {
            let segment = node_segment(&child.name).and_then(|name| String::from_utf8(name).ok());
            let name = segment.map(|segment| format!("{agent}/{segment}"));
            // A directory whose name is no agent's belongs to nobody.
            if let Some(Ok(subagent)) = name.map(|name| name.parse()) {
                pending.push((subagent, dir.join(&child.name)));
            }
        }
        boxes.push((agent, dir));
    }
    Ok(boxes)
}

/// Counts the messages that an agent has not acknowledged.
pub fn unread_count(documents: &dyn Documents, agent: &AgentName) -> Result<usize, ReadError> {
    let mut count = 0;
    for (_, shard) in shards(documents, UNREAD, agent)?.into_values().flatten() {
        count += documents.list(&shard)?.len();
    }
    Ok(count)
}

/// The mailbox directories by the part of the ids that their messages share, in order.
type Shards = BTreeMap<(usize, String), Vec<(AgentName, Key)>>;

fn shards(documents: &dyn Documents, root: &str, agent: &AgentName) -> Result<Shards, ReadError> {
    let mut shards = Shards::new();
    for (owner, dir) in mailboxes(documents, root, agent)? {
        for child in documents.list(&dir)?.iter().filter(|child| !child.name.starts_with('+')) {
            let place = (child.name.len(), child.name.clone());
            shards.entry(place).or_default().push((owner.clone(), dir.join(&child.name)));
        }
    }
    Ok(shards)
}

/// Lists the messages of one shard, in order.
fn in_shard(
    documents: &dyn Documents,
    boxes: &[(AgentName, Key)],
) -> Result<BTreeMap<MessageId, (AgentName, Key)>, ReadError> {
    let mut found = BTreeMap::new();
    for (owner, dir) in boxes {
        for child in documents.list(dir)? {
            if let Ok(id) = child.name.parse::<MessageId>() {
                found.insert(id, (owner.clone(), dir.join(&child.name)));
            }
        }
    }
    Ok(found)
}

/// Reads a page of the messages to an agent and to its subagents.
pub fn page(
    documents: &dyn Documents,
    agent: &AgentName,
    wanted: &Wanted,
) -> Result<Page, ReadError> {
    let root = if wanted.unread { UNREAD } else { INBOX };
    let shards = shards(documents, root, agent)?;
    let mut reader = Reader { documents, wanted, page: Page::default(), bytes: 0, looked_at: 0 };
    if let Some(since) = &wanted.since {
        let first = (since.shard().len(), since.shard().to_owned());
        for boxes in shards.range(first..).map(|(_, boxes)| boxes) {
            for (id, (owner, key)) in in_shard(documents, boxes)? {
                if id > *since && !reader.take(id, &owner, &key)? {
                    return Ok(reader.page);
                }
            }
        }
        return Ok(reader.page);
    }
    for boxes in shards.values().rev() {
        for (id, (owner, key)) in in_shard(documents, boxes)?.into_iter().rev() {
            if !reader.take(id, &owner, &key)? {
                return Ok(reader.newest_last());
            }
        }
    }
    Ok(reader.newest_last())
}

/// Reads a page of the messages of a thread, in order.
pub fn of_thread(
    documents: &dyn Documents,
    reader: &AgentName,
    thread: &crate::core::negotiation::ids::ThreadId,
    wanted: &Wanted,
) -> Result<Page, ReadError> {
    let mut page = Reader { documents, wanted, page: Page::default(), bytes: 0, looked_at: 0 };
    let dir = thread_index::thread_dir(thread).join("messages");
    for id in thread_index::messages_of(documents, thread)? {
        let is_after = wanted.since.as_ref().is_none_or(|since| id > *since);
        let key = dir.join(id.as_str());
        if is_after && !page.take(id, reader, &key)? {
            break;
        }
    }
    Ok(page.page)
}

/// A page that is being filled.
struct Reader<'a> {
    documents: &'a dyn Documents,
    wanted: &'a Wanted,
    page: Page,
    bytes: usize,
    looked_at: usize,
}

impl Reader<'_> {
    /// Takes a message if it is wanted; returns false if the page is full and there is more.
    fn take(&mut self, id: MessageId, owner: &AgentName, key: &Key) -> Result<bool, ReadError> {
        let is_full = self.page.messages.len() >= self.wanted.limit;
        if is_full || self.looked_at >= self.wanted.look_at {
            self.page.has_more = true;
            return Ok(false);
        }
        self.looked_at += 1;
        let Some(message) =
            thread_index::found(thread_index::message_at(self.documents, key, &id))?
        else {
            return Ok(true);
        };
        let kind = match &message {
            Found::Whole(message) => Some(message.kind),
            Found::Damaged(_) => None,
        };
        if self.wanted.kind.is_some() && kind.is_some() && kind != self.wanted.kind {
            self.reach(&id);
            return Ok(true);
        }
        let body = self.body(&message)?;
        let size = size(&message) + body.as_ref().map_or(0, size);
        if !self.page.messages.is_empty() && self.bytes + size > self.wanted.bytes {
            self.page.has_more = true;
            return Ok(false);
        }
        self.bytes += size;
        let unread = thread_index::link(UNREAD, owner, &id);
        let is_unread = self.wanted.unread || self.documents.get(&unread)?.is_some();
        self.reach(&id);
        self.page.messages.push(Delivered { id, message, body, is_unread });
        Ok(true)
    }

    fn body(&self, message: &Found<Message>) -> Result<Option<Found<String>>, ReadError> {
        let Found::Whole(message) = message else { return Ok(None) };
        if message.body_bytes.is_none() {
            return Ok(None);
        }
        let body = thread_index::body(self.documents, message);
        thread_index::found(body.map(|body| body.map(|body| body.as_str().to_owned())))
    }

    fn reach(&mut self, id: &MessageId) {
        let is_later = self.page.next.as_ref().is_none_or(|next| id > next);
        if is_later {
            self.page.next = Some(id.clone());
        }
    }

    /// Finishes a page that was filled backwards from the newest message.
    fn newest_last(mut self) -> Page {
        self.page.messages.reverse();
        self.page.has_older = std::mem::take(&mut self.page.has_more);
        self.page
    }
}

/// Returns the length of a message or a body in a JSON answer.
fn size<T: Serialize>(found: &Found<T>) -> usize {
    let text = match found {
        Found::Whole(found) => serde_json::to_string(found),
        Found::Damaged(damage) => serde_json::to_string(damage),
    };
    text.expect("what was read is plain data").len()
}

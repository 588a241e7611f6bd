//! Laws that hold for the threads and messages of every state, whoever wrote it.

use std::collections::BTreeMap;

use crate::core::documents::{Documents, Key, ReadError, encode, walk};
use crate::core::laws::Fault;
use crate::core::negotiation::ids::{MessageId, ThreadId};
use crate::core::negotiation::thread_index::{self, Found, INBOX, UNREAD};
use crate::core::negotiation::{Message, Thread};
use crate::core::reservation::index;
use crate::core::time::Timestamp;

/// Finds every law that the state breaks at that moment.
pub fn faults(documents: &dyn Documents, now: Timestamp) -> Result<Vec<Fault>, ReadError> {
    let mut expected: BTreeMap<Key, Vec<u8>> = BTreeMap::new();
    let mut faults = Vec::new();
    for id in thread_index::all(documents)? {
        match thread_index::found(thread_index::thread(documents, &id))? {
            Some(Found::Whole(thread)) => {
                expected.extend(
                    thread_index::keys(&thread).into_iter().map(|key| (key, encode(&thread))),
                );
                faults.extend(untrue_acknowledgement(documents, &thread, now)?);
            }
            Some(Found::Damaged(damage)) => faults.push(Fault::of(&damage)),
            None => faults.push(fault(thread_index::thread_dir(&id), "has no thread in it")),
        }
        for message in thread_index::messages_of(documents, &id)? {
            match thread_index::message(documents, &id, &message)? {
                Some(Found::Whole(message)) => {
                    let keys = thread_index::message_keys(&message).into_iter();
                    expected.extend(keys.map(|key| (key, encode(&message))));
                    faults.extend(unknown_body(documents, &message)?);
                }
                Some(Found::Damaged(damage)) => faults.push(Fault::of(&damage)),
                None => {}
            }
        }
    }
    for root in thread_index::ROOTS {
        for key in walk(documents, &Key::of([root]))? {
            if let Some(what) = misplaced(documents, root, &key, &mut expected)? {
                faults.push(fault(key, what));
            }
        }
    }
    faults.extend(expected.into_keys().map(|key| fault(key, "is missing")));
    Ok(faults)
}

fn fault(key: Key, what: &str) -> Fault {
    Fault { key, what: what.to_owned() }
}

/// Tells how a document is superfluous or different: the tree is a function of the threads and
/// messages.
fn misplaced(
    documents: &dyn Documents,
    root: &str,
    key: &Key,
    expected: &mut BTreeMap<Key, Vec<u8>>,
) -> Result<Option<&'static str>, ReadError> {
    let name = key.split_last().1;
    let is_name = name.parse::<ThreadId>().is_ok() || name.parse::<MessageId>().is_ok();
    let is_body = root == "threads" && key.split_last().0.split_last().1 == "bodies";
    // Other names belong to a later version.
    if (!is_name && name != "thread") || is_body {
        return Ok(None);
    }
    if root == UNREAD {
        let in_inbox = format!("{INBOX}{}", &key.as_str()[UNREAD.len()..]);
        let got = documents.get(&Key::of(in_inbox.split('/')))?;
        let is_there = got.is_some() && got == documents.get(key)?;
        return Ok((!is_there).then_some("is not in the inbox"));
    }
    Ok(match expected.remove(key) {
        None => Some("belongs to no thread"),
        Some(bytes) if documents.get(key)?.as_ref() == Some(&bytes) => None,
        Some(_) => Some("differs from its other copies"),
    })
}

/// Finds a body that is not there as its message says, or not as long.
fn unknown_body(documents: &dyn Documents, message: &Message) -> Result<Option<Fault>, ReadError> {
    let key = thread_index::body_key(&message.thread, &message.id);
    let length = match thread_index::found(thread_index::body(documents, message))? {
        Some(Found::Damaged(damage)) => return Ok(Some(Fault::of(&damage))),
        Some(Found::Whole(body)) => Some(body.as_str().len()),
        None => None,
    };
    Ok((length != message.body_bytes).then(|| fault(key, "is not what its message tells")))
}

/// Finds an acknowledgement beside a live hold that it says was freed. A hold that a rollback
/// granted again since has a higher fence, and does not count.
fn untrue_acknowledgement(
    documents: &dyn Documents,
    thread: &Thread,
    now: Timestamp,
) -> Result<Option<Fault>, ReadError> {
    let Some(asked) = &thread.asked else { return Ok(None) };
    let Some(outcome) = asked.outcome.as_ref().filter(|outcome| outcome.acknowledged) else {
        return Ok(None);
    };
    for id in &outcome.freed {
        let Some(hold) = index::by_id(documents, id)? else { continue };
        let is_there = hold.holder == asked.holder && hold.fence <= outcome.fence;
        if is_there && hold.is_live(now) {
            let key = thread_index::thread_dir(&thread.id).join("thread");
            return Ok(Some(Fault { key, what: format!("says that {id} is free") }));
        }
    }
    Ok(None)
}

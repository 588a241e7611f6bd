//! Request ids: a repeated request gets its first answer, and nothing happens twice.
//!
//! ```text
//! requests/4fa1.../request     who asked, when, and a digest of what
//! requests/4fa1.../grant-000   what was granted, one document each
//! ```
//!
//! An id that comes back with other content is an error, never a silent drop. So is a repetition
//! after a granted hold has ended: the first answer is not true any more. Old answers are
//! forgotten, one share a write.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::core::decision::{Act, No};
use crate::core::documents::{Key, ReadError, read, walk};
use crate::core::ids::{AgentName, RequestId};
use crate::core::limits::REQUEST_KEPT_SECONDS;
use crate::core::refusal::{Conflict, Refusal};
use crate::core::reservation::index;
use crate::core::reservation::reserve::{Grant, Reserve, Reserved};
use crate::core::reservation::sweep::few_of;
use crate::core::time::Timestamp;

/// The directory that this module owns.
pub const ROOT: &str = "requests";

const REQUEST: &str = "request";

#[derive(Serialize, Deserialize)]
struct Answered {
    id: RequestId,
    by: AgentName,
    at: Timestamp,
    digest: String,
    granted: usize,
    conflicts: usize,
}

fn digest_hex(content: impl AsRef<[u8]>) -> String {
    format!("{:x}", Sha256::digest(content))
}

fn dir(id: &RequestId) -> Key {
    Key::of([ROOT, &digest_hex(id.as_str())[..32]])
}

fn grant_key(dir: &Key, number: usize) -> Key {
    dir.join(&format!("grant-{number:03}"))
}

fn conflict_key(dir: &Key, number: usize) -> Key {
    dir.join(&format!("conflict-{number:03}"))
}

/// Hashes the request and its asker. A repetition may differ in its time, op, process, terminal and
/// patience, so these are left out.
fn digest(actor: &AgentName, asked: &Reserve) -> String {
    let asked = Reserve { process: None, shell: None, wait: None, ..asked.clone() };
    let content = serde_json::to_vec(&(actor, asked)).expect("a request is plain data");
    digest_hex(content)
}

/// Returns the first answer to this request, if there is one and it is still true.
pub fn answered(act: &Act<'_>, asked: &Reserve) -> Result<Option<Reserved>, No> {
    let Some(id) = &asked.request_id else { return Ok(None) };
    let dir = dir(id);
    let Some(before) = read::<Answered>(act, &dir.join(REQUEST))? else { return Ok(None) };
    if before.digest != digest(act.env.actor, asked) {
        return Err(Refusal::RequestMismatch { id: id.clone(), by: before.by }.into());
    }
    let mut answer = Reserved { replayed: true, ..Reserved::default() };
    for number in 0..before.granted {
        answer.granted.push(must_read::<Grant>(act, &grant_key(&dir, number))?);
    }
    for number in 0..before.conflicts {
        answer.conflicts.push(must_read::<Conflict>(act, &conflict_key(&dir, number))?);
    }
    let mut ended = Vec::new();
    for Grant { hold, .. } in &answer.granted {
        let present = index::by_id(act, &hold.id)?;
        let is_there = |present: &crate::core::reservation::Hold| {
            present.holder == hold.holder && present.is_live(act.env.now)
        };
        if !present.as_ref().is_some_and(is_there) {
            ended.push(hold.id.clone());
        }
    }
    if ended.is_empty() {
        return Ok(Some(answer));
    }
    Err(Refusal::RequestOver { id: id.clone(), ended }.into())
}

fn must_read<T: serde::de::DeserializeOwned>(act: &Act<'_>, key: &Key) -> Result<T, ReadError> {
    read(act, key)?.ok_or_else(|| ReadError::damaged(key, "it is missing"))
}

/// Keeps the answer for a repetition of the request.
pub fn remember(act: &mut Act<'_>, asked: &Reserve, answer: &Reserved) {
    let Some(id) = &asked.request_id else { return };
    let dir = dir(id);
    let document = Answered {
        id: id.clone(),
        by: act.env.actor.clone(),
        at: act.env.now,
        digest: digest(act.env.actor, asked),
        granted: answer.granted.len(),
        conflicts: answer.conflicts.len(),
    };
    act.put(dir.join(REQUEST), &document);
    for (number, grant) in answer.granted.iter().enumerate() {
        act.put(grant_key(&dir, number), grant);
    }
    for (number, conflict) in answer.conflicts.iter().enumerate() {
        act.put(conflict_key(&dir, number), conflict);
    }
}

/// Forgets the old answers of one share; every answer is in the share of some turn.
pub fn forget_old(act: &mut Act<'_>, turn: u64) -> Result<(), ReadError> {
    use crate::core::documents::Documents as _;
    let root = Key::of([ROOT]);
    for child in few_of(act.list_share(&root, turn)?, act) {
        let dir = root.join(&child.name);
        let answered = match read::<Answered>(act, &dir.join(REQUEST)) {
            Ok(Some(answered)) => answered,
            // A damaged document is no reason to stop a write that is about something else.
            Ok(None) | Err(ReadError::Damaged { .. }) => continue,
            Err(error) => return Err(error),
        };
        if act.env.now.seconds_since(answered.at) > REQUEST_KEPT_SECONDS {
            for key in walk(act, &dir)? {
                act.remove(key);
            }
        }
    }
    Ok(())
}

//! `ledger rollback reservations`: brings the holds of an earlier entry back.
//!
//! Expired holds do not come back, nor do holds that went with a process, nor tickets: an agent
//! that waits now keeps its place. A hold that comes back is a new grant with a new fence. A hold
//! that vanishes is revoked, and an event in the same entry tells its holder. A hold that is there
//! both then and now is left alone: nobody wants a renewal undone. Answers to requests, and
//! documents of a later version, stay as they are.

use std::collections::{BTreeMap, BTreeSet};

use crate::core::decision::{Act, No};
use crate::core::documents::{Documents, Key, ReadError, encode, walk};
use crate::core::ids::HoldId;
use crate::core::reservation::{Hold, events, index, tickets};
use crate::core::rollback::{Rollback, RolledBack};
use crate::core::text::Line;

/// Goes back to the holds of an earlier state.
pub fn to(
    rollback: &Rollback,
    earlier: &dyn Documents,
    act: &mut Act<'_>,
) -> Result<RolledBack, No> {
    let because = &rollback.reason;
    tickets::remove_unreadable(act, because)?;
    let mut present = mended(act, because)?;
    let mut answer = RolledBack::default();
    for (id, past) in holds_by_id(earlier)? {
        match present.remove(&id) {
            Some(hold) if is_same_grant(&hold, &past) => {}
            Some(hold) => {
                revoke(act, hold, because, &mut answer);
                regrant(act, past, &mut answer);
            }
            None => regrant(act, past, &mut answer),
        }
    }
    for hold in present.into_values() {
        revoke(act, hold, because, &mut answer);
    }
    Ok(answer)
}

fn holds_by_id(documents: &dyn Documents) -> Result<BTreeMap<HoldId, Hold>, ReadError> {
    Ok(index::all(documents)?.into_iter().map(|hold| (hold.id.clone(), hold)).collect())
}

/// Reads the holds that stand under their own id and can be read.
fn readable(documents: &dyn Documents) -> Result<BTreeMap<HoldId, Hold>, ReadError> {
    let mut readable = BTreeMap::new();
    for key in walk(documents, &Key::of(["ids"]))? {
        let Some(id) = index::hold_named_by(&key) else { continue };
        match index::by_id(documents, &id) {
            Ok(Some(hold)) if hold.id == id => drop(readable.insert(id, hold)),
            Ok(_) | Err(ReadError::Damaged { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(readable)
}

/// Tells whether the holder has the same right by both holds, whenever they end.
fn is_same_grant(hold: &Hold, past: &Hold) -> bool {
    hold.holder == past.holder && hold.target == past.target && hold.mode == past.mode
}

fn regrant(act: &mut Act<'_>, mut past: Hold, answer: &mut RolledBack) {
    if past.is_live(act.env.now) && past.process.is_none() {
        past.fence = act.new_fence();
        index::put(act, &past);
        events::granted(act, &past);
        answer.regranted.push(past);
    }
}

/// Repairs the tree and returns the present holds. Damage is what people roll back from: a hold
/// that cannot be read is revoked, and a copy that is missing, wrong or stray is set right.
fn mended(act: &mut Act<'_>, because: &Line) -> Result<BTreeMap<HoldId, Hold>, ReadError> {
    let holds = readable(act)?;
    let mut placed: BTreeMap<Key, &Hold> = BTreeMap::new();
    for hold in holds.values() {
        placed.extend(index::keys(hold, act.env.case).map(|key| (key, hold)));
    }
    let mut wrong = BTreeSet::new();
    for root in index::ROOTS {
        for key in walk(act, &Key::of([root]))? {
            let Some(id) = index::hold_named_by(&key) else { continue };
            let right = placed.remove(&key).map(encode);
            if right.is_none() || act.get(&key)? != right {
                act.remove(key);
                wrong.insert(id);
            }
        }
    }
    wrong.extend(placed.into_values().map(|hold| hold.id.clone()));
    for id in wrong {
        match holds.get(&id) {
            Some(hold) => {
                index::put(act, hold);
                events::renewed(act, hold);
            }
            None => events::revoked_unread(act, &id, because),
        }
    }
    Ok(holds)
}

fn revoke(act: &mut Act<'_>, hold: Hold, because: &Line, answer: &mut RolledBack) {
    index::remove(act, &hold);
    if hold.is_live(act.env.now) {
        events::revoked(act, &hold, because);
        answer.revoked.push(hold);
    } else {
        events::expired(act, &hold);
    }
}

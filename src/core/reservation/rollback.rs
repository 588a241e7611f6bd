//! `ledger rollback reservations`: the holds of an earlier entry, given out anew.
//!
//! Expired holds do not come back. A hold that lives again is a new grant with a new fence; one
//! that vanishes is revoked, and its holder reads so in the same entry. A hold that is there in
//! both is left alone: a renewal is not what anybody wants undone. Answers to requests, and
//! documents of a later version, stay as they are.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::{Documents, Key, ReadError, encode, walk};
use crate::core::ids::{EntryName, HoldId};
use crate::core::reservation::{Hold, facts, index};
use crate::core::text::Line;

/// Where to go back to, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rollback {
    /// The entry whose holds are to be there again.
    pub to: EntryName,
    /// Why.
    pub reason: Line,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RolledBack {
    /// Holds that live again.
    pub regranted: Vec<Hold>,
    /// Holds that are no more.
    pub revoked: Vec<Hold>,
}

impl Decide for Rollback {
    type Answer = RolledBack;

    fn decide(&self, act: &mut Act<'_>) -> Result<RolledBack, No> {
        let Some(earlier) = act.env.earlier else {
            let why = format!("entry '{}' cannot be read", self.to);
            return Err(ReadError::damaged(&Key::root(), why).into());
        };
        let mut present = self.mended(act)?;
        let mut answer = RolledBack::default();
        for (id, past) in holds_by_id(earlier)? {
            match present.remove(&id) {
                Some(hold) if is_same_grant(&hold, &past) => {}
                Some(hold) => {
                    self.revoke(act, hold, &mut answer);
                    regrant(act, past, &mut answer);
                }
                None => regrant(act, past, &mut answer),
            }
        }
        for hold in present.into_values() {
            self.revoke(act, hold, &mut answer);
        }
        Ok(answer)
    }

    fn summary(&self, _: &RolledBack, env: &Env<'_>) -> String {
        let short = &self.to.as_str()[..self.to.as_str().len().min(10)];
        format!("roll back to {short} by {}: {}", env.actor, self.reason)
    }
}

fn holds_by_id(documents: &dyn Documents) -> Result<BTreeMap<HoldId, Hold>, ReadError> {
    Ok(index::all(documents)?.into_iter().map(|hold| (hold.id.clone(), hold)).collect())
}

/// The holds that stand under their id and can be read.
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

/// Whether the holder has the same right in both, whatever its end.
fn is_same_grant(hold: &Hold, past: &Hold) -> bool {
    hold.holder == past.holder && hold.pattern == past.pattern && hold.mode == past.mode
}

fn regrant(act: &mut Act<'_>, mut past: Hold, answer: &mut RolledBack) {
    if past.is_live(act.env.now) {
        past.fence = act.new_fence();
        index::put(act, &past);
        facts::granted(act, &past);
        answer.regranted.push(past);
    }
}

impl Rollback {
    /// The present holds, in a tree that is whole. One that is damaged is what people roll back
    /// from: it is revoked, and a link that is missing, wrong or stray is set right.
    fn mended(&self, act: &mut Act<'_>) -> Result<BTreeMap<HoldId, Hold>, ReadError> {
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
                    facts::renewed(act, hold);
                }
                None => facts::revoked_unread(act, &id, &self.reason),
            }
        }
        Ok(holds)
    }

    fn revoke(&self, act: &mut Act<'_>, hold: Hold, answer: &mut RolledBack) {
        index::remove(act, &hold);
        if hold.is_live(act.env.now) {
            facts::revoked(act, &hold, &self.reason);
            answer.revoked.push(hold);
        } else {
            facts::expired(act, &hold);
        }
    }
}

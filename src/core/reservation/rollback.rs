//! `ledger rollback reservations`: the holds of an earlier entry, given out anew.
//!
//! Expired holds do not come back. A hold that lives again is a new grant with a new fence; one
//! that vanishes is revoked, and its holder reads so in the same entry. A hold that is there in
//! both is left alone: a renewal is not what anybody wants undone. Answers to requests, and
//! documents of a later version, stay as they are.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::{Documents, Key, ReadError, walk};
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
        let mut present = self.readable(act)?;
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
        remove_strays(act)?;
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

/// Removes what stands under a holder or a path and under no id: a rollback leaves a whole tree.
fn remove_strays(act: &mut Act<'_>) -> Result<(), ReadError> {
    let mut placed = BTreeSet::new();
    for hold in index::all(act)? {
        placed.extend(index::keys(&hold, act.env.case));
    }
    for root in index::ROOTS {
        for key in walk(act, &Key::of([root]))? {
            if index::names_hold(&key) && !placed.contains(&key) {
                act.remove(key);
            }
        }
    }
    Ok(())
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
    /// The present holds. One that is damaged is what people roll back from: it is revoked, too.
    fn readable(&self, act: &mut Act<'_>) -> Result<BTreeMap<HoldId, Hold>, ReadError> {
        let mut readable = BTreeMap::new();
        for key in walk(act, &Key::of(["ids"]))? {
            let Ok(id) = key.split_last().1.parse::<HoldId>() else { continue };
            match index::by_id(act, &id) {
                Ok(Some(hold)) => drop(readable.insert(id, hold)),
                Ok(None) => {}
                Err(ReadError::Damaged { .. }) => {
                    act.remove(key);
                    facts::revoked_unread(act, &id, &self.reason);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(readable)
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

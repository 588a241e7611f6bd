//! Which holds a command means: by the beginnings of ids, by path, by lock, or all of an agent's.

use serde::{Deserialize, Serialize};

use crate::core::decision::No;
use crate::core::documents::{Documents, ReadError};
use crate::core::ids::{HoldId, HoldIdPrefix, LockName};
use crate::core::pattern::{Case, Pattern};
use crate::core::refusal::Refusal;
use crate::core::reservation::{Hold, Target, Via, index};

/// What the caller named.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Selection {
    /// By id or the beginning of one.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub ids: Vec<HoldIdPrefix>,
    /// Everything equal to or inside these.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub paths: Vec<Pattern>,
    /// Everything on these locks.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub locks: Vec<LockName>,
    /// Everything that is the agent's.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub mine: bool,
    /// Where that means what its subagents hold as well: without them.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub alone: bool,
    /// Of paths and of everything, only what came through this door.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub via: Option<Via>,
}

impl Selection {
    /// Whether neither an id nor a path nor a lock is named.
    pub fn names_nothing(&self) -> bool {
        self.ids.is_empty() && self.paths.is_empty() && self.locks.is_empty()
    }

    /// Whether a hold came through the door that is meant.
    pub fn means(&self, hold: &Hold) -> bool {
        self.via.is_none_or(|via| hold.about.via == via)
    }
}

/// What an id turns out to be.
pub enum Named {
    /// A hold, live or not.
    Hold(Box<Hold>),
    /// Nothing.
    Missing(HoldIdPrefix),
}

/// The holds that the ids name.
pub fn by_ids(documents: &dyn Documents, ids: &[HoldIdPrefix]) -> Result<Vec<Named>, No> {
    let mut named = Vec::new();
    for prefix in ids {
        match index::with_prefix(documents, prefix)?.as_slice() {
            [] => named.push(Named::Missing(prefix.clone())),
            [only] => named.push(hold_or_missing(documents, only, prefix)?),
            several => {
                let ids = several.to_vec();
                return Err(Refusal::Ambiguous { prefix: prefix.clone(), ids }.into());
            }
        }
    }
    Ok(named)
}

fn hold_or_missing(
    documents: &dyn Documents,
    id: &HoldId,
    prefix: &HoldIdPrefix,
) -> Result<Named, No> {
    Ok(match index::by_id(documents, id)? {
        Some(hold) => Named::Hold(Box::new(hold)),
        None => Named::Missing(prefix.clone()),
    })
}

/// Holds that meet a path: those inside it, and those that reach beyond it.
#[derive(Default)]
pub struct ByPath {
    /// Equal to the path or inside it.
    pub inside: Vec<Hold>,
    /// Reaching beyond it.
    pub wider: Vec<Hold>,
}

/// The holds that meet the paths and satisfy `wanted`.
pub fn by_paths(
    documents: &dyn Documents,
    paths: &[Pattern],
    case: Case,
    wanted: impl Fn(&Hold) -> bool,
) -> Result<ByPath, No> {
    let mut found = ByPath::default();
    for path in paths {
        let target = Target::Paths(path.clone());
        let reach = target.reach(case);
        for hold in index::meeting(documents, &target, case)?.into_iter().filter(&wanted) {
            if reach.covers(&hold.target.reach(case)) {
                found.inside.push(hold);
            } else {
                found.wider.push(hold);
            }
        }
    }
    Ok(found)
}

/// The holds on a lock, live or not.
pub fn by_lock(documents: &dyn Documents, name: &LockName) -> Result<Vec<Hold>, ReadError> {
    index::meeting(documents, &Target::Lock(name.clone()), Case::Sensitive)
}

/// Each hold once, in the order of their ids.
pub fn once(mut holds: Vec<Hold>) -> Vec<Hold> {
    holds.sort_by(|one, other| one.id.cmp(&other.id));
    holds.dedup_by(|one, other| one.id == other.id);
    holds
}

//! The holds that a command means: by the beginnings of ids, by path, by lock, or all of an agent.

use serde::{Deserialize, Serialize};

use crate::core::decision::No;
use crate::core::documents::{Documents, ReadError};
use crate::core::ids::{HoldId, HoldIdPrefix, LockName};
use crate::core::pattern::{Case, Pattern};
use crate::core::refusal::Refusal;
use crate::core::reservation::paths::{Comparing, PathFacts};
use crate::core::reservation::word::Word;
use crate::core::reservation::{Hold, Target, Via, index};

/// The holds that a caller named.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Selection {
    /// Ids, or the beginnings of ids.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub ids: Vec<HoldIdPrefix>,
    /// Words that the decision reads as paths or as ids.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub words: Vec<Word>,
    /// Patterns that mean every hold equal to or inside them.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub paths: Vec<Pattern>,
    /// The facts about these patterns.
    #[serde(flatten)]
    pub facts: PathFacts,
    /// Locks that mean every hold on them.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub locks: Vec<LockName>,
    /// Set to mean every hold of the agent.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub mine: bool,
    /// Set to leave out the holds of subagents, where `mine` includes them.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub alone: bool,
    /// Set to mean, with `mine`, all that ends when the session of the agent does.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub leaving: bool,
    /// Limits `paths` and `mine` to the holds that came through this door. Holds that end with the
    /// turn count as the edit hook's.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub via: Option<Via>,
    /// The holds of other agents that the caller saw. An act on others changes only these.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seen: Option<Vec<HoldId>>,
}

impl Selection {
    /// Tells whether no word, no id, no path and no lock is named.
    pub fn names_nothing(&self) -> bool {
        let names_holds = !self.words.is_empty() || !self.ids.is_empty();
        !names_holds && self.paths.is_empty() && self.locks.is_empty()
    }

    /// Tells whether the caller saw the hold. Entries of rules 1 do not record what was seen.
    pub fn saw(&self, hold: &Hold) -> bool {
        self.seen.as_ref().is_none_or(|seen| seen.contains(&hold.id))
    }

    /// Tells whether the hold came through the selected door, or ends when its holder leaves if
    /// that is what was selected.
    pub fn means(&self, hold: &Hold) -> bool {
        if self.leaving && !hold.ends_when_its_holder_leaves() {
            return false;
        }
        let Some(via) = self.via else { return true };
        hold.about.via == via || (via == Via::Hook && hold.about.via.ends_with_turn())
    }
}

/// The result of looking up an id.
pub enum Named {
    /// A hold, live or not.
    Hold(Box<Hold>),
    Missing(HoldIdPrefix),
}

/// Looks up the holds that the ids name.
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

/// The holds that meet a path.
#[derive(Default)]
pub struct ByPath {
    /// Equal to the path or inside it.
    pub inside: Vec<Hold>,
    /// Reaching beyond the path.
    pub wider: Vec<Hold>,
}

/// Finds the holds that meet the selected paths and satisfy `wanted`.
pub fn by_paths(
    documents: &dyn Documents,
    which: &Selection,
    by: impl Into<Comparing>,
    wanted: impl Fn(&Hold) -> bool,
) -> Result<ByPath, No> {
    let by = by.into();
    let mut found = ByPath::default();
    for path in &which.paths {
        let target = Target::Paths(which.facts.paths(path));
        let reach = target.reach(by);
        for hold in index::meeting(documents, &target, by)?.into_iter().filter(&wanted) {
            if reach.covers(&hold.target.reach(by)) {
                found.inside.push(hold);
            } else {
                found.wider.push(hold);
            }
        }
    }
    Ok(found)
}

/// Finds the holds on a lock, live or not.
pub fn by_lock(documents: &dyn Documents, name: &LockName) -> Result<Vec<Hold>, ReadError> {
    index::meeting(documents, &Target::Lock(name.clone()), Case::Sensitive)
}

/// Sorts the holds by id and removes duplicates.
pub fn once(mut holds: Vec<Hold>) -> Vec<Hold> {
    holds.sort_by(|one, other| one.id.cmp(&other.id));
    holds.dedup_by(|one, other| one.id == other.id);
    holds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::pattern::Pattern;
    use crate::core::reservation::process::Process;
    use crate::core::reservation::{About, Mode};
    use crate::core::time::Timestamp;

    fn hold(via: Via, process: Option<Process>) -> Hold {
        let about = About { reason: None, task: None, run: None, via, worktree: None, place: None };
        let at = Timestamp::from_millis(0);
        Hold {
            id: "abcdefgh".parse().unwrap(),
            holder: "claude:1".parse().unwrap(),
            target: Pattern::canonical(b"src").unwrap().into(),
            mode: Mode::Exclusive,
            about,
            process,
            shell: None,
            granted_at: at,
            expires_at: at,
            fence: 1,
            unknown: serde_json::Map::new(),
        }
    }

    /// 8/TURN: with the turn ends what hooks and requests gave, and with the session all but what
    /// belongs to a process.
    #[test]
    fn what_ends_with_a_turn_and_what_with_a_session() {
        let turn = Selection { mine: true, via: Some(Via::Hook), ..Selection::default() };
        let session = Selection { mine: true, leaving: true, ..Selection::default() };
        let process = Process {
            pid: 7,
            host: "h".parse().unwrap(),
            started: None,
            boot: None,
            namespace: None,
        };
        for (via, process, with_turn, with_session) in [
            (Via::Hook, None, true, true),
            (Via::Ask, None, true, true),
            (Via::Command, None, false, true),
            (Via::Command, Some(process), false, false),
        ] {
            let hold = hold(via, process);
            assert_eq!((turn.means(&hold), session.means(&hold)), (with_turn, with_session));
        }
    }
}

//! Laws that hold for the reservations of every state, whoever wrote it.
//!
//! - No two live exclusive holds of strangers overlap in one worktree.
//! - A live hold that was asked for, by a command, an answer or a takeover, overlaps no live hold
//!   of a stranger, in whatever worktree that one was made, unless both are shared.
//!
//! So two live holds of strangers overlap only if both are shared, or if both came with edits in
//! different worktrees. Beyond that, the tree is a function of the holds, and each ticket is the
//! one that its name says.

use std::collections::BTreeMap;

use crate::core::documents::{Documents, Key, ReadError, encode, walk};
use crate::core::laws::Fault;
use crate::core::pattern::Case;
use crate::core::reservation::check::Asker;
use crate::core::reservation::{Hold, index, tickets};
use crate::core::time::Timestamp;

/// Finds every law that the state breaks at that moment.
pub fn faults(
    documents: &dyn Documents,
    now: Timestamp,
    case: Case,
) -> Result<Vec<Fault>, ReadError> {
    let holds = index::all(documents)?;
    let mut faults = misplaced(documents, &holds, case)?;
    for hold in &holds {
        faults.extend(standing_against(documents, hold, now, case)?);
    }
    // Reading the tickets is the check: each must be the one that its name says.
    let (_, damaged) = tickets::found(documents)?;
    faults.extend(damaged.iter().map(Fault::of));
    Ok(faults)
}

/// Finds documents that are missing, superfluous or different: the tree is a function of the holds.
fn misplaced(
    documents: &dyn Documents,
    holds: &[Hold],
    case: Case,
) -> Result<Vec<Fault>, ReadError> {
    let mut expected: BTreeMap<Key, Vec<u8>> = BTreeMap::new();
    for hold in holds {
        expected.extend(index::keys(hold, case).map(|key| (key, encode(hold))));
    }
    let mut faults = Vec::new();
    for root in index::ROOTS {
        let keys = walk(documents, &Key::of([root]))?;
        for key in keys.into_iter().filter(|key| index::hold_named_by(key).is_some()) {
            let what = match expected.remove(&key) {
                None => "belongs to no reservation",
                Some(bytes) if documents.get(&key)?.as_ref() == Some(&bytes) => continue,
                Some(_) => "differs from its other copies",
            };
            faults.push(Fault { key, what: what.to_owned() });
        }
    }
    let missing = expected.into_keys();
    faults.extend(missing.map(|key| Fault { key, what: "is missing".to_owned() }));
    Ok(faults)
}

/// Finds live holds of strangers that stand against this one.
fn standing_against(
    documents: &dyn Documents,
    hold: &Hold,
    now: Timestamp,
    case: Case,
) -> Result<Vec<Fault>, ReadError> {
    if !hold.is_live(now) {
        return Ok(Vec::new());
    }
    let asker = Asker::like(hold, now);
    let meeting = index::meeting(documents, &hold.target, case)?;
    let against = meeting.into_iter().filter(|other| asker.is_blocked_by(other));
    // Each pair is found from both sides, and reported once.
    let later = against.filter(|other| hold.id < other.id);
    let fault = |other: Hold| Fault {
        key: index::id_key(&hold.id),
        what: format!(
            "'{}' of '{}' overlaps '{}' of '{}', held as {}",
            hold.target, hold.holder, other.target, other.holder, other.id
        ),
    };
    Ok(later.map(fault).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::ids::AgentName;
    use crate::core::pattern::Pattern;
    use crate::core::place::Place;
    use crate::core::reservation::{About, Mode, Via};
    use crate::core::text::Line;

    /// Makes a hold of each origin, in each mode.
    fn holds(id: &str, holder: &str, pattern: &str) -> Vec<Hold> {
        let mut holds = Vec::new();
        let origins = [Via::Command, Via::Hook, Via::Ask];
        for (via, number) in origins.into_iter().flat_map(|via| (0..8).map(move |it| (via, it))) {
            let at = Timestamp::from_millis(0);
            holds.push(Hold {
                id: id.parse().unwrap(),
                holder: holder.parse::<AgentName>().unwrap(),
                target: Pattern::canonical(pattern.as_bytes()).unwrap().into(),
                mode: if number % 2 == 0 { Mode::Exclusive } else { Mode::Shared },
                about: About {
                    reason: None,
                    task: None,
                    run: None,
                    via,
                    worktree: (number / 2 % 2 == 0).then(|| Line::new("side").unwrap()),
                    place: Some(Place::from_bits(number / 4)),
                },
                process: None,
                shell: None,
                granted_at: at,
                expires_at: at.plus_seconds(60),
                fence: 1,
                unknown: serde_json::Map::new(),
            });
        }
        holds
    }

    fn faults_of(holds: [&Hold; 2]) -> Vec<Fault> {
        let mut documents = BTreeMap::new();
        for hold in holds {
            let keys = index::keys(hold, Case::Sensitive);
            documents.extend(keys.into_iter().map(|key| (key, encode(hold))));
        }
        faults(&documents, Timestamp::from_millis(0), Case::Sensitive).unwrap()
    }

    /// 8/TWO-WORKTREES, 8/SHARED-IS-SHARED: the laws, spelled out for each pair of origins.
    #[test]
    fn overlaps_are_found_unless_shared_or_edits_apart() {
        for one in holds("aaaaaaaa", "ann", "src") {
            for other in holds("bbbbbbbb", "bob", "src/a.rs") {
                let are_shared = one.mode == Mode::Shared && other.mode == Mode::Shared;
                let are_edits = one.about.via == Via::Hook && other.about.via == Via::Hook;
                let is_one_worktree = one.about.worktree == other.about.worktree
                    && one.about.place == other.about.place;
                let is_lawful = are_shared || (are_edits && !is_one_worktree);
                assert_eq!(faults_of([&one, &other]).is_empty(), is_lawful, "{one:?} {other:?}");
            }
        }
    }

    #[test]
    fn holds_of_one_session_and_holds_apart_are_lawful() {
        for (holder, pattern) in [("ann/x", "src/a.rs"), ("bob", "docs")] {
            for one in holds("aaaaaaaa", "ann", "src") {
                let other = &holds("bbbbbbbb", holder, pattern)[0];
                assert_eq!(faults_of([&one, other]), []);
            }
        }
    }
}

//! Laws that hold for the reservations of every state, whoever wrote it.

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

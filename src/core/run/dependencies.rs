//! The runs that a run depends on: its children, and the runs that it comes after.
//!
//! A run waits for both kinds, and no run may come to wait for itself.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::core::documents::{Documents, ReadError, walk};
use crate::core::run::names::{PhaseName, RunId};
use crate::core::run::{Run, Status, index};

/// A run that is not where another one needs it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Behind {
    pub id: RunId,
    pub phase: PhaseName,
    pub status: Status,
}

impl From<&Run> for Behind {
    fn from(run: &Run) -> Behind {
        Behind { id: run.id.clone(), phase: run.phase.clone(), status: run.status }
    }
}

/// Tells whether a run is at a phase, or further. A run without that phase is there once it is
/// completed. A run that was rolled back is where it is now.
pub fn is_at(run: &Run, phase: &PhaseName) -> bool {
    match run.status {
        Status::Completed => true,
        Status::Active => run.phases.place(phase).is_some_and(|place| place <= run.place()),
        Status::Cancelled | Status::Failed => false,
    }
}

/// Finds the children of a run that are not at a phase. Cancelled children do not count.
pub fn children_behind(
    documents: &dyn Documents,
    run: &Run,
    phase: &PhaseName,
) -> Result<Vec<Behind>, ReadError> {
    let called_off = |child: &Run| child.status == Status::Cancelled;
    let mut behind = not_at(documents, &children(documents, run)?, phase)?;
    behind.retain(|child| !called_off(child));
    Ok(behind.iter().map(Behind::from).collect())
}

/// Finds the runs that a run waits for and that are not at a phase.
pub fn upstreams_behind(
    documents: &dyn Documents,
    run: &Run,
    phase: &PhaseName,
) -> Result<Vec<Behind>, ReadError> {
    Ok(not_at(documents, &run.after, phase)?.iter().map(Behind::from).collect())
}

fn not_at(
    documents: &dyn Documents,
    ids: &[RunId],
    phase: &PhaseName,
) -> Result<Vec<Run>, ReadError> {
    let mut behind = Vec::new();
    for id in ids {
        behind.extend(index::by_id(documents, id)?.filter(|run| !is_at(run, phase)));
    }
    Ok(behind)
}

/// Lists the children of a run.
pub fn children(documents: &dyn Documents, run: &Run) -> Result<Vec<RunId>, ReadError> {
    if run.children == 0 {
        return Ok(Vec::new());
    }
    let keys = walk(documents, &index::children(&run.id))?;
    Ok(keys.iter().filter_map(|key| key.split_last().1.parse().ok()).collect())
}

/// Finds the chain of runs by which one run comes to wait for another; `None` if it does not.
pub fn waits_for(
    documents: &dyn Documents,
    one: &RunId,
    other: &RunId,
) -> Result<Option<Vec<RunId>>, ReadError> {
    let mut came_from: BTreeMap<RunId, Option<RunId>> = BTreeMap::from([(one.clone(), None)]);
    let mut pending = vec![one.clone()];
    while let Some(id) = pending.pop() {
        if id == *other {
            let mut path = vec![id];
            while let Some(Some(before)) = path.last().and_then(|id| came_from.get(id)) {
                path.push(before.clone());
            }
            path.reverse();
            return Ok(Some(path));
        }
        let Some(run) = index::by_id(documents, &id)? else { continue };
        for next in children(documents, &run)?.into_iter().chain(run.after) {
            if !came_from.contains_key(&next) {
                came_from.insert(next.clone(), Some(id.clone()));
                pending.push(next);
            }
        }
    }
    Ok(None)
}

/// Finds the active runs below a run, each after its parent.
pub fn active_below(documents: &dyn Documents, run: &Run) -> Result<Vec<Run>, ReadError> {
    let mut found: Vec<Run> = Vec::new();
    let mut pending = children(documents, run)?;
    pending.reverse();
    while let Some(id) = pending.pop() {
        let is_known = id == run.id || found.iter().any(|known| known.id == id);
        let Some(child) = index::by_id(documents, &id)?.filter(|_| !is_known) else { continue };
        // The runs below one that has ended were ended with it.
        pending.extend(children(documents, &child)?.into_iter().rev());
        if child.status == Status::Active {
            found.push(child);
        }
    }
    Ok(found)
}

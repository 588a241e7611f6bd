//! `domain agents repair`: what was made and what is there are brought together.

use super::{Inventory, Listed, Workshop, recorded};
use crate::app::Ctx;
use crate::app::error::{AppError, with_causes};
use crate::core::domain::generation::{OnDisk, State};
use crate::core::domain::made::{Accepted, RecordAgents};
use crate::core::domain::tree_path::TreePath;
use crate::store::git::object::ObjectId;

/// What a repair came to.
#[derive(Clone, Debug, Default)]
pub struct Repaired {
    /// Files that were missing and are there again.
    pub written: Vec<TreePath>,
    /// Files that were as they should be, and are recorded now.
    pub adopted: Vec<TreePath>,
    /// Files whose edits are kept from now on.
    pub accepted: Vec<TreePath>,
    /// Agents that are gone from the disk and that nothing asks for.
    pub forgotten: Vec<TreePath>,
    /// Files that were not made here, or that nothing asks for: they are left alone.
    pub left: Vec<Listed>,
    /// What could not be done, and why.
    pub failed: Vec<(TreePath, String)>,
    /// The entry that records it.
    pub entry: Option<ObjectId>,
    /// What the caller should be told besides.
    pub notices: Vec<String>,
}

/// Brings what was made and what is there together, without touching what somebody else wrote.
pub fn repair(ctx: &Ctx) -> Result<Repaired, AppError> {
    let workshop = Workshop::open(ctx)?;
    let Inventory { listed, notices } = workshop.inventory();
    let mut repaired = Repaired::default();
    let mut record = RecordAgents::default();
    for listed in listed {
        let path = listed.path.clone();
        let wanted = workshop.wanted_at(&path);
        match (listed.state, listed.file, wanted) {
            (State::Missing, _, Some(wanted)) => match workshop.files.write(&path, &wanted.bytes) {
                Ok(()) => {
                    record.written.push(wanted.written());
                    repaired.written.push(path);
                }
                Err(error) => repaired.failed.push((path, with_causes(&error))),
            },
            (_, Some(State::Missing), _) if listed.may_be_forgotten => {
                record.forgotten.push(path.clone());
                repaired.forgotten.push(path);
            }
            (State::Edited, _, _) => {
                if let OnDisk::File(content) = workshop.disk(&path) {
                    record.accepted.push(Accepted { path: path.clone(), content });
                    repaired.accepted.push(path);
                } else {
                    let gone = "it is not there any more".to_owned();
                    repaired.failed.push((path, listed.problem.unwrap_or(gone)));
                }
            }
            (State::Unknown, _, Some(wanted))
                if workshop.disk(&path) == OnDisk::File(wanted.content.clone()) =>
            {
                record.written.push(wanted.written());
                repaired.adopted.push(path);
            }
            (State::Unknown | State::Orphaned | State::Missing, _, _) => {
                repaired.left.push(listed);
            }
            (State::Ok, _, _) => {}
        }
    }
    (repaired.entry, repaired.notices) = recorded(ctx, record)?;
    repaired.notices.extend(notices);
    Ok(repaired)
}

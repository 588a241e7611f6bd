//! Reconciles the recorded agents with the files.

use schemars::JsonSchema;
use serde::Serialize;

use super::list::{FileView, Inventory};
use super::{Workshop, recorded};
use crate::app::Ctx;
use crate::app::answer::{Answer, Note, Outcome};
use crate::app::error::with_causes;
use crate::app::problem::Problem;
use crate::core::domain::agent_record::{Accepted, RecordAgents};
use crate::core::domain::generation::{OnDisk, State};
use crate::core::domain::tree_path::TreePath;

/// The answer to `domain agents repair`.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "RepairedAgents")]
pub struct Body {
    /// Files that were missing and are there again.
    pub written: Vec<TreePath>,
    /// Files that had the right content already, and are recorded now.
    pub adopted: Vec<TreePath>,
    /// Files whose edits are kept from now on.
    pub accepted: Vec<TreePath>,
    /// Agents whose files are gone and that nothing asks for; their records were removed.
    pub forgotten: Vec<TreePath>,
    /// Files that were not made here, or that nothing asks for: they are left alone.
    pub left: Vec<FileView>,
    pub failed: Vec<Failed>,
}

/// A file that could not be repaired.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FailedRepair")]
pub struct Failed {
    pub path: TreePath,
    /// The reason in a sentence.
    pub error: String,
}

/// Reconciles the recorded agents with the files, without touching what others wrote. The answer is
/// no if a file could not be repaired.
pub fn repair(ctx: &Ctx) -> Result<Answer<Body>, Problem> {
    let workshop = Workshop::open(ctx)?;
    let Inventory { listed, notices } = workshop.inventory();
    let mut repaired = Body::default();
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
                Err(error) => {
                    repaired.failed.push(Failed { path, error: with_causes(&error) });
                }
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
                    let error = listed.problem.unwrap_or(gone);
                    repaired.failed.push(Failed { path, error });
                }
            }
            (State::Unknown, _, Some(wanted))
                if workshop.disk(&path) == OnDisk::File(wanted.content.clone()) =>
            {
                record.written.push(wanted.written());
                repaired.adopted.push(path);
            }
            (State::Unknown | State::Orphaned | State::Missing, _, _) => {
                repaired.left.push(listed.into());
            }
            (State::Ok, _, _) => {}
        }
    }
    let (written, of_write) = recorded(ctx, record)?;
    let mut answer = Answer::read(repaired, ctx.clock()).noting(of_write);
    answer.written = written;
    if !answer.body.failed.is_empty() {
        answer.outcome = Outcome::No;
    }
    Ok(answer.noting(notices.into_iter().map(Note::warning)))
}

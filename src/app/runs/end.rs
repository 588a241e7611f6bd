//! Ends a run for good, and cancels the runs that are parts of it.

use schemars::JsonSchema;
use serde::Serialize;

use super::{named, transact};
use crate::app::Ctx;
use crate::app::answer::Answer;
use crate::app::problem::Problem;
use crate::core::run::Run;
use crate::core::run::end::{End, EndedRuns, Ending};
use crate::core::run::names::{DispatchId, IdPrefix, MemberId, RunId};
use crate::core::text::Line;

/// A request to end a run.
pub struct Request<'r> {
    pub run: &'r IdPrefix,
    pub ending: Ending,
    pub reason: &'r Line,
}

/// The answer to `run cancel` and `run fail`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    pub run: Run,
    /// False if it had ended so already.
    pub changed: bool,
    /// The runs below it that were cancelled with it.
    pub cascaded: Vec<RunId>,
    pub cancelled_dispatches: Vec<DispatchId>,
    pub failed_agents: Vec<MemberId>,
}

/// Ends the run.
pub fn end(ctx: &Ctx, request: &Request<'_>) -> Result<Answer<Body>, Problem> {
    let Request { run, ending, reason } = *request;
    let command = End { run: named::run(ctx, run)?, ending, reason: reason.clone() };
    Ok(Answer::committed(transact(ctx, command)?, Body::from))
}

impl From<EndedRuns> for Body {
    fn from(ended: EndedRuns) -> Body {
        let EndedRuns { run, cascaded, cancelled_dispatches, failed_agents, known } = ended;
        Body { run, changed: !known, cascaded, cancelled_dispatches, failed_agents }
    }
}

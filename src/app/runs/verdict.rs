//! Records what reviews came to.

use schemars::JsonSchema;
use serde::Serialize;

use super::{named, transact};
use crate::app::Ctx;
use crate::app::answer::Answer;
use crate::app::problem::Problem;
use crate::core::run::Run;
use crate::core::run::names::{IdPrefix, PhaseName};
use crate::core::run::verdict::{AddVerdict, Finding, Verdict};
use crate::core::text::Line;

/// A verdict that is to be recorded.
pub struct Add<'r> {
    pub run: &'r IdPrefix,
    /// The present phase where the caller does not say.
    pub phase: Option<&'r PhaseName>,
    pub result: Finding,
    pub note: Option<&'r Line>,
}

/// The answer to `run verdict add`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Added {
    pub run: Run,
    pub verdict: Verdict,
}

/// Records what a review of a phase came to.
pub fn add(ctx: &Ctx, request: &Add<'_>) -> Result<Answer<Added>, Problem> {
    let command = AddVerdict {
        run: named::run(ctx, request.run)?,
        phase: request.phase.cloned(),
        result: request.result,
        note: request.note.cloned(),
    };
    Ok(Answer::committed(transact(ctx, command)?, |(run, verdict)| Added { run, verdict }))
}

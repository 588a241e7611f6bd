//! Records the verdicts of reviews.

use schemars::JsonSchema;
use serde::Serialize;

use super::{seen, transact};
use crate::app::Ctx;
use crate::app::answer::Answer;
use crate::app::problem::Problem;
use crate::core::run::Run;
use crate::core::run::names::{IdPrefix, PhaseName};
use crate::core::run::verdict::{AddVerdict, Finding, Verdict};
use crate::core::text::Line;

/// A verdict to record.
pub struct Add<'r> {
    pub run: &'r IdPrefix,
    /// The present phase if absent.
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

/// Records the verdict of a review of a phase.
pub fn add(ctx: &Ctx, request: &Add<'_>) -> Result<Answer<Added>, Problem> {
    let (run, phase) = seen(ctx, request.run, request.phase)?;
    let command =
        AddVerdict { run, phase: Some(phase), result: request.result, note: request.note.cloned() };
    Ok(Answer::committed(transact(ctx, command)?, |(run, verdict)| Added { run, verdict }))
}

//! Skips a phase that lies ahead, or takes that back.

use schemars::JsonSchema;
use serde::Serialize;

use super::{named, transact};
use crate::app::Ctx;
use crate::app::answer::Answer;
use crate::app::problem::Problem;
use crate::core::run::Run;
use crate::core::run::names::{IdPrefix, PhaseName};
use crate::core::run::skip::{SetSkip, SkipSet};
use crate::core::text::Line;

/// A request to skip a phase, or to take that back.
pub struct Request<'r> {
    pub run: &'r IdPrefix,
    pub phase: &'r PhaseName,
    pub reason: &'r Line,
    /// Set to skip, unset to take that back.
    pub skip: bool,
}

/// The answer to `run skip` and `run unskip`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    pub run: Run,
    pub phase: PhaseName,
    /// True if the phase is skipped now.
    pub skipped: bool,
    /// False if it was so already.
    pub changed: bool,
}

/// Marks a phase as skipped or not.
pub fn skip(ctx: &Ctx, request: &Request<'_>) -> Result<Answer<Body>, Problem> {
    let command = SetSkip {
        run: named::run(ctx, request.run)?,
        phase: request.phase.clone(),
        reason: request.reason.clone(),
        skip: request.skip,
    };
    let committed = transact(ctx, command)?;
    Ok(Answer::committed(committed, |SkipSet { run, changed }| Body {
        run,
        phase: request.phase.clone(),
        skipped: request.skip,
        changed,
    }))
}

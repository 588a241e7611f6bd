//! Passes over a phase that lies ahead, or does not after all.

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

/// A phase that is to be passed over, or not any more.
pub struct Request<'r> {
    pub run: &'r IdPrefix,
    pub phase: &'r PhaseName,
    pub reason: &'r Line,
    /// Whether it is to be passed over.
    pub skip: bool,
}

/// The answer to `run skip` and `run unskip`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    pub run: Run,
    pub phase: PhaseName,
    /// Whether the run passes over it now.
    pub skipped: bool,
    /// Whether that is new.
    pub changed: bool,
}

/// Sets whether the run passes over the phase.
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

//! Names the active run that was made last.

use schemars::JsonSchema;
use serde::Serialize;

use super::list;
use crate::app::Ctx;
use crate::app::answer::Answer;
use crate::app::error::AppError;
use crate::app::problem::Problem;
use crate::core::run::Run;

/// The answer to `run current`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    pub run: Run,
}

/// Finds the active run that was made last.
pub fn current(ctx: &Ctx) -> Result<Answer<Body>, Problem> {
    let newest = list(ctx, false)?.found.into_iter().next();
    let run = newest.ok_or_else(|| AppError::nothing("no_run", "no run is active"))?;
    Ok(Answer::read(Body { run }, ctx.clock()))
}

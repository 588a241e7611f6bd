//! Lists runs.

use schemars::JsonSchema;
use serde::Serialize;

use super::damage;
use crate::app::Ctx;
use crate::app::answer::Answer;
use crate::app::problem::Problem;
use crate::core::run::Run;

/// A choice of runs.
pub struct Request {
    /// Also those that are completed, cancelled or failed.
    pub all: bool,
}

/// The answer to `run list`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    /// The runs, the newest first.
    pub runs: Vec<Run>,
}

/// Lists the runs that were chosen.
pub fn list(ctx: &Ctx, request: &Request) -> Result<Answer<Body>, Problem> {
    let listed = super::list(ctx, request.all)?;
    let answer = Answer::read(Body { runs: listed.found }, ctx.clock());
    Ok(answer.noting(damage(&listed.damaged)))
}

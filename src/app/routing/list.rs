//! Lists overrides and blocks.

use schemars::JsonSchema;
use serde::Serialize;

use super::status::look;
use super::view::OverrideView;
use crate::app::Ctx;
use crate::app::answer::Answer;
use crate::app::problem::Problem;
use crate::core::environment::Environment;
use crate::core::routing::Block;

/// The answer to `override list`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OverrideList")]
pub struct Body {
    pub overrides: Vec<OverrideView>,
    /// The agents whose overrides are blocked.
    pub blocked: Vec<Block>,
}

/// Lists overrides and blocks. The environment says where the roster is.
pub fn list(ctx: &Ctx, environment: &Environment) -> Result<Answer<Body>, Problem> {
    let (all, now) = look(ctx, environment)?;
    Ok(Answer::read(Body { overrides: all.overrides, blocked: all.blocked }, now))
}

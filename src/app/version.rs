//! Tells the version of the program, and what it writes.

use schemars::JsonSchema;
use serde::Serialize;

use crate::app::answer::Answer;
use crate::app::open::Door;
use crate::app::problem::Problem;
use crate::core::decision::RULES;
use crate::core::documents::FORMAT_VERSION;

/// The answer to `version`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    /// The version of the program.
    pub version: &'static str,
    /// The newest format of ledgers that it reads, which is the one that it writes.
    pub format: u64,
    /// The rules by which it decides.
    pub rules: u32,
}

/// Tells the version; works outside of a repository too.
pub fn version(door: &Door) -> Result<Answer<Body>, Problem> {
    let version = env!("CARGO_PKG_VERSION");
    let body = Body { version, format: FORMAT_VERSION, rules: RULES };
    Ok(Answer::read(body, door.clock()?))
}

//! Tells under which name a request acts, and why.

use schemars::JsonSchema;
use serde::Serialize;

use crate::app::answer::Answer;
use crate::app::identity::{ActorKind, Identity};
use crate::app::open::Door;
use crate::app::problem::Problem;
use crate::core::ids::AgentName;

/// The answer to `whoami`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    /// The name that everything is recorded under.
    pub agent: AgentName,
    pub kind: ActorKind,
    /// The place that the name comes from.
    pub source: &'static str,
    /// The number of the process that the name is made of, where the agent's program tells no
    /// session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process: Option<u32>,
}

/// Tells who acts; works outside of a repository too.
pub fn whoami(door: &Door, acting_as: Option<&AgentName>) -> Result<Answer<Body>, Problem> {
    let identity = door.identity(acting_as, &door.settings()?)?;
    let Identity { name, kind, source, process, .. } = identity;
    let process = process.map(|process| process.pid);
    let body = Body { agent: name, kind, source: source.description(), process };
    Ok(Answer::read(body, door.clock()?))
}

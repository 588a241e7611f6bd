//! Tells under which name a request acts, and why.

use schemars::JsonSchema;
use serde::Serialize;

use crate::app::answer::Answer;
use crate::app::identity::{ActorKind, Identity};
use crate::core::ids::AgentName;
use crate::core::time::Timestamp;

/// The answer to `whoami`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    /// The name that everything is recorded under.
    pub agent: AgentName,
    pub kind: ActorKind,
    /// The place that the name comes from.
    pub source: &'static str,
}

/// Tells who acts.
pub fn whoami(identity: Identity, now: Timestamp) -> Answer<Body> {
    let Identity { name, kind, source, .. } = identity;
    Answer::read(Body { agent: name, kind, source: source.description() }, now)
}

//! Records which agents work in a run.

use schemars::JsonSchema;
use serde::Serialize;

use super::{named, seen, transact};
use crate::app::Ctx;
use crate::app::answer::Answer;
use crate::app::problem::Problem;
use crate::core::ids::AgentName;
use crate::core::run::Run;
use crate::core::run::agent::{AddAgent, AddedAgent, FinishAgent, Member, MemberStatus};
use crate::core::run::names::{IdPrefix, PhaseName};

/// An agent that begins to work in a phase.
pub struct Add<'r> {
    pub run: &'r IdPrefix,
    pub name: &'r AgentName,
    /// The present phase if absent.
    pub phase: Option<&'r PhaseName>,
}

/// The answer to `run agent add`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Added {
    pub run: Run,
    pub agent: Member,
    /// False if the agent was recorded there already.
    pub added: bool,
}

/// Records that an agent works in a phase.
pub fn add(ctx: &Ctx, request: &Add<'_>) -> Result<Answer<Added>, Problem> {
    let (run, phase) = seen(ctx, request.run, request.phase)?;
    let command = AddAgent { run, name: request.name.clone(), phase: Some(phase) };
    Ok(Answer::committed(transact(ctx, command)?, |AddedAgent { run, member, known }| Added {
        run,
        agent: member,
        added: !known,
    }))
}

/// An agent that has finished.
pub struct Finish<'r> {
    pub run: &'r IdPrefix,
    /// The name of the agent, or the id of its work or the beginning of that.
    pub agent: &'r AgentName,
    pub status: MemberStatus,
}

/// The answer to `run agent finish`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Finished {
    pub run: Run,
    pub agent: Member,
}

/// Records that an agent has finished.
pub fn finish(ctx: &Ctx, request: &Finish<'_>) -> Result<Answer<Finished>, Problem> {
    let (run, agent) = named::agent(ctx, request.run, request.agent)?;
    let committed = transact(ctx, FinishAgent { run, agent, status: request.status })?;
    Ok(Answer::committed(committed, |(run, agent)| Finished { run, agent }))
}

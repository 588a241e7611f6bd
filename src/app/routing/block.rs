//! Blocks overrides of an agent, and lifts the block.

use schemars::JsonSchema;
use serde::Serialize;

use super::agent_name;
use crate::app::answer::Answer;
use crate::app::problem::Problem;
use crate::app::{Ctx, WriteMode};
use crate::core::ledger::LedgerName;
use crate::core::routing::block::{BlockAgent, Unblock};
use crate::core::routing::names::RoutedName;
use crate::core::routing::text::Note;

/// The answer to `override block` and `unblock`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BlockChange")]
pub struct Body {
    pub agent: RoutedName,
    /// False if it was so already.
    pub changed: bool,
}

/// Blocks overrides of an agent; another reason replaces the first.
pub fn block(ctx: &Ctx, agent: &str, reason: &Note) -> Result<Answer<Body>, Problem> {
    let agent = agent_name(ctx, agent)?;
    let command = BlockAgent { agent: agent.clone(), reason: reason.clone() };
    let committed = ctx.transact(LedgerName::Overrides, command, WriteMode::Plain)?;
    Ok(Answer::committed(committed, |block| Body { agent, changed: block.is_some() }))
}

/// Lifts a block.
pub fn unblock(ctx: &Ctx, agent: &str) -> Result<Answer<Body>, Problem> {
    let agent = agent_name(ctx, agent)?;
    let command = Unblock { agent: agent.clone() };
    let committed = ctx.transact(LedgerName::Overrides, command, WriteMode::Plain)?;
    Ok(Answer::committed(committed, |block| Body { agent, changed: block.is_some() }))
}

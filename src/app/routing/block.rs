//! Blocks overrides of an agent, and lifts the block.

use schemars::JsonSchema;
use serde::Serialize;

use super::agent_name;
use crate::app::answer::Answer;
use crate::app::error::AppError;
use crate::app::problem::Problem;
use crate::app::{Ctx, WriteMode};
use crate::core::ledger::LedgerName;
use crate::core::routing::block::{BlockAgent, Unblock};
use crate::core::routing::index;
use crate::core::routing::names::RoutedName;
use crate::core::routing::text::Note;
use crate::core::seen::Seen;

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
    let reading = ctx.read_ledger(LedgerName::Overrides)?;
    let block = index::block_of(&reading.base.snapshot, &agent).map_err(AppError::from)?;
    let command = Unblock { agent: agent.clone(), seen: Some(Seen::of(block.as_ref())) };
    let committed = ctx.transact(LedgerName::Overrides, command, WriteMode::Plain)?;
    Ok(Answer::committed(committed, |block| Body { agent, changed: block.is_some() }))
}

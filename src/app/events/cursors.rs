//! Lists the consumers of events with their positions, and resets or forgets one.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::app::Ctx;
use crate::app::answer::Answer;
use crate::app::error::AppError;
use crate::app::problem::Problem;
use crate::core::ids::AgentName;
use crate::store::machine::cursors::{Cursor, Position};

/// A change of one consumer before all are listed.
pub enum Change<'r> {
    None,
    /// The consumer begins again with the first event.
    Reset(&'r AgentName),
    Delete(&'r AgentName),
}

/// The answer to `events cursors`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    pub cursors: Vec<CursorView>,
}

/// A consumer of events with its positions.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Cursor")]
pub struct CursorView {
    pub consumer: AgentName,
    /// The last entry that it got, by ledger.
    pub positions: BTreeMap<String, Position>,
}

/// Changes a consumer if asked to, and lists all.
pub fn cursors(ctx: &Ctx, change: &Change<'_>) -> Result<Answer<Body>, Problem> {
    let all = apply(ctx, change)?;
    let view = |(consumer, positions)| CursorView { consumer, positions };
    Ok(Answer::read(Body { cursors: all.into_iter().map(view).collect() }, ctx.clock()))
}

fn apply(ctx: &Ctx, change: &Change<'_>) -> Result<Vec<(AgentName, Cursor)>, AppError> {
    let cursors = ctx.cursors();
    if let Change::Reset(consumer) | Change::Delete(consumer) = change
        && !cursors.delete(consumer)?
    {
        let message = format!("no consumer '{consumer}'");
        return Err(AppError::nothing("no_consumer", message));
    }
    if let Change::Reset(consumer) = change {
        cursors.save(consumer, &Cursor::new())?;
    }
    let mut all = Vec::new();
    for consumer in cursors.list()? {
        let cursor = cursors.load(&consumer)?.unwrap_or_default();
        all.push((consumer, cursor));
    }
    Ok(all)
}

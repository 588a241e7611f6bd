//! Compares the spending of a run with its budget.

use schemars::JsonSchema;
use serde::Serialize;

use super::{find, read};
use crate::app::Ctx;
use crate::app::answer::Answer;
use crate::app::problem::Problem;
use crate::core::run::Run;
use crate::core::run::budget::{Spending, Tokens};
use crate::core::run::names::IdPrefix;

/// The answer to `run budget`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    pub run: Run,
    /// The tokens that were spent, in and out.
    pub used: u64,
    pub tokens: Tokens,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
}

/// The budget of a run.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Limit {
    /// The tokens that it may spend in all.
    pub budget: u64,
    /// The tokens that it may still spend.
    pub left: u64,
    pub spending: Spending,
}

/// Adds up what a run has spent, and compares it with the budget.
pub fn budget(ctx: &Ctx, prefix: &IdPrefix) -> Result<Answer<Body>, Problem> {
    let reading = read(ctx)?;
    let run = find(&reading, prefix)?;
    let used = run.spent.counted();
    let limit = run.budget.map(|budget| Limit {
        budget: budget.tokens,
        left: budget.tokens.saturating_sub(used),
        spending: budget.spending(run.spent),
    });
    let message = format!("run '{}' has spent more than its budget", run.id);
    let answer = Answer::read(Body { used, tokens: run.spent, limit, run }, reading.now);
    Ok(match limit {
        Some(Limit { spending: Spending::Exceeded, .. }) => {
            answer.refused(Problem::refused("budget_exceeded", message))
        }
        _ => answer,
    })
}

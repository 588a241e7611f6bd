//! Changes settings of an active run.

use schemars::JsonSchema;
use serde::Serialize;

use super::{named, transact};
use crate::app::Ctx;
use crate::app::answer::Answer;
use crate::app::problem::Problem;
use crate::core::run::Run;
use crate::core::run::bounds::{AgentsMax, Complexity, Percent, TokenBudget};
use crate::core::run::names::IdPrefix;
use crate::core::run::set::Set;

/// Settings to change. Absent ones stay as they are.
pub struct Request<'r> {
    pub run: &'r IdPrefix,
    pub complexity: Option<Complexity>,
    /// Set to demand an approval for every step; absent to leave it.
    pub manual: Option<bool>,
    pub max_agents: Option<AgentsMax>,
    /// The tokens, in and out, that its dispatches may spend.
    pub budget: Option<TokenBudget>,
    /// The percentage of the budget from which on to warn.
    pub warn_percent: Option<Percent>,
    /// Set to let every gate check the budget; absent to leave it.
    pub enforced: Option<bool>,
    /// Further runs that it is to wait for.
    pub after: &'r [IdPrefix],
    /// Runs that it is no longer to wait for.
    pub not_after: &'r [IdPrefix],
}

/// The answer to `run set`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    pub run: Run,
}

/// Changes the settings.
pub fn set(ctx: &Ctx, request: &Request<'_>) -> Result<Answer<Body>, Problem> {
    let command = Set {
        run: named::run(ctx, request.run)?,
        complexity: request.complexity.map(Complexity::get),
        manual: request.manual,
        max_agents: request.max_agents.map(AgentsMax::get),
        budget: request.budget.map(TokenBudget::get),
        warn_percent: request.warn_percent.map(Percent::get),
        enforced: request.enforced,
        after: named::runs(ctx, request.after)?,
        not_after: named::runs(ctx, request.not_after)?,
        needs_budget: false,
    };
    let committed = transact(ctx, command.needing_its_budget())?;
    Ok(Answer::committed(committed, |run| Body { run }))
}

//! Creates a run.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use super::{gates, named, transact};
use crate::app::Ctx;
use crate::app::answer::Answer;
use crate::app::error::AppError;
use crate::app::problem::Problem;
use crate::core::run::Run;
use crate::core::run::bounds::{AgentsMax, Complexity, Percent, TokenBudget};
use crate::core::run::budget::Budget;
use crate::core::run::chain::Chain;
use crate::core::run::create::{Create, Created};
use crate::core::run::names::{IdPrefix, MetadataKey, RunId};
use crate::core::text::Line;

/// A request to create a run.
pub struct Request<'r> {
    pub goal: &'r Line,
    /// The usual phases if absent.
    pub phases: Option<&'r Chain>,
    /// A file with gates, which win over those of the repository.
    pub gates: Option<&'r Path>,
    /// The tokens, in and out, that its dispatches may spend.
    pub budget: Option<TokenBudget>,
    /// The percentage of the budget from which on to warn.
    pub warn_percent: Option<Percent>,
    /// Set if every gate checks the budget.
    pub enforced: bool,
    pub complexity: Complexity,
    /// Set if every step needs an approval.
    pub manual: bool,
    pub max_agents: Option<AgentsMax>,
    /// The run that it is a part of.
    pub parent: Option<&'r IdPrefix>,
    /// The runs that it waits for.
    pub after: &'r [IdPrefix],
    pub scope: Option<&'r Line>,
    pub metadata: &'r [(MetadataKey, Line)],
    /// The id of the run; a random one if absent.
    pub id: Option<&'r RunId>,
}

impl Request<'_> {
    /// Checks that the request says what it means.
    pub fn check(&self) -> Result<(), AppError> {
        if self.budget.is_none() && (self.enforced || self.warn_percent.is_some()) {
            let message = "--budget-warn and --enforce-budget go with --budget";
            return Err(AppError::usage(message));
        }
        Ok(())
    }
}

/// The answer to `run create`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    pub run: Run,
    /// False if an earlier call of the same request had created it.
    pub created: bool,
}

pub fn create(ctx: &Ctx, request: &Request<'_>) -> Result<Answer<Body>, Problem> {
    request.check()?;
    let phases = request.phases.cloned().unwrap_or_default();
    let (gates, repository_gates) = match request.gates {
        Some(file) => (Some(gates::in_file(ctx, file, &phases)?), None),
        None => (None, gates::of_this_repository(ctx, &phases)?),
    };
    let warn_percent = request.warn_percent.map(Percent::get);
    let budget = request.budget.map(TokenBudget::get);
    let budget = budget.map(|tokens| Budget::new(tokens, warn_percent, request.enforced));
    let command = Create {
        goal: request.goal.clone(),
        phases,
        gates,
        budget,
        complexity: request.complexity.get(),
        manual: request.manual,
        max_agents: request.max_agents.map(AgentsMax::get),
        parent: request.parent.map(|run| named::run(ctx, run)).transpose()?,
        after: named::runs(ctx, request.after)?,
        scope: request.scope.cloned(),
        metadata: request.metadata.iter().cloned().collect(),
        repository_gates,
        id: request.id.cloned(),
    };
    let committed = transact(ctx, command)?;
    Ok(Answer::committed(committed, |Created { run, known }| Body { run, created: !known }))
}

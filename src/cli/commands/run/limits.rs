//! The limits of a run, which `run create` and `run set` take alike.

use crate::core::run::bounds::{AgentsMax, Complexity, Percent, TokenBudget};

#[derive(Debug, clap::Args)]
pub(crate) struct Limits {
    /// Number of tokens, in and out, that dispatches may spend
    #[arg(long, value_name = "TOKENS", allow_hyphen_values = true)]
    pub(crate) budget: Option<TokenBudget>,

    /// Percentage of the budget from which to warn
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true)]
    pub(crate) budget_warn: Option<Percent>,

    /// Number of agents that may work in the run at once
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub(crate) max_agents: Option<AgentsMax>,

    /// Estimated difficulty, from 1 to 5
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub(crate) complexity: Option<Complexity>,
}

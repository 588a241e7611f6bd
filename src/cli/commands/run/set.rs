//! `git coord run set`

use super::RunArg;
use crate::app::Ctx;
use crate::app::problem::Problem;
use crate::app::runs::set::{Request, set};
use crate::cli::exit::ExitCode;
use crate::cli::runs::line;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::run::bounds::{AgentsMax, Complexity, Percent, TokenBudget};
use crate::core::run::names::IdPrefix;

const EXAMPLES: &str = "\
Examples:
  git coord run set k3v9x2ab --budget 400000 --enforce-budget true
  git coord run set k3v9x2ab --after m2p8q0cd
  git coord run set k3v9x2ab --not-after m2p8q0cd";

/// Change settings of an active run
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) run: RunArg,

    /// Number of tokens, in and out, that dispatches may spend
    #[arg(long, value_name = "TOKENS", allow_hyphen_values = true)]
    pub(crate) budget: Option<TokenBudget>,

    /// Percentage of the budget from which to warn
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true)]
    pub(crate) budget_warn: Option<Percent>,

    /// Make every gate check that the budget is not exceeded
    #[arg(long, value_name = "BOOL")]
    pub(crate) enforce_budget: Option<bool>,

    /// Estimated difficulty, from 1 to 5
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub(crate) complexity: Option<Complexity>,

    /// Require approval of every step
    #[arg(long, value_name = "BOOL")]
    pub(crate) manual: Option<bool>,

    /// Number of agents that may work in the run at once
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub(crate) max_agents: Option<AgentsMax>,

    /// Run to wait for, in addition to others
    #[arg(long, value_name = "RUN")]
    pub(crate) after: Vec<IdPrefix>,

    /// Run to stop waiting for
    #[arg(long, value_name = "RUN")]
    pub(crate) not_after: Vec<IdPrefix>,
}

impl Args {
    pub(crate) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let request = Request {
            run: &self.run.id,
            complexity: self.complexity,
            manual: self.manual,
            max_agents: self.max_agents,
            budget: self.budget,
            warn_percent: self.budget_warn,
            enforced: self.enforce_budget,
            after: &self.after,
            not_after: &self.not_after,
        };
        let answer = set(ctx, &request)?;
        show(ui, &answer, |ui| ui.line(&line(ui, &answer.body.run)))
    }
}

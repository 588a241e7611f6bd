//! `git coord run set`

use super::RunArg;
use super::limits::Limits;
use crate::app::Ctx;
use crate::app::problem::Problem;
use crate::app::runs::set::{Request, set};
use crate::cli::exit::ExitCode;
use crate::cli::runs::line;
use crate::cli::show::show;
use crate::cli::term::Ui;
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

    #[command(flatten)]
    pub(crate) limits: Limits,

    /// Make every gate check that the budget is not exceeded
    #[arg(long, value_name = "BOOL")]
    pub(crate) enforce_budget: Option<bool>,

    /// Require approval of every step
    #[arg(long, value_name = "BOOL")]
    pub(crate) manual: Option<bool>,

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
            complexity: self.limits.complexity,
            manual: self.manual,
            max_agents: self.limits.max_agents,
            budget: self.limits.budget,
            warn_percent: self.limits.budget_warn,
            enforced: self.enforce_budget,
            after: &self.after,
            not_after: &self.not_after,
        };
        let answer = set(ctx, &request)?;
        show(ui, &answer, |ui| ui.line(&line(ui, &answer.body.run)))
    }
}

//! `git coord run budget`

use crate::app::Ctx;
use crate::app::problem::Problem;
use crate::app::runs::budget::{Body, Limit, budget};
use crate::cli::exit::ExitCode;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::run::budget::Spending;
use crate::core::run::names::IdPrefix;

/// Shows the budget of the run and its spending.
pub(super) fn run(ui: &mut Ui, ctx: &Ctx, run: &IdPrefix) -> Result<ExitCode, Problem> {
    let answer = budget(ctx, run)?;
    let Body { used, limit, .. } = &answer.body;
    show(ui, &answer, |ui| {
        let Some(Limit { budget, spending, .. }) = limit else {
            return ui.line(&format!("{used} tokens spent, no budget"));
        };
        let how = match spending {
            Spending::Within => "",
            Spending::Near => ": nearly all",
            Spending::Exceeded => ": exceeded",
        };
        ui.line(&format!("{used} of {budget} tokens spent{how}"))
    })
}

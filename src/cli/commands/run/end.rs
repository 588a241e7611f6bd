//! `git coord run cancel` and `git coord run fail`

use super::EndArgs;
use crate::app::Ctx;
use crate::app::problem::Problem;
use crate::app::runs::end::{Body, Request, end};
use crate::cli::exit::ExitCode;
use crate::cli::runs::line;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::run::end::Ending;

pub(super) const CANCEL_EXAMPLES: &str = "\
Examples:
  git coord run cancel k3v9x2ab --reason 'not wanted any more'";

pub(super) const FAIL_EXAMPLES: &str = "\
Examples:
  git coord run fail k3v9x2ab --reason 'the API is not ours'";

/// Ends the run.
pub(super) fn run(
    ui: &mut Ui,
    ctx: &Ctx,
    EndArgs { run, reason }: &EndArgs,
    ending: Ending,
) -> Result<ExitCode, Problem> {
    let answer = end(ctx, &Request { run: &run.id, ending, reason })?;
    let Body { run, changed, cascaded, cancelled_dispatches, failed_agents } = &answer.body;
    show(ui, &answer, |ui| {
        ui.line(&line(ui, run))?;
        if !changed {
            ui.note("it was so already")?;
        }
        for id in cascaded {
            ui.line(&format!("{id}  cancelled with it"))?;
        }
        match (cancelled_dispatches.len(), failed_agents.len()) {
            (0, 0) => Ok(()),
            (dispatches, agents) => {
                ui.note(&format!("cancelled {dispatches} dispatches, failed {agents} agents"))
            }
        }
    })
}

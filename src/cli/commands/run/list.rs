//! `git coord run list` and `git coord run current`

use crate::app::problem::Problem;
use crate::app::{Ctx, runs};
use crate::cli::exit::ExitCode;
use crate::cli::holds::fields;
use crate::cli::runs::{answer, documents, print_table, warn_damaged};
use crate::cli::term::Ui;

/// List runs, the newest first
#[derive(Debug, clap::Args)]
pub(crate) struct ListArgs {
    /// Also those that are completed, cancelled or failed
    #[arg(long)]
    pub(crate) all: bool,
}

/// Show the active run that was made last
#[derive(Debug, clap::Args)]
pub(crate) struct CurrentArgs {}

impl ListArgs {
    pub(crate) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let listed = runs::list(ctx, self.all)?;
        warn_damaged(ui, &listed.damaged)?;
        if ui.is_json() {
            ui.answer(true, fields([("runs", documents(&listed.found))]))?;
        } else if listed.found.is_empty() {
            ui.note(if self.all { "no runs" } else { "no run is active" })?;
        } else {
            print_table(ui, &listed.found, ctx.clock())?;
        }
        Ok(ExitCode::Done)
    }
}

impl CurrentArgs {
    pub(crate) fn run(ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let run = runs::current(ctx)?;
        if ui.is_json() {
            ui.answer(true, answer(&run, []))?;
        } else {
            print_table(ui, &[run], ctx.clock())?;
        }
        Ok(ExitCode::Done)
    }
}

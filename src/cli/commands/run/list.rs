//! `git coord run list` and `git coord run current`

use crate::app::Ctx;
use crate::app::problem::Problem;
use crate::app::runs::current::current;
use crate::app::runs::list::{Request, list};
use crate::cli::exit::ExitCode;
use crate::cli::runs::print_table;
use crate::cli::show::show;
use crate::cli::term::Ui;

/// List runs, newest first
#[derive(Debug, clap::Args)]
pub(crate) struct ListArgs {
    /// Also completed, cancelled and failed runs
    #[arg(long)]
    pub(crate) all: bool,
}

/// Show the newest active run
#[derive(Debug, clap::Args)]
pub(crate) struct CurrentArgs {}

impl ListArgs {
    pub(crate) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let answer = list(ctx, &Request { all: self.all })?;
        show(ui, &answer, |ui| {
            if answer.body.runs.is_empty() {
                ui.note(if self.all { "no runs" } else { "no run is active" })?;
            }
            print_table(ui, &answer.body.runs, answer.at)
        })
    }
}

impl CurrentArgs {
    pub(crate) fn run(ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let answer = current(ctx)?;
        show(ui, &answer, |ui| print_table(ui, std::slice::from_ref(&answer.body.run), answer.at))
    }
}

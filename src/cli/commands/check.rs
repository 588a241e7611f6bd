//! `git coord check`

use crate::app::problem::Problem;
use crate::app::reservations::check::{Body, Request, check};
use crate::app::wording::view_text;
use crate::cli::commands::reserve::Targets;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::show::show;
use crate::cli::term::Ui;

const EXAMPLES: &str = "\
Examples:
  git coord check src/api/mod.rs
  git coord check 'src/**' --json
  git coord check --lock staging-db";

/// Check whether paths or locks are free for you, without reserving them
///
/// Exits with 0 if all of them are free or yours, and with 1 if another agent holds one of them.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) targets: Targets,
}

impl Args {
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let ctx = context.open()?;
        let request = Request {
            patterns: &self.targets.patterns,
            locks: &self.targets.locks,
            reading: self.targets.reading(),
        };
        let answer = check(&ctx, &request)?;
        let Body { free, conflicts } = &answer.body;
        show(ui, &answer, |ui| {
            if *free {
                ui.line("free")?;
            }
            conflicts.iter().try_for_each(|conflict| ui.line(&view_text(conflict, answer.at)))
        })
    }
}

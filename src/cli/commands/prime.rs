//! `git coord prime`

use crate::app::prime::{Request, prime};
use crate::app::problem::Problem;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::show::show;
use crate::cli::term::Ui;

const EXAMPLES: &str = "\
Examples:
  git coord prime
  git coord prime --agents-md >> AGENTS.md";

/// Show what an agent needs to know to work here
///
/// Prints your name, the commands to use and what others hold, in fewer than 1,500 characters.
/// Hooks of coding agents give the same text at the beginning of a session.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Print the block for AGENTS.md, the same for every agent; nothing is written
    #[arg(long)]
    pub(crate) agents_md: bool,
}

impl Args {
    /// Prints the text.
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let ctx = context.open()?;
        let answer = prime(&ctx, Request { for_file: self.agents_md })?;
        show(ui, &answer, |ui| answer.body.text.lines().try_for_each(|line| ui.line(line)))
    }
}

//! `git coord domain agents`

mod generate;
mod list;
mod repair;

use clap::Subcommand;

use crate::app::Ctx;
use crate::app::problem::Problem;
use crate::cli::exit::ExitCode;
use crate::cli::term::Ui;

/// Generate review agents for the domains of this project, and keep track of them
///
/// Writes files to .claude/agents, or to the directory in coord.agentsDirectory. Recognizes
/// generated files by the ledger, never by their content: does not touch your own files, keeps
/// edits unless forced, and deletes nothing.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Generate(generate::Args),
    List(list::Args),
    Repair(repair::Args),
}

impl Args {
    pub(super) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        match &self.command {
            Command::Generate(args) => args.run(ui, ctx),
            Command::List(_) => list::Args::run(ui, ctx),
            Command::Repair(_) => repair::Args::run(ui, ctx),
        }
    }
}

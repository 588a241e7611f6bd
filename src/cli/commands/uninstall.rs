//! `git coord uninstall`

use crate::app::install::found::Host;
use crate::app::install::uninstall;
use crate::app::problem::Problem;
use crate::cli::commands::install::report;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::term::Ui;

const EXAMPLES: &str = "\
Examples:
  git coord uninstall --dry-run
  git coord uninstall --state --dry-run";

/// Undo the changes of 'git coord install'
///
/// Restores hooks and settings of agents, byte for byte if nobody else has changed them since, and
/// the earlier values of configuration keys. Removes the manual and the completions together with
/// the last repository that they were installed for. Keeps reservations and their history unless
/// --state is given.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Also delete every ref under refs/coord and all helper files
    ///
    /// This cannot be undone: all reservations and all of their history are lost. --dry-run names
    /// each ref first.
    #[arg(long)]
    pub(crate) state: bool,

    /// Show what would be done without doing it
    #[arg(long)]
    pub(crate) dry_run: bool,
}

impl Args {
    /// Undoes the installation, and lists the changes.
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let ctx = context.open()?;
        let followed = uninstall(&ctx, &Host::of(&context.door), self.state, self.dry_run)?;
        if followed.answer.body.items.is_empty() && followed.failed.is_none() && !ui.is_json() {
            ui.note("nothing to uninstall")?;
        }
        report(ui, followed)
    }
}

//! `git coord uninstall`

use crate::app::install::uninstall;
use crate::app::problem::Problem;
use crate::cli::commands::install::{host, report};
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::open::open;
use crate::cli::term::Ui;

const EXAMPLES: &str = "\
Examples:
  git coord uninstall --dry-run
  git coord uninstall --state --dry-run";

/// Give back what 'git coord install' changed
///
/// Hooks and settings of agents are again what they were, byte for byte where nobody else has
/// changed them since, and keys of the configuration have the values that they had. The manual and
/// the completions that it put beside the program go with the last repository that they were
/// installed for. What is reserved, and its history, stays unless --state is given.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Also delete every ref under refs/coord and all helper files
    ///
    /// This cannot be undone: what is reserved and all of its history is gone. --dry-run names
    /// each ref first.
    #[arg(long)]
    pub(crate) state: bool,

    /// Tell what would be done, and leave it
    #[arg(long)]
    pub(crate) dry_run: bool,
}

impl Args {
    /// Takes everything away, and says what it did.
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let ctx = open(context)?;
        let followed = uninstall(&ctx, &host(context), self.state, self.dry_run)?;
        if followed.answer.body.items.is_empty() && followed.failed.is_none() && !ui.is_json() {
            ui.note("nothing to uninstall")?;
        }
        report(ui, followed)
    }
}

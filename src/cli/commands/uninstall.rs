//! `git coord uninstall`

use crate::app::install;
use crate::app::problem::Problem;
use crate::cli::commands::install::{follow, host};
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
        let items = install::plan_uninstall(&ctx, &host(context), self.state)?;
        if items.is_empty() && !ui.is_json() {
            ui.note("nothing to uninstall")?;
        } else {
            follow(ui, &ctx, &items, self.dry_run)?;
        }
        Ok(ExitCode::Done)
    }
}

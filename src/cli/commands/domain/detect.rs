//! `git coord domain detect`

use super::{TreeArg, print};
use crate::app::Ctx;
use crate::app::domains::detect::{Request, detect};
use crate::app::problem::Problem;
use crate::cli::exit::ExitCode;
use crate::cli::show::show;
use crate::cli::term::Ui;

const EXAMPLES: &str = "\
Examples:
  git coord domain detect
  git coord domain detect --force --json";

/// Look at the tree, and record what kind of project it is
///
/// Exits with 1 when no domain of the index fits. Where what is recorded still holds, nothing is
/// written. What 'domain set' has recorded is kept and goes before what is detected.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Look again and record it, even if what is recorded still holds
    #[arg(long)]
    pub(crate) force: bool,

    #[command(flatten)]
    pub(crate) from: TreeArg,
}

impl Args {
    pub(super) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let request = Request { which: self.from.which(), force: self.force };
        let answer = detect(ctx, &request)?;
        show(ui, &answer, |ui| {
            print(ui, &answer.body.project)?;
            if !answer.body.recorded {
                ui.note("nothing has changed; nothing was recorded")?;
            }
            Ok(())
        })
    }
}

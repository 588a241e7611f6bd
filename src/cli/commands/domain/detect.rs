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

/// Detect the domains of this project, and record them
///
/// Exits with 1 if no domain of the index fits. Writes nothing if the recorded domains still hold.
/// Domains that 'domain set' has recorded stay, and take precedence over detected ones.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Detect and record again, even if the recorded domains still hold
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

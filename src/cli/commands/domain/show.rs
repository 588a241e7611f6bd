//! `git coord domain show`

use super::print;
use crate::app::Ctx;
use crate::app::domains;
use crate::app::problem::Problem;
use crate::cli::exit::ExitCode;
use crate::cli::show::show;
use crate::cli::term::Ui;

const EXAMPLES: &str = "\
Examples:
  git coord domain show --json
  git coord domain show --profile";

/// Show the recorded domains, without checking whether they still hold
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Also show the review criteria in the profiles of the domains
    #[arg(long)]
    pub(crate) profile: bool,
}

impl Args {
    pub(super) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let answer = domains::show::show(ctx, self.profile)?;
        show(ui, &answer, |ui| {
            print(ui, &answer.body.project)?;
            for profile in answer.body.profiles.iter().flatten() {
                ui.line("")?;
                ui.line(&format!("{} ({}):", profile.domain, profile.from))?;
                for criterion in &profile.criteria {
                    ui.line(&format!("  - {criterion}"))?;
                }
            }
            Ok(())
        })
    }
}

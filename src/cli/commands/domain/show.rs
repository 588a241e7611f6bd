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

/// Show what is recorded of this project, without looking whether it still holds
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Also show what the profiles of its domains ask of a review
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

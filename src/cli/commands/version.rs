//! `git coord version`

use crate::app::problem::Problem;
use crate::app::version::version;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::show::show;
use crate::cli::term::Ui;

/// Show the version of the program
///
/// With --json, also shows the format of the ledgers that this version writes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

impl Args {
    /// Tells the version; works outside of a repository too.
    pub(crate) fn run(ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let answer = version(&context.door)?;
        show(ui, &answer, |ui| ui.line(&format!("git-coord {}", answer.body.version)))
    }
}

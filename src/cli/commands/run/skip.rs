//! `git coord run skip` and `git coord run unskip`

use super::RunArg;
use crate::app::Ctx;
use crate::app::problem::Problem;
use crate::app::runs::skip::{Body, Request, skip};
use crate::cli::exit::ExitCode;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::run::names::PhaseName;
use crate::core::text::Line;

pub(super) const SKIP_EXAMPLES: &str = "\
Examples:
  git coord run skip k3v9x2ab polish --reason 'a one-line fix'";

pub(super) const UNSKIP_EXAMPLES: &str = "\
Examples:
  git coord run unskip k3v9x2ab polish --reason 'it grew'";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) run: RunArg,

    /// Name of the phase
    #[arg(value_name = "PHASE")]
    pub(crate) phase: PhaseName,

    /// Reason, for the record
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Line,
}

impl Args {
    /// Skips the phase, or undoes its skip.
    pub(super) fn run(&self, ui: &mut Ui, ctx: &Ctx, is_skip: bool) -> Result<ExitCode, Problem> {
        let Args { run, phase, reason } = self;
        let answer = skip(ctx, &Request { run: &run.id, phase, reason, skip: is_skip })?;
        let Body { phase, skipped, changed, .. } = &answer.body;
        show(ui, &answer, |ui| {
            let word = if *skipped { "skipped" } else { "not skipped" };
            let already = if *changed { "" } else { " already" };
            ui.line(&format!("'{phase}' is{already} {word}"))
        })
    }
}

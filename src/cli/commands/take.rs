//! `git coord take`

use crate::app::negotiation::take::{Body, Request, take};
use crate::app::problem::Problem;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::holds::print_table;
use crate::cli::requests::{RequestArg, request_text};
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::text::Line;

const EXAMPLES: &str = "\
Examples:
  git coord take src/api/users.rs --reason 'no answer for 10 minutes'
  git coord take mfq4x7yn --reason 'its session is gone'";

/// Take a target that you asked for, after its holder had time to answer
///
/// Works when the holder's time to answer is over. Works at once if the holder is on this machine
/// and has given no sign of life for twice that time. Releases exactly what you asked for, gives it
/// to you, tells the holder, and records an event with your name and reason. Fails if the holder
/// has reserved the target anew since then.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) request: RequestArg,

    /// Reason, for the record and for the holder
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Line,
}

impl Args {
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let ctx = context.open()?;
        let which = self.request.what()?;
        let answer = take(&ctx, &Request { which, reason: self.reason.clone() })?;
        let Body { request, granted, .. } = &answer.body;
        show(ui, &answer, |ui| {
            ui.line(&request_text(ui, request, answer.at))?;
            print_table(ui, granted.iter().map(|view| &view.hold), answer.at)
        })
    }
}

//! `git coord sweep`

use std::time::Duration;

use crate::app::problem::Problem;
use crate::app::reservations::sweep::{Body, Request, sweep};
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::holds::print_table;
use crate::cli::requests::request_text;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::cli::values::parse_duration;

const EXAMPLES: &str = "\
Examples:
  git coord sweep --dry-run
  git coord sweep --older-than 7d
  git coord sweep --threads 30d";

/// Remove expired reservations, and old threads
///
/// An expired reservation never blocks anybody, and other commands remove those that they meet.
/// This command removes the rest, and records one event for each.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Only reservations that expired at least this long ago
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, allow_hyphen_values = true)]
    pub(crate) older_than: Option<Duration>,

    /// Also remove threads that are over and had no activity for this long
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, allow_hyphen_values = true)]
    pub(crate) threads: Option<Duration>,

    /// Show what would be removed without removing it
    #[arg(long)]
    pub(crate) dry_run: bool,
}

impl Args {
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let ctx = context.open()?;
        let request = Request {
            older_than: self.older_than.unwrap_or_default(),
            threads: self.threads,
            dry_run: self.dry_run,
        };
        let answer = sweep(&ctx, &request)?;
        let Body { holds, pruned, .. } = &answer.body;
        show(ui, &answer, |ui| {
            if holds.is_empty() && pruned.is_empty() {
                return ui.note("nothing to sweep");
            }
            ui.note(if self.dry_run { "would sweep:" } else { "swept:" })?;
            print_table(ui, holds, answer.at)?;
            for thread in pruned {
                ui.line(&request_text(ui, thread, answer.at))?;
            }
            Ok(())
        })
    }
}

//! `git coord sweep`

use std::time::Duration;

use serde_json::json;

use crate::app::reservations;
use crate::cli::dispatch::Context;
use crate::cli::error::CliError;
use crate::cli::exit::ExitCode;
use crate::cli::holds::{fields, ids_json, print_table};
use crate::cli::open::{open, told};
use crate::cli::term::Ui;
use crate::cli::values::parse_duration;
use crate::core::reservation::sweep::Sweep;

const EXAMPLES: &str = "\
Examples:
  git coord sweep --dry-run
  git coord sweep --older-than 7d";

/// Remove expired reservations
///
/// They never stand in anybody's way, and other commands remove those that they meet; this
/// removes the rest. One event each.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Only those that expired at least this long ago
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, allow_hyphen_values = true)]
    pub(crate) older_than: Option<Duration>,

    /// Tell what would be removed, and leave it
    #[arg(long)]
    pub(crate) dry_run: bool,
}

impl Args {
    /// Removes what has expired, in as many entries as it takes.
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, CliError> {
        let ctx = open(context)?;
        let older_than_seconds = self.older_than.map_or(0, |age| age.as_secs());
        let sweep = Sweep { older_than_seconds };
        let mut swept = Vec::new();
        let mut remaining = 0;
        if self.dry_run {
            let due = reservations::due_for_sweep(&ctx, sweep)?;
            remaining = due.len();
            swept = due;
        } else {
            loop {
                let answer = told(ui, reservations::sweep(&ctx, sweep)?)?;
                swept.extend(answer.swept);
                if answer.remaining == 0 {
                    break;
                }
            }
        }
        let count = if self.dry_run { 0 } else { swept.len() };
        if ui.is_json() {
            let answer = fields([
                ("swept", json!(count)),
                ("ids", ids_json(&swept)),
                ("remaining", json!(remaining)),
                ("dry_run", json!(self.dry_run)),
            ]);
            ui.answer(true, answer)?;
        } else if swept.is_empty() {
            ui.note("nothing to sweep")?;
        } else {
            ui.note(if self.dry_run { "would sweep:" } else { "swept:" })?;
            print_table(ui, &swept, ctx.clock())?;
        }
        Ok(ExitCode::Done)
    }
}

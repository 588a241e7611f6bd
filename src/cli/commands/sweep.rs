//! `git coord sweep`

use std::time::Duration;

use serde_json::json;

use crate::app::agents::forget_old;
use crate::app::negotiation::{self, Request};
use crate::app::presence::Witness;
use crate::app::{Ctx, reservations};
use crate::cli::dispatch::Context;
use crate::cli::error::CliError;
use crate::cli::exit::ExitCode;
use crate::cli::holds::{fields, ids_json, print_table};
use crate::cli::open::{open, told};
use crate::cli::requests::request_text;
use crate::cli::term::Ui;
use crate::cli::values::parse_duration;
use crate::core::ledger::LedgerName;
use crate::core::negotiation::Thread;
use crate::core::negotiation::prune::Prune;
use crate::core::reservation::sweep::Sweep;

const EXAMPLES: &str = "\
Examples:
  git coord sweep --dry-run
  git coord sweep --older-than 7d
  git coord sweep --threads 30d";

/// Remove expired reservations, and old threads
///
/// They never stand in anybody's way, and other commands remove those that they meet; this
/// removes the rest. One event each.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Only those that expired at least this long ago
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, allow_hyphen_values = true)]
    pub(crate) older_than: Option<Duration>,

    /// Also forget threads that are over and in which nothing happened for this long
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, allow_hyphen_values = true)]
    pub(crate) threads: Option<Duration>,

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
        let pruned = self.prune(ui, &ctx)?;
        if !self.dry_run {
            forget_old(&ctx, ctx.clock());
        }
        let count = if self.dry_run { 0 } else { swept.len() };
        if ui.is_json() {
            let answer = fields([
                ("swept", json!(count)),
                ("ids", ids_json(&swept)),
                ("remaining", json!(remaining)),
                ("dry_run", json!(self.dry_run)),
                ("threads", pruned.iter().map(|thread| json!(thread.id)).collect()),
            ]);
            ui.answer(true, answer)?;
            return Ok(ExitCode::Done);
        }
        if swept.is_empty() && pruned.is_empty() {
            ui.note("nothing to sweep")?;
            return Ok(ExitCode::Done);
        }
        ui.note(if self.dry_run { "would sweep:" } else { "swept:" })?;
        print_table(ui, &swept, ctx.clock())?;
        for thread in pruned {
            ui.line(&request_text(ui, &Request::of(&Witness::new(&ctx), thread, ctx.clock())))?;
        }
        Ok(ExitCode::Done)
    }

    /// Forgets threads, in as many entries as it takes.
    fn prune(&self, ui: &mut Ui, ctx: &Ctx) -> Result<Vec<Thread>, CliError> {
        let Some(age) = self.threads else { return Ok(Vec::new()) };
        let prune = Prune { older_than_seconds: age.as_secs() };
        if self.dry_run {
            return Ok(negotiation::due_for_prune(ctx, prune)?);
        }
        let mut pruned = Vec::new();
        loop {
            let answer = told(ui, ctx.transact(LedgerName::Reservations, prune, None)?)?;
            pruned.extend(answer.pruned);
            if answer.remaining == 0 {
                return Ok(pruned);
            }
        }
    }
}

//! `git coord check`

use std::ffi::OsString;

use serde_json::json;

use crate::app::presence::Sightings;
use crate::app::wording::conflict_text;
use crate::app::{reservations, specs};
use crate::cli::dispatch::Context;
use crate::cli::error::CliError;
use crate::cli::exit::ExitCode;
use crate::cli::holds::{conflicts_json, fields, sighting_text};
use crate::cli::open::open;
use crate::cli::refusals::held_json;
use crate::cli::term::Ui;
use crate::core::ids::LockName;
use crate::core::pattern::Reading;
use crate::core::reservation::target::targets;

const EXAMPLES: &str = "\
Examples:
  git coord check src/api/mod.rs
  git coord check 'src/**' --json
  git coord check --lock staging-db";

/// Tell whether paths or locks are free for you, without taking them
///
/// Exits with 0 when all of them are free or yours, with 1 when another agent holds any of them.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Paths or patterns, relative to the current directory
    #[arg(
        value_name = "PATTERN",
        required_unless_present = "locks",
        value_hint = clap::ValueHint::AnyPath
    )]
    pub(crate) patterns: Vec<OsString>,

    /// A named lock; may be given more than once
    #[arg(long = "lock", value_name = "NAME")]
    pub(crate) locks: Vec<LockName>,

    /// Take the patterns as plain paths: no wildcards
    #[arg(long)]
    pub(crate) literal: bool,
}

impl Args {
    /// Looks whether the patterns are free.
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, CliError> {
        let ctx = open(context)?;
        let reading = if self.literal { Reading::Literal } else { Reading::Glob };
        let specs::Meant { patterns, hints } =
            specs::meant(ctx.repository(), &self.patterns, reading, "check")?;
        ui.notes(&hints)?;
        let (conflicts, now) = reservations::check(&ctx, &targets(&patterns, &self.locks))?;
        if conflicts.is_empty() {
            if ui.is_json() {
                ui.answer(true, fields([("free", json!(true)), ("conflicts", json!([]))]))?;
            } else {
                ui.line("free")?;
            }
            return Ok(ExitCode::Done);
        }
        let sightings = Sightings::of(&ctx, &conflicts);
        if ui.is_json() {
            let answer = fields([
                ("free", json!(false)),
                ("conflicts", conflicts_json(&conflicts, now, Some(&sightings))),
                ("refusal", held_json(&conflicts, now, &sightings)),
            ]);
            ui.answer(false, answer)?;
        } else {
            for conflict in &conflicts {
                let seen = sighting_text(conflict, now, &sightings);
                ui.line(&format!("{}{seen}", conflict_text(conflict, now)))?;
            }
        }
        Ok(ExitCode::No)
    }
}

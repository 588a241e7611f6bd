//! `git coord list`

use std::ffi::OsString;

use serde_json::json;

use crate::app::reservations::{self, Filter, Listed};
use crate::app::specs;
use crate::app::wording::ticket_text;
use crate::cli::dispatch::Context;
use crate::cli::error::CliError;
use crate::cli::exit::ExitCode;
use crate::cli::holds::{fields, holds_json, print_table};
use crate::cli::open::open;
use crate::cli::requests::{insert_damaged, warn_of_damage};
use crate::cli::term::Ui;
use crate::core::ids::{AgentName, LockName};
use crate::core::reservation::target::targets;

const EXAMPLES: &str = "\
Examples:
  git coord list
  git coord list --path src/api
  git coord list --locks
  git coord list --mine --json";

/// List reservations
///
/// Shows those that are live; with --all also expired ones that were not swept yet.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Only yours
    #[arg(long, conflicts_with = "holder")]
    pub(crate) mine: bool,

    /// Only those of this agent
    #[arg(long, value_name = "AGENT")]
    pub(crate) holder: Option<AgentName>,

    /// Only those that overlap this path or pattern
    #[arg(long, value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    pub(crate) path: Option<OsString>,

    /// Only those on this named lock
    #[arg(long, value_name = "NAME")]
    pub(crate) lock: Option<LockName>,

    /// Only named locks
    #[arg(long, conflicts_with = "path")]
    pub(crate) locks: bool,

    /// Also expired ones
    #[arg(long)]
    pub(crate) all: bool,
}

impl Args {
    /// Shows the holds.
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, CliError> {
        let ctx = open(context)?;
        let paths = specs::named(ctx.repository(), self.path.as_slice())?;
        let mine = self.mine.then(|| ctx.actor().clone());
        let filter = Filter {
            holder: self.holder.clone().or(mine),
            targets: targets(&paths, self.lock.as_slice()),
            locks_only: self.locks,
            expired_too: self.all,
        };
        let Listed { holds, mut damaged, now } = reservations::list(&ctx, &filter)?;
        let (waiting, tickets) = reservations::waiting(&ctx, &filter)?;
        damaged.extend(tickets);
        if ui.is_json() {
            let mut answer = fields([("reservations", holds_json(&holds, now))]);
            if !waiting.is_empty() {
                answer.insert("waiting".to_owned(), json!(waiting));
            }
            insert_damaged(&mut answer, &damaged);
            ui.answer(true, answer)?;
        } else if holds.is_empty() {
            ui.note("no reservations")?;
        } else {
            print_table(ui, &holds, now)?;
        }
        if !ui.is_json() {
            warn_of_damage(ui, &damaged)?;
            for ticket in &waiting {
                ui.note(&ticket_text(ticket, now))?;
            }
        }
        Ok(ExitCode::Done)
    }
}

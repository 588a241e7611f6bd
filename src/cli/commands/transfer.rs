//! `git coord transfer`

use std::ffi::OsString;

use serde_json::json;

use crate::app::specs;
use crate::cli::dispatch::Context;
use crate::cli::error::CliError;
use crate::cli::exit::ExitCode;
use crate::cli::holds::{fields, ids_json, print_table};
use crate::cli::open::{open, told};
use crate::cli::term::Ui;
use crate::core::ids::{AgentName, HoldIdPrefix, LockName};
use crate::core::ledger::LedgerName;
use crate::core::reservation::select::Selection;
use crate::core::reservation::transfer::Transfer;
use crate::core::text::Line;

const EXAMPLES: &str = "\
Examples:
  git coord transfer --to claude:7f3a91c2 --path src/api
  git coord transfer --from codex:1b2c3d4e --to mia@laptop --force --reason 'takes over'";

/// Hand reservations over to another agent
///
/// What is named, or without a name everything that the agent holds; all of it or none. They keep
/// their end; the new holder gets a new fence. Another agent's
/// reservations are handed over only with --force and a reason.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Ids of reservations, or the beginning of an id
    #[arg(value_name = "ID")]
    pub(crate) ids: Vec<HoldIdPrefix>,

    /// Who gets them
    #[arg(long, value_name = "AGENT")]
    pub(crate) to: AgentName,

    /// Whose they are [default: you]
    #[arg(long, value_name = "AGENT")]
    pub(crate) from: Option<AgentName>,

    /// Reservations equal to or inside this path
    #[arg(long = "path", value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    pub(crate) paths: Vec<OsString>,

    /// What is held on this named lock
    #[arg(long = "lock", value_name = "NAME")]
    pub(crate) locks: Vec<LockName>,

    /// Also what another agent holds
    #[arg(long, requires = "reason")]
    pub(crate) force: bool,

    /// Why, for the record and for both agents
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<Line>,
}

impl Args {
    /// Hands the holds over.
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, CliError> {
        let ctx = open(context)?;
        let paths = specs::named(ctx.repository(), &self.paths)?;
        let command = Transfer {
            from: self.from.clone().unwrap_or_else(|| ctx.actor().clone()),
            to: self.to.clone(),
            which: Selection {
                ids: self.ids.clone(),
                paths,
                locks: self.locks.clone(),
                ..Selection::default()
            },
            force: self.reason.clone().filter(|_| self.force),
        };
        let from = command.from.clone();
        let committed = ctx.transact(LedgerName::Reservations, command, None)?;
        let now = committed.at;
        let moved = told(ui, committed)?;
        if ui.is_json() {
            let answer = [("transferred", json!(moved.len())), ("ids", ids_json(&moved))];
            ui.answer(true, fields(answer))?;
        } else if moved.is_empty() {
            ui.line(&format!("nothing to transfer: '{from}' holds nothing of that"))?;
        } else {
            print_table(ui, &moved, now)?;
        }
        Ok(ExitCode::Done)
    }
}

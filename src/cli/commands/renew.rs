//! `git coord renew`

use serde_json::{Value, json};

use crate::app::reservations;
use crate::cli::dispatch::Context;
use crate::cli::error::CliError;
use crate::cli::exit::ExitCode;
use crate::cli::holds::{fields, holds_json, print_table};
use crate::cli::open::{open, told};
use crate::cli::term::Ui;
use crate::cli::values::parse_ttl;
use crate::core::ids::{HoldIdPrefix, LockName};
use crate::core::ledger::LedgerName;
use crate::core::reservation::renew::{Asked, Lost, Renew, Why};
use crate::core::reservation::select::Selection;
use crate::core::time::Ttl;

const EXAMPLES: &str = "\
Examples:
  git coord renew --mine
  git coord renew k3v9x2ab --ttl 1h
  git coord renew --lock staging-db";

/// Extend reservations that are still yours
///
/// Never shortens one. Names those that are no longer yours and exits with 1.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Ids of reservations, or the beginning of an id
    #[arg(value_name = "ID")]
    pub(crate) ids: Vec<HoldIdPrefix>,

    /// Everything that is yours
    #[arg(long, conflicts_with_all = ["ids", "locks"])]
    pub(crate) mine: bool,

    /// What you hold on this named lock
    #[arg(long = "lock", value_name = "NAME")]
    pub(crate) locks: Vec<LockName>,

    /// How long they live from now, from 1s to 24h [default: coord.ttl, 15m]
    #[arg(long, value_name = "DURATION", value_parser = parse_ttl, allow_hyphen_values = true)]
    pub(crate) ttl: Option<Ttl>,
}

impl Args {
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        if self.ids.is_empty() && self.locks.is_empty() && !self.mine {
            return Err(
                "nothing to renew: name reservations by id, a lock with --lock, or all of \
                        yours with --mine",
            );
        }
        Ok(())
    }
}

impl Args {
    /// Extends the holds.
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, CliError> {
        let ctx = open(context)?;
        let (ids, locks) = (self.ids.clone(), self.locks.clone());
        let which = Selection { ids, locks, mine: self.mine, ..Selection::default() };
        let command = Renew { which, ttl: self.ttl.unwrap_or(ctx.settings().ttl) };
        // Looked up before: the renewal is an entry of its own.
        let lost = if self.mine { reservations::lost(&ctx)? } else { Vec::new() };
        let committed = ctx.transact(LedgerName::Reservations, command, None)?;
        let now = committed.at;
        let mut answer = told(ui, committed)?;
        answer.lost.extend(lost);
        let is_whole = answer.lost.is_empty();
        if ui.is_json() {
            let lost: Vec<Value> = answer.lost.iter().map(lost_json).collect();
            let renewed = holds_json(&answer.renewed, now);
            ui.answer(is_whole, fields([("renewed", renewed), ("lost", json!(lost))]))?;
        } else {
            if answer.renewed.is_empty() && is_whole {
                ui.line("nothing to renew")?;
            }
            print_table(ui, &answer.renewed, now)?;
            for lost in &answer.lost {
                ui.talk(&format!("no longer yours: {}", lost_text(lost)))?;
            }
        }
        Ok(if is_whole { ExitCode::Done } else { ExitCode::No })
    }
}

pub(crate) fn lost_text(lost: &Lost) -> String {
    let named = match &lost.named {
        Asked::Id(id) => id.clone(),
        Asked::Lock(name) => format!("lock '{name}'"),
    };
    match &lost.why {
        Why::Gone => format!("{named}, which is not there (any more)"),
        Why::Expired(at) => format!("{named}, which expired at {at}"),
        Why::HeldBy(holder) => format!("{named}, which '{holder}' holds"),
    }
}

fn lost_json(lost: &Lost) -> Value {
    let mut value = json!(lost.named);
    value["why"] = match &lost.why {
        Why::Gone => json!("gone"),
        Why::Expired(at) => {
            value["expired_at"] = json!(at);
            json!("expired")
        }
        Why::HeldBy(holder) => {
            value["holder"] = json!(holder);
            json!("held")
        }
    };
    value
}

//! `git coord ledger compact`

use std::time::Duration;

use serde_json::{Value, json};

use crate::app::Ctx;
use crate::app::ledgers;
use crate::app::problem::Problem;
use crate::cli::exit::ExitCode;
use crate::cli::holds::fields;
use crate::cli::term::Ui;
use crate::core::duration::parse_duration;
use crate::core::ledger::LedgerName;
use crate::core::size::in_words;
use crate::store::ledger::compact::{Compacted, Written};

const EXAMPLES: &str = "\
Examples:
  git coord ledger compact --dry-run
  git coord ledger compact reservations --keep 90d";

/// Put a checkpoint in the place of old entries
///
/// What is held, and every entry younger than --keep, stays as it is, numbers and fences included.
/// The whole chain as it was is kept under refs/coord/archive/, and takes the same room as before.
/// Once nobody needs it, `git update-ref -d <that ref>` and then `git gc --prune=now` free what
/// --dry-run tells. Entries are kept for longer where a rollback goes back to them.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The ledger; all of them without
    #[arg(value_name = "LEDGER")]
    ledger: Option<LedgerName>,

    /// Keep entries that are at most so old
    #[arg(long, value_name = "DURATION", default_value = "30d", value_parser = parse_duration)]
    keep: Duration,

    /// Tell what would be set aside, and leave it
    #[arg(long)]
    dry_run: bool,
}

impl Args {
    pub(super) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let ledgers = self.ledger.map_or_else(|| LedgerName::ALL.to_vec(), |ledger| vec![ledger]);
        let mut rows = Vec::new();
        for ledger in ledgers {
            let outcome = ledgers::compact(ctx, ledger, self.keep, self.dry_run)?;
            for notice in outcome.iter().flat_map(|compacted| &compacted.notices) {
                ui.warn(notice)?;
            }
            if ui.is_json() {
                rows.push(row_json(ledger, outcome.as_ref()));
            } else {
                ui.line(&sentence(ledger, outcome.as_ref()))?;
            }
        }
        if ui.is_json() {
            let answer = fields([("ledgers", json!(rows)), ("dry_run", json!(self.dry_run))]);
            ui.answer(true, answer)?;
        }
        Ok(ExitCode::Done)
    }
}

fn row_json(ledger: LedgerName, outcome: Option<&Compacted>) -> Value {
    let mut row = json!({ "ledger": ledger.as_str(), "set_aside": 0 });
    if let Some(Compacted { plan, written, bytes, .. }) = outcome {
        row["set_aside"] = json!(plan.set_aside);
        row["kept"] = json!(plan.kept.len());
        row["stands_for"] = json!(plan.stands_for.to_string());
        if let Some(bytes) = bytes {
            row["bytes"] = json!(bytes);
        }
        if let Some(Written { tip, archive }) = written {
            row["entry"] = json!(tip.to_string());
            row["archive"] = json!(archive);
            // No ref has a space in its name.
            let words =
                freeing(archive).map(|command| json!(command.split(' ').collect::<Vec<_>>()));
            row["next"] = json!(words);
        }
    }
    row
}

fn sentence(ledger: LedgerName, outcome: Option<&Compacted>) -> String {
    let Some(Compacted { plan, written, bytes, .. }) = outcome else {
        return format!("{ledger}: nothing to set aside");
    };
    let (count, kept, upto) = (plan.set_aside, plan.kept.len(), plan.stands_for.short());
    match written {
        None => {
            let room = in_words(bytes.unwrap_or_default());
            format!(
                "{ledger}: would set aside {count} entries up to {upto}, which take {room}, \
                 and keep {kept}"
            )
        }
        Some(Written { archive, .. }) => {
            let [delete, collect] = freeing(archive);
            format!(
                "{ledger}: set aside {count} entries up to {upto}, kept {kept}; \
                 all in {archive}\n  \
                 it takes the same room as before; these free it: {delete} && {collect}"
            )
        }
    }
}

/// What frees the room of a chain that was set aside.
fn freeing(archive: &str) -> [String; 2] {
    [format!("git update-ref -d {archive}"), "git gc --prune=now".to_owned()]
}

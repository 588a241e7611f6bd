//! `git coord ledger upgrade`

use crate::app::Ctx;
use crate::app::ledgers::upgrade::{Request, UpgradeView, upgrade};
use crate::app::problem::Problem;
use crate::cli::exit::ExitCode;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::ledger::LedgerName;

const EXAMPLES: &str = "\
Examples:
  git coord ledger upgrade --dry-run
  git coord ledger upgrade reservations";

/// Bring ledgers to the newest format
///
/// Every document stays as it is; the tree that holds them is written anew, by one entry. A ref
/// under refs/coord/archive/ keeps the ledger as it was: `git update-ref refs/coord/<ledger> <that
/// ref>` goes back to it. A git-coord that knows only the earlier format refuses the ledger
/// afterwards, so upgrade every machine's git-coord first.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Ledger [default: all of them]
    #[arg(value_name = "LEDGER")]
    ledger: Option<LedgerName>,

    /// Show what would be upgraded without doing it
    #[arg(long)]
    dry_run: bool,
}

impl Args {
    pub(super) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let answer = upgrade(ctx, &Request { ledger: self.ledger, dry_run: self.dry_run })?;
        let ledgers = &answer.body.ledgers;
        show(ui, &answer, |ui| ledgers.iter().try_for_each(|one| ui.line(&sentence(one))))
    }
}

fn sentence(upgrade: &UpgradeView) -> String {
    let UpgradeView { ledger, from, to, written } = upgrade;
    match (from, written) {
        (None, _) => format!("{ledger}: no entries yet"),
        (Some(from), Some(written)) => {
            let archive = &written.archive;
            format!(
                "{ledger}: upgraded from format {from} to {to}; {archive} keeps what was before"
            )
        }
        (Some(from), None) if upgrade.is_needed() => {
            format!("{ledger}: would be upgraded from format {from} to {to}")
        }
        (Some(_), None) => format!("{ledger}: has format {to} already"),
    }
}

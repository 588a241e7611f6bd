//! `git coord undo`

use std::io;

use crate::app::problem::Problem;
use crate::app::reservations::undo::{Body, Request, undo};
use crate::cli::color::Slot;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::layout::Cell;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::reservation::Hold;
use crate::core::text::{Line, shown};
use crate::core::time::{Timestamp, relative};

const EXAMPLES: &str = "\
Examples:
  git coord undo --dry-run
  git coord undo --reason 'wrong directory'";

/// Take back what you did last to your reservations
///
/// Takes back your last 'reserve', 'renew', 'release' or 'transfer' with one entry: what it
/// reserved is released, what it released is reserved again if it is still free, what it renewed
/// ends when it did before, and what it transferred comes back. Every further 'undo' takes back the
/// act before; to take back an 'undo', repeat the act itself.
///
/// Exits with 1, and changes nothing, if another agent has built on the act since, and names it.
/// Messages, requests, answers, takeovers and what was done by force cannot be undone. Passes over
/// what hooks did, and reservations of 'with'. 'git coord ledger rollback' undoes the acts of
/// everybody.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Reason, for the record
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<Line>,

    /// Show what would change without changing it
    #[arg(long)]
    pub(crate) dry_run: bool,
}

impl Args {
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let ctx = context.open()?;
        let request = Request { reason: self.reason.as_ref(), dry_run: self.dry_run };
        let answer = undo(&ctx, &request)?;
        show(ui, &answer, |ui| print(ui, &answer.body, answer.at))
    }
}

fn print(ui: &mut Ui, body: &Body, now: Timestamp) -> io::Result<()> {
    let verb = if body.dry_run { "would undo" } else { "undone" };
    let ago = relative(body.undone.at.as_seconds(), now.as_seconds());
    ui.line(&format!("{verb}: {} ({ago})", shown(&body.undone.summary)))?;
    let holds = &body.holds;
    let ended = holds.ended.iter().map(|hold| row("released", hold, now));
    let granted = holds.granted.iter().map(|hold| row("reserved", hold, now));
    let restored = holds.restored.iter().map(|hold| row("restored", hold, now));
    ui.table(ended.chain(granted).chain(restored))?;
    for id in &body.over {
        ui.note(&format!("{id}: its time is over, nothing of the act was left"))?;
    }
    Ok(())
}

fn row(what: &'static str, hold: &Hold, now: Timestamp) -> Vec<Cell> {
    let left = relative(hold.expires_at.as_seconds(), now.as_seconds());
    let until = format!("until {} ({left})", hold.expires_at);
    vec![
        Cell::plain(what),
        Cell::painted(Slot::Id, hold.id.as_str()),
        Cell::painted(Slot::Path, shown(&hold.target.shown())),
        Cell::painted(Slot::Holder, hold.holder.as_str()),
        Cell::plain(if what == "released" { String::new() } else { until }),
    ]
}

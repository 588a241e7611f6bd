//! `git coord ledger compact`

use std::time::Duration;

use crate::app::Ctx;
use crate::app::ledgers::archives::DroppedView;
use crate::app::ledgers::compact::{CompactedView, PlanView, Request, WrittenView, compact};
use crate::app::next::in_shell;
use crate::app::problem::Problem;
use crate::cli::exit::ExitCode;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::duration::parse_duration;
use crate::core::ledger::LedgerName;
use crate::core::size::in_words;

const EXAMPLES: &str = "\
Examples:
  git coord ledger compact --dry-run
  git coord ledger compact reservations --keep 90d
  git coord ledger compact --drop-archives --keep 90d --dry-run";

/// Replace old entries by a checkpoint
///
/// Reservations and every entry younger than --keep stay as they are, with their numbers and
/// fences. The whole old chain is kept under refs/coord/archive/, and takes the same room as
/// before. When nobody needs it any more, --drop-archives and then `git gc --prune=now` free that
/// room. Entries that a rollback goes back to are kept longer.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Ledger [default: all of them]
    #[arg(value_name = "LEDGER")]
    ledger: Option<LedgerName>,

    /// Keep entries up to this age [default: 30d]
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    keep: Option<Duration>,

    /// Set nothing aside, but delete what was set aside longer than --keep ago
    #[arg(long)]
    drop_archives: bool,

    /// Show what would be done, and how much room it takes, without doing it
    #[arg(long)]
    dry_run: bool,
}

impl Args {
    pub(super) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let Args { ledger, keep, drop_archives: drops_archives, dry_run } = *self;
        let request = Request { ledger, keep, drops_archives, dry_run };
        let answer = compact(ctx, &request)?;
        let ledgers = &answer.body.ledgers;
        show(ui, &answer, |ui| ledgers.iter().try_for_each(|one| ui.line(&sentence(one))))
    }
}

fn dropped_sentence(ledger: LedgerName, view: &DroppedView) -> String {
    let DroppedView { dropped, bytes, next, .. } = view;
    let count = match dropped.len() {
        0 => return format!("{ledger}: no archive is old enough to drop"),
        1 => "1 archive".to_owned(),
        count => format!("{count} archives"),
    };
    let room = in_words(*bytes);
    match next.as_slice() {
        [] => format!("{ledger}: would drop {count}, which lets git free {room}"),
        commands => {
            let commands: Vec<String> = commands.iter().map(|words| in_shell(words)).collect();
            let frees = commands.join(" && ");
            format!(
                "{ledger}: dropped {count}, which lets git free {room}\n  this frees it: {frees}"
            )
        }
    }
}

fn sentence(view: &CompactedView) -> String {
    let CompactedView { ledger, set_aside: count, plan, dropped } = view;
    if let Some(dropped) = dropped {
        return dropped_sentence(*ledger, dropped);
    }
    let Some(PlanView { kept, stands_for, bytes, written }) = plan else {
        return format!("{ledger}: nothing to set aside");
    };
    let upto = stands_for.short();
    match written {
        None => {
            let room = in_words(bytes.unwrap_or_default());
            format!(
                "{ledger}: would set aside {count} entries up to {upto}, which take {room}, \
                 and keep {kept}"
            )
        }
        Some(WrittenView { archive, next, .. }) => {
            let commands: Vec<String> = next.iter().map(|words| in_shell(words)).collect();
            format!(
                "{ledger}: set aside {count} entries up to {upto}, kept {kept}; \
                 all in {archive}\n  \
                 it takes the same room as before; these free it: {}",
                commands.join(" && ")
            )
        }
    }
}

//! `git coord log`

use std::time::Duration;

use crate::app::log::{Log, LoggedView, Request};
use crate::app::problem::Problem;
use crate::cli::color::Slot;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::layout::Cell;
use crate::cli::show::show_rows;
use crate::cli::term::Ui;
use crate::cli::values::parse_duration;
use crate::core::bounded::Limit;
use crate::core::text::shown;
use crate::core::time::{Timestamp, relative};

const EXAMPLES: &str = "\
Examples:
  git coord log
  git coord log -n 20
  git coord log --since 2h --json";

/// Show what happened in all ledgers, newest first
///
/// Prints one line for each entry: its ledger and number, its time and what was done. 'git coord
/// ledger show <ledger>@<number>' shows one of them.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// At most this many entries [default: 50]
    #[arg(short = 'n', long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub(crate) limit: Option<Limit>,

    /// Only entries that are no older than this
    #[arg(
        long,
        value_name = "DURATION",
        value_parser = parse_duration,
        allow_hyphen_values = true
    )]
    pub(crate) since: Option<Duration>,
}

/// The number of rows that are laid out together: a long history is not held in memory.
const ALIGNED_MAX: usize = 1_000;

impl Args {
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let ctx = context.open()?;
        let log = Log::begin(&ctx, &Request { limit: self.limit, since: self.since })?;
        let answer = log.answer()?;
        if ui.is_json() {
            return show_rows(ui, &answer, "entries", log.entries());
        }
        if answer.body.is_empty {
            ui.note("no entries")?;
        }
        let mut entries = log.entries().peekable();
        while entries.peek().is_some() && !ui.is_closed() {
            let row = |entry: Result<LoggedView, Problem>| Ok(row(&entry?, answer.at));
            let rows = entries.by_ref().take(ALIGNED_MAX).map(row);
            let rows = rows.collect::<Result<Vec<_>, Problem>>()?;
            ui.table(rows)?;
        }
        if answer.body.more {
            ui.note("there is more: git coord log -n <number>")?;
        }
        Ok(ExitCode::Done)
    }
}

fn row(LoggedView { ledger, entry }: &LoggedView, now: Timestamp) -> Vec<Cell> {
    vec![
        Cell::painted(Slot::Id, format!("{ledger}:{}", entry.seq)),
        Cell::painted(Slot::Dim, relative(entry.at.as_seconds(), now.as_seconds())),
        Cell::plain(shown(&entry.summary)),
    ]
}

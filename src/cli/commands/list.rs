//! `git coord list`

use std::ffi::OsString;

use crate::app::problem::Problem;
use crate::app::reservations::list::{Body, Request, list};
use crate::app::wording::ticket_text;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::holds::print_table;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::bounded::Limit;
use crate::core::ids::{AgentName, LockName};

const EXAMPLES: &str = "\
Examples:
  git coord list
  git coord list --path src/api
  git coord list --locks
  git coord list --mine --json";

/// List reservations
///
/// Lists live reservations; with --all, also expired ones that were not swept yet.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Only your reservations
    #[arg(long, conflicts_with = "holder")]
    pub(crate) mine: bool,

    /// Only reservations of this agent
    #[arg(long, value_name = "AGENT")]
    pub(crate) holder: Option<AgentName>,

    /// Only reservations that overlap this path or pattern
    #[arg(long, value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    pub(crate) path: Option<OsString>,

    /// Only reservations of this named lock
    #[arg(long, value_name = "NAME")]
    pub(crate) lock: Option<LockName>,

    /// Only reservations of named locks
    #[arg(long, conflicts_with = "path")]
    pub(crate) locks: bool,

    /// Also expired reservations
    #[arg(long)]
    pub(crate) all: bool,

    /// At most this many reservations, and as many waiters [default: 50]
    #[arg(short = 'n', long, value_name = "NUMBER")]
    pub(crate) limit: Option<Limit>,
}

impl Args {
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let ctx = context.open()?;
        let request = Request {
            holder: self.holder.as_ref(),
            mine: self.mine,
            path: self.path.as_ref(),
            lock: self.lock.as_ref(),
            locks_only: self.locks,
            expired_too: self.all,
            limit: self.limit,
        };
        let answer = list(&ctx, &request)?;
        let Body { reservations, waiting, left_out, .. } = &answer.body;
        show(ui, &answer, |ui| {
            if reservations.is_empty() {
                ui.note("no reservations")?;
            }
            print_table(ui, reservations.iter().map(|view| &view.hold), answer.at)?;
            waiting.iter().try_for_each(|ticket| ui.note(&ticket_text(ticket, answer.at)))?;
            if *left_out > 0 {
                ui.note(&format!("and {left_out} more: git coord list --limit <number>"))?;
            }
            Ok(())
        })
    }
}

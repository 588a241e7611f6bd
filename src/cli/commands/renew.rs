//! `git coord renew`

use std::ffi::OsString;

use crate::app::problem::Problem;
use crate::app::reservations::renew::{Body, Request, renew};
use crate::app::wording::lost_text;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::holds::print_table;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::cli::values::parse_ttl;
use crate::core::ids::LockName;
use crate::core::time::Ttl;

const EXAMPLES: &str = "\
Examples:
  git coord renew --mine
  git coord renew src/api --ttl 1h
  git coord renew k3v9x2ab
  git coord renew --lock staging-db";

/// Extend reservations that are still yours
///
/// A path inside a wider reservation renews that reservation. Never shortens a reservation. Names
/// the reservations that are no longer yours, and exits with 1 if there are any.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Paths or patterns that you hold, or ids; the beginning of an id is enough
    #[arg(value_name = "PATH|ID", value_hint = clap::ValueHint::AnyPath)]
    pub(crate) words: Vec<OsString>,

    /// Renew all your reservations
    #[arg(long, conflicts_with_all = ["words", "locks"])]
    pub(crate) mine: bool,

    /// Renew your reservation of this named lock
    #[arg(long = "lock", value_name = "NAME")]
    pub(crate) locks: Vec<LockName>,

    /// Time until they end, counted from now, from 1s to 24h [default: coord.ttl, 15m]
    #[arg(long, value_name = "DURATION", value_parser = parse_ttl, allow_hyphen_values = true)]
    pub(crate) ttl: Option<Ttl>,
}

impl Args {
    pub(crate) fn request(&self) -> Request<'_> {
        Request { words: &self.words, locks: &self.locks, mine: self.mine, ttl: self.ttl }
    }

    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let ctx = context.open()?;
        let answer = renew(&ctx, &self.request())?;
        let Body { renewed, lost } = &answer.body;
        show(ui, &answer, |ui| {
            if renewed.is_empty() && lost.is_empty() {
                ui.line("nothing to renew")?;
            }
            print_table(ui, renewed.iter().map(|view| &view.hold), answer.at)?;
            let gone = |lost| format!("no longer yours: {}", lost_text(lost));
            lost.iter().try_for_each(|lost| ui.talk(&gone(lost)))
        })
    }
}

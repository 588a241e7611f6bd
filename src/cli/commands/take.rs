//! `git coord take`

use std::ffi::OsString;

use serde_json::json;

use crate::app::negotiation::{self, Request, What};
use crate::app::presence::Witness;
use crate::app::problem::Problem;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::holds::{ids_json, print_table};
use crate::cli::open::{open, told};
use crate::cli::requests::{request_json, request_text};
use crate::cli::term::Ui;
use crate::core::ids::LockName;
use crate::core::negotiation::take::Taken;
use crate::core::text::Line;

const EXAMPLES: &str = "\
Examples:
  git coord take src/api/users.rs --reason 'no answer for 10 minutes'
  git coord take mfq4x7yn --reason 'its session is gone'";

/// Take what you asked for, when its holder has had its time
///
/// Only after the window, or at once when the holder, on this machine, has given no sign of life
/// for twice as long. Frees exactly what you asked for, gives it to you, tells the holder and
/// leaves an event with your name and reason. What the holder has reserved anew since stops it.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The thread, or a path that you asked for
    #[arg(
        value_name = "THREAD|PATH",
        value_hint = clap::ValueHint::AnyPath,
        required_unless_present = "lock"
    )]
    pub(crate) which: Option<OsString>,

    /// A named lock that you asked for
    #[arg(long, value_name = "NAME", conflicts_with = "which")]
    pub(crate) lock: Option<LockName>,

    /// Why, for the record and for the holder
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Line,
}

impl Args {
    /// Takes it.
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let ctx = open(context)?;
        let what = What::of(self.which.as_ref(), self.lock.as_ref())?;
        let which = negotiation::which(&ctx, &what)?;
        let committed = negotiation::take(&ctx, which, self.reason.clone())?;
        let now = committed.at;
        let Taken { thread, taken, granted, .. } = told(ui, committed)?;
        let request = Request::of(&Witness::new(&ctx), thread, now);
        let granted: Vec<_> = granted.into_iter().map(|grant| grant.hold).collect();
        if ui.is_json() {
            let mut answer = request_json(&request);
            answer.insert("taken".to_owned(), ids_json(&taken));
            answer.insert("granted".to_owned(), json!(granted));
            ui.answer(true, answer)?;
            return Ok(ExitCode::Done);
        }
        ui.line(&request_text(ui, &request))?;
        print_table(ui, &granted, now)?;
        Ok(ExitCode::Done)
    }
}

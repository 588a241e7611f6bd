//! `git coord ask`

use std::ffi::OsString;
use std::time::Duration;

use crate::app::negotiation::What;
use crate::app::negotiation::ask::{Body, Request, ask};
use crate::app::problem::Problem;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::holds::print_table;
use crate::cli::open::open;
use crate::cli::requests::request_text;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::cli::values::parse_duration;
use crate::core::ids::{AgentName, LockName};
use crate::core::text::Line;

const EXAMPLES: &str = "\
Examples:
  git coord ask src/api/users.rs --reason 'a fix for the login'
  git coord ask k3v9x2ab --reason 'the release waits for it' --urgent
  git coord ask --lock staging-db --reason 'a migration' --wait 5m
  git coord ask src --holder claude:7f3a91c2 --reason 'a rename' --wait 5m";

/// Ask a holder to let go of a path or a lock
///
/// The holder finds the request in its inbox, in its status and at its next edit, and has 10
/// minutes to answer, or 5 if it is urgent. When it lets go, what you asked for is yours at once.
/// When its time is over you may take it; nothing happens by itself. Asking again for the same
/// joins the request that is open. With --wait, exits with 1 when it is refused, put off or not
/// answered. A word of 4 characters and more can also be the beginning of a reservation's id;
/// './name' is a path in any case.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// A path or pattern, or the id of a reservation
    #[arg(
        value_name = "PATH|ID",
        value_hint = clap::ValueHint::AnyPath,
        required_unless_present = "lock"
    )]
    pub(crate) what: Option<OsString>,

    /// A named lock instead
    #[arg(long, value_name = "NAME", conflicts_with = "what")]
    pub(crate) lock: Option<LockName>,

    /// Why you need it
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Line,

    /// Whom to ask, where several hold it
    #[arg(long, value_name = "AGENT")]
    pub(crate) holder: Option<AgentName>,

    /// It cannot wait: the holder has 5 minutes
    #[arg(long)]
    pub(crate) urgent: bool,

    /// Wait for the answer, at most this long
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, allow_hyphen_values = true)]
    pub(crate) wait: Option<Duration>,
}

impl Args {
    /// Asks.
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let mut ctx = open(context)?;
        let request = Request {
            what: What::of(self.what.as_ref(), self.lock.as_ref())?,
            holder: self.holder.clone(),
            reason: self.reason.clone(),
            urgent: self.urgent,
            wait: self.wait,
        };
        let answer = ask(&mut ctx, &request)?;
        let Body { request, joined, granted } = &answer.body;
        show(ui, &answer, |ui| {
            ui.line(&request_text(ui, request, answer.at))?;
            print_table(ui, granted.iter().map(|view| &view.hold), answer.at)?;
            if *joined {
                ui.note("this was asked before; the request is the same")?;
            }
            let thread = request.thread.short();
            ui.note(&format!("to see what became of it: git coord inbox --thread {thread}"))
        })
    }
}

//! `git coord ask`

use std::ffi::OsString;
use std::time::Duration;

use crate::app::negotiation::What;
use crate::app::negotiation::ask::{Body, Request, ask};
use crate::app::next::in_shell;
use crate::app::problem::Problem;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::holds::print_table;
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

/// Ask a holder to release a path or a lock
///
/// The holder sees the request in its inbox, in its status and at its next edit. It has 10 minutes
/// to answer, or 5 if the request is urgent. When the holder releases the target, the target is
/// yours at once. When the time is over, you may take the target with 'git coord take'; nothing
/// happens by itself. If you ask again for the same target, you join the open request.
///
/// With --wait, exits with 0 if the target is yours, and with 1 if the holder refuses, defers or
/// does not answer. A target can also become free without being yours: the holder let it go, or its
/// time ran out. That is a 1 as well, and --reserve reserves the target then.
///
/// A word of 4 or more characters can also be the beginning of a reservation's id; './name' is
/// always a path.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Path or pattern, or the id of a reservation
    #[arg(
        value_name = "PATH|ID",
        value_hint = clap::ValueHint::AnyPath,
        required_unless_present = "lock"
    )]
    pub(crate) what: Option<OsString>,

    /// Ask for this named lock instead
    #[arg(long, value_name = "NAME", conflicts_with = "what")]
    pub(crate) lock: Option<LockName>,

    /// Reason why you need it
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Line,

    /// Holder to ask, if several agents hold the target
    #[arg(long, value_name = "AGENT")]
    pub(crate) holder: Option<AgentName>,

    /// Give the holder 5 minutes instead of 10
    #[arg(long)]
    pub(crate) urgent: bool,

    /// Wait up to this long for the answer
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, allow_hyphen_values = true)]
    pub(crate) wait: Option<Duration>,

    /// Reserve the target if it becomes free without being granted to you
    #[arg(long, requires = "wait")]
    pub(crate) reserve: bool,
}

impl Args {
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let mut ctx = context.open()?;
        let request = Request {
            what: What::of(self.what.as_ref(), self.lock.as_ref())?,
            holder: self.holder.clone(),
            reason: self.reason.clone(),
            urgent: self.urgent,
            wait: self.wait,
            reserve: self.reserve,
        };
        let answer = ask(&mut ctx, &request)?;
        let Body { request, joined, granted } = &answer.body;
        show(ui, &answer, |ui| {
            ui.line(&request_text(ui, request, answer.at))?;
            print_table(ui, granted.iter().map(|view| &view.hold), answer.at)?;
            if let Some(free) = answer.refusal.as_ref().filter(|it| it.code == Some("free")) {
                print_free(ui, free)?;
            }
            if *joined {
                ui.note("this was asked before; the request is the same")?;
            }
            let thread = request.thread.short();
            ui.note(&format!("to see what became of it: git coord inbox --thread {thread}"))
        })
    }
}

/// Says that the target is free and not the asker's, with the command that reserves it.
fn print_free(ui: &mut Ui, free: &Problem) -> std::io::Result<()> {
    ui.line(&free.message)?;
    match free.next.first() {
        Some(reserve) => ui.note(&format!("to reserve it: {}", in_shell(reserve))),
        None => Ok(()),
    }
}

//! `git coord ask`

use std::ffi::OsString;

use crate::app::negotiation::{self, Asker, Request};
use crate::cli::dispatch::Context;
use crate::cli::error::CliError;
use crate::cli::exit::ExitCode;
use crate::cli::open::{open, told};
use crate::cli::requests::{request_json, request_text, short};
use crate::cli::term::Ui;
use crate::core::ids::AgentName;
use crate::core::negotiation::ask::Asking;
use crate::core::text::Line;

const EXAMPLES: &str = "\
Examples:
  git coord ask src/api/users.rs --reason 'a fix for the login'
  git coord ask k3v9x2ab --reason 'the release waits for it' --urgent
  git coord ask src --holder claude:7f3a91c2 --reason 'a rename'";

/// Ask a holder to let go of a path
///
/// The holder finds the request in its inbox, in its status and at its next edit, and has 10
/// minutes to answer, or 5 if it is urgent. When it lets go, what you asked for is yours at once.
/// When its time is over you may take it; nothing happens by itself. Asking again for the same
/// joins the request that is open.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// A path or pattern, or the id of a reservation
    #[arg(value_name = "PATH|ID", value_hint = clap::ValueHint::AnyPath)]
    pub(crate) what: OsString,

    /// Why you need it
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Line,

    /// Whom to ask, where several hold it
    #[arg(long, value_name = "AGENT")]
    pub(crate) holder: Option<AgentName>,

    /// It cannot wait: the holder has 5 minutes
    #[arg(long)]
    pub(crate) urgent: bool,
}

impl Args {
    /// Asks.
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, CliError> {
        let ctx = open(context)?;
        let asker = Asker {
            what: self.what.clone(),
            holder: self.holder.clone(),
            reason: self.reason.clone(),
            urgent: self.urgent,
        };
        let committed = negotiation::ask(&ctx, &asker)?;
        let now = committed.at;
        let Asking { thread, joined, .. } = told(ui, committed)?;
        let request = Request::of(&ctx, thread, now);
        if ui.is_json() {
            let mut answer = request_json(&request);
            answer.insert("joined".to_owned(), joined.into());
            ui.answer(true, answer)?;
            return Ok(ExitCode::Done);
        }
        ui.line(&request_text(ui, &request))?;
        let thread = short(&request.thread.id).to_owned();
        if joined {
            ui.note("this was asked before; the request is the same")?;
        }
        ui.note(&format!("to see what became of it: git coord inbox --thread {thread}"))?;
        Ok(ExitCode::Done)
    }
}

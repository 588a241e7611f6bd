//! `git coord ask`

use std::ffi::OsString;
use std::time::Duration;

use serde_json::{Value, json};

use crate::app::negotiation::{self, Asker, Request, What};
use crate::app::next::command as next;
use crate::app::presence::Witness;
use crate::app::problem::Problem;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::holds::print_table;
use crate::cli::open::{open, told};
use crate::cli::requests::{request_json, request_text, short};
use crate::cli::term::Ui;
use crate::cli::values::parse_duration;
use crate::core::ids::{AgentName, LockName};
use crate::core::negotiation::How;
use crate::core::negotiation::ask::Asking;
use crate::core::negotiation::ids::ThreadId;
use crate::core::negotiation::standing::Standing;
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
        let asker = Asker {
            what: What::of(self.what.as_ref(), self.lock.as_ref())?,
            holder: self.holder.clone(),
            reason: self.reason.clone(),
            urgent: self.urgent,
        };
        let (committed, wait) = match self.wait {
            None => (negotiation::ask(&ctx, &asker)?, None),
            Some(limit) => {
                let (committed, stand) = negotiation::ask_and_stay(&ctx, &asker)?;
                (committed, Some((stand, limit)))
            }
        };
        let now = committed.at;
        let Asking { thread, joined, .. } = told(ui, committed)?;
        let (mut request, mut granted) =
            (Request::of(&Witness::new(&ctx), thread, now), Vec::new());
        if let Some((stand, limit)) = wait {
            let thread = request.thread.id.clone();
            let waited = negotiation::wait(&mut ctx, stand, &thread, limit);
            (request, granted) = waited.inspect_err(|_| {
                // Whatever ended the waiting, the request is in.
                ui.note(&stays_open(&thread)).ok();
            })?;
        }
        let status = self.status(&request);
        let no = self.no(&request, status);
        if ui.is_json() {
            let mut answer = request_json(&request);
            answer.insert("status".to_owned(), json!(status));
            answer.insert("joined".to_owned(), json!(joined));
            if !granted.is_empty() {
                answer.insert("granted".to_owned(), json!(granted));
            }
            if let Some(no) = &no {
                answer.insert("refusal".to_owned(), refusal(&request, no));
            }
            ui.answer(no.is_none(), answer)?;
        } else {
            ui.line(&request_text(ui, &request))?;
            print_table(ui, &granted, request.now)?;
            if joined {
                ui.note("this was asked before; the request is the same")?;
            }
            let thread = short(&request.thread.id).to_owned();
            ui.note(&format!("to see what became of it: git coord inbox --thread {thread}"))?;
        }
        Ok(if no.is_some() { ExitCode::No } else { ExitCode::Done })
    }

    /// Where the request stands; one that was waited for, and not answered at all, has timed out.
    fn status(&self, request: &Request) -> &'static str {
        match request.standing {
            Some(Standing { status: "pending", .. }) if self.wait.is_some() => "timeout",
            Some(standing) => standing.status,
            None => "pending",
        }
    }

    /// Why the asker does not have it, in a word for programs and in words; nothing if it has, or
    /// did not wait for it.
    fn no(&self, request: &Request, status: &'static str) -> Option<(&'static str, String)> {
        let asked = request.thread.asked.as_ref()?;
        let how = asked.outcome.as_ref().map(|outcome| outcome.how);
        match (status, &asked.deferred) {
            ("timeout", _) => Some((status, "no answer yet".to_owned())),
            ("refused", _) => Some((status, "the holder refused".to_owned())),
            ("deferred", Some(deferral)) if self.wait.is_some() => {
                Some((status, format!("the holder needs it until {}", deferral.until)))
            }
            _ if how == Some(How::Transferred) => {
                Some(("transferred", "somebody else has it now".to_owned()))
            }
            _ => None,
        }
    }
}

fn stays_open(thread: &ThreadId) -> String {
    format!("the request stays open: git coord inbox --thread {}", short(thread))
}

/// Why the asker does not have it, and what to do about that.
fn refusal(request: &Request, (code, message): &(&str, String)) -> Value {
    let thread = request.thread.id.as_str();
    let mut commands = vec![next(&["inbox", "--thread", thread])];
    if request.standing.is_some_and(|standing| standing.can_take) {
        commands.insert(0, next(&["take", thread, "--reason", "no answer"]));
    }
    json!({ "code": code, "message": message, "next": commands })
}

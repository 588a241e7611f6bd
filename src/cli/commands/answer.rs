//! `git coord answer`

use std::time::Duration;

use crate::app::error::AppError;
use crate::app::negotiation::answer::{Body, Request, answer, let_defer};
use crate::app::problem::Problem;
use crate::app::wording::{conflict_text, target_text};
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::requests::{RequestArg, request_text};
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::cli::values::parse_duration;
use crate::core::negotiation::answer::Verdict;
use crate::core::text::Line;
use crate::core::time::Timestamp;

const EXAMPLES: &str = "\
Examples:
  git coord answer src/api/users.rs --release
  git coord answer mfq4x7yn --defer 20m --reason 'tests are running'
  git coord answer mfq4x7yn --refuse --reason 'half of it is changed'";

/// Answer a request for a target that you hold
///
/// --release releases the target and gives it to the agent that asked, in one step. --defer gives
/// you more time, once. --refuse closes the request; the agent that asked cannot take the target
/// then.
///
/// You keep the rest of a wider reservation, which has the target as an exception then. A
/// reservation has at most 64 exceptions; one more frees all of it. If the request did not say so,
/// --release is refused, unless --whole is given.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) request: RequestArg,

    /// Release the target to the agent that asked
    #[arg(long)]
    pub(crate) release: bool,

    /// Release a whole reservation if its rest cannot be kept
    #[arg(long, requires = "release")]
    pub(crate) whole: bool,

    /// Take more time, at most 60m
    #[arg(
        long,
        value_name = "DURATION",
        value_parser = parse_defer,
        allow_hyphen_values = true,
        conflicts_with_all = ["release", "refuse"],
        requires = "reason"
    )]
    pub(crate) defer: Option<Duration>,

    /// Keep the target
    #[arg(long, conflicts_with = "release", requires = "reason")]
    pub(crate) refuse: bool,

    /// Reason, for the agent that asked
    #[arg(long, value_name = "TEXT", conflicts_with = "release")]
    pub(crate) reason: Option<Line>,
}

fn parse_defer(text: &str) -> Result<Duration, String> {
    let length = parse_duration(text)?;
    let_defer(length.as_secs())?;
    Ok(length)
}

impl Args {
    pub(crate) fn request(&self) -> Result<Request, AppError> {
        let (which, verdict) = (self.request.what()?, self.verdict()?);
        Ok(Request { which, verdict, whole: self.whole })
    }

    fn verdict(&self) -> Result<Verdict, AppError> {
        match (&self.reason, self.defer) {
            (Some(reason), Some(length)) => {
                Ok(Verdict::Defer { seconds: length.as_secs(), reason: reason.clone() })
            }
            (Some(reason), None) if self.refuse => Ok(Verdict::Refuse { reason: reason.clone() }),
            _ if self.release => Ok(Verdict::Release),
            _ => Err(AppError::usage(
                "what is the answer? --release, --defer <duration> or --refuse",
            )),
        }
    }

    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let ctx = context.open()?;
        let answer = answer(&ctx, &self.request()?)?;
        show(ui, &answer, |ui| self.print(ui, &answer.body, answer.at))
    }

    fn print(&self, ui: &mut Ui, body: &Body, now: Timestamp) -> std::io::Result<()> {
        ui.line(&request_text(ui, &body.request, now))?;
        if self.release && body.ids.is_empty() && body.narrowed.is_empty() {
            ui.note("nothing was left to release")?;
        }
        for hold in body.granted.iter().map(|view| &view.hold) {
            let what = target_text(&hold.target);
            ui.line(&format!("{what} is {}'s until {}", hold.holder, hold.expires_at))?;
        }
        if let Some(asked) = body.request.asked.as_ref().filter(|_| !body.narrowed.is_empty()) {
            ui.line(&format!("{} keeps the rest", asked.holder))?;
        }
        for conflict in &body.conflicts {
            let text = conflict_text(&conflict.conflict(), now);
            ui.note(&format!("still in the way: {text}"))?;
        }
        Ok(())
    }
}

//! `git coord with`

use std::ffi::OsString;

use crate::app::Ctx;
use crate::app::error::with_causes;
use crate::app::problem::Problem;
use crate::app::reservations::reserve::Request;
use crate::app::waiting::Tell;
use crate::app::with::{
    self, Absence, Fate, Held, Left, News, Run, Vigil, WithProcess, hold, not_started,
};
use crate::app::wording::lost_text;
use crate::cli::commands::reserve::{Terms, telling_waiters};
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::show::say;
use crate::cli::term::Ui;
use crate::core::ids::LockName;
use crate::core::pattern::Reading;

const EXAMPLES: &str = "\
Examples:
  git coord with --lock staging-db -- ./migrate.sh
  git coord with 'src/**' --wait 5m -- cargo fmt
  git coord with --lock port-8080 --wait 10m --ttl 1m -- npm test";

/// Hold paths or locks while a command runs
///
/// Reserves the targets, runs the command, renews the reservations while it runs, and releases them
/// when it ends, however it ends. Reservations that you had before stay yours. If 'git coord with'
/// itself is killed or stopped, its command goes on, and the targets stay reserved until the
/// command ends. Other agents on the same machine then need not wait for the reservations to
/// expire. If the command is stopped as well, as by Ctrl-Z, they expire.
///
/// If a reservation is lost because another agent took it or released it by force, or because it
/// could not be renewed, warns at once, and ends the command and everything that it started. Passes
/// signals on to the command.
///
/// Exits with the exit code of the command, with 128 plus the number of the signal that ended the
/// command, or with 125 if the command was not started.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Paths or patterns, relative to the current directory; ':/' is the top of the repository
    #[arg(
        value_name = "PATTERN",
        required_unless_present_any = ["locks", "stand_in"],
        value_hint = clap::ValueHint::AnyPath
    )]
    pub(crate) patterns: Vec<OsString>,

    /// Named lock; may be given more than once
    #[arg(long = "lock", value_name = "NAME")]
    pub(crate) locks: Vec<LockName>,

    /// Read the patterns as plain paths, without wildcards
    #[arg(long)]
    pub(crate) literal: bool,

    #[command(flatten)]
    pub(crate) terms: Terms,

    /// Let the command run on if a reservation is lost
    #[arg(long)]
    pub(crate) keep_going: bool,

    /// Take over from the 'with' of this process if it is killed or stopped; the ids that it holds
    /// come last
    #[arg(long, value_name = "PROCESS", hide = true)]
    pub(crate) stand_in: Option<WithProcess>,

    /// Command to run, and its arguments
    #[arg(
        value_name = "COMMAND",
        last = true,
        required = true,
        value_hint = clap::ValueHint::CommandWithArguments
    )]
    pub(crate) command: Vec<OsString>,
}

impl Args {
    /// Reserves the targets, starts the command, and releases them when it has ended.
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        if let Some(with) = &self.stand_in {
            return self.stand_in_for(with, context);
        }
        let mut ctx = context.open().map_err(not_started)?;
        let held = self.hold(ui, &mut ctx).map_err(not_started)?;
        let mut said = Ok(());
        let mut tell = |news: &News<'_>| said = ui.warn(&news_text(news));
        let run = Run { words: &self.command, keep_going: self.keep_going };
        let code = with::run(&mut ctx, &held, run, &mut tell);
        said?;
        code.map(ExitCode::Passed)
    }

    /// Reserves the targets, and prints all notes before the command prints anything.
    fn hold(&self, ui: &mut Ui, ctx: &mut Ctx) -> Result<Held, Problem> {
        let ask = |tell: &mut Tell<'_>| hold(ctx, self.request(), tell);
        let answer = telling_waiters(ui, ask)?;
        if answer.written.is_some() {
            ui.has_written();
        }
        answer.notes.iter().try_for_each(|note| say(ui, note))?;
        ui.flush()?;
        Ok(answer.body)
    }

    /// Takes over from that process if it is killed, and for as long as it is stopped.
    fn stand_in_for(&self, with: &WithProcess, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let begun = context.door.clock()?;
        let Some(ttl) = self.terms.ttl else { return Ok(ExitCode::Done) };
        let vigil = Vigil::of(with, ttl);
        while let Some(absence) = vigil.wait()? {
            let mut ctx = match context.open() {
                Ok(ctx) => ctx,
                Err(_) if absence == Absence::Stopped => continue,
                Err(problem) => return Err(problem),
            };
            ctx.set_clock(begun.plus_millis(vigil.elapsed().as_millis()));
            let held = self.command.iter().filter_map(|id| id.to_str()?.parse().ok()).collect();
            let left = Left { with: with.clone(), held, ttl, keep_going: self.keep_going };
            with::stand_in(&mut ctx, left, absence)?;
            if absence == Absence::Killed {
                break;
            }
        }
        Ok(ExitCode::Done)
    }

    fn request(&self) -> Request {
        let reading = if self.literal { Reading::Literal } else { Reading::Glob };
        self.terms.added_to(Request::new(self.patterns.clone(), self.locks.clone(), reading))
    }
}

fn news_text(news: &News<'_>) -> String {
    let consequence = |command: &Fate| match command {
        Fate::Ends => "the command is ended",
        Fate::GoesOn => "the command goes on without it",
        Fate::HadEnded => "the command had ended by then",
    };
    match news {
        News::Lost { lost, command } => {
            let lost: Vec<String> = lost.iter().map(lost_text).collect();
            format!("no longer yours: {}; {}", lost.join(", "), consequence(command))
        }
        News::RanOut { command } => {
            format!("it has run out, and others may have it; {}", consequence(command))
        }
        News::Failed(error) => with_causes(*error),
        News::Alone(error) => format!(
            "nobody renews it if this process is killed: a second one cannot be started: {error}"
        ),
    }
}

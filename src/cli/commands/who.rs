//! `git coord who`

use std::ffi::OsString;
use std::io;

use crate::app::problem::{Advice, Problem};
use crate::app::who::{Body, ChangedView, Involved, Request, who};
use crate::app::wording::{ticket_text, view_text};
use crate::cli::color::Slot;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::requests::request_text;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::bounded::Limit;
use crate::core::text::shown;
use crate::core::time::{Timestamp, relative};

const EXAMPLES: &str = "\
Examples:
  git coord who src/api/mod.rs
  git coord who src tests --json";

/// Show who holds a path, has changed it, waits for it or asks for it
///
/// A change counts until it is committed, reverted or adopted. Only changes of agents are known:
/// 'git coord changes' also lists those of people.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Paths or patterns, relative to the current directory; ':/' is the top of the repository
    #[arg(value_name = "PATH", required = true, value_hint = clap::ValueHint::AnyPath)]
    pub(crate) paths: Vec<OsString>,

    /// At most this many rows [default: 50]
    #[arg(short = 'n', long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub(crate) limit: Option<Limit>,
}

impl Args {
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let ctx = context.open()?;
        let advise = ui.wants_advice(Advice::NoMatch);
        let answer = who(&ctx, &Request { paths: &self.paths, limit: self.limit, advise })?;
        let Body { paths, more, .. } = &answer.body;
        show(ui, &answer, |ui| {
            paths.iter().try_for_each(|path| print(ui, path, answer.at))?;
            if *more {
                ui.note("there is more: git coord who --limit <number>")?;
            }
            Ok(())
        })
    }
}

fn print(ui: &mut Ui, path: &Involved, now: Timestamp) -> io::Result<()> {
    let named = format!("'{}'", shown(&path.pattern.shown()));
    if path.is_nobodys() {
        let alone = "has changed it without a commit, waits for it or asks for it";
        return ui.line(&format!("nobody holds {named}, {alone}"));
    }
    if path.held.is_empty() {
        ui.line(&format!("nobody holds {named}"))?;
    }
    path.holds().try_for_each(|hold| ui.line(&view_text(&hold, now)))?;
    path.changed.iter().try_for_each(|change| ui.line(&change_text(ui, change, now)))?;
    path.waiting.iter().try_for_each(|ticket| ui.line(&ticket_text(ticket, now)))?;
    path.requests.iter().try_for_each(|request| ui.line(&request_text(ui, request, now)))
}

fn change_text(ui: &Ui, change: &ChangedView, now: Timestamp) -> String {
    let path = ui.paint(Slot::Path, &shown(&String::from_utf8_lossy(&change.path.0)));
    let ago = relative(change.at.as_seconds(), now.as_seconds());
    format!("'{path}' was changed {ago} by '{}', {}, and is not committed", change.agent, change.is)
}

//! `git coord release`

use std::ffi::OsString;

use crate::app::problem::Problem;
use crate::app::reservations::release::{Request, release};
use crate::cli::color::Slot;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::ids::LockName;
use crate::core::reservation::release::Released;
use crate::core::text::{Line, shown};

const EXAMPLES: &str = "\
Examples:
  git coord release --mine
  git coord release src/api
  git coord release k3v9x2ab
  git coord release --lock staging-db
  git coord release k3v9x2ab --force --reason 'session crashed'";

/// Release reservations
///
/// A word is a path before it is the beginning of an id. If you release a path of a wider
/// reservation, you keep the rest. A path that is not yours, or a reservation that is already gone,
/// is no error. Releases another agent's reservation only with --force and --reason, records both,
/// and tells the holder.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Paths or patterns that you hold, or ids; the beginning of an id is enough
    #[arg(value_name = "PATH|ID", value_hint = clap::ValueHint::AnyPath)]
    pub(crate) words: Vec<OsString>,

    /// Release all your reservations
    #[arg(long, conflicts_with_all = ["words", "paths", "locks", "force"])]
    pub(crate) mine: bool,

    /// Release this path and everything inside it; you keep the rest of a wider reservation
    #[arg(long = "path", value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    pub(crate) paths: Vec<OsString>,

    /// Release your reservation of this named lock
    #[arg(long = "lock", value_name = "NAME")]
    pub(crate) locks: Vec<LockName>,

    /// Also release reservations of other agents
    #[arg(long, requires = "reason")]
    pub(crate) force: bool,

    /// Reason, for the record and for the holder
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<Line>,
}

impl Args {
    pub(crate) fn request(&self) -> Request<'_> {
        Request {
            words: &self.words,
            paths: &self.paths,
            locks: &self.locks,
            mine: self.mine,
            force: self.reason.as_ref().filter(|_| self.force),
        }
    }

    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let ctx = context.open()?;
        let answer = release(&ctx, &self.request())?;
        show(ui, &answer, |ui| print_answer(ui, &answer.body.holds))
    }
}

fn print_answer(ui: &mut Ui, answer: &Released) -> std::io::Result<()> {
    for hold in &answer.released {
        let id = ui.paint(Slot::Id, hold.id.as_str());
        let target = shown(&hold.target.shown()).into_owned();
        ui.line(&format!("released  {id}  {}", ui.paint(Slot::Path, &target)))?;
    }
    for hold in &answer.narrowed {
        let id = ui.paint(Slot::Id, hold.id.as_str());
        let target = shown(&hold.target.shown()).into_owned();
        ui.line(&format!("kept      {id}  {}", ui.paint(Slot::Path, &target)))?;
    }
    for missing in &answer.missing_words {
        let word = shown(&missing.word.shown()).into_owned();
        let could_be_an_id = missing.word.id.is_some() && missing.meeting.is_empty();
        ui.note(&if could_be_an_id {
            format!("not there (any more): {word}")
        } else {
            format!("you hold nothing of '{word}'")
        })?;
    }
    for id in &answer.missing {
        ui.note(&format!("not there (any more): {id}"))?;
    }
    for name in &answer.missing_locks {
        ui.note(&format!("nobody holds lock '{name}'"))?;
    }
    let is_missing = !answer.missing_words.is_empty()
        || !answer.missing.is_empty()
        || !answer.missing_locks.is_empty();
    if answer.released.is_empty() && answer.narrowed.is_empty() && !is_missing {
        ui.note("nothing to release")?;
    }
    Ok(())
}

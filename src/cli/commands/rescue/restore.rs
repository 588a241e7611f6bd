//! `git coord rescue restore`

use std::ffi::OsString;
use std::path::PathBuf;

use crate::app::ownership::view::PathView;
use crate::app::problem::Problem;
use crate::app::rescue::restore::{Body, Refused, Request, Restored, restore};
use crate::cli::color::Slot;
use crate::cli::dispatch::Context;
use crate::cli::error::say_hints;
use crate::cli::exit::ExitCode;
use crate::cli::show::show;
use crate::cli::term::Ui;

const EXAMPLES: &str = "\
Examples:
  git coord rescue restore src/api/users.rs
  git coord rescue restore 3f9c2ab1 src
  git coord rescue restore --worktree feature --to ../saved .";

/// Bring saved files back
///
/// Writes the files that are named, and nothing else: each is reserved for you and noted as your
/// change, as if you had edited it. A file with an uncommitted change is left alone unless --force
/// is given, which saves that change first. A file that another agent holds is left alone in any
/// case. Without an id, the newest saved version that differs from the file is brought back, if
/// nobody has committed the file since.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Args {
    /// Id of a snapshot, and the paths or patterns to bring back
    #[arg(value_name = "ID|PATH", required = true, value_hint = clap::ValueHint::AnyPath)]
    words: Vec<OsString>,

    /// Saved content of the linked worktree of this name, which may be gone; - is the main one
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    worktree: Option<String>,

    /// Write to this directory outside of the work tree
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    to: Option<PathBuf>,

    /// Replace uncommitted changes too, once they are saved
    #[arg(long, conflicts_with = "to")]
    force: bool,
}

impl Args {
    pub(super) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let ctx = context.open()?;
        let request = Request {
            words: &self.words,
            worktree: self.worktree.as_deref(),
            to: self.to.as_deref(),
            force: self.force,
        };
        let answer = restore(&ctx, &request)?;
        show(ui, &answer, |ui| {
            let Body { restored, already, refused, committed, missing } = &answer.body;
            for Restored { path, from, .. } in restored {
                line(ui, "restored", path, &format!("from {from}"))?;
            }
            already.iter().try_for_each(|path| line(ui, "already there", path, ""))?;
            for Refused { path, why, .. } in refused {
                line(ui, "not restored", path, why.text())?;
            }
            let later = "committed since it was saved";
            committed.iter().try_for_each(|path| line(ui, "not restored", path, later))?;
            for pattern in missing {
                line(ui, "not saved", &PathView::of(pattern), "")?;
            }
            answer.refusal.iter().try_for_each(|refusal| say_hints(refusal, ui))
        })
    }
}

fn line(ui: &mut Ui, what: &str, path: &PathView, more: &str) -> std::io::Result<()> {
    let path = ui.paint(Slot::Path, &path.text());
    ui.line(format!("{what}  {path}  {more}").trim_end())
}

//! `git coord release`

use std::ffi::OsString;

use serde_json::json;

use crate::app::specs;
use crate::cli::color::Slot;
use crate::cli::dispatch::Context;
use crate::cli::error::CliError;
use crate::cli::exit::ExitCode;
use crate::cli::holds::{fields, ids_json};
use crate::cli::open::{open, told};
use crate::cli::term::Ui;
use crate::core::ids::HoldIdPrefix;
use crate::core::pattern::Reading;
use crate::core::reservation::release::{Release, Released};
use crate::core::reservation::select::Selection;
use crate::core::text::{Line, shown};
use crate::store::layout::LedgerName;

const EXAMPLES: &str = "\
Examples:
  git coord release --mine
  git coord release k3v9x2ab
  git coord release --path src/api
  git coord release k3v9x2ab --force --reason 'session crashed'";

/// Give reservations back
///
/// What is gone already is no error. Another agent's reservation is released only with --force
/// and a reason; both are recorded and the holder is told.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Ids of reservations, or the beginning of an id
    #[arg(value_name = "ID")]
    pub(crate) ids: Vec<HoldIdPrefix>,

    /// Everything that is yours
    #[arg(long, conflicts_with_all = ["ids", "paths", "force"])]
    pub(crate) mine: bool,

    /// Reservations equal to or inside this path; a wider one stays and is named
    #[arg(long = "path", value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    pub(crate) paths: Vec<OsString>,

    /// Also what another agent holds
    #[arg(long, requires = "reason")]
    pub(crate) force: bool,

    /// Why, for the record and for the holder
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<Line>,
}

impl Args {
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        if self.ids.is_empty() && self.paths.is_empty() && !self.mine {
            return Err("nothing to release: name reservations by id, a path with --path, \
                        or all of yours with --mine");
        }
        Ok(())
    }
}

impl Args {
    /// Lets the holds go.
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, CliError> {
        let ctx = open(context)?;
        let paths = specs::patterns(ctx.repository(), &self.paths, Reading::Glob)?;
        let which = Selection { ids: self.ids.clone(), mine: self.mine, paths, via: None };
        let force = self.reason.clone().filter(|_| self.force);
        let command = Release { which, force };
        let answer = told(ui, ctx.transact(LedgerName::Reservations, command, None)?)?;
        if ui.is_json() {
            let answered = fields([
                ("released", json!(answer.released.len())),
                ("ids", ids_json(&answer.released)),
                ("missing", json!(answer.missing)),
                ("wider", ids_json(&answer.wider)),
            ]);
            ui.answer(true, answered)?;
        } else {
            print_answer(ui, &answer)?;
        }
        Ok(ExitCode::Done)
    }
}

fn print_answer(ui: &mut Ui, answer: &Released) -> std::io::Result<()> {
    for hold in &answer.released {
        let id = ui.paint(Slot::Id, hold.id.as_str());
        let pattern = shown(&hold.pattern.shown()).into_owned();
        ui.line(&format!("released  {id}  {}", ui.paint(Slot::Path, &pattern)))?;
    }
    for hold in &answer.wider {
        let pattern = hold.pattern.shown();
        ui.note(&format!("stays: {}, because '{}' is wider", hold.id, shown(&pattern)))?;
    }
    for id in &answer.missing {
        ui.note(&format!("not there (any more): {id}"))?;
    }
    if answer.released.is_empty() && answer.wider.is_empty() && answer.missing.is_empty() {
        ui.note("nothing to release")?;
    }
    Ok(())
}

//! `git coord run artifact`

use std::ffi::OsString;

use clap::Subcommand;
use serde_json::json;

use crate::app::error::AppError;
use crate::app::problem::Problem;
use crate::app::runs::Wanted;
use crate::app::{Ctx, runs, specs};
use crate::cli::color::Slot;
use crate::cli::exit::ExitCode;
use crate::cli::layout::{Cell, aligned};
use crate::cli::open::told;
use crate::cli::runs::{answer, documents, warn_damaged, with_event};
use crate::cli::term::Ui;
use crate::core::ledger::LedgerName;
use crate::core::pattern::Reading;
use crate::core::run::artifact::{AddArtifact, AddedArtifact, Artifact};
use crate::core::run::names::{IdPrefix, PhaseName};
use crate::core::text::{Line, shown};

/// Record what phases have brought forth
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What can be done with artifacts.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Add(AddArgs),
    List(ListArgs),
}

const ADD_EXAMPLES: &str = "\
Examples:
  git coord run artifact add k3v9x2ab --path docs/plan.md
  git coord run artifact add k3v9x2ab --path src/api.rs --phase executing --type code";

/// Record an artifact, with the hash of its content if the file is there
///
/// The same artifact of the same phase is recorded once, however often it is added. What a dispatch
/// has made belongs to the dispatch's phase; nothing is recorded of one that was called off, or
/// whose phase was rolled back since.
#[derive(Debug, clap::Args)]
#[command(after_long_help = ADD_EXAMPLES)]
pub(crate) struct AddArgs {
    /// The run, or the beginning of its id
    #[arg(value_name = "RUN")]
    pub(crate) run: IdPrefix,

    /// Where it is, relative to the current directory
    #[arg(long, value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    pub(crate) path: OsString,

    /// The phase [default: that of the dispatch, or the one the run is at]
    #[arg(long, value_name = "PHASE")]
    pub(crate) phase: Option<PhaseName>,

    /// What sort of thing it is
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) kind: Option<Line>,

    /// The dispatch that made it
    #[arg(long, value_name = "DISPATCH")]
    pub(crate) dispatch: Option<IdPrefix>,
}

/// List artifacts; what was rolled back is left out
#[derive(Debug, clap::Args)]
pub(crate) struct ListArgs {
    /// The run, or the beginning of its id
    #[arg(value_name = "RUN")]
    pub(crate) run: IdPrefix,

    /// Only of this phase
    #[arg(long, value_name = "PHASE")]
    pub(crate) phase: Option<PhaseName>,

    /// Also what was rolled back
    #[arg(long)]
    pub(crate) all: bool,
}

impl Args {
    pub(crate) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        match &self.command {
            Command::Add(args) => args.run(ui, ctx),
            Command::List(args) => args.run(ui, ctx),
        }
    }
}

impl AddArgs {
    fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let specs = [self.path.clone()];
        let mut paths = specs::patterns(ctx.repository(), &specs, Reading::Literal)?;
        let path = paths.pop().ok_or_else(|| AppError::Usage("no path".to_owned()))?;
        let sha256 = match path.literal_path() {
            Some(bytes) => runs::content_of(ctx, &bytes)?,
            None => None,
        };
        let (run, dispatch) = match &self.dispatch {
            Some(dispatch) => {
                let (run, dispatch) = runs::named::dispatch(ctx, &self.run, dispatch)?;
                (run, Some(dispatch))
            }
            None => (runs::named::run(ctx, &self.run)?, None),
        };
        let wish = AddArtifact {
            run,
            phase: self.phase.clone(),
            path,
            kind: self.kind.clone(),
            sha256,
            dispatch,
        };
        let committed = ctx.transact(LedgerName::Runs, wish, None);
        let AddedArtifact { run, artifact, known } =
            told(ui, committed.map_err(|error| with_event(ctx, error))?)?;
        if ui.is_json() {
            let fields = [("artifact", json!(artifact)), ("added", json!(!known))];
            ui.answer(true, answer(&run, fields))?;
        } else {
            print(ui, &[artifact])?;
            if known {
                ui.note("it was there already")?;
            }
        }
        Ok(ExitCode::Done)
    }
}

impl ListArgs {
    fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let reading = runs::read(ctx)?;
        let run = runs::find(&reading, &self.run)?;
        let wanted = Wanted { phase: self.phase.clone(), all: self.all };
        let listed = runs::artifacts(&reading.base.snapshot, &run, &wanted)?;
        warn_damaged(ui, &listed.damaged)?;
        if ui.is_json() {
            ui.answer(true, answer(&run, [("artifacts", documents(&listed.found))]))?;
        } else if listed.found.is_empty() {
            ui.note("no artifacts")?;
        } else {
            print(ui, &listed.found)?;
        }
        Ok(ExitCode::Done)
    }
}

fn print(ui: &mut Ui, artifacts: &[Artifact]) -> std::io::Result<()> {
    let row = |ui: &Ui, artifact: &Artifact| {
        let path = shown(&artifact.path.shown()).into_owned();
        let hash = artifact.sha256.as_ref().map_or("-", |hash| &hash.as_str()[..12]);
        let kind = artifact.kind.as_ref().map_or(String::new(), |kind| shown(kind.as_str()).into());
        vec![
            Cell::painted(artifact.id.as_str(), ui.paint(Slot::Id, artifact.id.as_str())),
            Cell::plain(artifact.phase.as_str()),
            Cell::plain(artifact.status.name()),
            Cell::painted(&path, ui.paint(Slot::Path, &path)),
            Cell::plain(hash),
            Cell::plain(&kind),
        ]
    };
    let rows: Vec<Vec<Cell>> = artifacts.iter().map(|artifact| row(ui, artifact)).collect();
    for line in aligned(&rows) {
        ui.line(&line)?;
    }
    Ok(())
}

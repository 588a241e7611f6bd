//! `git coord run artifact`

use std::ffi::OsString;

use clap::Subcommand;

use super::RunArg;
use super::parts::{self, print_added};
use crate::app::Ctx;
use crate::app::problem::Problem;
use crate::app::runs::artifact::{Add, add};
use crate::app::runs::parts::Kind;
use crate::cli::exit::ExitCode;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::run::names::{IdPrefix, PhaseName};
use crate::core::text::Line;

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
    /// List artifacts; what was rolled back is left out
    List(parts::Args),
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
    #[command(flatten)]
    pub(crate) run: RunArg,

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

impl Args {
    pub(crate) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        match &self.command {
            Command::Add(args) => args.run(ui, ctx),
            Command::List(args) => args.run(ui, ctx, Kind::Artifacts),
        }
    }
}

impl AddArgs {
    fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let request = Add {
            run: &self.run.id,
            path: &self.path,
            phase: self.phase.as_ref(),
            kind: self.kind.as_ref(),
            dispatch: self.dispatch.as_ref(),
        };
        let answer = add(ctx, &request)?;
        show(ui, &answer, |ui| {
            print_added(ui, &answer.body.artifact, answer.body.added, "it was there already")
        })
    }
}

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

/// Record and list what phases have produced
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Add(AddArgs),
    /// List artifacts, without those that were rolled back
    List(parts::Args),
}

const ADD_EXAMPLES: &str = "\
Examples:
  git coord run artifact add k3v9x2ab --path docs/plan.md
  git coord run artifact add k3v9x2ab --path src/api.rs --phase executing --type code";

/// Record an artifact, with the hash of its content if the file exists
///
/// The same artifact of the same phase is recorded once, however often you add it. An artifact of a
/// dispatch belongs to the phase of the dispatch. An artifact of a dispatch that was cancelled, or
/// whose phase was rolled back since, is not recorded.
#[derive(Debug, clap::Args)]
#[command(after_long_help = ADD_EXAMPLES)]
pub(crate) struct AddArgs {
    #[command(flatten)]
    pub(crate) run: RunArg,

    /// Path of the artifact, relative to the current directory, or to the top after ':/'
    #[arg(long, value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    pub(crate) path: OsString,

    /// Phase [default: the phase of the dispatch, or the present phase of the run]
    #[arg(long, value_name = "PHASE")]
    pub(crate) phase: Option<PhaseName>,

    /// Type of the artifact, as you name it
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) kind: Option<Line>,

    /// Dispatch that produced the artifact
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

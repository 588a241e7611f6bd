//! `git coord run verdict`

use clap::Subcommand;

use super::RunArg;
use super::parts;
use crate::app::Ctx;
use crate::app::problem::Problem;
use crate::app::runs::parts::Kind;
use crate::app::runs::verdict::{Add, add};
use crate::cli::exit::ExitCode;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::cli::values::{Word, one_of};
use crate::core::run::names::PhaseName;
use crate::core::run::verdict::Finding;
use crate::core::text::Line;

/// Record and list the results of reviews
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Add(AddArgs),
    /// List verdicts, without those that were rolled back
    List(parts::Args),
}

const ADD_EXAMPLES: &str = "\
Examples:
  git coord run verdict add k3v9x2ab --phase review --result clean";

/// Record the result of a review of a phase
#[derive(Debug, clap::Args)]
#[command(after_long_help = ADD_EXAMPLES)]
pub(crate) struct AddArgs {
    #[command(flatten)]
    pub(crate) run: RunArg,

    /// Phase [default: the present phase of the run]
    #[arg(long, value_name = "PHASE")]
    pub(crate) phase: Option<PhaseName>,

    /// Result of the review
    #[arg(long, value_name = "RESULT", value_parser = one_of(&RESULTS))]
    pub(crate) result: Finding,

    /// Short note
    #[arg(long, value_name = "TEXT")]
    pub(crate) note: Option<Line>,
}

const RESULTS: [Word<Finding>; 2] = [
    ("clean", Finding::Clean, "The review found nothing"),
    ("findings", Finding::Findings, "The review found something"),
];

impl Args {
    pub(crate) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        match &self.command {
            Command::Add(args) => args.run(ui, ctx),
            Command::List(args) => args.run(ui, ctx, Kind::Verdicts),
        }
    }
}

impl AddArgs {
    fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let AddArgs { run, phase, result, note } = self;
        let (phase, note) = (phase.as_ref(), note.as_ref());
        let answer = add(ctx, &Add { run: &run.id, phase, result: *result, note })?;
        show(ui, &answer, |ui| parts::print(ui, std::slice::from_ref(&answer.body.verdict)))
    }
}

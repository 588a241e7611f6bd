//! `git coord run verdict`

use clap::{Subcommand, ValueEnum};
use serde_json::json;

use crate::app::problem::Problem;
use crate::app::runs::Wanted;
use crate::app::{Ctx, runs};
use crate::cli::color::Slot;
use crate::cli::exit::ExitCode;
use crate::cli::layout::{Cell, aligned};
use crate::cli::open::told;
use crate::cli::runs::{answer, documents, warn_damaged};
use crate::cli::term::Ui;
use crate::core::ledger::LedgerName;
use crate::core::run::names::{IdPrefix, PhaseName};
use crate::core::run::verdict::{AddVerdict, Finding, Verdict};
use crate::core::text::{Line, shown};

/// Record what reviews came to
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What can be done with verdicts.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Add(AddArgs),
    List(ListArgs),
}

const ADD_EXAMPLES: &str = "\
Examples:
  git coord run verdict add k3v9x2ab --phase review --result clean";

/// Record what a review of a phase came to
#[derive(Debug, clap::Args)]
#[command(after_long_help = ADD_EXAMPLES)]
pub(crate) struct AddArgs {
    /// The run, or the beginning of its id
    #[arg(value_name = "RUN")]
    pub(crate) run: IdPrefix,

    /// The phase [default: the one it is at]
    #[arg(long, value_name = "PHASE")]
    pub(crate) phase: Option<PhaseName>,

    /// What was found
    #[arg(long, value_name = "RESULT", value_enum)]
    pub(crate) result: ResultWord,

    /// In a few words
    #[arg(long, value_name = "TEXT")]
    pub(crate) note: Option<Line>,
}

/// What a review found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ResultWord {
    /// Nothing
    Clean,
    /// Something
    Findings,
}

/// List verdicts; what was rolled back is left out
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
        let wish = AddVerdict {
            run: runs::named::run(ctx, &self.run)?,
            phase: self.phase.clone(),
            result: match self.result {
                ResultWord::Clean => Finding::Clean,
                ResultWord::Findings => Finding::Findings,
            },
            note: self.note.clone(),
        };
        let (run, verdict) = told(ui, ctx.transact(LedgerName::Runs, wish, None)?)?;
        if ui.is_json() {
            ui.answer(true, answer(&run, [("verdict", json!(verdict))]))?;
        } else {
            print(ui, &[verdict])?;
        }
        Ok(ExitCode::Done)
    }
}

impl ListArgs {
    fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let reading = runs::read(ctx)?;
        let run = runs::find(&reading, &self.run)?;
        let wanted = Wanted { phase: self.phase.clone(), all: self.all };
        let listed = runs::verdicts(&reading.base.snapshot, &run, &wanted)?;
        warn_damaged(ui, &listed.damaged)?;
        if ui.is_json() {
            ui.answer(true, answer(&run, [("verdicts", documents(&listed.found))]))?;
        } else if listed.found.is_empty() {
            ui.note("no verdicts")?;
        } else {
            print(ui, &listed.found)?;
        }
        Ok(ExitCode::Done)
    }
}

fn print(ui: &mut Ui, verdicts: &[Verdict]) -> std::io::Result<()> {
    let row = |ui: &Ui, verdict: &Verdict| {
        let note = verdict.note.as_ref().map_or(String::new(), |note| shown(note.as_str()).into());
        vec![
            Cell::painted(verdict.id.as_str(), ui.paint(Slot::Id, verdict.id.as_str())),
            Cell::plain(verdict.phase.as_str()),
            Cell::plain(verdict.result.name()),
            Cell::plain(verdict.status.name()),
            Cell::painted(verdict.by.as_str(), ui.paint(Slot::Holder, verdict.by.as_str())),
            Cell::plain(&note),
        ]
    };
    let rows: Vec<Vec<Cell>> = verdicts.iter().map(|verdict| row(ui, verdict)).collect();
    for line in aligned(&rows) {
        ui.line(&line)?;
    }
    Ok(())
}

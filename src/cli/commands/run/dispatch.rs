//! `git coord run dispatch`

use clap::Subcommand;
use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser as _;
use serde_json::json;

use crate::app::problem::Problem;
use crate::app::runs::Wanted;
use crate::app::{Ctx, runs};
use crate::cli::color::Slot;
use crate::cli::exit::ExitCode;
use crate::cli::layout::{Cell, aligned};
use crate::cli::open::told;
use crate::cli::runs::{answer, documents, warn_damaged, with_event};
use crate::cli::term::Ui;
use crate::core::ids::{AgentName, EntryName};
use crate::core::ledger::LedgerName;
use crate::core::limits::TOKENS_MAX;
use crate::core::run::dispatch::{AddDispatch, Dispatch, DispatchStatus, UpdateDispatch};
use crate::core::run::names::{IdPrefix, PhaseName};

/// Record work that is handed out, what becomes of it and what it costs
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What can be done with dispatches.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Add(AddArgs),
    Update(UpdateArgs),
    List(ListArgs),
}

/// Record that work is handed out
#[derive(Debug, clap::Args)]
pub(crate) struct AddArgs {
    /// The run, or the beginning of its id
    #[arg(value_name = "RUN")]
    pub(crate) run: IdPrefix,

    /// To whom
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: Option<AgentName>,

    /// The phase [default: the one it is at]
    #[arg(long, value_name = "PHASE")]
    pub(crate) phase: Option<PhaseName>,
}

const UPDATE_EXAMPLES: &str = "\
Examples:
  git coord run dispatch update k3v9x2ab m2p8q0cd --status running
  git coord run dispatch update k3v9x2ab m2p8q0cd --status completed --commit 3f9c2ab1";

/// Record news of a dispatch
///
/// One that has come to its end stays so; one that a rollback cancelled says so. Tokens are what it
/// has spent in all.
#[derive(Debug, clap::Args)]
#[command(after_long_help = UPDATE_EXAMPLES)]
pub(crate) struct UpdateArgs {
    /// The run, or the beginning of its id
    #[arg(value_name = "RUN")]
    pub(crate) run: IdPrefix,

    /// The dispatch, or the beginning of its id
    #[arg(value_name = "DISPATCH")]
    pub(crate) dispatch: IdPrefix,

    /// How it stands
    #[arg(long, value_name = "STATUS", value_parser = status_parser())]
    pub(crate) status: DispatchStatus,

    /// A commit that came of it
    #[arg(long, value_name = "COMMIT", value_parser = parse_commit)]
    pub(crate) commit: Option<EntryName>,

    /// Tokens read
    #[arg(
        long,
        value_name = "NUMBER",
        value_parser = clap::value_parser!(u64).range(0..=TOKENS_MAX),
        allow_hyphen_values = true
    )]
    pub(crate) tokens_in: Option<u64>,

    /// Tokens written
    #[arg(
        long,
        value_name = "NUMBER",
        value_parser = clap::value_parser!(u64).range(0..=TOKENS_MAX),
        allow_hyphen_values = true
    )]
    pub(crate) tokens_out: Option<u64>,

    /// Tokens read from a cache, which do not count
    #[arg(
        long,
        value_name = "NUMBER",
        value_parser = clap::value_parser!(u64).range(0..=TOKENS_MAX),
        allow_hyphen_values = true
    )]
    pub(crate) tokens_cache: Option<u64>,
}

fn status_parser() -> impl clap::builder::TypedValueParser<Value = DispatchStatus> {
    let words = PossibleValuesParser::new(DispatchStatus::ALL.map(DispatchStatus::name));
    words.map(|word| {
        let is_named = |status: &DispatchStatus| status.name() == word;
        DispatchStatus::ALL.into_iter().find(is_named).expect("the parser lets only these through")
    })
}

/// A shorter name of a commit may be another one's tomorrow.
const COMMIT_CHARS_MIN: usize = 7;

fn parse_commit(text: &str) -> Result<EntryName, String> {
    let name = text.to_ascii_lowercase().parse::<EntryName>();
    let long_enough = name.ok().filter(|name| name.as_str().len() >= COMMIT_CHARS_MIN);
    long_enough.ok_or_else(|| "a commit is named by 7 or more hexadecimal digits".to_owned())
}

/// List dispatches; those that were cancelled are left out
#[derive(Debug, clap::Args)]
pub(crate) struct ListArgs {
    /// The run, or the beginning of its id
    #[arg(value_name = "RUN")]
    pub(crate) run: IdPrefix,

    /// Only of this phase
    #[arg(long, value_name = "PHASE")]
    pub(crate) phase: Option<PhaseName>,

    /// Also those that were cancelled
    #[arg(long)]
    pub(crate) all: bool,
}

impl Args {
    pub(crate) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        match &self.command {
            Command::Add(args) => args.run(ui, ctx),
            Command::Update(args) => args.run(ui, ctx),
            Command::List(args) => args.run(ui, ctx),
        }
    }
}

impl AddArgs {
    fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let wish = AddDispatch {
            run: runs::named::run(ctx, &self.run)?,
            agent: self.agent.clone(),
            phase: self.phase.clone(),
        };
        let (run, dispatch) = told(ui, ctx.transact(LedgerName::Runs, wish, None)?)?;
        if ui.is_json() {
            ui.answer(true, answer(&run, [("dispatch", json!(dispatch))]))?;
        } else {
            print(ui, &[dispatch])?;
        }
        Ok(ExitCode::Done)
    }
}

impl UpdateArgs {
    fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let (run, dispatch) = runs::named::dispatch(ctx, &self.run, &self.dispatch)?;
        let wish = UpdateDispatch {
            run,
            dispatch,
            status: self.status,
            commit: self.commit.clone(),
            tokens_in: self.tokens_in,
            tokens_out: self.tokens_out,
            tokens_cache: self.tokens_cache,
        };
        let committed = ctx.transact(LedgerName::Runs, wish, None);
        let (run, dispatch) = told(ui, committed.map_err(|error| with_event(ctx, error))?)?;
        if ui.is_json() {
            ui.answer(true, answer(&run, [("dispatch", json!(dispatch))]))?;
        } else {
            print(ui, &[dispatch])?;
        }
        Ok(ExitCode::Done)
    }
}

impl ListArgs {
    fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let reading = runs::read(ctx)?;
        let run = runs::find(&reading, &self.run)?;
        let wanted = Wanted { phase: self.phase.clone(), all: self.all };
        let listed = runs::dispatches(&reading.base.snapshot, &run, &wanted)?;
        warn_damaged(ui, &listed.damaged)?;
        if ui.is_json() {
            ui.answer(true, answer(&run, [("dispatches", documents(&listed.found))]))?;
        } else if listed.found.is_empty() {
            ui.note("no dispatches")?;
        } else {
            print(ui, &listed.found)?;
        }
        Ok(ExitCode::Done)
    }
}

fn print(ui: &mut Ui, dispatches: &[Dispatch]) -> std::io::Result<()> {
    let row = |ui: &Ui, dispatch: &Dispatch| {
        let agent = dispatch.agent.as_ref().map_or("-", AgentName::as_str);
        vec![
            Cell::painted(dispatch.id.as_str(), ui.paint(Slot::Id, dispatch.id.as_str())),
            Cell::plain(dispatch.phase.as_str()),
            Cell::plain(dispatch.status.name()),
            Cell::painted(agent, ui.paint(Slot::Holder, agent)),
            Cell::plain(&format!("{} tokens", dispatch.tokens.counted())),
        ]
    };
    let rows: Vec<Vec<Cell>> = dispatches.iter().map(|dispatch| row(ui, dispatch)).collect();
    for line in aligned(&rows) {
        ui.line(&line)?;
    }
    Ok(())
}

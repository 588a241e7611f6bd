//! `git coord run dispatch`

use clap::Subcommand;
use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser as _;

use super::RunArg;
use super::parts;
use crate::app::Ctx;
use crate::app::answer::Answer;
use crate::app::problem::Problem;
use crate::app::runs::dispatch::{Add, Body, Update, add, update};
use crate::app::runs::parts::Kind;
use crate::cli::exit::ExitCode;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::ids::AgentName;
use crate::core::run::bounds::TokenCount;
use crate::core::run::dispatch::DispatchStatus;
use crate::core::run::names::{CommitName, IdPrefix, PhaseName};

/// Record dispatched work, its progress and its cost
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Add(AddArgs),
    Update(UpdateArgs),
    /// List dispatches, without those that were cancelled
    #[command(mut_arg("all", |arg| arg.help("Also those that were cancelled")))]
    List(parts::Args),
}

/// Record that work is dispatched
#[derive(Debug, clap::Args)]
pub(crate) struct AddArgs {
    #[command(flatten)]
    pub(crate) run: RunArg,

    /// Agent that does the work
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: Option<AgentName>,

    /// Phase [default: the present phase of the run]
    #[arg(long, value_name = "PHASE")]
    pub(crate) phase: Option<PhaseName>,
}

const UPDATE_EXAMPLES: &str = "\
Examples:
  git coord run dispatch update k3v9x2ab m2p8q0cd --status running
  git coord run dispatch update k3v9x2ab m2p8q0cd --status completed --commit 3f9c2ab1";

/// Record the progress of a dispatch
///
/// A dispatch that has ended keeps its status. If a rollback cancelled it, the answer says so.
/// Token counts are the totals of the dispatch.
#[derive(Debug, clap::Args)]
#[command(after_long_help = UPDATE_EXAMPLES)]
pub(crate) struct UpdateArgs {
    #[command(flatten)]
    pub(crate) run: RunArg,

    /// Id of the dispatch, or the beginning of it
    #[arg(value_name = "DISPATCH")]
    pub(crate) dispatch: IdPrefix,

    /// Status of the dispatch
    #[arg(long, value_name = "STATUS", value_parser = status_parser())]
    pub(crate) status: DispatchStatus,

    /// Commit that the dispatch produced
    #[arg(long, value_name = "COMMIT")]
    pub(crate) commit: Option<CommitName>,

    /// Tokens read, in total
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub(crate) tokens_in: Option<TokenCount>,

    /// Tokens written, in total
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub(crate) tokens_out: Option<TokenCount>,

    /// Tokens read from a cache, in total; these do not count
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub(crate) tokens_cache: Option<TokenCount>,
}

fn status_parser() -> impl clap::builder::TypedValueParser<Value = DispatchStatus> {
    let words = PossibleValuesParser::new(DispatchStatus::ALL.map(DispatchStatus::name));
    words.map(|word| {
        let is_named = |status: &DispatchStatus| status.name() == word;
        DispatchStatus::ALL.into_iter().find(is_named).expect("the parser lets only these through")
    })
}

impl Args {
    pub(crate) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        match &self.command {
            Command::Add(args) => args.run(ui, ctx),
            Command::Update(args) => args.run(ui, ctx),
            Command::List(args) => args.run(ui, ctx, Kind::Dispatches),
        }
    }
}

impl AddArgs {
    fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let (agent, phase) = (self.agent.as_ref(), self.phase.as_ref());
        report(ui, &add(ctx, &Add { run: &self.run.id, agent, phase })?)
    }
}

impl UpdateArgs {
    fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let request = Update {
            run: &self.run.id,
            dispatch: &self.dispatch,
            status: self.status,
            commit: self.commit.as_ref(),
            tokens_in: self.tokens_in,
            tokens_out: self.tokens_out,
            tokens_cache: self.tokens_cache,
        };
        report(ui, &update(ctx, &request)?)
    }
}

fn report(ui: &mut Ui, answer: &Answer<Body>) -> Result<ExitCode, Problem> {
    show(ui, answer, |ui| parts::print(ui, std::slice::from_ref(&answer.body.dispatch)))
}

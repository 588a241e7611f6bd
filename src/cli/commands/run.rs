//! `git coord run`

mod advance;
mod agent;
mod artifact;
mod budget;
mod create;
mod dispatch;
mod end;
mod gate;
mod list;
mod replay;
mod rollback;
mod set;
mod show;
mod skip;
mod verdict;

use clap::Subcommand;

use crate::app::Ctx;
use crate::app::problem::Problem;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::open::open;
use crate::cli::term::Ui;

/// Lead work through phases, with gates between them and a way back
///
/// A run is a piece of work that goes through phases. Artifacts, dispatches, agents and verdicts
/// belong to phases; a gate stands between one phase and the next. Going back to an earlier phase
/// is one act, and everything of the phases that are given up goes with it.
///
/// To run a command while something is reserved, see 'git coord with'.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What can be done with a run.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Create(create::Args),
    List(list::ListArgs),
    Show(show::Args),
    Current(list::CurrentArgs),
    Set(set::Args),
    Advance(advance::Args),
    Skip(skip::SkipArgs),
    Unskip(skip::UnskipArgs),
    Rollback(rollback::Args),
    Cancel(end::CancelArgs),
    Fail(end::FailArgs),
    Gate(gate::Args),
    Verdict(verdict::Args),
    Artifact(artifact::Args),
    Agent(agent::Args),
    Dispatch(dispatch::Args),
    Budget(budget::Args),
    Replay(replay::Args),
}

impl Args {
    /// Does what is wished with a run.
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let ctx: Ctx = open(context)?;
        match &self.command {
            Command::Create(args) => args.run(ui, &ctx),
            Command::List(args) => args.run(ui, &ctx),
            Command::Show(args) => args.run(ui, &ctx),
            Command::Current(_) => list::CurrentArgs::run(ui, &ctx),
            Command::Set(args) => args.run(ui, &ctx),
            Command::Advance(args) => args.run(ui, &ctx),
            Command::Skip(args) => args.run(ui, &ctx),
            Command::Unskip(args) => args.run(ui, &ctx),
            Command::Rollback(args) => args.run(ui, &ctx),
            Command::Cancel(args) => args.run(ui, &ctx),
            Command::Fail(args) => args.run(ui, &ctx),
            Command::Gate(args) => args.run(ui, &ctx),
            Command::Verdict(args) => args.run(ui, &ctx),
            Command::Artifact(args) => args.run(ui, &ctx),
            Command::Agent(args) => args.run(ui, &ctx),
            Command::Dispatch(args) => args.run(ui, &ctx),
            Command::Budget(args) => args.run(ui, &ctx),
            Command::Replay(args) => args.run(ui, &ctx),
        }
    }
}

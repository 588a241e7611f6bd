//! `git coord run`

mod advance;
mod agent;
mod artifact;
mod budget;
mod create;
mod dispatch;
mod end;
mod gate;
mod limits;
mod list;
mod parts;
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
use crate::cli::term::Ui;
use crate::core::run::end::Ending;
use crate::core::run::names::IdPrefix;
use crate::core::text::Line;

/// Take work through phases, with gates between them and a way back
///
/// A run is a piece of work that goes through phases. Artifacts, dispatches, agents and verdicts
/// belong to phases, and a gate stands between one phase and the next. A rollback to an earlier
/// phase is one act, and gives up everything that belongs to the later phases.
///
/// To run a command while you hold a reservation, see 'git coord with'.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

// Arguments that several commands share have no doc comment: that of the command is its help.
#[derive(Debug, clap::Args)]
pub(crate) struct RunArg {
    /// Id of the run, or the beginning of it
    #[arg(id = "run", value_name = "RUN")]
    pub(crate) id: IdPrefix,
}

#[derive(Debug, clap::Args)]
pub(crate) struct EndArgs {
    #[command(flatten)]
    pub(crate) run: RunArg,

    /// Reason, for the record
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Line,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Create(create::Args),
    List(list::ListArgs),
    /// Show a run: its history, its state and its next gate
    Show(RunArg),
    Current(list::CurrentArgs),
    Set(set::Args),
    Advance(advance::Args),
    /// Skip a phase that lies ahead
    ///
    /// Gates require nothing of a skipped phase. The last phase cannot be skipped.
    #[command(after_long_help = skip::SKIP_EXAMPLES)]
    Skip(skip::Args),
    /// Undo the skip of a phase
    #[command(after_long_help = skip::UNSKIP_EXAMPLES)]
    Unskip(skip::Args),
    Rollback(rollback::Args),
    /// Cancel a run for good, with every run that is a part of it
    ///
    /// Also cancels open dispatches and marks working agents as failed, in the same entry.
    #[command(after_long_help = end::CANCEL_EXAMPLES)]
    Cancel(EndArgs),
    /// Mark a run as failed for good, and cancel every run that is a part of it
    ///
    /// Also cancels open dispatches and marks working agents as failed, in the same entry.
    #[command(after_long_help = end::FAIL_EXAMPLES)]
    Fail(EndArgs),
    Gate(gate::Args),
    Verdict(verdict::Args),
    Artifact(artifact::Args),
    Agent(agent::Args),
    Dispatch(dispatch::Args),
    /// Show the budget of a run and its spending
    ///
    /// Exits with 1 if the run has spent more than its budget.
    Budget(RunArg),
    /// Replay the events of a run, and compare the result with the stored state
    ///
    /// Exits with 1 if there is a difference, and names each one.
    Replay(RunArg),
}

impl Args {
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let ctx: Ctx = context.open()?;
        match &self.command {
            Command::Create(args) => args.run(ui, &ctx),
            Command::List(args) => args.run(ui, &ctx),
            Command::Show(args) => show::run(ui, &ctx, &args.id),
            Command::Current(_) => list::CurrentArgs::run(ui, &ctx),
            Command::Set(args) => args.run(ui, &ctx),
            Command::Advance(args) => args.run(ui, &ctx),
            Command::Skip(args) => args.run(ui, &ctx, true),
            Command::Unskip(args) => args.run(ui, &ctx, false),
            Command::Rollback(args) => args.run(ui, &ctx),
            Command::Cancel(args) => end::run(ui, &ctx, args, Ending::Cancelled),
            Command::Fail(args) => end::run(ui, &ctx, args, Ending::Failed),
            Command::Gate(args) => args.run(ui, &ctx),
            Command::Verdict(args) => args.run(ui, &ctx),
            Command::Artifact(args) => args.run(ui, &ctx),
            Command::Agent(args) => args.run(ui, &ctx),
            Command::Dispatch(args) => args.run(ui, &ctx),
            Command::Budget(args) => budget::run(ui, &ctx, &args.id),
            Command::Replay(args) => replay::run(ui, &ctx, &args.id),
        }
    }
}

//! `git coord run agent`

use clap::Subcommand;

use super::RunArg;
use super::parts::{self, print_added};
use crate::app::Ctx;
use crate::app::problem::Problem;
use crate::app::runs::agent::{Add, Finish, add, finish};
use crate::app::runs::parts::Kind;
use crate::cli::exit::ExitCode;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::cli::values::{Word, one_of};
use crate::core::ids::AgentName;
use crate::core::run::agent::MemberStatus;
use crate::core::run::names::PhaseName;

/// Record and list the agents that work in a run
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Add(AddArgs),
    Finish(FinishArgs),
    /// List agents, without those that a rollback or the end of the run marked as failed
    #[command(mut_arg("all", |arg| {
        arg.help("Also those that a rollback or the end of the run marked as failed")
    }))]
    List(parts::Args),
}

/// Record that an agent works in a phase
#[derive(Debug, clap::Args)]
pub(crate) struct AddArgs {
    #[command(flatten)]
    pub(crate) run: RunArg,

    /// Name of the agent
    #[arg(long, value_name = "AGENT")]
    pub(crate) name: AgentName,

    /// Phase [default: the present phase of the run]
    #[arg(long, value_name = "PHASE")]
    pub(crate) phase: Option<PhaseName>,
}

const FINISH_EXAMPLES: &str = "\
Examples:
  git coord run agent finish k3v9x2ab claude:7f3a91c2 --status completed";

/// Record that an agent has finished
#[derive(Debug, clap::Args)]
#[command(after_long_help = FINISH_EXAMPLES)]
pub(crate) struct FinishArgs {
    #[command(flatten)]
    pub(crate) run: RunArg,

    /// Name of the agent, or the id of its work or the beginning of that id
    #[arg(value_name = "AGENT")]
    pub(crate) agent: AgentName,

    /// Result of the work
    #[arg(long, value_name = "STATUS", value_parser = one_of(&ENDS))]
    pub(crate) status: MemberStatus,
}

const ENDS: [Word<MemberStatus>; 2] = [
    ("completed", MemberStatus::Completed, "The work is done"),
    ("failed", MemberStatus::Failed, "The work has failed"),
];

impl Args {
    pub(crate) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        match &self.command {
            Command::Add(args) => args.run(ui, ctx),
            Command::Finish(args) => args.run(ui, ctx),
            Command::List(args) => args.run(ui, ctx, Kind::Agents),
        }
    }
}

impl AddArgs {
    fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let AddArgs { run, name, phase } = self;
        let answer = add(ctx, &Add { run: &run.id, name, phase: phase.as_ref() })?;
        show(ui, &answer, |ui| {
            print_added(ui, &answer.body.agent, answer.body.added, "it worked there already")
        })
    }
}

impl FinishArgs {
    fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let FinishArgs { run, agent, status } = self;
        let answer = finish(ctx, &Finish { run: &run.id, agent, status: *status })?;
        show(ui, &answer, |ui| parts::print(ui, std::slice::from_ref(&answer.body.agent)))
    }
}

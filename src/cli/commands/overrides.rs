//! `git coord override`

mod apply;
mod canary;
mod eligible;
mod evidence;
mod list;
mod overlay;
mod plot;
mod protected;
mod reset;
mod revert;
mod shared;
mod status;
mod thresholds;
mod transfer;

use clap::Subcommand;

pub(crate) use status::trial_text;

use crate::app::problem::Problem;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::term::Ui;

/// Leave out review agents that are often wrong here, on trial
///
/// Somebody proposes to leave an agent out, and somebody approves. A trial then compares sessions
/// without the agent with the sessions before. 'git coord route' tells a router which agents are
/// left.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Propose(apply::ProposeArgs),
    Approve(apply::ApproveArgs),
    Apply(apply::ApplyArgs),
    Revert(revert::RevertArgs),
    Block(revert::BlockArgs),
    Unblock(revert::UnblockArgs),
    List(list::Args),
    Status(status::Args),
    Evidence(evidence::Args),
    Eligible(eligible::Args),
    Canary(canary::Args),
    Overlay(overlay::Args),
    Thresholds(thresholds::Args),
    Export(transfer::ExportArgs),
    Import(transfer::ImportArgs),
    Reset(reset::Args),
    Protected(protected::Args),
}

impl Args {
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let ctx = &context.open()?;
        let environment = context.door.environment();
        match &self.command {
            Command::Propose(args) => args.run(ui, ctx, environment),
            Command::Approve(args) => args.run(ui, ctx),
            Command::Apply(args) => args.run(ui, ctx, environment),
            Command::Revert(args) => args.run(ui, ctx),
            Command::Block(args) => args.run(ui, ctx),
            Command::Unblock(args) => args.run(ui, ctx),
            Command::List(_) => list::Args::run(ui, ctx, environment),
            Command::Status(_) => status::Args::run(ui, ctx, environment),
            Command::Evidence(args) => args.run(ui, ctx),
            Command::Eligible(args) => args.run(ui, ctx),
            Command::Canary(args) => args.run(ui, ctx),
            Command::Overlay(args) => args.run(ui, ctx),
            Command::Thresholds(args) => args.run(ui, ctx),
            Command::Export(_) => transfer::ExportArgs::run(ui, ctx),
            Command::Import(args) => args.run(ui, ctx, environment),
            Command::Reset(args) => args.run(ui, ctx),
            Command::Protected(args) => args.run(ui, ctx),
        }
    }
}

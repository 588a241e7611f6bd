//! `git coord run agent`

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
use crate::core::ids::AgentName;
use crate::core::ledger::LedgerName;
use crate::core::run::agent::{AddAgent, AddedAgent, FinishAgent, Member, MemberStatus};
use crate::core::run::names::{IdPrefix, PhaseName};

/// Record who works in a run
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What can be done with agents.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Add(AddArgs),
    Finish(FinishArgs),
    List(ListArgs),
}

/// Record that an agent works in a phase
#[derive(Debug, clap::Args)]
pub(crate) struct AddArgs {
    /// The run, or the beginning of its id
    #[arg(value_name = "RUN")]
    pub(crate) run: IdPrefix,

    /// Who
    #[arg(long, value_name = "AGENT")]
    pub(crate) name: AgentName,

    /// The phase [default: the one it is at]
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
    /// The run, or the beginning of its id
    #[arg(value_name = "RUN")]
    pub(crate) run: IdPrefix,

    /// Who: the agent's name, or the id of its work or the beginning of that
    #[arg(value_name = "AGENT")]
    pub(crate) agent: AgentName,

    /// How it went
    #[arg(long, value_name = "STATUS", value_enum)]
    pub(crate) status: FinishWord,
}

/// How the work of an agent went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FinishWord {
    /// It is done
    Completed,
    /// It came to nothing
    Failed,
}

/// List agents; those that a rollback or the end of the run failed are left out
#[derive(Debug, clap::Args)]
pub(crate) struct ListArgs {
    /// The run, or the beginning of its id
    #[arg(value_name = "RUN")]
    pub(crate) run: IdPrefix,

    /// Only of this phase
    #[arg(long, value_name = "PHASE")]
    pub(crate) phase: Option<PhaseName>,

    /// Also those that a rollback or the end of the run failed
    #[arg(long)]
    pub(crate) all: bool,
}

impl Args {
    pub(crate) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        match &self.command {
            Command::Add(args) => args.run(ui, ctx),
            Command::Finish(args) => args.run(ui, ctx),
            Command::List(args) => args.run(ui, ctx),
        }
    }
}

impl AddArgs {
    fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let wish = AddAgent {
            run: runs::named::run(ctx, &self.run)?,
            name: self.name.clone(),
            phase: self.phase.clone(),
        };
        let AddedAgent { run, member, known } =
            told(ui, ctx.transact(LedgerName::Runs, wish, None)?)?;
        if ui.is_json() {
            let fields = [("agent", json!(member)), ("added", json!(!known))];
            ui.answer(true, answer(&run, fields))?;
        } else {
            print(ui, &[member])?;
            if known {
                ui.note("it worked there already")?;
            }
        }
        Ok(ExitCode::Done)
    }
}

impl FinishArgs {
    fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let (run, agent) = runs::named::agent(ctx, &self.run, &self.agent)?;
        let wish = FinishAgent {
            run,
            agent,
            status: match self.status {
                FinishWord::Completed => MemberStatus::Completed,
                FinishWord::Failed => MemberStatus::Failed,
            },
        };
        let (run, member) = told(ui, ctx.transact(LedgerName::Runs, wish, None)?)?;
        if ui.is_json() {
            ui.answer(true, answer(&run, [("agent", json!(member))]))?;
        } else {
            print(ui, &[member])?;
        }
        Ok(ExitCode::Done)
    }
}

impl ListArgs {
    fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let reading = runs::read(ctx)?;
        let run = runs::find(&reading, &self.run)?;
        let wanted = Wanted { phase: self.phase.clone(), all: self.all };
        let listed = runs::agents(&reading.base.snapshot, &run, &wanted)?;
        warn_damaged(ui, &listed.damaged)?;
        if ui.is_json() {
            ui.answer(true, answer(&run, [("agents", documents(&listed.found))]))?;
        } else if listed.found.is_empty() {
            ui.note("no agents")?;
        } else {
            print(ui, &listed.found)?;
        }
        Ok(ExitCode::Done)
    }
}

fn print(ui: &mut Ui, members: &[Member]) -> std::io::Result<()> {
    let row = |ui: &Ui, member: &Member| {
        vec![
            Cell::painted(member.id.as_str(), ui.paint(Slot::Id, member.id.as_str())),
            Cell::painted(member.name.as_str(), ui.paint(Slot::Holder, member.name.as_str())),
            Cell::plain(member.phase.as_str()),
            Cell::plain(member.status.name()),
        ]
    };
    let rows: Vec<Vec<Cell>> = members.iter().map(|member| row(ui, member)).collect();
    for line in aligned(&rows) {
        ui.line(&line)?;
    }
    Ok(())
}

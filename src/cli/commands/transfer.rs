//! `git coord transfer`

use std::ffi::OsString;

use crate::app::problem::Problem;
use crate::app::reservations::transfer::{Body, Request, transfer};
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::holds::print_table;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::ids::{AgentName, LockName};
use crate::core::text::Line;

const EXAMPLES: &str = "\
Examples:
  git coord transfer src/api --to claude:7f3a91c2
  git coord transfer --from codex:1b2c3d4e --to mia@laptop --force --reason 'takes over'";

/// Transfer reservations to another agent
///
/// Transfers the selected reservations, or without a selection all that the agent holds; all of
/// them or none. Each reservation keeps its end, and the new holder gets a new fence. Transfers
/// another agent's reservations only with --force and --reason.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Paths or patterns that the agent holds, or ids; the beginning of an id is enough
    #[arg(value_name = "PATH|ID", value_hint = clap::ValueHint::AnyPath)]
    pub(crate) words: Vec<OsString>,

    /// Agent that gets the reservations
    #[arg(long, value_name = "AGENT")]
    pub(crate) to: AgentName,

    /// Agent that holds the reservations now [default: you]
    #[arg(long, value_name = "AGENT")]
    pub(crate) from: Option<AgentName>,

    /// Transfer reservations of this path and of paths inside it
    #[arg(long = "path", value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    pub(crate) paths: Vec<OsString>,

    /// Transfer the reservation of this named lock
    #[arg(long = "lock", value_name = "NAME")]
    pub(crate) locks: Vec<LockName>,

    /// Also transfer reservations of other agents
    #[arg(long, requires = "reason")]
    pub(crate) force: bool,

    /// Reason, for the record and for both agents
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<Line>,
}

impl Args {
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let ctx = context.open()?;
        let request = Request {
            words: &self.words,
            paths: &self.paths,
            locks: &self.locks,
            from: self.from.as_ref(),
            to: &self.to,
            force: self.reason.as_ref().filter(|_| self.force),
        };
        let answer = transfer(&ctx, &request)?;
        let Body { from, holds, .. } = &answer.body;
        show(ui, &answer, |ui| {
            if holds.is_empty() {
                ui.line(&format!("nothing to transfer: '{from}' holds nothing of that"))?;
            }
            print_table(ui, holds, answer.at)
        })
    }
}

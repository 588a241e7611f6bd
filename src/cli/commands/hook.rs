//! `git coord hook`

use std::ffi::OsString;

use crate::cli::dispatch::Context;
use crate::cli::error::CliError;
use crate::cli::exit::ExitCode;
use crate::cli::term::Ui;
use crate::hook::agent::Dialect;
use crate::hook::agent::run::{self, Reply};

const EXAMPLES: &str = "\
Examples:
  git coord hook claude <payload.json
  git coord hook auto <payload.json";

/// Answer a hook: what agents call before an edit
///
/// Reads the payload of the agent from stdin and answers in its own form on stdout. An edit of a
/// file that another agent holds is refused; any other edit is reserved for the agent, and nothing
/// is printed. Does nothing where coord.enabled is not set. A failure of the hook itself is told in
/// one line on stderr with exit code 1, and blocks nothing unless coord.hook.failClosed is set.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Which hook
    #[arg(value_name = "NAME")]
    pub(crate) name: HookName,

    /// What the caller hands on; agents' hooks take none of it
    #[arg(value_name = "ARG", trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) args: Vec<OsString>,
}

/// A hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum HookName {
    /// Of the agent that sends such a payload
    Auto,
    /// Of Claude Code
    Claude,
}

impl Args {
    /// Answers the hook.
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, CliError> {
        let dialect = match self.name {
            HookName::Auto => None,
            HookName::Claude => Some(Dialect::Claude),
        };
        match run::run(dialect, context.environment) {
            Reply::Silence => Ok(ExitCode::Done),
            Reply::Answer(answer) => {
                ui.json_line(&answer)?;
                Ok(ExitCode::Done)
            }
            Reply::Failed(why) => {
                ui.talk(&format!("git coord: {why}; nothing is blocked"))?;
                Ok(ExitCode::No)
            }
        }
    }
}

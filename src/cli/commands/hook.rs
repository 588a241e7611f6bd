//! `git coord hook`

mod git;

use std::ffi::OsString;
use std::io;

use crate::app::problem::Problem;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::term::{Manner, Ui};
use crate::core::environment::Environment;
use crate::hook::agent::Dialect;
use crate::hook::agent::run::{self, Reply};
use crate::hook::deadline::Deadline;

const EXAMPLES: &str = "\
Examples:
  git coord hook claude <payload.json
  git coord hook pre-commit
  git coord hook pre-push origin https://example.com/repo.git";

/// Answer a hook of an agent or of git
///
/// Hooks call this; it does nothing where coord.enabled is not set. An agent's payload comes on
/// stdin, and the answer goes to stdout in the agent's own form: an edit of a file that another
/// agent holds is refused; any other edit is reserved for the agent, and nothing is printed. Git's
/// hooks refuse commits and pushes of what another agent holds, and tell who does. A failure of the
/// hook itself is told in one line and blocks nothing unless coord.hook.failClosed is set. See
/// docs/hooks.md.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Which hook
    #[arg(value_name = "NAME")]
    pub(crate) name: HookName,

    /// What the hook was called with; agents' hooks take none of it
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
    /// Refuses paths that another holds, or was granted since they were edited
    PreCommit,
    /// The same for a merge, where only paths count that differ from every parent
    PreMergeCommit,
    /// Adds Coord-Agent and Coord-Fence to the message, with coord.trailers
    PrepareCommitMsg,
    /// Ends the reservations that came with the edits of what was committed
    PostCommit,
    /// Refuses commits that change what another holds
    PrePush,
}

/// Whose hook it is.
enum Door {
    Agent(Option<Dialect>),
    Git(git::Name),
}

impl HookName {
    fn door(self) -> Door {
        match self {
            HookName::Auto => Door::Agent(None),
            HookName::Claude => Door::Agent(Some(Dialect::Claude)),
            HookName::PreCommit => Door::Git(git::Name::PreCommit),
            HookName::PreMergeCommit => Door::Git(git::Name::PreMergeCommit),
            HookName::PrepareCommitMsg => Door::Git(git::Name::PrepareCommitMsg),
            HookName::PostCommit => Door::Git(git::Name::PostCommit),
            HookName::PrePush => Door::Git(git::Name::PrePush),
        }
    }
}

impl Args {
    /// Whether the call itself tells which repository it is about.
    pub(crate) fn is_of_agent(&self) -> bool {
        matches!(self.name.door(), Door::Agent(_))
    }

    /// Starts the clock of a hook of git.
    pub(crate) fn deadline(&self, manner: Manner, environment: &Environment) -> Option<Deadline> {
        match self.name.door() {
            Door::Git(name) => Some(git::start_clock(name, manner, environment)),
            Door::Agent(_) => None,
        }
    }

    /// Answers the hook.
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let dialect = match self.name.door() {
            Door::Git(name) => return git::Called { name, args: &self.args }.run(ui, context),
            Door::Agent(dialect) => dialect,
        };
        Ok(show(ui, &run::run(dialect, context.environment, show_late))?)
    }
}

fn show(ui: &mut Ui, reply: &Reply) -> io::Result<ExitCode> {
    match reply {
        Reply::Silence => Ok(ExitCode::Done),
        Reply::Answer(answer) => {
            ui.json_line(answer)?;
            Ok(ExitCode::Done)
        }
        Reply::Failed(why) => {
            ui.talk(&format!("git coord: {why}; nothing is blocked"))?;
            Ok(ExitCode::No)
        }
    }
}

/// The reply of a call that is late, on streams of its own. Nothing of it depends on a setting.
fn show_late(reply: &Reply) -> u8 {
    let mut ui = Ui::of_process(Manner::default(), &Environment::default(), &|_| None);
    let shown = show(&mut ui, reply).and_then(|code| ui.flush().map(|()| code));
    shown.unwrap_or(ExitCode::Failure).number()
}

//! `git coord hook`

use std::ffi::OsString;
use std::io;

use crate::app::problem::Problem;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::show::show;
use crate::cli::term::{Manner, Ui};
use crate::core::environment::Environment;
use crate::core::text::shown;
use crate::hook::agent::run::Reply;
use crate::hook::agent::{self, Dialect};
use crate::hook::git;
use crate::hook::git::fsmonitor;
use crate::hook::git::run::{Call, Name};

const EXAMPLES: &str = "\
Examples:
  git coord hook claude <payload.json
  git coord hook pre-commit
  git coord hook pre-push origin https://example.com/repo.git";

/// Answer a hook of an agent or of git
///
/// Hooks run this; it does nothing where coord.enabled is not set. An agent's payload comes on
/// stdin, and the answer goes to stdout in the agent's own form: the hook refuses an edit of a file
/// that another agent holds. It reserves any other file for the agent and prints nothing. Git's
/// hooks refuse commits and pushes of paths that another agent holds, and name the holder. A hook
/// that fails prints one line and blocks nothing, unless coord.hook.failClosed is set. See
/// docs/hooks.md.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The hook
    #[arg(value_name = "NAME")]
    pub(crate) name: HookName,

    /// The arguments that git gave the hook; agents' hooks have none
    #[arg(value_name = "ARG", trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) args: Vec<OsString>,
}

/// A hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum HookName {
    /// The hook of the agent that sends the payload
    Auto,
    /// The hook of Claude Code
    Claude,
    /// Refuses paths that another agent holds, or was granted since they were edited
    PreCommit,
    /// Does the same for a merge, where only paths count that differ from every parent
    PreMergeCommit,
    /// Looks again; adds Coord-Agent and Coord-Fence to the message, with coord.trailers
    PrepareCommitMsg,
    /// Releases the reservations that came with the edits of the committed paths
    PostCommit,
    /// Refuses commits that change paths of another agent
    PrePush,
    /// Saves uncommitted work before git touches it, with install --terminal
    Fsmonitor,
}

/// A hook, by the program that calls it.
enum Of {
    Agent(Option<Dialect>),
    Git(Name),
    Fsmonitor,
}

impl HookName {
    fn of(self) -> Of {
        match self {
            HookName::Auto => Of::Agent(None),
            HookName::Claude => Of::Agent(Some(Dialect::Claude)),
            HookName::PreCommit => Of::Git(Name::PreCommit),
            HookName::PreMergeCommit => Of::Git(Name::PreMergeCommit),
            HookName::PrepareCommitMsg => Of::Git(Name::PrepareCommitMsg),
            HookName::PostCommit => Of::Git(Name::PostCommit),
            HookName::PrePush => Of::Git(Name::PrePush),
            HookName::Fsmonitor => Of::Fsmonitor,
        }
    }
}

impl Args {
    /// Answers the hook.
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let environment = context.door.environment();
        let name = match self.name.of() {
            Of::Agent(dialect) => {
                return Ok(show_agent(
                    ui,
                    &agent::run::run(dialect, environment, show_agent_late),
                )?);
            }
            Of::Git(name) => name,
            Of::Fsmonitor => return Ok(self.run_fsmonitor(ui, context)?),
        };
        let acting_as = context.globals.acting_as.as_ref();
        let call = Call { name, args: &self.args, acting_as, environment };
        let (manner, surroundings) = (context.globals.manner(), environment.clone());
        let late = move |reply| {
            let mut ui = Ui::of_process(manner, &surroundings, &|_| None);
            let shown = show_git(&mut ui, reply).or_else(|problem| problem.report(&mut ui));
            exit_with(ui, shown)
        };
        show_git(ui, git::run::run(call, late))
    }

    fn run_fsmonitor(&self, ui: &mut Ui, context: &Context<'_>) -> io::Result<ExitCode> {
        let acting_as = context.globals.acting_as.as_ref();
        let environment = context.door.environment();
        let call = fsmonitor::Call { args: &self.args, acting_as, environment };
        let late = |reply: fsmonitor::Reply| {
            let mut ui = Ui::of_process(Manner::default(), &Environment::default(), &|_| None);
            let shown = show_fsmonitor(&mut ui, &reply);
            exit_with(ui, shown)
        };
        show_fsmonitor(ui, &fsmonitor::run(call, late))
    }
}

/// Shows the reply. Git ignores the answer of a hook that fails, and this one never does.
fn show_fsmonitor(ui: &mut Ui, reply: &fsmonitor::Reply) -> io::Result<ExitCode> {
    reply.remarks.iter().try_for_each(|line| ui.talk(&shown(line)))?;
    ui.bytes(reply.answer)?;
    Ok(ExitCode::Done)
}

fn show_git(ui: &mut Ui, reply: git::run::Reply) -> Result<ExitCode, Problem> {
    show(ui, &reply?, |_| Ok(()))
}

fn show_agent(ui: &mut Ui, reply: &Reply) -> io::Result<ExitCode> {
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

/// Shows the reply of a call that is late, on streams of its own. Nothing of it depends on a
/// setting.
fn show_agent_late(reply: &Reply) -> u8 {
    let mut ui = Ui::of_process(Manner::default(), &Environment::default(), &|_| None);
    let shown = show_agent(&mut ui, reply);
    exit_with(ui, shown)
}

fn exit_with(mut ui: Ui, shown: io::Result<ExitCode>) -> u8 {
    let shown = shown.and_then(|code| ui.flush().map(|()| code));
    shown.unwrap_or(ExitCode::Failure).number()
}

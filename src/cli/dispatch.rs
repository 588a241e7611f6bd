//! From a parsed command to the function that does it.

use super::args::{Command, Globals};
use super::commands::{agents, demo, version, whoami};
use super::exit::ExitCode;
use super::term::Ui;
use crate::app::Ctx;
use crate::app::open::{Door, Pace};
use crate::app::problem::Problem;

/// The surroundings of a command besides its arguments.
pub(crate) struct Context<'a> {
    pub(crate) globals: &'a Globals,
    /// The place that the command was called from.
    pub(crate) door: Door,
}

impl Context<'_> {
    /// Opens the repository that the command is about.
    pub(crate) fn open(&self) -> Result<Ctx, Problem> {
        let settings = self.door.settings()?;
        Ok(self.door.open(self.globals.acting_as.as_ref(), settings, Pace::Command)?)
    }
}

/// Runs one command.
pub(crate) fn run(
    command: &Command,
    ui: &mut Ui,
    context: &Context<'_>,
) -> Result<ExitCode, Problem> {
    match command {
        Command::Reserve(args) => args.run(ui, context),
        Command::Check(args) => args.run(ui, context),
        Command::Renew(args) => args.run(ui, context),
        Command::Release(args) => args.run(ui, context),
        Command::Transfer(args) => args.run(ui, context),
        Command::Undo(args) => args.run(ui, context),
        Command::List(args) => args.run(ui, context),
        Command::Who(args) => args.run(ui, context),
        Command::Changes(args) => args.run(ui, context),
        Command::Adopt(args) => args.run(ui, context),
        Command::Rescue(args) => args.run(ui, context),
        Command::Sweep(args) => args.run(ui, context),
        Command::Ask(args) => args.run(ui, context),
        Command::Answer(args) => args.run(ui, context),
        Command::Take(args) => args.run(ui, context),
        Command::Inbox(args) => args.run(ui, context),
        Command::Send(args) => args.run(ui, context),
        Command::Agents(_) => agents::Args::run(ui, context),
        Command::Run(args) => args.run(ui, context),
        Command::With(args) => args.run(ui, context),
        Command::Status(args) => args.run(ui, context),
        Command::Override(args) => args.run(ui, context),
        Command::Route(args) => args.run(ui, context),
        Command::Whoami(_) => whoami::Args::run(ui, context),
        Command::Prime(args) => args.run(ui, context),
        Command::Events(args) => args.run(ui, context),
        Command::Log(args) => args.run(ui, context),
        Command::Ledger(args) => args.run(ui, context),
        Command::Domain(args) => args.run(ui, context),
        Command::Install(args) => args.run(ui, context),
        Command::Uninstall(args) => args.run(ui, context),
        Command::Doctor(args) => args.run(ui, context),
        Command::Hook(args) => args.run(ui, context),
        Command::Completions(args) => args.run(ui),
        Command::Demo(_) => demo::Args::run(ui),
        Command::Help(args) => args.run(ui),
        Command::Version(_) => version::Args::run(ui, context),
    }
}

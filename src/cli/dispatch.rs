//! From a parsed command to the function that does it.

use std::cell::RefCell;

use super::args::{Command, Globals};
use super::commands::{agents, demo, whoami};
use super::exit::ExitCode;
use super::term::Ui;
use crate::app::problem::Problem;
use crate::core::environment::Environment;
use crate::hook::deadline::Deadline;
use crate::store::error::StoreError;
use crate::store::git::repository::Repository;

/// What a command can see of the world besides its arguments.
pub(crate) struct Context<'a> {
    /// The global options.
    pub(crate) globals: &'a Globals,
    /// The variables of the process.
    pub(crate) environment: &'a Environment,
    /// Configured values by key.
    pub(crate) config: &'a dyn Fn(&str) -> Option<String>,
    /// The names of the configured keys of a section.
    pub(crate) configured: &'a dyn Fn(&str) -> Vec<String>,
    /// The repository as it was found at the start, for the first who opens it.
    pub(crate) repository: RefCell<Option<Result<Repository, StoreError>>>,
    /// The clock of a hook, which runs since before its repository was looked for.
    pub(crate) deadline: RefCell<Option<Deadline>>,
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
        Command::List(args) => args.run(ui, context),
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
        Command::Events(args) => args.run(ui, context),
        Command::Ledger(args) => args.run(ui, context),
        Command::Domain(args) => args.run(ui, context),
        Command::Install(args) => args.run(ui, context),
        Command::Uninstall(args) => args.run(ui, context),
        Command::Doctor(args) => args.run(ui, context),
        Command::Hook(args) => args.run(ui, context),
        Command::Completions(args) => args.run(ui),
        Command::Demo(_) => demo::Args::run(ui),
    }
}

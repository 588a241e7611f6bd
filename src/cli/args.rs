//! The command line as a whole: global options and the list of commands.
//!
//! Parser, `-h`, manual, reference and completions all come from these definitions. Each command
//! has its arguments in a file of its own under `commands`.

use std::ffi::OsString;
use std::mem::ManuallyDrop;
use std::path::PathBuf;

use clap::{ArgAction, Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use super::color::ColorChoice;
use super::commands::{
    adopt, agents, answer, ask, changes, check, completions, demo, doctor, domain, events, help,
    hook, inbox, install, ledger, list, log, overrides, prime, release, renew, rescue, reserve,
    route, run, send, status, sweep, take, transfer, undo, uninstall, version, who, whoami, with,
};
use super::help::with_groups;
use super::term::Manner;
use crate::app::doctor::pipes;
use crate::app::error::AppError;
use crate::core::environment::Environment;
use crate::core::ids::AgentName;

/// Coordinate many coding agents and people on one repository
///
/// Agents and people reserve paths before they change them, so that two of them do not edit the
/// same file at once. All state is git objects under refs/coord/*: no daemon, no database, no
/// file in the work tree, and nothing that touches the index, HEAD or a branch.
///
/// Without a command, shows the status.
#[derive(Debug, Parser)]
#[command(
    name = "git-coord",
    bin_name = "git coord",
    version,
    disable_help_subcommand = true,
    infer_long_args = false,
    max_term_width = 100
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) globals: Globals,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// Options that every command takes, before or after its name.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Globals {
    /// Run as if started in <DIR>
    #[arg(short = 'C', value_name = "DIR", global = true, value_hint = clap::ValueHint::DirPath)]
    pub(crate) directory: Option<PathBuf>,

    /// Act under this name
    ///
    /// An agent name begins with a letter or digit and has at most 64 letters, digits and '._:@/-'.
    /// 'git coord whoami' shows the name that you have without this option.
    #[arg(long = "as", value_name = "AGENT", global = true)]
    pub(crate) acting_as: Option<AgentName>,

    /// Answer with one JSON object on stdout
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// Print no notes, warnings or advice, and not what was done: the exit code tells that
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,

    /// When to use colour
    #[arg(long, value_name = "WHEN", global = true, action = ArgAction::Set)]
    pub(crate) color: Option<ColorChoice>,
}

impl Cli {
    /// Reads the command line. A process does this once and never drops the description: that alone
    /// would take a tenth of the time of a `check`.
    pub(crate) fn read(words: &[OsString]) -> Result<Cli, clap::Error> {
        let whole = ManuallyDrop::new(Cli::command());
        let mut command = ManuallyDrop::new(Cli::with_the_called_one(&whole, words));
        let matches = command.try_get_matches_from_mut(words);
        let read = matches.and_then(|mut matches| Cli::from_arg_matches_mut(&mut matches));
        read.or_else(|_| Cli::read_with_every_command(words))
    }

    /// Describes the command line with only the command that seems to be called. The parser copies
    /// the global options into every command that it knows, which for all of them would take
    /// another tenth of the time. A word that only looks like a command, such as the name of an
    /// agent, fails to parse, and `read` then parses again with every command.
    fn with_the_called_one(whole: &clap::Command, words: &[OsString]) -> clap::Command {
        let mut words = words.iter().skip(1).filter_map(|word| word.to_str());
        let called = words.find_map(|word| whole.find_subcommand(word));
        let command = clap::Command::new(whole.get_name().to_owned()).disable_help_subcommand(true);
        Globals::augment_args(command).subcommands(called.cloned())
    }

    /// Reads the command line with every command described, because help and hints speak of them
    /// all.
    fn read_with_every_command(words: &[OsString]) -> Result<Cli, clap::Error> {
        Cli::from_arg_matches(&Cli::described().try_get_matches_from(words)?)
    }

    /// Describes the whole command line, with names, usages and options of every command filled in.
    pub(crate) fn described() -> clap::Command {
        let mut command = Cli::command();
        command.build();
        with_groups(command)
    }
}

impl Globals {
    /// Gathers the options that shape the output.
    pub(crate) fn manner(&self) -> Manner {
        Manner { json: self.json, quiet: self.quiet, color: self.color }
    }
}

/// The commands. The parser describes the options of a command when they are needed, which for all
/// but one of them is hardly ever.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum Command {
    Reserve(reserve::Args),
    Check(check::Args),
    Renew(renew::Args),
    Release(release::Args),
    Transfer(transfer::Args),
    Undo(undo::Args),
    List(list::Args),
    Who(who::Args),
    Changes(changes::Args),
    Adopt(adopt::Args),
    Rescue(rescue::Args),
    Sweep(sweep::Args),
    With(with::Args),
    Ask(ask::Args),
    Answer(answer::Args),
    Take(take::Args),
    Inbox(inbox::Args),
    Send(send::Args),
    Agents(agents::Args),
    Run(run::Args),
    Status(status::Args),
    Override(overrides::Args),
    Route(route::Args),
    Whoami(whoami::Args),
    Prime(prime::Args),
    Events(events::Args),
    Log(log::Args),
    Ledger(ledger::Args),
    Domain(domain::Args),
    Install(install::Args),
    Uninstall(uninstall::Args),
    Doctor(doctor::Args),
    Hook(hook::Args),
    Completions(completions::Args),
    Demo(demo::Args),
    Help(help::Args),
    Version(version::Args),
}

impl Command {
    /// Tells whether the command finds the repository by itself and in its own time, or needs none.
    pub(crate) fn finds_its_repository(&self) -> bool {
        matches!(self, Command::Hook(_) | Command::Help(_) | Command::Version(_))
    }

    /// Tells whether opening the repository would block the command that is to find out what is
    /// wrong with it.
    pub(crate) fn is_kept_out(&self, environment: &Environment) -> bool {
        matches!(self, Command::Doctor(_)) && !pipes(environment).is_empty()
    }

    /// Tells whether the caller of the command asks for an act, or for a yes or no. The exit code
    /// says all of it then. A dry run asks for data.
    pub(crate) fn is_answered_by_its_exit_code(&self) -> bool {
        match self {
            Command::Undo(args) => !args.dry_run,
            Command::Sweep(args) => !args.dry_run,
            Command::Install(args) => !args.dry_run,
            Command::Uninstall(args) => !args.dry_run,
            _ => matches!(
                self,
                Command::Reserve(_)
                    | Command::Check(_)
                    | Command::Renew(_)
                    | Command::Release(_)
                    | Command::Transfer(_)
                    | Command::Adopt(_)
                    | Command::Answer(_)
                    | Command::Take(_)
                    | Command::Send(_)
            ),
        }
    }

    /// Checks what the parser cannot express, before anything is opened.
    pub(crate) fn check(&self) -> Result<(), AppError> {
        match self {
            Command::Check(args) => args.check(),
            Command::Renew(args) => args.request().check(),
            Command::Release(args) => args.request().check(),
            Command::Adopt(args) => args.request().check(),
            Command::Events(args) => args.check(),
            Command::Install(args) => args.check(),
            Command::Answer(args) => args.request()?.check(),
            Command::Domain(args) => args.check(),
            Command::Reserve(_)
            | Command::Transfer(_)
            | Command::Undo(_)
            | Command::List(_)
            | Command::Who(_)
            | Command::Changes(_)
            | Command::Rescue(_)
            | Command::Sweep(_)
            | Command::Ask(_)
            | Command::Take(_)
            | Command::Inbox(_)
            | Command::Send(_)
            | Command::Agents(_)
            | Command::Run(_)
            | Command::With(_)
            | Command::Status(_)
            | Command::Override(_)
            | Command::Route(_)
            | Command::Whoami(_)
            | Command::Prime(_)
            | Command::Log(_)
            | Command::Ledger(_)
            | Command::Uninstall(_)
            | Command::Doctor(_)
            | Command::Hook(_)
            | Command::Completions(_)
            | Command::Demo(_)
            | Command::Help(_)
            | Command::Version(_) => Ok(()),
        }
    }
}

impl Default for Command {
    fn default() -> Self {
        Command::Status(status::Args::default())
    }
}

//! `git coord domain`

mod index;

use clap::Subcommand;

use crate::cli::dispatch::Context;
use crate::cli::error::CliError;
use crate::cli::exit::ExitCode;
use crate::cli::open::open;
use crate::cli::term::Ui;
use crate::store::sources::Which;

/// Find out what kind of project this is
///
/// A project is held against an index of domains: directories, files, dependencies and words that
/// give each of them away. docs/domains.md says how.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What can be asked about domains.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Index(index::Args),
}

/// Which tree is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum From {
    /// The work tree, without what git ignores
    Worktree,
    /// The index
    Index,
    /// The commit that HEAD names
    Head,
}

/// The tree that was asked for, or the usual one.
fn which(from: Option<From>) -> Which {
    match from {
        None => Which::Usual,
        Some(From::Worktree) => Which::WorkTree,
        Some(From::Index) => Which::Index,
        Some(From::Head) => Which::Head,
    }
}

impl Args {
    /// Answers a question about domains.
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, CliError> {
        let ctx = open(context)?;
        match &self.command {
            Command::Index(args) => args.run(ui, &ctx),
        }
    }
}

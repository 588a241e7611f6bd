//! `git coord domain`

mod agents;
mod check;
mod detect;
mod index;
mod set;
mod show;

use std::io;

use clap::Subcommand;

use crate::app::domains::view::ProjectView;
use crate::app::error::AppError;
use crate::app::problem::Problem;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::layout::Cell;
use crate::cli::term::Ui;
use crate::cli::values::{Word, one_of};
use crate::core::domain::detection::Found;
use crate::core::domain::source_tree::Which;
use crate::core::text::shown;

/// Detect the kind of this project, and check whether it is still the same
///
/// Compares the project with an index of domains: directories, files, dependencies and words that
/// are typical of each domain. Keeps the answer in refs/coord/domains together with the facts that
/// it rests on, so that a later check can tell whether it still holds. See docs/domains.md.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Detect(detect::Args),
    Check(check::Args),
    Show(show::Args),
    Set(set::Args),
    Index(index::Args),
    Agents(agents::Args),
}

const TREES: [Word<Which>; 3] = [
    ("worktree", Which::WorkTree, "The work tree, without files that git ignores"),
    ("index", Which::Index, "The index"),
    ("head", Which::Head, "The commit that HEAD names"),
];

// Arguments that several commands share have no doc comment: that of the command is its help.
#[derive(Debug, clap::Args)]
pub(crate) struct TreeArg {
    /// Tree to look at [default: the work tree, or HEAD if there is none]
    #[arg(id = "from", long = "from", value_name = "TREE", value_parser = one_of(&TREES))]
    tree: Option<Which>,
}

impl TreeArg {
    fn which(&self) -> Which {
        self.tree.unwrap_or(Which::Usual)
    }
}

impl Args {
    /// Checks whether the arguments make sense together.
    pub(crate) fn check(&self) -> Result<(), AppError> {
        match &self.command {
            Command::Set(args) => args.check(),
            Command::Detect(_)
            | Command::Check(_)
            | Command::Show(_)
            | Command::Index(_)
            | Command::Agents(_) => Ok(()),
        }
    }

    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let ctx = context.open()?;
        match &self.command {
            Command::Detect(args) => args.run(ui, &ctx),
            Command::Check(args) => args.run(ui, &ctx),
            Command::Show(args) => args.run(ui, &ctx),
            Command::Set(args) => args.run(ui, &ctx),
            Command::Index(args) => args.run(ui, &ctx),
            Command::Agents(args) => args.run(ui, &ctx),
        }
    }
}

/// Prints the domains of the project.
fn print(ui: &mut Ui, project: &ProjectView) -> io::Result<()> {
    ui.table(project.domains.iter().map(row))?;
    if project.domains.is_empty() {
        ui.line("no domain of the index fits")?;
    }
    if let (Some(by), Some(source), Some(reason)) = (&project.by, &project.source, &project.reason)
    {
        let by = format!("set by {by} ({})", shown(source.as_str()));
        ui.line(&format!("{by}: {}", shown(reason.as_str())))?;
    }
    Ok(())
}

fn row(found: &Found) -> Vec<Cell> {
    let Found { name, confidence, primary, paths, signals } = found;
    let place = match paths.as_slice() {
        [] => String::new(),
        paths => format!("in {}", paths.join(", ")),
    };
    vec![
        Cell::plain(name.as_str()),
        Cell::plain(confidence.to_string()),
        Cell::plain(if *primary { "primary" } else { "" }),
        Cell::plain(shown(&place)),
        Cell::plain(shown(&signals.join(", "))),
    ]
}

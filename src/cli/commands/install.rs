//! `git coord install`

use crate::app::error::AppError;
use crate::app::install::follow::{Followed, ItemView, State};
use crate::app::install::found::Host;
use crate::app::install::{Agents, Asked, install};
use crate::app::problem::Problem;
use crate::cli::color::Slot;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::generate;
use crate::cli::layout::Cell;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::cli::values::{Word, one_of};
use crate::core::text::shown;

const EXAMPLES: &str = "\
Examples:
  git coord install --dry-run
  git coord install --agents claude --allow";

/// Set up git and coding agents to call 'git coord' by themselves
///
/// Adds git hooks beside existing ones, hooks of Claude Code if it is used, and the manual and
/// completions beside the program. Keeps refs/coord out of 'git log'. Prints each change on a line
/// of its own, and leaves what is already set up. 'git coord uninstall' undoes all of it.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Coding agents to set up, instead of those that are found
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = one_of(&AGENTS))]
    pub(crate) agents: Vec<Agents>,

    /// Use the agents' settings that are part of the project, instead of your own
    #[arg(long)]
    pub(crate) shared: bool,

    /// Allow agents to run 'git coord' without asking, except for commands that run other commands
    #[arg(long)]
    pub(crate) allow: bool,

    /// Save uncommitted work also before git commands that people type, such as 'git reset --hard'
    ///
    /// Sets core.fsmonitor, unless it is set: git then calls 'git coord hook fsmonitor' whenever it
    /// reads the index. That costs a process each time, and in a very large work tree git also
    /// writes the index more often.
    #[arg(long)]
    pub(crate) terminal: bool,

    /// Show what would be done without doing it
    #[arg(long)]
    pub(crate) dry_run: bool,
}

const AGENTS: [Word<Agents>; 2] =
    [("claude", Agents::Claude, "Claude Code"), ("none", Agents::Nobody, "No agent")];

impl Args {
    /// Checks what the parser cannot express.
    pub(crate) fn check(&self) -> Result<(), AppError> {
        if self.agents.contains(&Agents::Nobody) && self.agents.contains(&Agents::Claude) {
            return Err(AppError::usage("--agents none goes with no other agent"));
        }
        Ok(())
    }

    /// Installs, and lists the changes.
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let ctx = context.open()?;
        let agents = self.agents.first().copied().unwrap_or(Agents::WhereFound);
        let Args { shared, allow, terminal, dry_run, .. } = *self;
        let asked = Asked { agents, shared, allow, terminal, dry_run };
        report(ui, install(&ctx, &Host::of(&context.door), asked, &generate::documents())?)
    }
}

/// Shows the changes. People see them even if a later one has failed.
pub(crate) fn report(ui: &mut Ui, followed: Followed) -> Result<ExitCode, Problem> {
    let Followed { answer, failed } = followed;
    if let Some(problem) = failed {
        if !ui.is_json() {
            print(ui, &answer.body.items)?;
        }
        return Err(problem);
    }
    show(ui, &answer, |ui| print(ui, &answer.body.items))
}

fn print(ui: &mut Ui, items: &[ItemView]) -> std::io::Result<()> {
    let row = |item: &ItemView| {
        let word = item.state.word();
        let word = match item.state {
            State::AlreadySo => Cell::painted(Slot::Dim, word),
            State::Note => Cell::painted(Slot::Warning, word),
            State::WouldDo | State::Done => Cell::plain(word),
        };
        [word, Cell::plain(shown(&item.what))]
    };
    ui.table(items.iter().map(row))
}

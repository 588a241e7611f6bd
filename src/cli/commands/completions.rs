//! `git coord completions`

use crate::app::problem::Problem;
use crate::cli::exit::ExitCode;
use crate::cli::generate::completions;
use crate::cli::term::Ui;

const EXAMPLES: &str = "\
Examples:
  git coord completions bash >~/.local/share/bash-completion/completions/git-coord
  git coord completions zsh >~/.zfunc/_git-coord
  git coord completions fish >~/.config/fish/completions/git-coord.fish";

/// Print the completion script for a shell
///
/// The scripts complete both 'git coord' and 'git-coord'. Save them under the names in the
/// examples: git's own completion looks for these.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Shell to complete for
    pub(crate) shell: Shell,
}

/// A shell that scripts are made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Shell {
    /// Needs git's own bash completion for 'git coord'
    Bash,
    /// Found by zsh's own git completion
    Zsh,
    /// Found by fish's own git completion
    Fish,
}

impl Args {
    pub(crate) fn run(&self, ui: &mut Ui) -> Result<ExitCode, Problem> {
        ui.text(&completions::script(self.shell))?;
        Ok(ExitCode::Done)
    }
}

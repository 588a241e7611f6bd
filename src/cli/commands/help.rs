//! `git coord help`

use clap::Command;

use crate::app::problem::{Hint, Kind, Problem};
use crate::cli::args::Cli;
use crate::cli::exit::ExitCode;
use crate::cli::suggest;
use crate::cli::term::Ui;
use crate::core::text::shown;

const EXAMPLES: &str = "\
Examples:
  git coord help
  git coord help reserve
  git coord help run gate";

/// Show help for a command
///
/// Without a command, lists all commands, grouped by use. It needs no manual page, so it works
/// before 'git coord install'.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Command to explain, such as 'reserve' or 'run gate'
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

impl Args {
    pub(crate) fn run(&self, ui: &mut Ui) -> Result<ExitCode, Problem> {
        let program = Cli::described();
        let mut found = &program;
        for word in &self.command {
            found = found.find_subcommand(word).ok_or_else(|| unknown(found, word))?;
        }
        let mut found = found.clone();
        let text =
            if self.command.is_empty() { found.render_help() } else { found.render_long_help() };
        ui.text(&if ui.is_colored() { text.ansi().to_string() } else { text.to_string() })?;
        Ok(ExitCode::Done)
    }
}

/// Reports a word that is no command of `parent`.
fn unknown(parent: &Command, word: &str) -> Problem {
    let invocation = parent.get_bin_name().unwrap_or(parent.get_name());
    let message = format!("'{invocation}' has no command '{}'", shown(word));
    let problem = Problem::new(Kind::Usage, message);
    let problem = match suggest::hint_for(parent, word) {
        Some(hint) => problem.with_hint(Hint::plain(hint)),
        None => problem,
    };
    problem.with_hint(Hint::plain("all commands: git coord help"))
}

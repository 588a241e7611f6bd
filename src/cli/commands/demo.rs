//! `git coord demo`

use std::time::Duration;

use crate::app::demo::{News, Request, tour};
use crate::app::next::in_shell;
use crate::app::problem::{Kind, Problem};
use crate::cli::color::Slot;
use crate::cli::exit::ExitCode;
use crate::cli::show::show;
use crate::cli::term::Ui;

/// Show a tour in a scratch repository
///
/// Two agents want the same file, in a temporary repository that is removed at the end. Touches
/// nothing of yours.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// How long a step of the tour stays alone on a terminal.
const PACE: Duration = Duration::from_millis(1_200);

impl Args {
    /// Takes the tour, with this very program.
    pub(crate) fn run(ui: &mut Ui) -> Result<ExitCode, Problem> {
        let program =
            std::env::current_exe().map_err(|error| Problem::caused(Kind::Failure, &error))?;
        let colored = ui.is_colored() && !ui.is_json();
        let request = Request { program: &program, colored };
        if !ui.is_json() {
            ui.line("A scratch repository, and two agents in it.")?;
        }
        let answer = tour(&request, &mut |news| Ok(print(ui, &news)?))?;
        show(ui, &answer, |ui| {
            ui.line("\nThe scratch repository is gone. In yours: git coord reserve <path>")
        })
    }
}

/// Shows people a step when it is taken.
fn print(ui: &mut Ui, news: &News<'_>) -> std::io::Result<()> {
    if ui.is_json() {
        return Ok(());
    }
    match news {
        News::About { said, words } => {
            if ui.is_terminal() {
                ui.flush()?;
                std::thread::sleep(PACE);
            }
            ui.line(&format!("\n# {said}"))?;
            ui.line(&format!("$ git coord {}", ui.paint(Slot::Path, &in_shell(words))))
        }
        News::Ran(step) => {
            ui.text(&step.stdout)?;
            ui.text(&step.stderr)
        }
    }
}

//! Errors for users: what failed, why, and the commands that help.
//!
//! In text: `error: ...` and `hint: ...` lines on stderr. With `--json`: one object on stdout,
//! so that an agent reads refusals the same way as answers.

use std::io;

use super::color::Slot;
use super::exit::ExitCode;
use super::show;
use super::term::{Output, Ui};
use crate::app::next::{command, in_shell};
use crate::app::problem::{Advice, Hint, Kind, Problem};
use crate::core::text::shown;

/// Maps a problem to the exit code.
fn exit_code(problem: &Problem) -> ExitCode {
    match (problem.kind, problem.signal()) {
        (Kind::Interrupted, Some(signal)) => ExitCode::of_signal(signal),
        (Kind::Usage, _) => ExitCode::Usage,
        (Kind::Refused, _) => ExitCode::No,
        (Kind::NothingThere, _) => ExitCode::NothingThere,
        (Kind::Busy, _) => ExitCode::Busy,
        (Kind::NotStarted, _) => ExitCode::NotStarted,
        (Kind::Interrupted | Kind::Failure, _) => ExitCode::Failure,
    }
}

impl Problem {
    /// Shows the problem, and returns the exit code.
    pub(crate) fn report(&self, ui: &mut Ui) -> io::Result<ExitCode> {
        let output = ui.output();
        for note in self.notes() {
            show::say(ui, note)?;
        }
        // If stdout cannot be written, an error cannot be written there either.
        if ui.is_json() && output == Output::Written {
            ui.json(&self.answer())?;
        } else {
            say(self, ui)?;
        }
        match output {
            Output::Written => ui.flush()?,
            Output::Lost => {}
            Output::LostAfterWrite => {
                let look = in_shell(&command(&["status"]));
                let hint = format!("what was asked for is done, and recorded; to see it: {look}");
                say_hint(ui, &hint)?;
            }
        }
        Ok(exit_code(self))
    }
}

/// Prints a problem for people, with its hints.
fn say(problem: &Problem, ui: &mut Ui) -> io::Result<()> {
    let word = ui.paint_talk(Slot::Error, "error:");
    // The message may have foreign text in it; the line ends are ours.
    let lines: Vec<_> = problem.message.lines().map(shown).collect();
    ui.talk(&format!("{word} {}", lines.join("\n")))?;
    say_hints(problem, ui)
}

/// Prints the hints of a problem that the user has not switched off.
pub(crate) fn say_hints(problem: &Problem, ui: &mut Ui) -> io::Result<()> {
    let is_wanted = |hint: &&Hint| hint.advice.is_none_or(|advice| ui.wants_advice(advice));
    let wanted: Vec<&Hint> = problem.hints.iter().filter(is_wanted).collect();
    for (index, hint) in wanted.iter().enumerate() {
        say_hint(ui, &hint.text)?;
        let Some(advice) = hint.advice else { continue };
        // The way to switch a kind of hint off is printed once, after the last hint of that kind.
        if !wanted[index + 1..].iter().any(|later| later.advice == Some(advice)) {
            say_how_to_switch_off(ui, advice)?;
        }
    }
    Ok(())
}

/// Prints a hint that comes with an answer instead of an error.
pub(crate) fn advise(ui: &mut Ui, advice: Advice, text: &str) -> io::Result<()> {
    if ui.wants_advice(advice) {
        say_hint(ui, text)?;
        say_how_to_switch_off(ui, advice)?;
    }
    Ok(())
}

fn say_how_to_switch_off(ui: &mut Ui, advice: Advice) -> io::Result<()> {
    say_hint(ui, &format!("turn this off with: git config {} false", advice.key()))
}

/// Prints a hint that may have several lines; each gets its own `hint:`.
fn say_hint(ui: &mut Ui, text: &str) -> io::Result<()> {
    for line in text.lines() {
        let hint = ui.paint_talk(Slot::Hint, &format!("hint: {}", shown(line)));
        ui.talk(&hint)?;
    }
    Ok(())
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Problem {
        Problem::new(Kind::Failure, format!("cannot write the output: {error}"))
    }
}

#[cfg(test)]
mod tests;

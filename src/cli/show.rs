//! Shows answers: as JSON in the form that `app` gives them, or as text that the command prints.

use std::io;

use serde::Serialize;

use super::error::advise;
use super::exit::ExitCode;
use super::term::Ui;
use crate::app::answer::{Answer, Level, Note, Outcome};
use crate::app::problem::Problem;
use crate::core::text::shown;

/// Shows an answer, and returns the exit code. `text` prints it for people.
pub(crate) fn show<T: Serialize>(
    ui: &mut Ui,
    answer: &Answer<T>,
    text: impl FnOnce(&mut Ui) -> io::Result<()>,
) -> Result<ExitCode, Problem> {
    if answer.written.is_some() {
        ui.has_written();
    }
    let is_advice = |note: &&Note| note.advice.is_some();
    for note in answer.notes.iter().filter(|note| !is_advice(note)) {
        say(ui, note)?;
    }
    if ui.is_json() {
        ui.json(&answer.form())?;
    } else {
        text(ui)?;
        for note in answer.notes.iter().filter(is_advice) {
            say(ui, note)?;
        }
    }
    Ok(match answer.outcome {
        Outcome::Done => ExitCode::Done,
        Outcome::No => ExitCode::No,
        Outcome::Stale => ExitCode::Stale,
        Outcome::NothingThere => ExitCode::NothingThere,
    })
}

/// Prints an answer as JSON whose last member is a list. Prints row by row, because there may be
/// more rows than should be in memory.
pub(crate) fn show_rows<T: Serialize, R: Serialize>(
    ui: &mut Ui,
    answer: &Answer<T>,
    name: &str,
    rows: impl Iterator<Item = Result<R, Problem>>,
) -> Result<ExitCode, Problem> {
    ui.json_with_rows(&answer.form(), name, rows)?;
    Ok(ExitCode::Done)
}

/// Prints a remark to stderr.
pub(crate) fn say(ui: &mut Ui, note: &Note) -> io::Result<()> {
    match (note.level, note.advice) {
        (Level::Warning, _) => {
            ui.warn(&note.text)?;
            note.details.iter().try_for_each(|line| ui.note(&shown(line)))
        }
        (Level::Hint, Some(advice)) => advise(ui, advice, &note.text),
        (Level::Hint, None) => ui.note(&format!("hint: {}", shown(&note.text))),
        (Level::Note, _) => ui.notes(std::slice::from_ref(&note.text)),
    }
}

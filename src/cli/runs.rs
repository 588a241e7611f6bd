//! Runs as text.

use super::color::Slot;
use super::layout::Cell;
use super::term::Ui;
use crate::core::run::gate::Evidence;
use crate::core::run::{Run, Status};
use crate::core::text::shown;
use crate::core::time::{Timestamp, relative};

/// Prints a table of runs: id, status, phase, progress, author, age, goal.
pub(crate) fn print_table(ui: &mut Ui, runs: &[Run], now: Timestamp) -> std::io::Result<()> {
    ui.table(runs.iter().map(|run| row(run, now)))
}

fn row(run: &Run, now: Timestamp) -> Vec<Cell> {
    let made = relative(run.created_at.as_seconds(), now.as_seconds());
    let status = match run.paused_at {
        Some(_) => "paused",
        None => run.status.name(),
    };
    vec![
        Cell::painted(Slot::Id, run.id.as_str()),
        Cell::plain(status),
        Cell::plain(run.phase.as_str()),
        Cell::plain(format!("{}/{}", run.place() + 1, run.phases.names().len())),
        Cell::painted(Slot::Holder, run.created_by.as_str()),
        Cell::plain(made),
        Cell::painted(Slot::Dim, shown(run.goal.as_str())),
    ]
}

/// Describes a run in one line: id, status and phase.
pub(crate) fn line(ui: &Ui, run: &Run) -> String {
    let id = ui.paint(Slot::Id, run.id.as_str());
    match run.status {
        Status::Active => format!("{id}  at '{}'", run.phase),
        status => format!("{id}  {} at '{}'", status.name(), run.phase),
    }
}

/// Lists the findings of a gate, a line each.
pub(crate) fn evidence_lines(evidence: &[Evidence]) -> Vec<String> {
    let line = |one: &Evidence| {
        let word = if one.passed { "ok" } else { "no" };
        format!("{word}  {}  {}", one.check.name(), shown(&one.why()))
    };
    evidence.iter().map(line).collect()
}

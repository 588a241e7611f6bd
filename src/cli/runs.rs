//! Runs as JSON and as text, and why a wish about one was refused.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::color::Slot;
use super::holds::fields;
use super::layout::{Cell, aligned};
use super::term::Ui;
use crate::app::Ctx;
use crate::app::error::AppError;
use crate::app::problem::{Hint, Problem};
use crate::app::runs::cancelled::{self, Place};
use crate::core::documents::ReadError;
use crate::core::ledger::LedgerName;
use crate::core::refusal::Refusal as AnyRefusal;
use crate::core::run::gate::Evidence;
use crate::core::run::refusal::Refusal;
use crate::core::run::{Run, Status};
use crate::core::text::shown;
use crate::core::time::{Timestamp, relative};

/// The answer of a command about a run: the run first, then the rest.
pub(crate) fn answer<const N: usize>(run: &Run, rest: [(&str, Value); N]) -> Map<String, Value> {
    let mut answer = fields([("run", json!(run))]);
    answer.extend(fields(rest));
    answer
}

/// Things for programs, each with its document.
pub(crate) fn documents(things: &[impl Serialize]) -> Value {
    things.iter().map(|thing| json!(thing)).collect()
}

/// What cannot be read is named, and the rest is shown.
pub(crate) fn warn_damaged(ui: &mut Ui, damaged: &[ReadError]) -> std::io::Result<()> {
    for error in damaged {
        ui.warn(&error.to_string())?;
    }
    Ok(())
}

/// A table of runs: id, status, phase, how far, when, what for.
pub(crate) fn print_table(ui: &mut Ui, runs: &[Run], now: Timestamp) -> std::io::Result<()> {
    let rows: Vec<Vec<Cell>> = runs.iter().map(|run| row(ui, run, now)).collect();
    for line in aligned(&rows) {
        ui.line(&line)?;
    }
    Ok(())
}

fn row(ui: &Ui, run: &Run, now: Timestamp) -> Vec<Cell> {
    let painted = |slot, text: &str| Cell::painted(text, ui.paint(slot, text));
    let made = relative(run.created_at.as_seconds(), now.as_seconds());
    let status = match run.paused_at {
        Some(_) => "paused",
        None => run.status.name(),
    };
    vec![
        painted(Slot::Id, run.id.as_str()),
        Cell::plain(status),
        Cell::plain(run.phase.as_str()),
        Cell::plain(&format!("{}/{}", run.place() + 1, run.phases.names().len())),
        painted(Slot::Holder, run.created_by.as_str()),
        Cell::plain(&made),
        painted(Slot::Dim, &shown(run.goal.as_str())),
    ]
}

/// One line about where a run is.
pub(crate) fn line(ui: &Ui, run: &Run) -> String {
    let id = ui.paint(Slot::Id, run.id.as_str());
    match run.status {
        Status::Active => format!("{id}  at '{}'", run.phase),
        status => format!("{id}  {} at '{}'", status.name(), run.phase),
    }
}

/// What a gate said, a line each.
pub(crate) fn evidence_lines(evidence: &[Evidence]) -> Vec<String> {
    let line = |one: &Evidence| {
        let word = if one.passed { "ok" } else { "no" };
        format!("{word}  {}  {}", one.check.name(), shown(&one.why()))
    };
    evidence.iter().map(line).collect()
}

/// Why a gate is shut.
pub(crate) fn shut_text(evidence: &[Evidence]) -> String {
    let failed = evidence.iter().filter(|one| !one.passed);
    failed.map(Evidence::why).collect::<Vec<_>>().join("; ")
}

/// An error; where a dispatch was ended by somebody else, with the event that tells of it.
pub(crate) fn with_event(ctx: &Ctx, error: AppError) -> Problem {
    let place = match &error {
        AppError::Refused(AnyRefusal::Run(Refusal::DispatchCancelled {
            run, dispatch, ..
        })) => {
            // What is refused is refused, whether or not the event can be read.
            cancelled::told_at(ctx, run, dispatch).ok().flatten()
        }
        _ => None,
    };
    let mut told = Problem::from(error);
    if let Some(Place { seq, entry }) = place
        && let Some(event) = told.details.get_mut("event")
    {
        event["seq"] = json!(seq);
        event["ledger"] = json!(LedgerName::Runs.as_str());
        event["entry"] = json!(entry.to_string());
        let text = |value: &Value| value.as_str().unwrap_or("?").to_owned();
        let (kind, by, at) = (text(&event["type"]), text(&event["actor"]), text(&event["at"]));
        let hint = format!("event {seq} of {}: {kind} by {by} at {at}", LedgerName::Runs);
        told = told.with_hint(Hint::plain(hint));
    }
    told
}

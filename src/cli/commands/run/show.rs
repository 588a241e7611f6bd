//! `git coord run show`

use std::io;

use crate::app::Ctx;
use crate::app::problem::Problem;
use crate::app::runs::show::{self as app, Body, Moment, TakenAlong};
use crate::cli::color::Slot;
use crate::cli::exit::ExitCode;
use crate::cli::holds;
use crate::cli::layout::Cell;
use crate::cli::runs::print_table;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::run::gate::Evidence;
use crate::core::run::gate::why_shut;
use crate::core::run::names::IdPrefix;
use crate::core::run::phase::{Left, Visit};
use crate::core::run::record::{Outcome, Record};
use crate::core::run::rollback::Completion;
use crate::core::run::rollback_record::RollbackRecord;
use crate::core::run::{Run, Status};
use crate::core::text::shown;
use crate::core::time::{Timestamp, about, relative};

pub(super) fn run(ui: &mut Ui, ctx: &Ctx, run: &IdPrefix) -> Result<ExitCode, Problem> {
    let answer = app::show(ctx, run)?;
    show(ui, &answer, |ui| print(ui, &answer.body, answer.at))
}

fn print(ui: &mut Ui, body: &Body, now: Timestamp) -> io::Result<()> {
    let run = &body.run;
    let id = ui.paint(Slot::Id, run.id.as_str());
    ui.line(&format!("run {id}: {}", shown(run.goal.as_str())))?;
    ui.line(&standing(run, now))?;
    if let Some(scope) = &run.scope {
        ui.line(&format!("scope: {}", shown(scope.as_str())))?;
    }
    for (key, value) in &run.metadata {
        ui.line(&format!("{key}: {}", shown(value.as_str())))?;
    }
    ui.line("")?;
    ui.table(body.timeline.iter().map(|moment| moment_row(moment, body, now)))?;
    print_passed_over(ui, body)?;
    print_completions(ui, &body.completions)?;
    print_ahead(ui, body)?;
    section(ui, "parts", &body.children, now)?;
    section(ui, "waits for", &body.upstreams, now)?;
    if !body.reservations.is_empty() {
        ui.line("reserved for it:")?;
    }
    holds::print_table(ui, body.reservations.iter().map(|view| &view.hold), now)
}

fn section(ui: &mut Ui, title: &str, runs: &[Run], now: Timestamp) -> io::Result<()> {
    if !runs.is_empty() {
        ui.line(&format!("{title}:"))?;
        print_table(ui, runs, now)?;
    }
    Ok(())
}

/// Prints the skipped phases before the present one, which have no line in the timeline.
fn print_passed_over(ui: &mut Ui, body: &Body) -> io::Result<()> {
    let skipped = body.phases[..body.run.place()].iter().filter_map(|phase| {
        let skip = phase.skip.as_ref()?;
        let reason = shown(skip.reason.as_str()).into_owned();
        Some(format!("{} (by {}: {reason})", phase.name, skip.by))
    });
    let skipped: Vec<String> = skipped.collect();
    if !skipped.is_empty() {
        ui.line("")?;
        ui.line(&format!("passed over: {}", skipped.join(", ")))?;
    }
    Ok(())
}

/// Prints the completions of the run that a rollback took back.
fn print_completions(ui: &mut Ui, completions: &[Completion]) -> io::Result<()> {
    let undone = completions.iter().filter_map(|one| Some((one, one.rolled_back_at?)));
    for (Completion { at, by, rolled_back_by, .. }, rolled_back_at) in undone {
        let who = rolled_back_by.as_ref().map(|who| format!(" by {who}")).unwrap_or_default();
        let line = format!("completed before: {at} by {by}, rolled back {rolled_back_at}{who}");
        ui.line(&line)?;
    }
    Ok(())
}

/// Describes the state of the run in one line.
fn standing(run: &Run, now: Timestamp) -> String {
    let made = relative(run.created_at.as_seconds(), now.as_seconds());
    let mut parts = vec![format!("{} at '{}'", run.status.name(), run.phase)];
    if run.paused_at.is_some() {
        parts.push("waits for somebody's word".to_owned());
    }
    parts.push(format!("made by {} {made}", run.created_by));
    if let Some(parent) = &run.parent {
        parts.push(format!("part of {parent}"));
    }
    match run.budget {
        Some(budget) => {
            parts.push(format!("{} of {} tokens spent", run.spent.counted(), budget.tokens));
        }
        None if run.spent.counted() > 0 => {
            parts.push(format!("{} tokens spent", run.spent.counted()));
        }
        None => {}
    }
    if let Some(ended) = &run.ended {
        parts.push(format!("by {}: {}", ended.by, shown(ended.reason.as_str())));
    }
    parts.join(", ")
}

/// Makes a row of the timeline: time, agent, phase, and duration or result.
fn moment_row(moment: &Moment, body: &Body, now: Timestamp) -> Vec<Cell> {
    match moment {
        Moment::Visit { visit, phase } => vec![
            Cell::painted(Slot::Dim, visit.entered_at.to_string()),
            Cell::painted(Slot::Holder, visit.entered_by.as_str()),
            Cell::plain(phase.as_str()),
            Cell::plain(visit_text(visit, body.run.status, now)),
        ],
        Moment::Gate(record) => vec![
            Cell::painted(Slot::Dim, record.at.to_string()),
            Cell::painted(Slot::Holder, record.by.as_str()),
            Cell::plain(""),
            Cell::plain(gate_text(record)),
        ],
        Moment::Rollback { rollback, taken } => vec![
            Cell::painted(Slot::Dim, rollback.at.to_string()),
            Cell::painted(Slot::Holder, rollback.by.as_str()),
            Cell::plain(""),
            Cell::plain(rollback_text(rollback, taken)),
        ],
    }
}

fn visit_text(visit: &Visit, status: Status, now: Timestamp) -> String {
    let end = visit.left_at.unwrap_or(now);
    let long = about(end.seconds_since(visit.entered_at));
    match visit.left {
        None if status == Status::Completed => "completed".to_owned(),
        None => format!("here for {long}"),
        Some(Left::Advanced) => long,
        Some(Left::RolledBack) => format!("rolled back after {long}"),
        Some(left) => format!("{} after {long}", left.name()),
    }
}

/// The number of things that one line names.
const NAMED_MAX: usize = 5;

fn rollback_text(rollback: &RollbackRecord, taken: &TakenAlong) -> String {
    let reason = shown(rollback.reason.as_str());
    let mut text = format!("went back from '{}' to '{}': {reason}", rollback.from, rollback.to);
    let parts = [
        named("artifacts", &taken.artifacts),
        named("verdicts", &taken.verdicts),
        named("dispatches", &taken.dispatches),
        named("agents", &taken.agents),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if !parts.is_empty() {
        text.push_str(&format!("; gave up {}", parts.join(", ")));
    }
    text
}

fn named(what: &str, ids: &[impl ToString]) -> Option<String> {
    let first: Vec<String> = ids.iter().take(NAMED_MAX).map(ToString::to_string).collect();
    let more = match ids.len().saturating_sub(NAMED_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!ids.is_empty()).then(|| format!("{what} {}{more}", first.join(" ")))
}

fn gate_text(record: &Record) -> String {
    let why: Vec<String> = match record.outcome {
        Outcome::Waived => vec!["nobody asked it".to_owned()],
        Outcome::Passed => record.evidence.iter().map(Evidence::why).collect(),
        _ => vec![why_shut(&record.evidence)],
    };
    let mut text =
        format!("gate to '{}' {}: {}", record.to, record.outcome.name(), shown(&why.join("; ")));
    if let Some(past) = &record.overridden {
        text.push_str(&format!(" ({})", shown(past.reason.as_str())));
    }
    if record.missed_at.is_some() {
        text.push_str(", and was rolled back over");
    }
    text
}

/// Prints the phases that lie ahead, and the state of the next gate.
fn print_ahead(ui: &mut Ui, body: &Body) -> io::Result<()> {
    let Some(ahead) = &body.ahead else { return Ok(()) };
    let phases: Vec<String> = body.phases[body.run.place() + 1..]
        .iter()
        .map(|phase| match &phase.skip {
            Some(skip) => {
                let reason = shown(skip.reason.as_str()).into_owned();
                format!("{} (skipped: {reason})", phase.name)
            }
            None => phase.name.to_string(),
        })
        .collect();
    ui.line("")?;
    ui.line(&format!("ahead: {}", phases.join(", ")))?;
    ui.line(&if ahead.open {
        format!("next: '{}', the gate is open", ahead.to)
    } else {
        format!("next: '{}', the gate is shut: {}", ahead.to, why_shut(&ahead.evidence))
    })
}

//! `git coord run show`

use serde_json::{Map, Value, json};

use crate::app::Ctx;
use crate::app::problem::Problem;
use crate::app::runs::show::{self, Moment, PhaseShown, Shown, TakenAlong};
use crate::cli::color::Slot;
use crate::cli::exit::ExitCode;
use crate::cli::holds::{self, holds_json};
use crate::cli::layout::{Cell, aligned};
use crate::cli::runs::{answer, documents, print_table, shut_text};
use crate::cli::term::Ui;
use crate::core::run::gate::Evidence;
use crate::core::run::given_up::Rollback;
use crate::core::run::names::IdPrefix;
use crate::core::run::phase::{Left, Visit};
use crate::core::run::record::{Outcome, Record};
use crate::core::run::rollback::Completion;
use crate::core::run::{Run, Status};
use crate::core::text::shown;
use crate::core::time::{Timestamp, about, relative};

/// Show a run: what happened, where it stands, what is next
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The run, or the beginning of its id
    #[arg(value_name = "RUN")]
    pub(crate) run: IdPrefix,
}

impl Args {
    pub(crate) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let shown = show::show(ctx, &self.run)?;
        if ui.is_json() {
            ui.answer(true, answer_json(&shown))?;
        } else {
            print(ui, &shown)?;
        }
        Ok(ExitCode::Done)
    }
}

fn answer_json(shown: &Shown) -> Map<String, Value> {
    let fields = [
        ("phases", shown.phases.iter().map(phase_json).collect()),
        ("timeline", shown.timeline.iter().map(moment_json).collect()),
        ("completions", documents(&shown.completions)),
        ("children", documents(&shown.children)),
        ("upstreams", documents(&shown.upstreams)),
        ("reservations", holds_json(&shown.holds, shown.now)),
    ];
    let mut fields = answer(&shown.run, fields);
    if let Some(ahead) = &shown.ahead {
        let next = json!({
            "to_phase": ahead.to, "open": ahead.is_open(), "evidence": documents(&ahead.evidence),
        });
        fields.insert("next".to_owned(), next);
    }
    fields
}

fn phase_json(phase: &PhaseShown) -> Value {
    let mut value = json!(phase.tally);
    value["phase"] = json!(phase.name);
    if let Some(skip) = &phase.skip {
        value["skip"] = json!(skip);
    }
    value
}

fn moment_json(moment: &Moment) -> Value {
    match moment {
        Moment::Visit(phase, visit) => {
            let mut value = json!(visit);
            value["kind"] = json!("visit");
            value["phase"] = json!(phase);
            value
        }
        Moment::Gate(record) => {
            let mut value = json!(record);
            value["kind"] = json!("gate");
            value
        }
        Moment::Rollback(rollback, taken) => {
            let mut value = json!(rollback);
            value["kind"] = json!("rollback");
            value["artifacts"] = json!(taken.artifacts);
            value["verdicts"] = json!(taken.verdicts);
            value["dispatches"] = json!(taken.dispatches);
            value["agents"] = json!(taken.agents);
            value
        }
    }
}

fn print(ui: &mut Ui, shown: &Shown) -> Result<(), Problem> {
    let run = &shown.run;
    let id = ui.paint(Slot::Id, run.id.as_str());
    ui.line(&format!("run {id}: {}", crate::core::text::shown(run.goal.as_str())))?;
    ui.line(&standing(run, shown.now))?;
    if let Some(scope) = &run.scope {
        ui.line(&format!("scope: {}", crate::core::text::shown(scope.as_str())))?;
    }
    for (key, value) in &run.metadata {
        ui.line(&format!("{key}: {}", crate::core::text::shown(value.as_str())))?;
    }
    ui.line("")?;
    let rows: Vec<Vec<Cell>> =
        shown.timeline.iter().map(|moment| moment_row(ui, moment, shown)).collect();
    for line in aligned(&rows) {
        ui.line(&line)?;
    }
    print_passed_over(ui, shown)?;
    print_completions(ui, &shown.completions)?;
    print_ahead(ui, shown)?;
    section(ui, "parts", &shown.children, shown.now)?;
    section(ui, "waits for", &shown.upstreams, shown.now)?;
    if !shown.holds.is_empty() {
        ui.line("reserved for it:")?;
        holds::print_table(ui, &shown.holds, shown.now)?;
    }
    Ok(())
}

fn section(ui: &mut Ui, title: &str, runs: &[Run], now: Timestamp) -> Result<(), Problem> {
    if !runs.is_empty() {
        ui.line(&format!("{title}:"))?;
        print_table(ui, runs, now)?;
    }
    Ok(())
}

/// The skipped phases that lie behind, which no line of the timeline has.
fn print_passed_over(ui: &mut Ui, shown: &Shown) -> Result<(), Problem> {
    let skipped = shown.phases[..shown.run.place()].iter().filter_map(|phase| {
        let skip = phase.skip.as_ref()?;
        let reason = crate::core::text::shown(skip.reason.as_str()).into_owned();
        Some(format!("{} (by {}: {reason})", phase.name, skip.by))
    });
    let skipped: Vec<String> = skipped.collect();
    if !skipped.is_empty() {
        ui.line("")?;
        ui.line(&format!("passed over: {}", skipped.join(", ")))?;
    }
    Ok(())
}

/// When it was completed before, which a rollback has taken back.
fn print_completions(ui: &mut Ui, completions: &[Completion]) -> Result<(), Problem> {
    let undone = completions.iter().filter_map(|one| Some((one, one.rolled_back_at?)));
    for (Completion { at, by, rolled_back_by, .. }, rolled_back_at) in undone {
        let who = rolled_back_by.as_ref().map(|who| format!(" by {who}")).unwrap_or_default();
        let line = format!("completed before: {at} by {by}, rolled back {rolled_back_at}{who}");
        ui.line(&line)?;
    }
    Ok(())
}

/// How it stands, in one line.
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

/// When, who, where, how long, and what came of it.
fn moment_row(ui: &Ui, moment: &Moment, shown: &Shown) -> Vec<Cell> {
    let painted = |slot, text: &str| Cell::painted(text, ui.paint(slot, text));
    match moment {
        Moment::Visit(phase, visit) => vec![
            painted(Slot::Dim, &visit.entered_at.to_string()),
            painted(Slot::Holder, visit.entered_by.as_str()),
            Cell::plain(phase.as_str()),
            Cell::plain(&visit_text(visit, shown)),
        ],
        Moment::Gate(record) => vec![
            painted(Slot::Dim, &record.at.to_string()),
            painted(Slot::Holder, record.by.as_str()),
            Cell::plain(""),
            Cell::plain(&gate_text(record)),
        ],
        Moment::Rollback(rollback, taken) => vec![
            painted(Slot::Dim, &rollback.at.to_string()),
            painted(Slot::Holder, rollback.by.as_str()),
            Cell::plain(""),
            Cell::plain(&rollback_text(rollback, taken)),
        ],
    }
}

fn visit_text(visit: &Visit, shown: &Shown) -> String {
    let end = visit.left_at.unwrap_or(shown.now);
    let long = about(end.seconds_since(visit.entered_at));
    match visit.left {
        None if shown.run.status == Status::Completed => "completed".to_owned(),
        None => format!("here for {long}"),
        Some(Left::Advanced) => long,
        Some(Left::RolledBack) => format!("rolled back after {long}"),
        Some(left) => format!("{} after {long}", left.name()),
    }
}

/// How many things one line names.
const NAMED_MAX: usize = 5;

fn rollback_text(rollback: &Rollback, taken: &TakenAlong) -> String {
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
        _ => vec![shut_text(&record.evidence)],
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

/// The phases that lie ahead, and what the next gate says.
fn print_ahead(ui: &mut Ui, shown: &Shown) -> Result<(), Problem> {
    let Some(ahead) = &shown.ahead else { return Ok(()) };
    let phases: Vec<String> = shown.phases[shown.run.place() + 1..]
        .iter()
        .map(|phase| match &phase.skip {
            Some(skip) => {
                let reason = crate::core::text::shown(skip.reason.as_str()).into_owned();
                format!("{} (skipped: {reason})", phase.name)
            }
            None => phase.name.to_string(),
        })
        .collect();
    ui.line("")?;
    ui.line(&format!("ahead: {}", phases.join(", ")))?;
    ui.line(&if ahead.is_open() {
        format!("next: '{}', the gate is open", ahead.to)
    } else {
        format!("next: '{}', the gate is shut: {}", ahead.to, shut_text(&ahead.evidence))
    })?;
    Ok(())
}

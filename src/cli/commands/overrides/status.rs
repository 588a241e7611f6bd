//! `git coord override status`: the screen that a person decides from.

use serde_json::{Map, Value, json};

use super::list::{blocks_json, row_json};
use super::plot::plot;
use super::shared::{object, scope_text};
use crate::app::Ctx;
use crate::app::next::in_shell;
use crate::app::problem::Problem;
use crate::app::routing::roster::Roster;
use crate::app::routing::view::{Row, TrialView, View, view};
use crate::cli::color::Slot;
use crate::cli::exit::ExitCode;
use crate::cli::holds::fields;
use crate::cli::layout::{Cell, aligned};
use crate::cli::term::Ui;
use crate::core::environment::Environment;
use crate::core::routing::canary::Status;
use crate::core::routing::metrics::{self, Metrics};
use crate::core::routing::overlay;
use crate::core::routing::ratio::Ratio;
use crate::core::text::shown;
use crate::core::time::{Timestamp, relative};

/// Show every override with its trial, and what to do next
///
/// A row for each: how its trial stands, what it rests on, who did it, the command to type next;
/// below it, what was measured against what was before.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

impl Args {
    pub(super) fn run(
        ui: &mut Ui,
        ctx: &Ctx,
        environment: &Environment,
    ) -> Result<ExitCode, Problem> {
        let view = view(ctx, &Roster::read(ctx, environment))?;
        for warning in &view.warnings {
            ui.warn(warning)?;
        }
        if ui.is_json() {
            ui.answer(true, view_json(&view))?;
        } else {
            print(ui, &view)?;
        }
        Ok(ExitCode::Done)
    }
}

fn view_json(view: &View) -> Map<String, Value> {
    let row = |row: &Row| {
        let mut value = row_json(row);
        value["evidence"] = json!({
            "rows": row.evidence,
            "quarantined": row.quarantined,
            "overridden": row.tally.overridden,
            "wrong": row.tally.wrong,
        });
        value["mismatch"] = json!(row.mismatch);
        value["breaker_tripped"] = json!(row.tripped);
        if let Some(trial) = &row.trial {
            value["trial"] = trial_json(trial);
        }
        if let Some(next) = &row.next {
            value["next"] = json!([next]);
        }
        value
    };
    let overlays: Vec<Value> = view.overlays.iter().map(|overlay| json!(object(overlay))).collect();
    fields([
        ("overrides", view.rows.iter().map(row).collect()),
        ("blocked", blocks_json(&view.blocks)),
        ("overlays", json!(overlays)),
        ("overlay_tokens", json!(overlay::tokens(&view.overlays))),
        ("sessions", json!(view.sessions)),
        ("evidence", json!(view.evidence)),
        ("quarantined", json!(view.quarantined)),
        ("autonomy", json!(view.thresholds.autonomy())),
        ("warnings", json!(view.warnings)),
    ])
}

fn trial_json(trial: &TrialView) -> Value {
    let mut value = object(&trial.canary);
    let samples: Vec<Value> = trial.samples.iter().map(|sample| json!(object(sample))).collect();
    value.insert("samples".to_owned(), json!(samples));
    if let Some((status, verdict)) = &trial.due {
        value.insert("due".to_owned(), json!({ "status": status, "verdict": verdict }));
    }
    Value::Object(value)
}

fn print(ui: &mut Ui, view: &View) -> Result<(), Problem> {
    let autonomy = if view.thresholds.autonomy() { "on" } else { "off" };
    ui.line(&format!(
        "{} sessions, {} rows of evidence ({} in quarantine), autonomy {autonomy}",
        view.sessions, view.evidence, view.quarantined
    ))?;
    if view.rows.is_empty() {
        ui.line("No overrides. To begin: git coord override propose <agent> --reason <why>")?;
    }
    let rows: Vec<Vec<Cell>> = view.rows.iter().map(|row| cells(ui, row, view)).collect();
    for (line, row) in aligned(&rows).iter().zip(&view.rows) {
        ui.line(line)?;
        print_below(ui, row, view)?;
    }
    for block in &view.blocks {
        let name = ui.paint(Slot::Holder, block.agent.as_str());
        ui.line(&format!("{name}  blocked by {}: {}", block.by, shown(block.reason.as_str())))?;
    }
    print_overlays(ui, view)
}

fn cells(ui: &Ui, row: &Row, view: &View) -> Vec<Cell> {
    let entry = &row.entry;
    let trial = match &row.trial {
        Some(trial) => trial_text(trial, view.now),
        // One that came in with a document was judged elsewhere.
        None if entry.is_in_force() => {
            entry.canary.as_ref().map_or("no trial", |trial| trial.status.name()).to_owned()
        }
        None => "proposed".to_owned(),
    };
    let mut evidence = format!("{} rows", row.evidence);
    if let Some(percent) = row.tally.percent() {
        let count = row.tally.overridden;
        evidence.push_str(&format!(", wrong in {percent}% of {count}"));
    }
    let mut flags = Vec::new();
    flags.extend(row.orphaned.then_some("orphaned"));
    flags.extend(row.mismatch.then_some("mismatch"));
    flags.extend(row.tripped.then_some("breaker"));
    vec![
        Cell::painted(entry.agent.as_str(), ui.paint(Slot::Holder, entry.agent.as_str())),
        Cell::plain(&trial),
        Cell::plain(&evidence),
        Cell::plain(&who_text(row, view.now)),
        Cell::painted(&flags.join(" "), ui.paint(Slot::Warning, &flags.join(" "))),
    ]
}

/// Who put it in force or proposed it, and who brought it up to date since.
fn who_text(row: &Row, now: Timestamp) -> String {
    let ago = |at: Timestamp| relative(at.as_seconds(), now.as_seconds());
    let by = row.by().map_or(String::new(), |by| format!("by {by}"));
    let when = row.entry.since().map_or(String::new(), ago);
    let update = row.record.as_ref().and_then(|record| record.updated.as_ref());
    let update = update
        .map_or(String::new(), |update| format!(", updated by {} {}", update.by, ago(update.at)));
    format!("{by} {when}{update}")
}

/// How a trial stands: samples so far and what is left, or its verdict.
pub(crate) fn trial_text(trial: &TrialView, now: Timestamp) -> String {
    let canary = &trial.canary;
    let (count, window) = (trial.samples.len(), canary.window_uses);
    if let Some((status, _)) = &trial.due {
        return format!("{count}/{window} samples, due: {}", status.name());
    }
    match canary.status {
        Status::Active | Status::Monitoring => {
            let left = relative(canary.expires_at.as_seconds(), now.as_seconds());
            let without = if canary.baseline.is_none() { ", no baseline" } else { "" };
            format!("{count}/{window} samples, ends {left}{without}")
        }
        ended => format!("{} after {count} samples", ended.name()),
    }
}

fn print_below(ui: &mut Ui, row: &Row, view: &View) -> Result<(), Problem> {
    if let Some(reason) = &row.entry.reason {
        let reason = ui.paint(Slot::Dim, &shown(reason.as_str()));
        ui.line(&format!("    {reason}"))?;
    }
    if let Some(scope) = scope_text(&row.entry) {
        ui.line(&format!("    {scope}"))?;
    }
    if let Some(trial) = &row.trial {
        print_trial(ui, trial, view)?;
    }
    if let Some(next) = &row.next {
        ui.line(&format!("    next: {}", in_shell(next)))?;
    }
    Ok(())
}

/// What a metric is called, and which of the three numbers it is.
type Metric = (&'static str, fn(&Metrics) -> Ratio);

const METRICS: [Metric; 3] = [
    ("override rate", |metrics| metrics.override_rate),
    ("false positives", |metrics| metrics.fp_rate),
    ("density", |metrics| metrics.density),
];

fn print_trial(ui: &mut Ui, trial: &TrialView, view: &View) -> Result<(), Problem> {
    if trial.samples.is_empty() {
        return print_baseline(ui, trial);
    }
    let each: Vec<Metrics> = trial.samples.iter().map(|sample| sample.metrics).collect();
    let (mean, before) = (Metrics::mean(&each), trial.canary.baseline.as_ref());
    let worse = before
        .map_or_else(Vec::new, |before| metrics::worse(&before.metrics, &mean, &view.thresholds));
    let mut numbers = Vec::new();
    for (name, of) in METRICS {
        let was = before.map_or(String::new(), |b| format!(" (before {})", of(&b.metrics)));
        numbers.push(format!("{name} {}{was}", of(&mean)));
    }
    ui.line(&format!("    {}", numbers.join(", ")))?;
    // The one that got worse is the one to look at.
    let shown_metric = match worse.first() {
        Some(&"fp_rate") => METRICS[1],
        Some(&"density") => METRICS[2],
        _ => METRICS[0],
    };
    let (name, of) = shown_metric;
    let points: Vec<Ratio> = each.iter().map(of).collect();
    ui.line(&format!("    {name} of each sample:"))?;
    for line in plot(&points, before.map(|before| of(&before.metrics))) {
        ui.line(&format!("    {line}"))?;
    }
    Ok(())
}

/// What the first sample will be held against.
fn print_baseline(ui: &mut Ui, trial: &TrialView) -> Result<(), Problem> {
    if let Some(baseline) = &trial.canary.baseline {
        let numbers = METRICS.map(|(name, of)| format!("{name} {}", of(&baseline.metrics)));
        let noun = if baseline.sessions == 1 { "session" } else { "sessions" };
        let numbers = numbers.join(", ");
        ui.line(&format!("    before: {numbers} ({} {noun})", baseline.sessions))?;
    }
    Ok(())
}

fn print_overlays(ui: &mut Ui, view: &View) -> Result<(), Problem> {
    let active = view.overlays.iter().filter(|overlay| overlay.active);
    for overlay in active {
        let tokens = overlay.body.tokens();
        ui.line(&format!("overlay {}  {tokens} tokens, by {}", overlay.group(), overlay.by))?;
    }
    Ok(())
}

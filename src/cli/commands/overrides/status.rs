//! `git coord override status`: the screen that a person decides from.

use std::io;

use super::plot::plot;
use super::shared::scope_text;
use crate::app::Ctx;
use crate::app::next::in_shell;
use crate::app::problem::Problem;
use crate::app::routing::status::{Body, status};
use crate::app::routing::view::{Measured, OverrideView, TrialView};
use crate::cli::color::Slot;
use crate::cli::exit::ExitCode;
use crate::cli::layout::Cell;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::environment::Environment;
use crate::core::routing::canary::Status;
use crate::core::routing::metrics::Metrics;
use crate::core::routing::ratio::Ratio;
use crate::core::text::shown;
use crate::core::time::{Timestamp, relative};

/// Show every override with its trial, and the next command to run
///
/// Shows a row for each override: the state of its trial, its evidence, its author and the command
/// to type next. Below the row, compares the measurements of the trial with those before it.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

impl Args {
    pub(super) fn run(
        ui: &mut Ui,
        ctx: &Ctx,
        environment: &Environment,
    ) -> Result<ExitCode, Problem> {
        let answer = status(ctx, environment)?;
        show(ui, &answer, |ui| print(ui, &answer.body, answer.at))
    }
}

fn print(ui: &mut Ui, body: &Body, now: Timestamp) -> io::Result<()> {
    let autonomy = if body.autonomy { "on" } else { "off" };
    ui.line(&format!(
        "{} sessions, {} rows of evidence ({} in quarantine), autonomy {autonomy}",
        body.sessions, body.evidence, body.quarantined
    ))?;
    if body.overrides.is_empty() {
        ui.line("No overrides. To begin: git coord override propose <agent> --reason <why>")?;
    }
    let rows = body.overrides.iter().map(|row| cells(row, now));
    for (line, row) in ui.aligned(rows).iter().zip(&body.overrides) {
        ui.line(line)?;
        print_below(ui, row)?;
    }
    for block in &body.blocked {
        let name = ui.paint(Slot::Holder, block.agent.as_str());
        ui.line(&format!("{name}  blocked by {}: {}", block.by, shown(block.reason.as_str())))?;
    }
    print_overlays(ui, body)
}

fn cells(row: &OverrideView, now: Timestamp) -> Vec<Cell> {
    let entry = &row.entry;
    let trial = match &row.trial {
        Some(trial) => trial_text(trial, now),
        // An imported override was judged elsewhere.
        None if entry.is_in_force() => {
            entry.canary.as_ref().map_or("no trial", |trial| trial.status.name()).to_owned()
        }
        None => "proposed".to_owned(),
    };
    let mut evidence = format!("{} rows", row.evidence.rows);
    if let Some(percent) = row.evidence.tally.percent() {
        let count = row.evidence.tally.overridden;
        evidence.push_str(&format!(", wrong in {percent}% of {count}"));
    }
    let mut flags = Vec::new();
    flags.extend(row.orphaned.then_some("orphaned"));
    flags.extend(row.mismatch.then_some("mismatch"));
    flags.extend(row.tripped.then_some("breaker"));
    vec![
        Cell::painted(Slot::Holder, entry.agent.as_str()),
        Cell::plain(trial),
        Cell::plain(evidence),
        Cell::plain(who_text(row, now)),
        Cell::painted(Slot::Warning, flags.join(" ")),
    ]
}

/// Tells which agent put the override in force or proposed it, and which one updated it.
fn who_text(row: &OverrideView, now: Timestamp) -> String {
    let ago = |at: Timestamp| relative(at.as_seconds(), now.as_seconds());
    let by = row.by().map_or(String::new(), |by| format!("by {by}"));
    let when = row.entry.since().map_or(String::new(), ago);
    let update = row.record.as_ref().and_then(|record| record.updated.as_ref());
    let update = update
        .map_or(String::new(), |update| format!(", updated by {} {}", update.by, ago(update.at)));
    format!("{by} {when}{update}")
}

/// Describes the state of a trial: its samples and the time left, or its verdict.
pub(crate) fn trial_text(trial: &TrialView, now: Timestamp) -> String {
    let canary = &trial.canary;
    let (count, window) = (trial.samples.len(), canary.window_uses);
    if let Some(due) = &trial.due {
        return format!("{count}/{window} samples, due: {}", due.status.name());
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

fn print_below(ui: &mut Ui, row: &OverrideView) -> io::Result<()> {
    if let Some(reason) = &row.entry.reason {
        let reason = ui.paint(Slot::Dim, &shown(reason.as_str()));
        ui.line(&format!("    {reason}"))?;
    }
    if let Some(scope) = scope_text(&row.entry) {
        ui.line(&format!("    {scope}"))?;
    }
    if let Some(trial) = &row.trial {
        print_trial(ui, trial)?;
    }
    for next in &row.next {
        ui.line(&format!("    next: {}", in_shell(next)))?;
    }
    Ok(())
}

/// A metric: its name, and its number among the three.
type Metric = (&'static str, fn(&Metrics) -> Ratio);

const METRICS: [Metric; 3] = [
    ("override rate", |metrics| metrics.override_rate),
    ("false positives", |metrics| metrics.fp_rate),
    ("density", |metrics| metrics.density),
];

fn print_trial(ui: &mut Ui, trial: &TrialView) -> io::Result<()> {
    let Some(Measured { mean, worse }) = &trial.measured else {
        return print_baseline(ui, trial);
    };
    let before = trial.canary.baseline.as_ref();
    let mut numbers = Vec::new();
    for (name, of) in METRICS {
        let was = before.map_or(String::new(), |b| format!(" (before {})", of(&b.metrics)));
        numbers.push(format!("{name} {}{was}", of(mean)));
    }
    ui.line(&format!("    {}", numbers.join(", ")))?;
    // The plot shows a metric that got worse, if there is one.
    let shown_metric = match worse.first() {
        Some(&"fp_rate") => METRICS[1],
        Some(&"density") => METRICS[2],
        _ => METRICS[0],
    };
    let (name, of) = shown_metric;
    let points: Vec<Ratio> = trial.samples.iter().map(|sample| of(&sample.metrics)).collect();
    ui.line(&format!("    {name} of each sample:"))?;
    for line in plot(&points, before.map(|before| of(&before.metrics))) {
        ui.line(&format!("    {line}"))?;
    }
    Ok(())
}

/// Prints the numbers that the first sample will be compared with.
fn print_baseline(ui: &mut Ui, trial: &TrialView) -> io::Result<()> {
    if let Some(baseline) = &trial.canary.baseline {
        let numbers = METRICS.map(|(name, of)| format!("{name} {}", of(&baseline.metrics)));
        let noun = if baseline.sessions == 1 { "session" } else { "sessions" };
        let numbers = numbers.join(", ");
        ui.line(&format!("    before: {numbers} ({} {noun})", baseline.sessions))?;
    }
    Ok(())
}

fn print_overlays(ui: &mut Ui, body: &Body) -> io::Result<()> {
    let active = body.overlays.iter().filter(|overlay| overlay.active);
    for overlay in active {
        let tokens = overlay.body.tokens();
        ui.line(&format!("overlay {}  {tokens} tokens, by {}", overlay.group(), overlay.by))?;
    }
    Ok(())
}

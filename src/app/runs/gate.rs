//! Evaluates the gates of a run, shows their rules and their record, and overrides one.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Ahead, advance, ahead, find, read, seen, transact};
use crate::app::Ctx;
use crate::app::answer::Answer;
use crate::app::error::AppError;
use crate::app::problem::Problem;
use crate::core::refusal::Refusal;
use crate::core::run::Run;
use crate::core::run::gate::{Rule, standing_rules};
use crate::core::run::gates::{Gate, Source, gates_of};
use crate::core::run::index;
use crate::core::run::names::{IdPrefix, PhaseName};
use crate::core::run::override_gate::OverrideGate;
use crate::core::run::record::{self, Category, Record, Signals};
use crate::core::text::Line;

/// The answer to `run gate check`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Checked {
    pub run: Run,
    pub from_phase: PhaseName,
    #[serde(flatten)]
    pub ahead: Ahead,
}

/// Evaluates the gate before the next phase as an advance would.
pub fn check(ctx: &Ctx, prefix: &IdPrefix) -> Result<Answer<Checked>, Problem> {
    let reading = read(ctx)?;
    let run = find(&reading, prefix)?;
    run.must_be_active().map_err(|refusal| AppError::from(Refusal::from(refusal)))?;
    let ahead = ahead(&reading.base.snapshot, &run).map_err(AppError::from)?;
    let ahead = ahead.expect("an active run has a phase ahead");
    let message = format!("the gate before '{}' is shut", ahead.to);
    let refusal = (!ahead.open).then(|| Problem::refused("blocked", message));
    let body = Checked { from_phase: run.phase.clone(), run, ahead };
    let answer = Answer::read(body, reading.now);
    Ok(match refusal {
        Some(refusal) => answer.refused(refusal),
        None => answer,
    })
}

/// A request to override a gate that is shut.
pub struct Override<'r> {
    pub run: &'r IdPrefix,
    pub reason: &'r Line,
    pub category: Category,
    /// The phase that it must be at; the present one if absent.
    pub expect: Option<&'r PhaseName>,
}

/// Advances the run past its gate, and records that.
pub fn go_past(ctx: &Ctx, request: &Override<'_>) -> Result<Answer<advance::Body>, Problem> {
    let (run, expect) = seen(ctx, request.run, request.expect)?;
    let (reason, category) = (request.reason.clone(), request.category);
    let command = OverrideGate { run, expect: Some(expect), reason, category };
    Ok(advance::answer(transact(ctx, command)?))
}

/// The answer to `run gate rules`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Rules {
    pub run: Run,
    /// The source of the run's gates.
    pub source: Source,
    pub gates: Vec<Gate>,
    /// The rules that every gate of the run has in addition.
    pub always: Vec<Rule>,
}

/// Shows the rules of each gate of a run.
pub fn rules(ctx: &Ctx, prefix: &IdPrefix) -> Result<Answer<Rules>, Problem> {
    let reading = read(ctx)?;
    let run = find(&reading, prefix)?;
    let gates = gates_of(&reading.base.snapshot, &run).map_err(AppError::from)?;
    let (source, always) = (run.gates_from, standing_rules(&run));
    Ok(Answer::read(Rules { run, source, gates, always }, reading.now))
}

/// The answer to `run gate signals`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Judged {
    pub run: Run,
    /// The gates that were evaluated, in the order of the phases.
    pub signals: Vec<JudgedGate>,
}

/// The record of a gate: how often its decision proved right.
#[derive(Debug, Serialize, JsonSchema)]
pub struct JudgedGate {
    #[serde(flatten)]
    pub signals: Signals,
    /// The phase before the gate.
    pub from: PhaseName,
}

/// Shows how often the decisions of a run's gates proved right.
pub fn signals(ctx: &Ctx, prefix: &IdPrefix) -> Result<Answer<Judged>, Problem> {
    let reading = read(ctx)?;
    let run = find(&reading, prefix)?;
    let mut signals = Vec::new();
    for (place, phase) in run.phases.names().iter().enumerate() {
        let dir = record::records(&run, place);
        let records: Vec<Record> =
            index::all(&reading.base.snapshot, &dir).map_err(AppError::from)?;
        if !records.is_empty() {
            signals.push(JudgedGate { signals: record::signals(&records), from: phase.clone() });
        }
    }
    Ok(Answer::read(Judged { run, signals }, reading.now))
}

//! Asks the gates of a run, tells their rules and how right they were, goes past one on the record.

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

/// Asks the gate before the next phase, as an advance would.
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

/// A run that is to go past a gate that is shut.
pub struct Override<'r> {
    pub run: &'r IdPrefix,
    pub reason: &'r Line,
    pub category: Category,
    /// The phase that it must be at; the present one where the caller does not say.
    pub expect: Option<&'r PhaseName>,
}

/// Takes the run past its gate, on the record.
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
    /// Where the run has its gates from.
    pub source: Source,
    pub gates: Vec<Gate>,
    /// The rules that every gate of the run has besides.
    pub always: Vec<Rule>,
}

/// Tells what each gate of a run asks.
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
    /// The gates that were asked, in the order of the phases.
    pub signals: Vec<JudgedGate>,
}

/// How right the gate behind a phase was.
#[derive(Debug, Serialize, JsonSchema)]
pub struct JudgedGate {
    #[serde(flatten)]
    pub signals: Signals,
    /// The phase before the gate.
    pub from: PhaseName,
}

/// Tells how right the gates of a run were.
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

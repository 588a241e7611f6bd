//! The answers of gates, recorded with their evidence, and whether they were right.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::core::decision::Act;
use crate::core::documents::{Documents, Key, ReadError, read};
use crate::core::ids::AgentName;
use crate::core::run::gate::Evidence;
use crate::core::run::names::PhaseName;
use crate::core::run::phase::{self, Tally};
use crate::core::run::{Run, index};
use crate::core::text::Line;
use crate::core::time::Timestamp;
use crate::core::words::words;

/// The strictness of a gate, by the priority of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    /// The gate blocks.
    Hard,
    /// The gate only warns.
    Soft,
    /// The gate is not asked.
    None,
}

impl Tier {
    /// Returns the tier of a priority: 0 and 1 are hard, 2 and 3 are soft, others are not asked.
    pub fn of(priority: u8) -> Tier {
        match priority {
            0 | 1 => Tier::Hard,
            2 | 3 => Tier::Soft,
            _ => Tier::None,
        }
    }
}

words! {
    /// The outcome of a gate.
    pub enum Outcome {
        /// All conditions hold.
        Passed = "passed",
        /// A condition does not hold, and the run goes on with a warning.
        Warned = "warned",
        /// A condition does not hold, and the run stays.
        Blocked = "blocked",
        /// A condition does not hold, and somebody took the run past the gate.
        Overridden = "overridden",
        /// The gate has conditions, and nobody asked for them.
        Waived = "waived",
    }
}

/// The kind of reason for an override.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    /// The gate was wrong.
    Justified,
    /// The gate was right, and the run had to go on.
    Expedient,
}

/// The decision to take a run past a gate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Override {
    /// The reason, in the words of the agent that overrode the gate.
    pub reason: Line,
    /// The kind of reason.
    pub category: Category,
}

/// One answer of a gate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Record {
    /// The number of phases that the run had come to.
    #[serde(default)]
    pub step: u32,
    /// The phase before the gate.
    pub from: PhaseName,
    /// The phase behind the gate.
    pub to: PhaseName,
    /// The outcome of the gate.
    pub outcome: Outcome,
    /// The strictness of the gate.
    pub tier: Tier,
    /// The conditions and what was found.
    pub evidence: Vec<Evidence>,
    /// The decision to take the run past the gate, if there was one.
    #[serde(rename = "override", skip_serializing_if = "Option::is_none", default)]
    pub overridden: Option<Override>,
    /// The time of the answer.
    pub at: Timestamp,
    /// The agent that asked.
    pub by: AgentName,
    /// The time when a rollback went back over the gate, although it was open.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub missed_at: Option<Timestamp>,
    /// Fields of a later version, kept as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

/// Returns the directory of the answers of the gate behind a phase.
pub fn records(run: &Run, place: usize) -> Key {
    index::phase(run, place).join("gates")
}

fn key(run: &Run, place: usize, number: u32) -> Key {
    records(run, place).join(&format!("{number:04}"))
}

/// Reads the last answer of the gate behind a phase, with its number.
pub fn last(
    documents: &dyn Documents,
    run: &Run,
    place: usize,
) -> Result<Option<(u32, Record)>, ReadError> {
    let number = Tally::of(documents, run, place)?.gates;
    Ok(read(documents, &key(run, place, number))?.map(|record| (number, record)))
}

/// Records an answer of a gate. Returns false, and records nothing, if the gate blocks the same
/// visit for the same reasons as before.
pub fn keep(
    act: &mut Act<'_>,
    run: &Run,
    place: usize,
    record: &Record,
) -> Result<bool, ReadError> {
    if let Some((_, before)) = last(act, run, place)?
        && record.outcome == Outcome::Blocked
        && (before.step, &before.outcome, &before.to, &before.evidence)
            == (record.step, &record.outcome, &record.to, &record.evidence)
    {
        return Ok(false);
    }
    let number = phase::count(act, run, place, |tally| tally.gates += 1)?.gates;
    act.put(key(run, place, number), record);
    Ok(true)
}

/// Marks the gate behind a phase when a rollback goes back over it: if the gate was open, it missed
/// something. Returns whether it did. A gate that warned was shut; rules 1 took it for an open one.
pub fn miss(act: &mut Act<'_>, run: &Run, place: usize) -> Result<bool, ReadError> {
    let Some((number, record)) = last(act, run, place)? else { return Ok(false) };
    let was_open = match record.outcome {
        Outcome::Passed => true,
        Outcome::Warned => act.env.rules < 2,
        _ => false,
    };
    if !was_open || record.missed_at.is_some() {
        return Ok(false);
    }
    let missed = Record { missed_at: Some(act.env.now), ..record };
    act.put(key(run, place, number), &missed);
    Ok(true)
}

/// Counts of right and wrong answers of a gate. A visit to a shut gate counts once, however often
/// the gate was asked meanwhile. A gate that only warned was shut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Signals {
    /// The gate was shut, and nobody said that this was wrong.
    #[serde(rename = "tp")]
    pub true_positive: u32,
    /// The gate was shut, and somebody rightly took the run past it.
    #[serde(rename = "fp")]
    pub false_positive: u32,
    /// The gate was open, and that was good.
    #[serde(rename = "tn")]
    pub true_negative: u32,
    /// The gate was open, and the run was rolled back.
    #[serde(rename = "fn")]
    pub false_negative: u32,
}

/// Judges the answers of the gate behind one phase, in order.
pub fn signals(records: &[Record]) -> Signals {
    let mut signals = Signals::default();
    for visit in records.chunk_by(|one, next| one.step == next.step) {
        let was_shut = |record: &Record| {
            matches!(record.outcome, Outcome::Blocked | Outcome::Overridden | Outcome::Warned)
        };
        let was_wrong = |record: &Record| {
            record.overridden.as_ref().is_some_and(|past| past.category == Category::Justified)
        };
        if visit.iter().any(was_wrong) {
            signals.false_positive += 1;
        } else if visit.iter().any(was_shut) {
            signals.true_positive += 1;
        }
        for record in visit.iter().filter(|record| record.outcome == Outcome::Passed) {
            match record.missed_at {
                Some(_) => signals.false_negative += 1,
                None => signals.true_negative += 1,
            }
        }
    }
    signals
}

//! What gates said, kept with the evidence, and whether they were right.

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

/// How much a gate weighs, by the priority of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    /// It stands in the way.
    Hard,
    /// It warns.
    Soft,
    /// It is not asked.
    None,
}

impl Tier {
    /// 0 and 1 are hard, 2 and 3 soft, above that nothing is asked.
    pub fn of(priority: u8) -> Tier {
        match priority {
            0 | 1 => Tier::Hard,
            2 | 3 => Tier::Soft,
            _ => Tier::None,
        }
    }
}

/// What came of a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Everything was as it should be.
    Passed,
    /// Something was not, and that was only said.
    Warned,
    /// Something was not, and the run stays.
    Blocked,
    /// Something was not, and somebody took the run past it.
    Overridden,
    /// It had questions, and nobody asked them.
    Waived,
}

impl Outcome {
    /// The word that is stored and shown.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Passed => "passed",
            Outcome::Warned => "warned",
            Outcome::Blocked => "blocked",
            Outcome::Overridden => "overridden",
            Outcome::Waived => "waived",
        }
    }
}

/// Why somebody took a run past a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    /// The gate was wrong.
    Justified,
    /// The gate was right, and it had to go on.
    Expedient,
}

/// Who took a run past a gate, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Override {
    /// Why.
    pub reason: Line,
    /// In which sense.
    pub category: Category,
}

/// What a gate said once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Record {
    /// How many phases the run had come to.
    #[serde(default)]
    pub step: u32,
    /// The phase before it.
    pub from: PhaseName,
    /// The phase behind it.
    pub to: PhaseName,
    /// What came of it.
    pub outcome: Outcome,
    /// How much it weighed.
    pub tier: Tier,
    /// What that is based on.
    pub evidence: Vec<Evidence>,
    /// Who took the run past it, and why.
    #[serde(rename = "override", skip_serializing_if = "Option::is_none", default)]
    pub overridden: Option<Override>,
    /// When.
    pub at: Timestamp,
    /// Who asked.
    pub by: AgentName,
    /// When a rollback went back over it, although it had let the run pass.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub missed_at: Option<Timestamp>,
    /// Fields of a later version, kept as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

/// The directory of what the gate behind a phase said.
pub fn records(run: &Run, place: usize) -> Key {
    index::phase(run, place).join("gates")
}

fn key(run: &Run, place: usize, number: u32) -> Key {
    records(run, place).join(&format!("{number:04}"))
}

/// What the gate behind a phase said last, and as which number.
pub fn last(
    documents: &dyn Documents,
    run: &Run,
    place: usize,
) -> Result<Option<(u32, Record)>, ReadError> {
    let number = Tally::of(documents, run, place)?.gates;
    Ok(read(documents, &key(run, place, number))?.map(|record| (number, record)))
}

/// Keeps what a gate says; false if it says the same as before to the same visit, which is not kept
/// twice.
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

/// A rollback goes back over the gate behind a phase: if it had let the run pass, it missed
/// something. Says whether it did.
pub fn miss(act: &mut Act<'_>, run: &Run, place: usize) -> Result<bool, ReadError> {
    let Some((number, record)) = last(act, run, place)? else { return Ok(false) };
    let let_pass = matches!(record.outcome, Outcome::Passed | Outcome::Warned);
    if !let_pass || record.missed_at.is_some() {
        return Ok(false);
    }
    let missed = Record { missed_at: Some(act.env.now), ..record };
    act.put(key(run, place, number), &missed);
    Ok(true)
}

/// How right a gate was. That it stood in the way is judged once for each time that the run was
/// before it, however often it was asked meanwhile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Signals {
    /// It stood in the way, and something was done about it.
    #[serde(rename = "tp")]
    pub true_positive: u32,
    /// It stood in the way, and somebody rightly took the run past it.
    #[serde(rename = "fp")]
    pub false_positive: u32,
    /// It let the run pass, and that was good.
    #[serde(rename = "tn")]
    pub true_negative: u32,
    /// It let the run pass, and the run was rolled back.
    #[serde(rename = "fn")]
    pub false_negative: u32,
}

/// Judges what the gate behind one phase said, in order.
pub fn signals(records: &[Record]) -> Signals {
    let mut signals = Signals::default();
    for visit in records.chunk_by(|one, next| one.step == next.step) {
        let in_the_way =
            |record: &Record| matches!(record.outcome, Outcome::Blocked | Outcome::Overridden);
        let was_wrong = |record: &Record| {
            record.overridden.as_ref().is_some_and(|past| past.category == Category::Justified)
        };
        if visit.iter().any(was_wrong) {
            signals.false_positive += 1;
        } else if visit.iter().any(in_the_way) {
            signals.true_positive += 1;
        }
        let passes = visit
            .iter()
            .filter(|record| matches!(record.outcome, Outcome::Passed | Outcome::Warned));
        for record in passes {
            match record.missed_at {
                Some(_) => signals.false_negative += 1,
                None => signals.true_negative += 1,
            }
        }
    }
    signals
}

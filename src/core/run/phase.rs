//! The tally of a phase, which answers for the phase without a look at everything in it, and the
//! visits of the run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::core::decision::Act;
use crate::core::documents::{Documents, Key, ReadError, read};
use crate::core::ids::AgentName;
use crate::core::run::names::VerdictId;
use crate::core::run::verdict::Finding;
use crate::core::run::{Run, index};
use crate::core::time::Timestamp;
use crate::core::words::words;

/// The numbers that gates and rollbacks ask of a phase. A phase in which nothing happened has no
/// tally.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tally {
    /// The number of artifacts that count.
    #[serde(default)]
    pub artifacts: u64,
    /// The number of verdicts that count.
    #[serde(default)]
    pub verdicts: u64,
    /// The newest verdict that counts.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub latest_verdict: Option<LatestVerdict>,
    /// The number of agents that work.
    #[serde(default)]
    pub working: u64,
    /// The number of open dispatches.
    #[serde(default)]
    pub open: u64,
    /// The number of times that the run came to the phase.
    #[serde(default)]
    pub visits: u32,
    /// The number of recorded answers of the gate behind the phase.
    #[serde(default)]
    pub gates: u32,
    /// Fields of a later version, kept as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

/// The newest verdict that counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LatestVerdict {
    /// The id of the verdict.
    pub id: VerdictId,
    /// The result of the review.
    pub result: Finding,
}

fn tally_key(run: &Run, place: usize) -> Key {
    index::phase(run, place).join("tally")
}

impl Tally {
    /// Reads the tally of a phase.
    pub fn of(documents: &dyn Documents, run: &Run, place: usize) -> Result<Tally, ReadError> {
        Ok(read(documents, &tally_key(run, place))?.unwrap_or_default())
    }

    pub fn put(&self, act: &mut Act<'_>, run: &Run, place: usize) {
        act.put(tally_key(run, place), self);
    }
}

/// Changes the tally of a phase.
pub fn count(
    act: &mut Act<'_>,
    run: &Run,
    place: usize,
    change: impl FnOnce(&mut Tally),
) -> Result<Tally, ReadError> {
    let mut tally = Tally::of(act, run, place)?;
    change(&mut tally);
    tally.put(act, run, place);
    Ok(tally)
}

words! {
    /// The way in which a run left a phase.
    pub enum Left {
        /// The run moved on to a later phase.
        Advanced = "advanced",
        /// The run went back to an earlier phase.
        RolledBack = "rolled_back",
        /// The run was cancelled in the phase.
        Cancelled = "cancelled",
        /// The run failed in the phase.
        Failed = "failed",
    }
}

/// One stay of the run at a phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Visit {
    /// The number of phases that the run had come to, including this one.
    #[serde(default)]
    pub step: u32,
    /// The time when the run came.
    pub entered_at: Timestamp,
    /// The agent that moved the run to the phase.
    pub entered_by: AgentName,
    /// The time when the run left.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub left_at: Option<Timestamp>,
    /// The agent that moved the run away from the phase.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub left_by: Option<AgentName>,
    /// The way in which the run left.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub left: Option<Left>,
    /// Fields of a later version, kept as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

pub fn visits(run: &Run, place: usize) -> Key {
    index::phase(run, place).join("visits")
}

fn visit_key(run: &Run, place: usize, number: u32) -> Key {
    visits(run, place).join(&format!("{number:04}"))
}

/// Records that the run comes to a phase.
pub fn enter(act: &mut Act<'_>, run: &Run, place: usize) -> Result<(), ReadError> {
    let number = count(act, run, place, |tally| tally.visits += 1)?.visits;
    let visit = Visit {
        step: run.steps,
        entered_at: act.env.now,
        entered_by: act.env.actor.clone(),
        left_at: None,
        left_by: None,
        left: None,
        unknown: Map::new(),
    };
    act.put(visit_key(run, place, number), &visit);
    Ok(())
}

/// Records that the run leaves a phase.
pub fn leave(act: &mut Act<'_>, run: &Run, place: usize, left: Left) -> Result<(), ReadError> {
    let number = Tally::of(act, run, place)?.visits;
    let key = visit_key(run, place, number);
    if let Some(visit) = read::<Visit>(act, &key)? {
        let left_by = Some(act.env.actor.clone());
        let visit = Visit { left_at: Some(act.env.now), left_by, left: Some(left), ..visit };
        act.put(key, &visit);
    }
    Ok(())
}

/// Moves the run from its phase to another one.
pub fn go(act: &mut Act<'_>, run: &mut Run, to: usize, left: Left) -> Result<(), ReadError> {
    leave(act, run, run.place(), left)?;
    run.steps += 1;
    enter(act, run, to)?;
    run.phase = run.phases.at(to).clone();
    run.paused_at = None;
    Ok(())
}

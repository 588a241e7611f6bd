//! What is known of one phase of a run without looking at everything in it.

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

/// What gates and rollbacks ask of a phase. A phase that nothing happened in has none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tally {
    /// Artifacts that count.
    #[serde(default)]
    pub artifacts: u64,
    /// Verdicts that count.
    #[serde(default)]
    pub verdicts: u64,
    /// The newest of them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub latest_verdict: Option<LatestVerdict>,
    /// Agents that work.
    #[serde(default)]
    pub working: u64,
    /// Dispatches that go on.
    #[serde(default)]
    pub open: u64,
    /// How often the run came here.
    #[serde(default)]
    pub visits: u32,
    /// How often the gate behind it was asked.
    #[serde(default)]
    pub gates: u32,
    /// Fields of a later version, kept as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

/// The verdict that counts most.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LatestVerdict {
    /// Which.
    pub id: VerdictId,
    /// What it says.
    pub result: Finding,
}

fn tally_key(run: &Run, place: usize) -> Key {
    index::phase(run, place).join("tally")
}

impl Tally {
    /// The tally of a phase.
    pub fn of(documents: &dyn Documents, run: &Run, place: usize) -> Result<Tally, ReadError> {
        Ok(read(documents, &tally_key(run, place))?.unwrap_or_default())
    }

    /// Writes it.
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

/// How a run left a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Left {
    /// For a later one.
    Advanced,
    /// For an earlier one.
    RolledBack,
    /// It was called off there.
    Cancelled,
    /// It came to nothing there.
    Failed,
}

impl Left {
    /// The word that is stored and shown.
    pub fn name(self) -> &'static str {
        match self {
            Left::Advanced => "advanced",
            Left::RolledBack => "rolled_back",
            Left::Cancelled => "cancelled",
            Left::Failed => "failed",
        }
    }
}

/// One time that the run was at a phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Visit {
    /// The how manieth phase it was that the run came to.
    #[serde(default)]
    pub step: u32,
    /// When it came.
    pub entered_at: Timestamp,
    /// Who brought it.
    pub entered_by: AgentName,
    /// When it left.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub left_at: Option<Timestamp>,
    /// Who took it on.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub left_by: Option<AgentName>,
    /// Where to.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub left: Option<Left>,
    /// Fields of a later version, kept as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

/// The directory of the visits of a phase.
pub fn visits(run: &Run, place: usize) -> Key {
    index::phase(run, place).join("visits")
}

fn visit_key(run: &Run, place: usize, number: u32) -> Key {
    visits(run, place).join(&format!("{number:04}"))
}

/// The run comes to a phase.
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

/// The run leaves a phase.
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

/// The run leaves its phase for another, and stands there.
pub fn go(act: &mut Act<'_>, run: &mut Run, to: usize, left: Left) -> Result<(), ReadError> {
    leave(act, run, run.place(), left)?;
    run.steps += 1;
    enter(act, run, to)?;
    run.phase = run.phases.at(to).clone();
    run.paused_at = None;
    Ok(())
}

//! `run skip` and `run unskip`: choose phases that a run passes over.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::{Documents, Key, ReadError, read};
use crate::core::ids::AgentName;
use crate::core::run::names::{IdPrefix, PhaseName};
use crate::core::run::refusal::Refusal;
use crate::core::run::{Run, events, index};
use crate::core::text::Line;
use crate::core::time::Timestamp;

/// A phase that is passed over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Skip {
    /// The phase that is skipped.
    pub phase: PhaseName,
    /// The reason, in the words of the agent that skipped it.
    pub reason: Line,
    /// The time since when it is skipped.
    pub at: Timestamp,
    /// The agent that skipped it.
    pub by: AgentName,
    /// Fields of a later version, kept as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

pub fn key(run: &Run, place: usize) -> Key {
    index::phase(run, place).join("skip")
}

/// Reads the skip of a phase, if it is passed over.
pub fn of(documents: &dyn Documents, run: &Run, place: usize) -> Result<Option<Skip>, ReadError> {
    read(documents, &key(run, place))
}

/// A request to skip a phase, or to skip it no longer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetSkip {
    pub run: IdPrefix,
    pub phase: PhaseName,
    pub reason: Line,
    /// True to skip the phase, false to skip it no longer.
    pub skip: bool,
}

/// The run after a skip or unskip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkipSet {
    pub run: Run,
    pub changed: bool,
}

impl Decide for SetSkip {
    type Answer = SkipSet;

    fn decide(&self, act: &mut Act<'_>) -> Result<SkipSet, No> {
        let run = index::select(act, &self.run)?;
        run.must_be_active()?;
        let place = run.place_of(&self.phase)?;
        if place <= run.place() {
            let (at, phase) = (run.phase, self.phase.clone());
            return Err(Refusal::NotAhead { run: run.id, at, phase }.into());
        }
        if place == run.phases.last() {
            return Err(Refusal::Last(self.phase.clone()).into());
        }
        if of(act, &run, place)?.is_some() == self.skip {
            return Ok(SkipSet { run, changed: false });
        }
        if self.skip {
            let skip = Skip {
                phase: self.phase.clone(),
                reason: self.reason.clone(),
                at: act.env.now,
                by: act.env.actor.clone(),
                unknown: Map::new(),
            };
            act.put(key(&run, place), &skip);
            events::phase_skipped(act, &run, &skip);
        } else {
            act.remove(key(&run, place));
            events::phase_unskipped(act, &run, &self.phase, &self.reason);
        }
        Ok(SkipSet { run, changed: true })
    }

    fn summary(&self, SkipSet { run, .. }: &SkipSet, env: &Env<'_>) -> String {
        let verb = if self.skip { "skip" } else { "unskip" };
        format!("{verb} '{}' of run {} by {}: {}", self.phase, run.id, env.actor, self.reason)
    }
}

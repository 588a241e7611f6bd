//! `run verdict add`: records the result of a review of a phase.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::Documents as _;
use crate::core::ids::AgentName;
use crate::core::run::names::{IdPrefix, PhaseName, VerdictId};
use crate::core::run::phase::{self, LatestVerdict};
use crate::core::run::{Run, Standing, events, index};
use crate::core::text::Line;
use crate::core::time::Timestamp;
use crate::core::words::words;

words! {
    /// The result of a review.
    pub enum Finding {
        /// The review found nothing.
        Clean = "clean",
        /// The review found something.
        Findings = "findings",
    }
}

/// The result of a review of a phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// The id of the verdict.
    pub id: VerdictId,
    /// The phase that was reviewed.
    pub phase: PhaseName,
    /// The result of the review.
    pub result: Finding,
    /// The result in a few words.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub note: Option<Line>,
    /// The standing of the verdict; it counts unless its phase was rolled back.
    #[serde(default)]
    pub status: Standing,
    /// The number of phases that the run had come to when the verdict was given.
    #[serde(default)]
    pub step: u32,
    /// The time of the verdict.
    pub at: Timestamp,
    /// The agent that gave the verdict.
    pub by: AgentName,
    /// Fields of a later version, kept as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

/// A verdict to record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddVerdict {
    pub run: IdPrefix,
    /// The phase; the current one if none is named.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub phase: Option<PhaseName>,
    pub result: Finding,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub note: Option<Line>,
}

impl Decide for AddVerdict {
    type Answer = (Run, Verdict);

    fn decide(&self, act: &mut Act<'_>) -> Result<(Run, Verdict), No> {
        let run = index::select(act, &self.run)?;
        run.must_be_active()?;
        let place = run.place_or_present(self.phase.as_ref())?;
        let id: VerdictId =
            act.new_id(|draft, id| Ok(draft.get(&index::verdict(&run, place, id))?.is_some()))?;
        let verdict = Verdict {
            id: id.clone(),
            phase: run.phases.at(place).clone(),
            result: self.result,
            note: self.note.clone(),
            status: Standing::Active,
            step: run.steps,
            at: act.env.now,
            by: act.env.actor.clone(),
            unknown: Map::new(),
        };
        act.put(index::verdict(&run, place, &id), &verdict);
        let latest = LatestVerdict { id, result: self.result };
        phase::count(act, &run, place, |tally| {
            tally.verdicts += 1;
            tally.latest_verdict = Some(latest);
        })?;
        events::verdict_added(act, &run, &verdict);
        Ok((run, verdict))
    }

    fn summary(&self, (run, verdict): &(Run, Verdict), env: &Env<'_>) -> String {
        let Verdict { phase, result, .. } = verdict;
        format!("verdict on '{phase}' of run {} by {}: {}", run.id, env.actor, result.name())
    }
}

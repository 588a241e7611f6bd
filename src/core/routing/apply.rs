//! `override apply`: leaves an agent out from now on, on trial.
//!
//! Override, record and trial are one act. Applying an override that is in force updates it, and
//! makes neither a second record nor a second trial. An asker that did not see the override in
//! force when it asked has lost a race, and the answer says so.

use serde::{Deserialize, Serialize};
use serde_json::Map;

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::ids::AgentName;
use crate::core::routing::canary::{self, Canary};
use crate::core::routing::classify::Tally;
use crate::core::routing::events::EventBuilder;
use crate::core::routing::evidence;
use crate::core::routing::index;
use crate::core::routing::names::{EvidenceRef, RecordId, RoutedName, Word};
use crate::core::routing::propose::{
    ensure_lists_within_limits, ensure_unblocked, ensure_within_limits, line, source_line,
};
use crate::core::routing::ratio::Ratio;
use crate::core::routing::record::{Change, updated};
use crate::core::routing::refusal::Refusal;
use crate::core::routing::text::Note;
use crate::core::routing::thresholds::Thresholds;
use crate::core::routing::{Action, Modification, Override, Scope, autonomy, merged, revert};

/// The confirmation that some agents need before they are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confirmation {
    /// Set if the agent reviews concerns of all changes.
    #[serde(skip_serializing_if = "is_false", default)]
    pub cross_cutting: bool,
    /// Set if somebody confirmed to leave it out.
    #[serde(skip_serializing_if = "is_false", default)]
    pub confirmed: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_false(is: &bool) -> bool {
    !*is
}

impl Confirmation {
    /// Refuses to leave out a cross-cutting agent without a confirmation.
    pub fn require(self, agent: &RoutedName) -> Result<(), Refusal> {
        if self.cross_cutting && !self.confirmed {
            return Err(Refusal::CrossCutting { agent: agent.clone() });
        }
        Ok(())
    }
}

/// Leaves an agent out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Apply {
    pub agent: RoutedName,
    pub reason: Note,
    /// The evidence that the override rests on.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub evidence: Vec<EvidenceRef>,
    /// The reviews that it applies to; as before if absent.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub scope: Option<Scope>,
    /// The decider.
    pub source: Word,
    /// The record of the override that the asker saw in force.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seen: Option<RecordId>,
    #[serde(flatten)]
    pub confirmation: Confirmation,
}

/// An override that came into force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InForce {
    pub entry: Override,
    pub record: Modification,
    pub canary: Canary,
    /// Other agents that are on trial. Metrics are taken over all agents, so their trials mix.
    pub also_on_trial: Vec<RoutedName>,
    /// The agent that had proposed it.
    pub proposed_by: Option<AgentName>,
}

/// The result of applying an override.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Applied {
    /// The override came into force.
    New(Box<InForce>),
    /// The override was in force and has changed.
    Updated(Box<Override>),
    /// The override is in force, applied by this session or by another, and nothing has changed.
    Already {
        entry: Box<Override>,
        /// The agent that applied it.
        by: AgentName,
        /// Set if it came into force after the asker looked.
        raced: bool,
    },
}

impl Decide for Apply {
    type Answer = Applied;

    fn decide(&self, act: &mut Act<'_>) -> Result<Applied, No> {
        let present = index::override_of(act, &self.agent)?;
        let record = revert::applied(act, &self.agent)?;
        match (present, record) {
            (Some(entry), Some(record)) if entry.is_in_force() => {
                if self.seen.as_ref() != Some(&record.id) {
                    let entry = Box::new(entry);
                    return Ok(Applied::Already { entry, by: record.by, raced: true });
                }
                self.update(act, &entry, record)
            }
            (present, _) => {
                if self.seen.is_some() {
                    return Err(Refusal::Withdrawn { agent: self.agent.clone() }.into());
                }
                self.ensure_allowed(act)?;
                ensure_within_limits(act, &self.evidence, self.scope.as_ref())?;
                let entry = self.new_entry(act, present);
                Ok(Applied::New(Box::new(put_in_force(act, entry, &self.source)?)))
            }
        }
    }

    fn summary(&self, answer: &Applied, env: &Env<'_>) -> String {
        let verb = if matches!(answer, Applied::Updated(_)) { "update" } else { "leave out" };
        format!("{verb} {} by {}: {}", self.agent, env.actor, self.reason)
    }
}

impl Apply {
    /// Builds the entry from the proposal, or a new one, with the reason, evidence and scope of
    /// this request.
    fn new_entry(&self, act: &Act<'_>, proposal: Option<Override>) -> Override {
        let mut entry = proposal.unwrap_or_else(|| Override {
            agent: self.agent.clone(),
            action: Action::Exclude,
            reason: None,
            evidence_ids: Vec::new(),
            created: Some(act.env.now),
            created_by: Some(source_line(&self.source)),
            approved: None,
            confidence: None,
            scope: None,
            canary: None,
            by: Some(act.env.actor.clone()),
            unknown: Map::new(),
        });
        entry.reason = Some(line(&self.reason));
        entry.evidence_ids = merged(&entry.evidence_ids, &self.evidence);
        entry.scope = self.scope.clone().or(entry.scope);
        entry
    }

    /// Refuses a change that needs a confirmation, that is blocked, or that a program may not make
    /// by itself. Changing an override in force is checked like putting it in force: a wider scope
    /// is both.
    fn ensure_allowed(&self, act: &Act<'_>) -> Result<(), No> {
        self.confirmation.require(&self.agent)?;
        ensure_unblocked(act, &self.agent)?;
        if !self.source.is_human() {
            autonomy::ensure_allowed(act, &self.agent, self.confirmation.cross_cutting)?;
        }
        Ok(())
    }

    fn update(
        &self,
        act: &mut Act<'_>,
        before: &Override,
        record: Modification,
    ) -> Result<Applied, No> {
        let mut entry = self.new_entry(act, Some(before.clone()));
        if entry == *before {
            return Ok(Applied::Already { entry: Box::new(entry), by: record.by, raced: false });
        }
        self.ensure_allowed(act)?;
        if entry.scope != before.scope {
            canary::ensure_not_on_trial(act, &self.agent)?;
        }
        ensure_lists_within_limits(&entry.evidence_ids, entry.scope.as_ref())?;
        entry.confidence = Some(confidence(act, &self.agent)?);
        let record = updated(act, record, &entry, &self.source)?;
        EventBuilder::new("updated", &self.agent).put(act, &entry).put(act, &record).record(act);
        Ok(Applied::Updated(Box::new(entry)))
    }
}

/// Computes the share of the agent's overridden findings that were wrong; 1 if nothing is known.
pub(super) fn confidence(act: &Act<'_>, agent: &RoutedName) -> Result<Ratio, No> {
    let numbers = Thresholds::read(act)?;
    let tally = Tally::of(&evidence::counting_of(act, agent, act.env.now, &numbers)?);
    Ok(match tally.overridden {
        0 => Ratio::ONE,
        overridden => Ratio::to_hundredths(tally.wrong, overridden),
    })
}

/// Puts an override in force: writes the override, its record and its trial in one event.
pub(super) fn put_in_force(
    act: &mut Act<'_>,
    mut entry: Override,
    source: &Word,
) -> Result<InForce, No> {
    let agent = entry.agent.clone();
    let proposed_by = if entry.action == Action::Propose { entry.by.clone() } else { None };
    let mut record = Change::of_routing(&entry, source_line(source)).into_record(act)?;
    let canary = canary::begin(act, &agent, &record.id)?;
    entry.action = Action::Exclude;
    entry.approved = Some(act.env.now);
    entry.confidence = Some(confidence(act, &agent)?);
    canary::copy_trial(&mut entry, &canary);
    record.confidence = entry.confidence;
    record.summary.clone_from(&entry.reason);
    let also_on_trial = canary::others_on_trial(act, &agent)?;
    EventBuilder::new("applied", &agent)
        .put(act, &entry)
        .put(act, &record)
        .put(act, &canary)
        .record(act);
    Ok(InForce { entry, record, canary, also_on_trial, proposed_by })
}

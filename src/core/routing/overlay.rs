//! Overlays: additional texts for an agent. Only people write them, within a budget.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::ids::AgentName;
use crate::core::routing::Modification;
use crate::core::routing::canary;
use crate::core::routing::events::EventBuilder;
use crate::core::routing::index;
use crate::core::routing::names::{EvidenceRef, OverlayId, RoutedName, Word};
use crate::core::routing::propose::source_line;
use crate::core::routing::record::{Change, marked_reverted};
use crate::core::routing::refusal::{AutonomyLimit, Refusal};
use crate::core::routing::text::Body;
use crate::core::seen::{Seen, is_another};
use crate::core::text::Line;
use crate::core::time::Timestamp;

/// Most tokens of all active overlays of an agent.
pub const TOKENS_MAX: u64 = 500;

/// An additional text for an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Overlay {
    /// The review agent.
    pub agent: RoutedName,
    /// The name of the overlay, unique for the agent.
    pub id: OverlayId,
    /// False once the overlay is disabled.
    pub active: bool,
    /// The time at which it was written.
    pub created: Timestamp,
    /// The decider: `human`.
    pub created_by: Line,
    /// The agent that acted.
    pub by: AgentName,
    /// The evidence that it rests on.
    #[serde(default)]
    pub evidence_ids: Vec<EvidenceRef>,
    /// The text for the agent.
    pub body: Body,
    /// Fields of a later version, preserved as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

impl Overlay {
    /// Returns its name among all changes.
    pub fn group(&self) -> String {
        format!("{}/{}", self.agent, self.id)
    }
}

/// Sums up the tokens of the active overlays.
pub fn tokens(overlays: &[Overlay]) -> u64 {
    overlays.iter().filter(|overlay| overlay.active).map(|overlay| overlay.body.tokens()).sum()
}

/// `override overlay add`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddOverlay {
    pub agent: RoutedName,
    pub id: OverlayId,
    pub body: Body,
    /// The evidence that it rests on.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub evidence: Vec<EvidenceRef>,
    /// The decider.
    pub source: Word,
    /// Set to replace an overlay of that name that another agent wrote.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub replace: bool,
}

/// The result of adding an overlay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverlayAdded {
    pub overlay: Overlay,
    /// The tokens of all overlays of the agent now.
    pub tokens: u64,
    /// Set if it was there before, word for word.
    pub was_there: bool,
    /// The author of the overlay that it replaced, if that was another agent.
    pub replaced: Option<AgentName>,
}

impl Decide for AddOverlay {
    type Answer = OverlayAdded;

    fn decide(&self, act: &mut Act<'_>) -> Result<OverlayAdded, No> {
        if !self.source.is_human() {
            let by = act.env.actor.clone();
            return Err(Refusal::NotAutomatic { by, why: AutonomyLimit::Overlay }.into());
        }
        let mut all = index::overlays_of(act, &self.agent)?;
        let before = all.iter().position(|overlay| overlay.id == self.id).map(|at| all.remove(at));
        let is_same = |overlay: &Overlay| {
            overlay.active && overlay.body == self.body && overlay.evidence_ids == self.evidence
        };
        if let Some(overlay) = before.clone().filter(is_same) {
            all.push(overlay.clone());
            let tokens = tokens(&all);
            return Ok(OverlayAdded { overlay, tokens, was_there: true, replaced: None });
        }
        let replaced = self.replaced(before.as_ref(), act.env)?;
        canary::ensure_not_on_trial(act, &self.agent)?;
        let was_active = before.as_ref().is_some_and(|overlay| overlay.active);
        let overlay = Overlay {
            agent: self.agent.clone(),
            id: self.id.clone(),
            active: true,
            created: act.env.now,
            created_by: source_line(&self.source),
            by: act.env.actor.clone(),
            evidence_ids: self.evidence.clone(),
            body: self.body.clone(),
            unknown: before.map(|overlay| overlay.unknown).unwrap_or_default(),
        };
        all.push(overlay.clone());
        let tokens = tokens(&all);
        if tokens > TOKENS_MAX {
            let agent = self.agent.clone();
            return Err(Refusal::OverBudget { agent, tokens, max: TOKENS_MAX }.into());
        }
        let mut event = EventBuilder::new("overlay_added", &self.agent).put(act, &overlay);
        if !was_active {
            let change = Change::of_overlay(&overlay, source_line(&self.source));
            let record = change.into_record(act)?;
            event = event.put(act, &record);
        }
        event.record(act);
        Ok(OverlayAdded { overlay, tokens, was_there: false, replaced })
    }

    fn summary(&self, _: &OverlayAdded, env: &Env<'_>) -> String {
        format!("overlay {} of {} by {}", self.id, self.agent, env.actor)
    }
}

impl AddOverlay {
    /// Returns the author of the overlay that this one replaces, if that is another agent. Refuses
    /// to replace it unless the asker wants to; rules 1 replaced it without a word.
    fn replaced(&self, before: Option<&Overlay>, env: Env<'_>) -> Result<Option<AgentName>, No> {
        let others = before.filter(|overlay| !env.actor.is_one_with(&overlay.by));
        let Some(Overlay { agent, id, by, .. }) = others else { return Ok(None) };
        if env.rules >= 2 && !self.replace {
            let (agent, id, by) = (agent.clone(), id.clone(), by.clone());
            return Err(Refusal::OverlayOfAnother { agent, id, by }.into());
        }
        Ok(Some(by.clone()))
    }
}

/// `override overlay disable`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DisableOverlay {
    pub agent: RoutedName,
    pub id: OverlayId,
    /// The overlay that the caller saw, which alone is disabled.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seen: Option<Seen>,
}

impl Decide for DisableOverlay {
    type Answer = Overlay;

    fn decide(&self, act: &mut Act<'_>) -> Result<Overlay, No> {
        let all = index::overlays_of(act, &self.agent)?;
        let Some(overlay) = all.into_iter().find(|overlay| overlay.id == self.id) else {
            let (agent, id) = (self.agent.clone(), self.id.clone());
            return Err(Refusal::NoOverlay { agent, id }.into());
        };
        if !overlay.active {
            return Ok(overlay);
        }
        if is_another(self.seen.as_ref(), Some(&overlay)) {
            let agent = self.agent.clone();
            return Err(Refusal::NotAsSeen { what: "overlay", agent }.into());
        }
        canary::ensure_not_on_trial(act, &self.agent)?;
        let group = overlay.group();
        let records = index::modifications_of(act, &self.agent)?.into_iter();
        let mut own =
            records.filter(|record| record.is_applied() && record.group_id.as_str() == group);
        match own.next() {
            Some(record) => Ok(switch_off(act, record)?.unwrap_or(overlay)),
            None => Ok(disabled(act, overlay, None)),
        }
    }

    fn summary(&self, _: &Overlay, env: &Env<'_>) -> String {
        format!("disable overlay {} of {} by {}", self.id, self.agent, env.actor)
    }
}

/// Disables the overlay of a record; its text stays.
pub(super) fn switch_off(act: &mut Act<'_>, record: Modification) -> Result<Option<Overlay>, No> {
    let all = index::overlays_of(act, &record.agent)?;
    let own = all.into_iter().find(|overlay| overlay.group() == record.group_id.as_str());
    Ok(own.map(|overlay| disabled(act, overlay, Some(record))))
}

fn disabled(act: &mut Act<'_>, mut overlay: Overlay, record: Option<Modification>) -> Overlay {
    overlay.active = false;
    let mut event = EventBuilder::new("overlay_disabled", &overlay.agent).put(act, &overlay);
    if let Some(record) = record {
        event = event.put(act, &marked_reverted(act, record));
    }
    event.record(act);
    overlay
}

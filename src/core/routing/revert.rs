//! `override revert`: takes back exactly what is in force or proposed.

use serde::{Deserialize, Serialize};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::{Documents, ReadError};
use crate::core::ids::OpId;
use crate::core::routing::approve::ensure_seen;
use crate::core::routing::autonomy::Reverts;
use crate::core::routing::block::put_block;
use crate::core::routing::canary::{self, Status, Verdict};
use crate::core::routing::events::EventBuilder;
use crate::core::routing::evidence::DAY_SECONDS;
use crate::core::routing::index::{self, Document as _};
use crate::core::routing::names::RoutedName;
use crate::core::routing::overlay;
use crate::core::routing::record::{forget, marked_reverted};
use crate::core::routing::text::Note;
use crate::core::routing::thresholds::Thresholds;
use crate::core::routing::{Block, Kind, Modification, Override};
use crate::core::seen::Seen;

/// The time for which records of reverted changes stay: as long as the longest window that counts
/// them.
const RETENTION_SECONDS: u64 = 365 * DAY_SECONDS;

/// The changes to take back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// The override of this agent.
    Agent(RoutedName),
    /// Everything that this act put in force.
    Act(OpId),
}

/// Takes changes back, and may block them from coming again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revert {
    pub target: Target,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<Note>,
    /// The reason why the override must not be applied again; absent if it may be.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub block: Option<Note>,
    /// The override that the caller saw, where an agent is named. It alone is taken back.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seen: Option<Seen>,
}

/// The result of taking changes back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reverted {
    /// Overrides that were removed.
    pub overrides: Vec<Override>,
    /// Overlays that were disabled, by agent and name.
    pub overlays: Vec<String>,
    /// Blocks that were added.
    pub blocks: Vec<Block>,
    /// Set if autonomy was switched off, because too many changes were reverted.
    pub autonomy_off: bool,
}

impl Decide for Revert {
    type Answer = Reverted;

    fn decide(&self, act: &mut Act<'_>) -> Result<Reverted, No> {
        let mut answer = Reverted::default();
        let mut agents = Vec::new();
        match &self.target {
            Target::Agent(agent) => agents.push(agent.clone()),
            Target::Act(op) => {
                let records = index::modifications(act)?.into_iter();
                for record in records.filter(|record| record.is_applied() && record.op == *op) {
                    match record.kind {
                        Kind::Routing => agents.push(record.agent),
                        Kind::Overlay => {
                            let name = record.group_id.to_string();
                            overlay::switch_off(act, record)?;
                            answer.overlays.push(name);
                        }
                    }
                }
            }
        }
        for agent in &agents {
            answer.overrides.extend(self.take_back(act, agent)?);
            if let Some(reason) = &self.block {
                answer.blocks.extend(put_block(act, agent, reason, false)?);
            }
        }
        if !answer.overrides.is_empty() {
            answer.autonomy_off = trip_system(act)?;
        }
        Ok(answer)
    }

    fn summary(&self, answer: &Reverted, env: &Env<'_>) -> String {
        let overrides = answer.overrides.iter().map(|entry| entry.agent.to_string());
        let names: Vec<String> = overrides.chain(answer.overlays.iter().cloned()).collect();
        let why = self.reason.as_ref().map_or(String::new(), |reason| format!(": {reason}"));
        let verb = if names.is_empty() { "block" } else { "take back" };
        let blocked = answer.blocks.iter().map(|block| block.agent.to_string());
        let listed = if names.is_empty() { blocked.collect() } else { names };
        format!("{verb} {} by {}{why}", listed.join(", "), env.actor)
    }
}

impl Revert {
    fn take_back(&self, act: &mut Act<'_>, agent: &RoutedName) -> Result<Option<Override>, No> {
        let Some(entry) = index::override_of(act, agent)? else { return Ok(None) };
        ensure_seen(self.seen.as_ref(), agent, &entry)?;
        let mut event = EventBuilder::new("reverted", agent).gone(act, entry.key());
        if let Some(reason) = &self.reason {
            event = event.say("because", reason);
        }
        if let Some(record) = applied(act, agent)? {
            if let Some(mut canary) = canary::open_of(act, agent)? {
                canary.status = Status::Reverted;
                let at = act.env.now;
                canary.verdict = Some(Verdict { at, metrics: None, worse: Vec::new() });
                event = event.put(act, &canary);
            }
            event = event.put(act, &marked_reverted(act, record));
        }
        for old in expired_records(act, agent)? {
            event = forget(act, event, &old)?;
        }
        event.record(act);
        Ok(Some(entry))
    }
}

/// Finds the record of an override in force.
pub fn applied(
    documents: &dyn Documents,
    agent: &RoutedName,
) -> Result<Option<Modification>, ReadError> {
    let records = index::modifications_of(documents, agent)?;
    Ok(records.into_iter().find(|record| record.is_applied() && record.kind == Kind::Routing))
}

fn expired_records(act: &Act<'_>, agent: &RoutedName) -> Result<Vec<Modification>, ReadError> {
    let now = act.env.now;
    let is_old = |record: &Modification| {
        record.reverted_at.is_some_and(|at| now.seconds_since(at) > RETENTION_SECONDS)
    };
    Ok(index::modifications_of(act, agent)?.into_iter().filter(is_old).collect())
}

/// Switches autonomy off when half of the agents have tripped their breakers.
fn trip_system(act: &mut Act<'_>) -> Result<bool, No> {
    let numbers = Thresholds::read(act)?;
    if !numbers.autonomy() {
        return Ok(false);
    }
    let reverts = Reverts::of(&index::modifications(act)?, act.env.now, &numbers);
    if reverts.has_tripped() {
        EventBuilder::new("autonomy_switched_off", &"autonomy")
            .say("tripped", &reverts.tripped())
            .put_thresholds(act, &numbers.without_autonomy())
            .record(act);
        return Ok(true);
    }
    Ok(false)
}

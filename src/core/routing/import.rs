//! `override import`: takes a document of version 1 into the ledger.
//!
//! An override that an agent has here already stays. The answer names what was imported, changed
//! and refused.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::read;
use crate::core::refusal::within;
use crate::core::routing::canary::{self, Canary, Status};
use crate::core::routing::document::Remark;
use crate::core::routing::events::EventBuilder;
use crate::core::routing::evidence::DAY_SECONDS;
use crate::core::routing::index;
use crate::core::routing::names::{RecordId, RoutedName, Word};
use crate::core::routing::record::Change;
use crate::core::routing::thresholds::{CANARY_DAYS, CANARY_USES, Threshold};
use crate::core::routing::{OVERRIDES_MAX, Override};
use crate::core::text::Line;

/// Imports the overrides of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    pub entries: Vec<Override>,
    /// The other fields of the document.
    #[serde(skip_serializing_if = "Map::is_empty", default)]
    pub unknown: Map<String, Value>,
    /// Cross-cutting agents that nobody confirmed to leave out.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub unconfirmed: Vec<RoutedName>,
}

/// The result of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Agents whose override was imported.
    pub kept: Vec<RoutedName>,
    /// Remarks about entries that were changed.
    pub changed: Vec<Remark>,
    /// Remarks about entries that were refused.
    pub refused: Vec<Remark>,
}

impl Decide for Import {
    type Answer = Imported;

    fn decide(&self, act: &mut Act<'_>) -> Result<Imported, No> {
        let mut answer = Imported::default();
        let count = index::overrides(act)?.len() + self.entries.len();
        within("overrides", count, OVERRIDES_MAX)?;
        for entry in &self.entries {
            let refused = self.refused(act, entry)?;
            if let Some(what) = refused {
                answer.refused.push(Remark { agent: entry.agent.to_string(), what });
                continue;
            }
            for what in take(act, entry)? {
                let agent = entry.agent.to_string();
                answer.changed.push(Remark { agent, what: what.to_owned() });
            }
            answer.kept.push(entry.agent.clone());
        }
        let before: Option<Map<String, Value>> = read(act, &index::document_key())?;
        if !self.unknown.is_empty() && before.as_ref() != Some(&self.unknown) {
            EventBuilder::new("imported", &"document").put_document(act, &self.unknown).record(act);
        }
        Ok(answer)
    }

    fn summary(&self, answer: &Imported, env: &Env<'_>) -> String {
        format!("import {} overrides by {}", answer.kept.len(), env.actor)
    }
}

impl Import {
    fn refused(&self, act: &Act<'_>, entry: &Override) -> Result<Option<String>, No> {
        if index::override_of(act, &entry.agent)?.is_some() {
            return Ok(Some("it has an override here already, which stays".to_owned()));
        }
        if let Some(block) = index::block_of(act, &entry.agent)? {
            return Ok(Some(format!("it is blocked: {}", block.reason)));
        }
        let is_careless = entry.is_in_force() && self.unconfirmed.contains(&entry.agent);
        Ok(is_careless.then(|| {
            "it reviews what cuts across everything, and leaving it out was not confirmed"
                .to_owned()
        }))
    }
}

/// Imports one entry, and returns the changes that it needed.
fn take(act: &mut Act<'_>, entry: &Override) -> Result<Vec<&'static str>, No> {
    let mut entry = entry.clone();
    let agent = entry.agent.clone();
    if !entry.is_in_force() {
        entry.canary = None;
        EventBuilder::new("proposed", &agent).put(act, &entry).record(act);
        return Ok(Vec::new());
    }
    // The override names who decided elsewhere. Here, a person decided to import it.
    let human = Line::new(Word::HUMAN).expect("a word is a line");
    let mut record = Change::of_routing(&entry, human).into_record(act)?;
    record.confidence = entry.confidence;
    record.summary.clone_from(&entry.reason);
    let (canary, changed) = trial(act, &mut entry, &record.id)?;
    let mut event = EventBuilder::new("applied", &agent).put(act, &entry).put(act, &record);
    if let Some(canary) = &canary {
        event = event.put(act, canary);
    }
    event.say("imported", &true).record(act);
    Ok(changed)
}

/// Returns the trial that goes on or begins, and the changes that it needed. A trial that has ended
/// is `None`.
fn trial(
    act: &Act<'_>,
    entry: &mut Override,
    id: &RecordId,
) -> Result<(Option<Canary>, Vec<&'static str>), No> {
    let now = act.env.now;
    let Some(trial) = &mut entry.canary else {
        let canary = canary::begin(act, &entry.agent, id)?;
        canary::copy_trial(entry, &canary);
        return Ok((Some(canary), vec!["it had no trial; one begins now"]));
    };
    if !trial.status.is_open() {
        return Ok((None, Vec::new()));
    }
    if trial.expires_at <= now {
        trial.status = Status::ExpiredUnused;
        return Ok((None, vec!["its trial was over by now"]));
    }
    // The document does not have the baseline.
    let mut changed = vec!["its trial goes on without a baseline"];
    let window_uses = bounded(trial.window_uses, CANARY_USES);
    let latest = now.plus_seconds(u64::from(CANARY_DAYS.most) * DAY_SECONDS);
    let expires_at = trial.expires_at.min(latest);
    if (window_uses, expires_at) != (trial.window_uses, trial.expires_at) {
        changed.push("its trial was brought within the bounds of thresholds");
    }
    let canary = Canary {
        id: id.clone(),
        agent: entry.agent.clone(),
        status: Status::Monitoring,
        window_uses,
        opened_at: now,
        expires_at,
        baseline: None,
        verdict: None,
        unknown: Map::new(),
    };
    canary::copy_trial(entry, &canary);
    Ok((Some(canary), changed))
}

fn bounded(number: u64, threshold: Threshold) -> u64 {
    number.clamp(threshold.least.into(), threshold.most.into())
}

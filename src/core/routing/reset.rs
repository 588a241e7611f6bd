//! `override reset`: deletes what was learnt. Overrides, sessions and thresholds stay.
//!
//! The record of an override in force stays with it: neither exists without the other.

use serde::{Deserialize, Serialize};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::{Key, read, walk};
use crate::core::routing::events::EventBuilder;
use crate::core::routing::index::{self, Document as _};
use crate::core::routing::record::forget;
use crate::core::time::Timestamp;
use crate::core::words::words;

words! {
    /// The documents to delete.
    pub enum Area {
        /// All rows of evidence.
        Evidence = "evidence",
        /// All trials, also open ones.
        Canary = "canary",
        /// The records of changes that were reverted.
        Modifications = "modifications",
        /// All three areas.
        All = "all",
    }
}

impl Area {
    fn has(self, part: Area) -> bool {
        self == part || self == Area::All
    }
}

/// The time of a document, whatever its kind.
#[derive(Deserialize)]
struct Dated {
    #[serde(alias = "opened_at", default)]
    at: Option<Timestamp>,
}

/// Deletes the documents of an area.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reset {
    pub scope: Area,
    /// The highest fence of the state that the caller saw. Younger documents stay.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub up_to: Option<u64>,
}

impl Decide for Reset {
    type Answer = Vec<Key>;

    fn decide(&self, act: &mut Act<'_>) -> Result<Vec<Key>, No> {
        let mut gone = Vec::new();
        if self.scope.has(Area::Evidence) {
            gone.extend(self.clear(act, &[index::EVIDENCE])?);
        }
        if self.scope.has(Area::Canary) {
            for mut entry in index::overrides(act)? {
                let is_seen = entry.since().is_none_or(|at| self.saw(at));
                if is_seen && entry.canary.take().is_some() {
                    EventBuilder::new("updated", &entry.agent).put(act, &entry).record(act);
                }
            }
            gone.extend(self.clear(act, &[index::CANARIES, index::SAMPLES])?);
        }
        if self.scope.has(Area::Modifications) {
            for record in index::modifications(act)? {
                if !record.is_applied() && self.saw(record.reverted_at.unwrap_or(record.at)) {
                    gone.push(record.key());
                    let event = EventBuilder::new("reset", &self.scope.name());
                    forget(act, event, &record)?.record(act);
                }
            }
        }
        Ok(gone)
    }

    fn summary(&self, answer: &Vec<Key>, env: &Env<'_>) -> String {
        let count = answer.len();
        format!("forget {}: {count} documents by {}", self.scope.name(), env.actor)
    }
}

impl Reset {
    fn clear(self, act: &mut Act<'_>, roots: &[&str]) -> Result<Vec<Key>, No> {
        let mut gone = Vec::new();
        for root in roots {
            let dir = Key::of([*root]);
            let all = walk(act, &dir)?;
            let count = all.len();
            let keys = self.seen_among(act, all)?;
            let event = EventBuilder::new("reset", &self.scope.name());
            if keys.len() < count {
                let event = keys.iter().fold(event, |event, key| event.gone(act, key.clone()));
                if !keys.is_empty() {
                    event.record(act);
                }
            } else if !keys.is_empty() {
                event.gone_below(act, &dir)?.record(act);
            }
            gone.extend(keys);
        }
        Ok(gone)
    }

    /// Keeps the documents that were there when the caller looked, by their own time.
    fn seen_among(self, act: &Act<'_>, keys: Vec<Key>) -> Result<Vec<Key>, No> {
        if self.up_to.is_none_or(|fence| act.env.fence <= fence) {
            return Ok(keys);
        }
        let mut seen = Vec::new();
        for key in keys {
            let document: Option<Dated> = read(act, &key)?;
            if document.and_then(|document| document.at).is_none_or(|at| self.saw(at)) {
                seen.push(key);
            }
        }
        Ok(seen)
    }

    /// Tells whether the caller can have seen something of this time. A fence is at least the clock
    /// of its entry.
    fn saw(self, at: Timestamp) -> bool {
        self.up_to.is_none_or(|fence| u64::try_from(at.as_millis()).is_ok_and(|at| at <= fence))
    }
}

//! `override reset`: deletes what was learnt. Overrides, sessions and thresholds stay.
//!
//! The record of an override in force stays with it: neither exists without the other.

use serde::{Deserialize, Serialize};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::{Key, walk};
use crate::core::routing::events::EventBuilder;
use crate::core::routing::index::{self, Document as _};
use crate::core::routing::record::forget;
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

/// Deletes the documents of an area.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reset {
    pub scope: Area,
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
                if entry.canary.take().is_some() {
                    EventBuilder::new("updated", &entry.agent).put(act, &entry).record(act);
                }
            }
            gone.extend(self.clear(act, &[index::CANARIES, index::SAMPLES])?);
        }
        if self.scope.has(Area::Modifications) {
            for record in index::modifications(act)? {
                if !record.is_applied() {
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
            let keys = walk(act, &dir)?;
            if !keys.is_empty() {
                EventBuilder::new("reset", &self.scope.name()).gone_below(act, &dir)?.record(act);
            }
            gone.extend(keys);
        }
        Ok(gone)
    }
}

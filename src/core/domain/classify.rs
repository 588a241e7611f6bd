//! `domain set`: records the classification of a person or a model, and takes it back.
//!
//! A classification is stored beside the detections and takes precedence over them, so no detection
//! can overwrite it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::Documents as _;
use crate::core::domain::cache::{Classified, classified_key, legible};
use crate::core::domain::confidence::Confidence;
use crate::core::domain::detection::Found;
use crate::core::domain::name::Name;
use crate::core::domain::record::named;
use crate::core::domain::refusal::Refusal;
use crate::core::refusal::{self as core, within};
use crate::core::text::Line;

/// Most domains that one classification may name.
pub const DOMAINS_MAX: usize = 20;

/// Records the domains that somebody says the project belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Classify {
    /// The domains, the primary one first.
    pub domains: Vec<Name>,
    /// The author of the answer.
    pub source: Line,
    pub reason: Line,
    pub confidence: Confidence,
}

impl Decide for Classify {
    type Answer = Classified;

    fn decide(&self, act: &mut Act<'_>) -> Result<Classified, No> {
        within("domains of one classification", self.domains.len(), DOMAINS_MAX)?;
        let mut domains: Vec<Found> = Vec::new();
        for name in &self.domains {
            if domains.iter().all(|found| found.name != *name) {
                domains.push(Found {
                    name: name.clone(),
                    confidence: self.confidence,
                    primary: domains.is_empty(),
                    paths: Vec::new(),
                    signals: Vec::new(),
                });
            }
        }
        let before: Option<Classified> = legible(act, &classified_key())?;
        let classified = Classified {
            domains,
            source: self.source.clone(),
            reason: self.reason.clone(),
            by: act.env.actor.clone(),
            classified_at: act.env.now,
            unknown: before.map(|before| before.unknown).unwrap_or_default(),
        };
        act.put(classified_key(), &classified);
        let mut data = Map::new();
        data.insert("domains".to_owned(), json!(self.domains));
        data.insert("source".to_owned(), json!(self.source));
        data.insert("because".to_owned(), json!(self.reason));
        act.record_of_ledger("classified", data);
        Ok(classified)
    }

    fn summary(&self, answer: &Classified, env: &Env<'_>) -> String {
        let domains = named(&answer.domains);
        format!("set {domains} by {} ({}): {}", env.actor, self.source, self.reason)
    }
}

/// Takes a classification back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Declassify {
    pub reason: Line,
}

impl Decide for Declassify {
    type Answer = ();

    fn decide(&self, act: &mut Act<'_>) -> Result<(), No> {
        // Does not parse the document, so that a damaged one is taken back like any other.
        if act.get(&classified_key())?.is_none() {
            return Err(core::Refusal::from(Refusal::NotClassified).into());
        }
        act.remove(classified_key());
        let mut data = Map::new();
        data.insert("because".to_owned(), json!(self.reason));
        act.record_of_ledger("declassified", data);
        Ok(())
    }

    fn summary(&self, (): &(), env: &Env<'_>) -> String {
        format!("take the classification back by {}: {}", env.actor, self.reason)
    }
}

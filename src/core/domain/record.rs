//! `domain detect`: what was found out is recorded, unless somebody found out more meanwhile.

use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::{ReadError, read};
use crate::core::domain::cache::{
    self, Classified, Detected, LISTS_KEPT_MAX, classified_key, detected_key,
};
use crate::core::domain::detection::Found;
use crate::core::domain::refusal::Refusal;
use crate::core::domain::structure::{Fingerprint, Structure};
use crate::core::ids::OpId;
use crate::core::refusal as core;
use crate::core::text::Line;

/// Who says so, of what this program finds out by itself.
pub const HEURISTIC: &str = "heuristic";

/// What a look at a tree came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Detect {
    /// The act whose answer stood there when the look began.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub after: Option<OpId>,
    /// The domains, the primary one first.
    pub domains: Vec<Found>,
    /// What that rests on, named.
    pub fingerprint: Fingerprint,
    /// What that rests on.
    pub structure: Structure,
    /// Whether there was more than is looked at.
    pub cut_short: bool,
    /// The commit that was checked out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub head: Option<Line>,
    /// Whether to record it even if it says nothing new.
    pub force: bool,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// What is recorded now.
    pub detected: Detected,
    /// Whether it was not before.
    pub is_new: bool,
}

impl Decide for Detect {
    type Answer = Recorded;

    fn decide(&self, act: &mut Act<'_>) -> Result<Recorded, No> {
        let key = detected_key(&self.fingerprint.basis());
        let (before, was_damaged) = match read::<Detected>(act, &key) {
            Ok(before) => (before, false),
            // It is only there to be replaced.
            Err(ReadError::Damaged { .. }) => (None, true),
            Err(error) => return Err(error.into()),
        };
        let mut unknown = Map::new();
        if let Some(before) = before {
            let says_the_same =
                before.fingerprint == self.fingerprint && before.domains == self.domains;
            if says_the_same && !self.force {
                if forget_damaged_classification(act)? {
                    self.record_event(act, true);
                }
                return Ok(Recorded { detected: before, is_new: false });
            }
            // Whoever wrote that may have looked at a newer tree. To look again is cheap.
            if self.after.as_ref() != Some(&before.op) {
                return Err(core::Refusal::from(Refusal::OutOfDate).into());
            }
            unknown = before.unknown;
        }
        let detected = Detected {
            domains: self.domains.clone(),
            detected_at: act.env.now,
            fingerprint: self.fingerprint.clone(),
            source: Line::new(HEURISTIC).expect("a plain word is a line"),
            structure: self.structure.clone(),
            cut_short: self.cut_short,
            head: self.head.clone(),
            op: act.env.op.clone(),
            unknown,
        };
        self.forget_oldest(act)?;
        let was_damaged = forget_damaged_classification(act)? || was_damaged;
        act.put(key, &detected);
        self.record_event(act, was_damaged);
        Ok(Recorded { detected, is_new: true })
    }

    fn summary(&self, _: &Recorded, env: &Env<'_>) -> String {
        format!("detect {} by {}", named(&self.domains), env.actor)
    }
}

impl Detect {
    fn record_event(&self, act: &mut Act<'_>, was_damaged: bool) {
        let mut data = Map::new();
        let short = |found: &Found| json!({ "name": found.name, "confidence": found.confidence });
        data.insert("domains".to_owned(), self.domains.iter().map(short).collect());
        if was_damaged {
            data.insert("was_damaged".to_owned(), json!(true));
        }
        act.record("detected", &self.fingerprint, data);
    }

    /// Makes room for one more list.
    fn forget_oldest(&self, act: &mut Act<'_>) -> Result<(), ReadError> {
        let mut others = cache::others(act, &self.fingerprint.basis())?;
        others.sort_by_key(|(_, detected)| detected.as_ref().map(|detected| detected.detected_at));
        let too_many = (others.len() + 1).saturating_sub(LISTS_KEPT_MAX);
        for (basis, _) in others.into_iter().take(too_many) {
            act.remove(detected_key(&basis));
        }
        Ok(())
    }
}

/// A classification that says nothing would stand in the way of every reader.
fn forget_damaged_classification(act: &mut Act<'_>) -> Result<bool, ReadError> {
    match read::<Classified>(act, &classified_key()) {
        Ok(_) => Ok(false),
        Err(ReadError::Damaged { .. }) => {
            act.remove(classified_key());
            Ok(true)
        }
        Err(error) => Err(error),
    }
}

/// Domains for a line of text.
pub(super) fn named(domains: &[Found]) -> String {
    let names: Vec<&str> = domains.iter().map(|found| found.name.as_str()).collect();
    if names.is_empty() { "no domain".to_owned() } else { names.join(", ") }
}

#[cfg(test)]
mod tests;

//! `domain detect`: records the answer of a detection, unless another one ended meanwhile.

use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::{ReadError, read};
use crate::core::domain::cache::{
    self, ANSWERS_KEPT_MAX, Classified, Detected, classified_key, detected_key,
};
use crate::core::domain::detection::Found;
use crate::core::domain::refusal::Refusal;
use crate::core::domain::structure::{Fingerprint, Structure};
use crate::core::ids::OpId;
use crate::core::refusal as core;
use crate::core::text::Line;

/// The author of the answers that this program finds by itself.
pub const HEURISTIC: &str = "heuristic";

/// Records the answer of a detection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Detect {
    /// The act that had recorded the newest answer by this list when the detection began.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub after: Option<OpId>,
    /// The domains, the primary one first.
    pub domains: Vec<Found>,
    /// Names `structure`.
    pub fingerprint: Fingerprint,
    /// The structure that the answer rests on.
    pub structure: Structure,
    /// Set if the tree had more projects or directories than a survey lists.
    pub cut_short: bool,
    /// The commit that was checked out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub head: Option<Line>,
    /// Records the answer even if the ledger has it already.
    pub force: bool,
}

/// The result of recording an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The answer that the ledger has now.
    pub detected: Detected,
    /// False if the ledger had it already.
    pub is_new: bool,
}

impl Decide for Detect {
    type Answer = Recorded;

    fn decide(&self, act: &mut Act<'_>) -> Result<Recorded, No> {
        let key = detected_key(&self.fingerprint);
        let basis = self.fingerprint.basis();
        let (before, was_damaged) = match read::<Detected>(act, &key) {
            Ok(before) => (before, false),
            // A damaged answer is only there to be replaced.
            Err(ReadError::Damaged { .. }) => (None, true),
            Err(error) => return Err(error.into()),
        };
        if let Some(before) = &before
            && before.domains == self.domains
            && !self.force
        {
            if forget_damaged_classification(act)? {
                self.record_event(act, true);
            }
            return Ok(Recorded { detected: before.clone(), is_new: false });
        }
        // The detection that recorded the newest answer may have read a newer tree. Detecting again
        // is cheap.
        let newest = cache::newest(act, &basis)?;
        if newest.is_some() && self.after != newest {
            return Err(core::Refusal::from(Refusal::OutOfDate).into());
        }
        let detected = Detected {
            domains: self.domains.clone(),
            detected_at: act.env.now,
            number: self.make_room(act)?,
            fingerprint: self.fingerprint.clone(),
            source: Line::new(HEURISTIC).expect("a plain word is a line"),
            structure: self.structure.clone(),
            cut_short: self.cut_short,
            head: self.head.clone(),
            op: act.env.op.clone(),
            unknown: before.map(|before| before.unknown).unwrap_or_default(),
        };
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

    /// Makes room for one more answer, and returns its number. Removes answers that cannot be
    /// parsed first, then the oldest.
    fn make_room(&self, act: &mut Act<'_>) -> Result<u64, ReadError> {
        let own = detected_key(&self.fingerprint);
        let number = |detected: &Option<Detected>| detected.as_ref().map(|of| of.number);
        let mut all = cache::answers(act)?;
        let last = all.iter().filter_map(|(_, detected)| number(detected)).max();
        all.retain(|(key, _)| *key != own);
        all.sort_by_key(|(_, detected)| number(detected));
        let too_many = (all.len() + 1).saturating_sub(ANSWERS_KEPT_MAX);
        for (key, _) in all.into_iter().take(too_many) {
            act.remove(key);
        }
        Ok(last.unwrap_or(0).saturating_add(1))
    }
}

/// Removes a classification that cannot be parsed: it would stand in the way of every reader.
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

/// Lists the names of domains for a line of text.
pub(super) fn named(domains: &[Found]) -> String {
    let names: Vec<&str> = domains.iter().map(|found| found.name.as_str()).collect();
    if names.is_empty() { "no domain".to_owned() } else { names.join(", ") }
}

#[cfg(test)]
mod tests;

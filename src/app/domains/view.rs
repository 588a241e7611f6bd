//! The form of a project in every answer.

use schemars::JsonSchema;
use serde::Serialize;

use crate::app::answer::Note;
use crate::core::domain::cache::Cache;
use crate::core::domain::detection::Found;
use crate::core::domain::structure::Fingerprint;
use crate::core::ids::AgentName;
use crate::core::text::Line;
use crate::core::time::Timestamp;

/// The kind of a project, as it was detected or set.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "Project")]
pub struct ProjectView {
    /// The domains that count, the primary one first.
    pub domains: Vec<Found>,
    /// The time of the detection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detected_at: Option<Timestamp>,
    /// The fingerprint of the tree that was detected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Fingerprint>,
    /// `heuristic` for a detection; otherwise the person or model that set the domains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Line>,
    /// True if the tree is too large to be looked at as a whole.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut_short: bool,
    /// The reason that was given with the domains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Line>,
    /// The agent that set the domains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<AgentName>,
    /// The time when the domains were set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classified_at: Option<Timestamp>,
    /// The detected domains, if others were set and count instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detected: Option<Vec<Found>>,
}

impl ProjectView {
    /// Warns if a part of the tree was not looked at.
    pub(super) fn warning(&self) -> Option<Note> {
        let text = "there are more projects here than are looked at";
        self.cut_short.then(|| Note::warning(text))
    }
}

impl From<&Cache> for ProjectView {
    fn from(cache: &Cache) -> ProjectView {
        let (detected, classified) = (cache.detected(), cache.classified.as_ref());
        let source = classified.map(|said| &said.source).or(detected.map(|found| &found.source));
        let detected_domains = || detected.map_or_else(Vec::new, |found| found.domains.clone());
        ProjectView {
            domains: cache.domains().to_vec(),
            detected_at: detected.map(|found| found.detected_at),
            fingerprint: detected.map(|found| found.fingerprint.clone()),
            source: source.cloned(),
            cut_short: detected.is_some_and(|found| found.cut_short),
            reason: classified.map(|said| said.reason.clone()),
            by: classified.map(|said| said.by.clone()),
            classified_at: classified.map(|said| said.classified_at),
            detected: classified.map(|_| detected_domains()),
        }
    }
}

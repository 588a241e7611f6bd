//! The form that what is known of a project has in every answer.

use schemars::JsonSchema;
use serde::Serialize;

use crate::core::domain::cache::Cache;
use crate::core::domain::detection::Found;
use crate::core::domain::structure::Fingerprint;
use crate::core::ids::AgentName;
use crate::core::text::Line;
use crate::core::time::Timestamp;

/// What is known of a project.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "Project")]
pub struct ProjectView {
    /// The domains to go by, the primary one first.
    pub domains: Vec<Found>,
    /// The time of the detection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detected_at: Option<Timestamp>,
    /// The name of what the detection rests on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Fingerprint>,
    /// `heuristic` for a detection; a person or a model for what was set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Line>,
    /// Whether there is more than is looked at.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut_short: bool,
    /// The reason of what was set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Line>,
    /// The agent that set it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<AgentName>,
    /// The time when it was set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classified_at: Option<Timestamp>,
    /// The detected domains, which do not count because others were set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detected: Option<Vec<Found>>,
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

//! The forms of overrides and trials in every answer.

use schemars::JsonSchema;
use serde::Serialize;

use crate::app::Ctx;
use crate::app::error::AppError;
use crate::app::routing::PutBy;
use crate::core::documents::Documents;
use crate::core::ids::AgentName;
use crate::core::ledger::LedgerName;
use crate::core::routing::canary::{Canary, Sample, Status, Verdict};
use crate::core::routing::classify::Tally;
use crate::core::routing::metrics::{self, Metrics};
use crate::core::routing::thresholds::Thresholds;
use crate::core::routing::{Modification, Override, index};
use crate::core::time::Timestamp;

/// An override: its document, its record, its trial and its evidence.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OverrideView {
    #[serde(flatten)]
    pub entry: Override,
    /// The record of an override that is in force.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<Modification>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub put_by: Option<PutBy>,
    /// True if the roster does not have the agent.
    pub orphaned: bool,
    pub evidence: EvidenceCount,
    /// True if override and record contradict each other.
    pub mismatch: bool,
    /// True if it was reverted too often for programs to apply it again.
    #[serde(rename = "breaker_tripped")]
    pub tripped: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trial: Option<TrialView>,
    /// Commands that a person would run now; each is a list of words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<Vec<String>>,
}

/// The evidence about an agent.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct EvidenceCount {
    /// The number of rows that count.
    pub rows: u64,
    /// The number of rows in quarantine, which do not count yet.
    pub quarantined: u64,
    #[serde(flatten)]
    pub tally: Tally,
}

/// A trial: its document, its samples and, if it is due, its outcome.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "MeasuredTrial")]
pub struct TrialView {
    #[serde(flatten)]
    pub canary: Canary,
    /// The samples in the order in which they were taken.
    pub samples: Vec<Sample>,
    /// The verdict that the next check will record; absent unless the trial is over and unjudged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due: Option<Due>,
    /// The numbers of the samples, for people; none without samples.
    #[serde(skip)]
    pub measured: Option<Measured>,
}

/// The numbers of a trial so far.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The mean of each metric over all samples.
    pub mean: Metrics,
    /// The names of the metrics that got worse.
    pub worse: Vec<&'static str>,
}

impl Measured {
    fn of(canary: &Canary, samples: &[Sample], thresholds: &Thresholds) -> Measured {
        let each: Vec<Metrics> = samples.iter().map(|sample| sample.metrics).collect();
        let mean = Metrics::mean(&each);
        let worse = match &canary.baseline {
            Some(before) => metrics::worse(&before.metrics, &mean, thresholds),
            None => Vec::new(),
        };
        Measured { mean, worse }
    }
}

/// The outcome of a trial that is over and that nobody has judged yet.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Due {
    pub status: Status,
    pub verdict: Verdict,
}

impl OverrideView {
    /// Returns the agent that put it in force or proposed it.
    pub fn by(&self) -> Option<&AgentName> {
        self.record.as_ref().map(|record| &record.by).or(self.entry.by.as_ref())
    }
}

impl TrialView {
    /// Shows a trial that has a verdict or is not due.
    pub fn decided(canary: Canary, samples: Vec<Sample>) -> TrialView {
        TrialView { canary, samples, due: None, measured: None }
    }
}

/// Finds the trials that go on.
pub fn trials(ctx: &Ctx) -> Result<Vec<TrialView>, AppError> {
    let reading = ctx.read_ledger(LedgerName::Overrides)?;
    let (documents, now) = (&reading.base.snapshot, reading.now);
    let thresholds = Thresholds::read(documents)?;
    let mut found = Vec::new();
    for canary in index::canaries(documents)?.into_iter().filter(|c| c.status.is_open()) {
        found.push(trial(documents, canary, now, &thresholds)?);
    }
    Ok(found)
}

/// Reads the samples of a trial, and judges it if it is due.
pub(super) fn trial(
    documents: &dyn Documents,
    canary: Canary,
    now: Timestamp,
    thresholds: &Thresholds,
) -> Result<TrialView, AppError> {
    let samples = index::samples(documents, &canary.agent, &canary.id)?;
    let is_due = canary.is_due(samples.len(), now);
    let due = is_due.then(|| {
        let (status, verdict) = canary.judge(&samples, now, thresholds);
        Due { status, verdict }
    });
    let is_measured = !samples.is_empty();
    let measured = is_measured.then(|| Measured::of(&canary, &samples, thresholds));
    Ok(TrialView { canary, samples, due, measured })
}

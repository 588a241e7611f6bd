//! Trials: an override in force is observed for some time, and then judged.
//!
//! A trial begins with the override and ends with a verdict, or with the override. Its end is
//! computed when it begins, from the one clock of the decision: no trial is without an end.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::{Documents, ReadError};
use crate::core::ids::AgentName;
use crate::core::routing::events::EventBuilder;
use crate::core::routing::evidence::{self, DAY_SECONDS};
use crate::core::routing::index;
use crate::core::routing::metrics::{self, Baseline, Metrics};
use crate::core::routing::names::{RecordId, RoutedName};
use crate::core::routing::refusal::Refusal;
use crate::core::routing::text::Note;
use crate::core::routing::thresholds::{self, Thresholds};
use crate::core::routing::{Override, Trial};
use crate::core::time::Timestamp;
use crate::core::words::words;

words! {
    /// The state of a trial.
    pub enum Status {
        /// The trial is open.
        Active = "active",
        /// The trial is open, without a baseline to compare with.
        Monitoring = "monitoring",
        /// The trial ended and no metric got worse.
        Passed = "passed",
        /// The trial ended and some metric got worse.
        Alert = "alert",
        /// The trial ended without a sample.
        ExpiredUnused = "expired_unused",
        /// The trial ended with samples and without a baseline to compare them with.
        Unjudged = "unjudged",
        /// The override was reverted during its trial.
        Reverted = "reverted",
    }
}

impl Status {
    /// Tells whether the trial has not ended.
    pub fn is_open(self) -> bool {
        matches!(self, Status::Active | Status::Monitoring)
    }
}

/// The verdict of a trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// The time of the verdict.
    pub at: Timestamp,
    /// The mean of the samples; absent if there were none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub metrics: Option<Metrics>,
    /// The names of the metrics that got worse.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub worse: Vec<String>,
}

/// The trial of an override.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Canary {
    /// The record that the trial belongs to.
    pub id: RecordId,
    /// The review agent.
    pub agent: RoutedName,
    /// The state of the trial.
    pub status: Status,
    /// The number of samples that end the trial.
    pub window_uses: u64,
    /// The time at which the trial began.
    pub opened_at: Timestamp,
    /// The time at which the trial ends at the latest.
    pub expires_at: Timestamp,
    /// The metrics before the trial.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub baseline: Option<Baseline>,
    /// The verdict, once the trial has ended.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub verdict: Option<Verdict>,
    /// Fields of a later version, preserved as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

impl Canary {
    /// Returns the trial as readers of the exported document see it.
    pub fn trial(&self) -> Trial {
        Trial {
            status: self.status,
            window_uses: self.window_uses,
            expires_at: self.expires_at,
            unknown: Map::new(),
        }
    }

    /// Tells whether the trial has to be judged.
    pub fn is_due(&self, samples: usize, now: Timestamp) -> bool {
        self.status.is_open() && (samples as u64 >= self.window_uses || now >= self.expires_at)
    }

    /// Judges the samples against the baseline.
    pub fn judge(
        &self,
        samples: &[Sample],
        now: Timestamp,
        thresholds: &Thresholds,
    ) -> (Status, Verdict) {
        let each: Vec<Metrics> = samples.iter().map(|sample| sample.metrics).collect();
        if each.is_empty() {
            let verdict = Verdict { at: now, metrics: None, worse: Vec::new() };
            return (Status::ExpiredUnused, verdict);
        }
        let mean = Metrics::mean(&each);
        let worse = self.baseline.as_ref().map(|before| {
            let worse = metrics::worse(&before.metrics, &mean, thresholds);
            worse.into_iter().map(str::to_owned).collect::<Vec<_>>()
        });
        let status = match &worse {
            None => Status::Unjudged,
            Some(worse) if worse.is_empty() => Status::Passed,
            Some(_) => Status::Alert,
        };
        (status, Verdict { at: now, metrics: Some(mean), worse: worse.unwrap_or_default() })
    }
}

/// The metrics of one session of a trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Sample {
    /// The trial that it belongs to.
    pub canary: RecordId,
    /// The review agent.
    pub agent: RoutedName,
    /// The session that was measured.
    pub session: Note,
    /// The time at which it was recorded.
    pub at: Timestamp,
    /// The agent that recorded it.
    pub by: AgentName,
    /// The metrics of the session.
    #[serde(flatten)]
    pub metrics: Metrics,
    /// Fields of a later version, preserved as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

/// Finds the open trial of an agent.
pub fn open_of(documents: &dyn Documents, agent: &RoutedName) -> Result<Option<Canary>, ReadError> {
    let canaries = index::canaries_of(documents, agent)?;
    Ok(canaries.into_iter().find(|canary| canary.status.is_open()))
}

/// Lists the other agents that are on trial.
pub fn others_on_trial(
    documents: &dyn Documents,
    agent: &RoutedName,
) -> Result<Vec<RoutedName>, ReadError> {
    let canaries = index::canaries(documents)?.into_iter();
    let open = canaries.filter(|canary| canary.status.is_open() && canary.agent != *agent);
    Ok(open.map(|canary| canary.agent).collect())
}

/// Refuses to change an agent that is on trial, or whose trial has ended without a verdict: the
/// samples would measure something else.
pub fn ensure_not_on_trial(act: &Act<'_>, agent: &RoutedName) -> Result<(), No> {
    let Some(canary) = open_of(act, agent)? else { return Ok(()) };
    let (agent, end) = (agent.clone(), canary.expires_at);
    Err(if act.env.now >= end {
        Refusal::TrialOver { agent, ended: end }.into()
    } else {
        Refusal::OnTrial { agent, until: end }.into()
    })
}

/// Begins a trial now.
pub fn begin(act: &Act<'_>, agent: &RoutedName, id: &RecordId) -> Result<Canary, No> {
    ensure_not_on_trial(act, agent)?;
    let now = act.env.now;
    let numbers = Thresholds::read(act)?;
    let rows = evidence::counting(act, now, &numbers)?;
    let baseline = metrics::baseline(&rows, agent, &numbers);
    Ok(Canary {
        id: id.clone(),
        agent: agent.clone(),
        status: if baseline.is_some() { Status::Active } else { Status::Monitoring },
        window_uses: numbers.number(thresholds::CANARY_USES),
        opened_at: now,
        expires_at: now.plus_seconds(numbers.number(thresholds::CANARY_DAYS) * DAY_SECONDS),
        baseline,
        verdict: None,
        unknown: Map::new(),
    })
}

/// Ends a trial, and writes its verdict into the trial and its state into the override, in one
/// event.
pub(super) fn close(
    act: &mut Act<'_>,
    mut canary: Canary,
    status: Status,
    verdict: Verdict,
) -> Result<Canary, No> {
    canary.status = status;
    canary.verdict = Some(verdict);
    let mut event = EventBuilder::new("canary_closed", &canary.agent).put(act, &canary);
    if let Some(mut entry) = index::override_of(act, &canary.agent)? {
        copy_trial(&mut entry, &canary);
        event = event.put(act, &entry);
    }
    event.record(act);
    Ok(canary)
}

/// Copies the state of a trial into its override.
pub fn copy_trial(entry: &mut Override, canary: &Canary) {
    let unknown = entry.canary.take().map(|trial| trial.unknown).unwrap_or_default();
    entry.canary = Some(Trial { unknown, ..canary.trial() });
}

/// `override canary check`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckTrials {
    /// Checks the trial of this agent only.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub agent: Option<RoutedName>,
}

/// A trial that was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    pub canary: Canary,
    pub samples: Vec<Sample>,
    /// Set if it ended with this check.
    pub closed: bool,
}

impl Decide for CheckTrials {
    type Answer = Vec<Checked>;

    fn decide(&self, act: &mut Act<'_>) -> Result<Vec<Checked>, No> {
        let numbers = Thresholds::read(act)?;
        let now = act.env.now;
        let mut found = Vec::new();
        for entry in index::overrides(act)?.into_iter().filter(Override::is_in_force) {
            if self.agent.as_ref().is_some_and(|agent| *agent != entry.agent) {
                continue;
            }
            let Some(canary) = of_override(act, &entry)? else { continue };
            let samples = index::samples(act, &canary.agent, &canary.id)?;
            let is_due = canary.is_due(samples.len(), now);
            let canary = if is_due {
                let (status, verdict) = canary.judge(&samples, now, &numbers);
                close(act, canary, status, verdict)?
            } else {
                canary
            };
            found.push(Checked { canary, samples, closed: is_due });
        }
        match &self.agent {
            Some(agent) if found.is_empty() => {
                Err(Refusal::NoTrial { agent: agent.clone() }.into())
            }
            _ => Ok(found),
        }
    }

    fn summary(&self, answer: &Vec<Checked>, env: &Env<'_>) -> String {
        let closed = answer.iter().filter(|checked| checked.closed);
        let verdicts: Vec<String> = closed
            .map(|checked| format!("{} {}", checked.canary.agent, checked.canary.status.name()))
            .collect();
        format!("check trials: {} by {}", verdicts.join(", "), env.actor)
    }
}

/// Finds the trial of an override in force, open or ended.
pub fn of_override(
    documents: &dyn Documents,
    entry: &Override,
) -> Result<Option<Canary>, ReadError> {
    let applied = crate::core::routing::revert::applied(documents, &entry.agent)?;
    let Some(record) = applied else { return Ok(None) };
    index::at(documents, &index::canary_key(&entry.agent, &record.id))
}

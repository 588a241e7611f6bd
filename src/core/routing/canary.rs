//! Trials: an override in force is watched for a while, and then judged.
//!
//! A trial begins with the override and ends with a verdict, or with the override. Its end is
//! computed when it begins, from the one clock of the decision: there is no trial without one.

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

/// How a trial stands.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It goes on.
    Active,
    /// It goes on, with nothing to be held against.
    Monitoring,
    /// Nothing got worse.
    Passed,
    /// Something got worse.
    Alert,
    /// Its time ended without a sample.
    ExpiredUnused,
    /// It ended with samples and nothing to hold them against.
    Unjudged,
    /// Its override was taken back.
    Reverted,
}

impl Status {
    /// Whether it goes on.
    pub fn is_open(self) -> bool {
        matches!(self, Status::Active | Status::Monitoring)
    }

    /// The word that is stored and shown.
    pub fn name(self) -> &'static str {
        match self {
            Status::Active => "active",
            Status::Monitoring => "monitoring",
            Status::Passed => "passed",
            Status::Alert => "alert",
            Status::ExpiredUnused => "expired_unused",
            Status::Unjudged => "unjudged",
            Status::Reverted => "reverted",
        }
    }
}

/// What a trial came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// When it was said.
    pub at: Timestamp,
    /// The mean of the samples; absent where there were none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub metrics: Option<Metrics>,
    /// Which of them got worse.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub worse: Vec<String>,
}

/// The trial of an override.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Canary {
    /// The record it belongs to.
    pub id: RecordId,
    /// The agent.
    pub agent: RoutedName,
    /// How it stands.
    pub status: Status,
    /// After so many samples there is a verdict.
    pub window_uses: u64,
    /// Since when.
    pub opened_at: Timestamp,
    /// And until then at the latest.
    pub expires_at: Timestamp,
    /// How things were before.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub baseline: Option<Baseline>,
    /// What came of it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub verdict: Option<Verdict>,
    /// Fields of a later version, kept as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

impl Canary {
    /// The trial as readers of the exported document see it.
    pub fn trial(&self) -> Trial {
        Trial {
            status: self.status,
            window_uses: self.window_uses,
            expires_at: self.expires_at,
            unknown: Map::new(),
        }
    }

    /// Whether there is to be a verdict.
    pub fn is_due(&self, samples: usize, now: Timestamp) -> bool {
        self.status.is_open() && (samples as u64 >= self.window_uses || now >= self.expires_at)
    }

    /// What the samples come to.
    pub fn judged(
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

/// What one session of a trial measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Sample {
    /// Of which trial.
    pub canary: RecordId,
    /// Of which agent.
    pub agent: RoutedName,
    /// In which session.
    pub session: Note,
    /// When.
    pub at: Timestamp,
    /// Who said so.
    pub by: AgentName,
    /// The numbers.
    #[serde(flatten)]
    pub metrics: Metrics,
    /// Fields of a later version, kept as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

/// The trial of an agent that goes on.
pub fn open_of(documents: &dyn Documents, agent: &RoutedName) -> Result<Option<Canary>, ReadError> {
    let canaries = index::canaries_of(documents, agent)?;
    Ok(canaries.into_iter().find(|canary| canary.status.is_open()))
}

/// The other agents that are on trial.
pub fn others_on_trial(
    documents: &dyn Documents,
    agent: &RoutedName,
) -> Result<Vec<RoutedName>, ReadError> {
    let canaries = index::canaries(documents)?.into_iter();
    let open = canaries.filter(|canary| canary.status.is_open() && canary.agent != *agent);
    Ok(open.map(|canary| canary.agent).collect())
}

/// Refuses to change what is being measured, or was and is not judged yet.
pub fn keep_out_of_trial(act: &Act<'_>, agent: &RoutedName) -> Result<(), No> {
    let Some(canary) = open_of(act, agent)? else { return Ok(()) };
    let (agent, end) = (agent.clone(), canary.expires_at);
    Err(if act.env.now >= end {
        Refusal::TrialOver { agent, ended: end }.into()
    } else {
        Refusal::OnTrial { agent, until: end }.into()
    })
}

/// A trial that begins now.
pub fn begun(act: &Act<'_>, agent: &RoutedName, id: &RecordId) -> Result<Canary, No> {
    keep_out_of_trial(act, agent)?;
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

/// Ends a trial and tells its override so, in one event.
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
        retell(&mut entry, &canary);
        event = event.put(act, &entry);
    }
    event.record(act);
    Ok(canary)
}

/// Puts the present state of a trial into its override.
pub fn retell(entry: &mut Override, canary: &Canary) {
    let unknown = entry.canary.take().map(|trial| trial.unknown).unwrap_or_default();
    entry.canary = Some(Trial { unknown, ..canary.trial() });
}

/// `override canary check`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckTrials {
    /// Of this agent only.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub agent: Option<RoutedName>,
}

/// How a trial was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The trial, as it is now.
    pub canary: Canary,
    /// How many samples it has.
    pub samples: u64,
    /// Whether it ended with this check.
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
            let Some(canary) = present(act, &entry)? else { continue };
            let samples = index::samples(act, &canary.agent, &canary.id)?;
            let is_due = canary.is_due(samples.len(), now);
            let canary = if is_due {
                let (status, verdict) = canary.judged(&samples, now, &numbers);
                close(act, canary, status, verdict)?
            } else {
                canary
            };
            found.push(Checked { canary, samples: samples.len() as u64, closed: is_due });
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

/// The trial of an override in force, whether it goes on or not.
pub fn present(documents: &dyn Documents, entry: &Override) -> Result<Option<Canary>, ReadError> {
    let applied = crate::core::routing::revert::applied(documents, &entry.agent)?;
    let Some(record) = applied else { return Ok(None) };
    index::at(documents, &index::canary_key(&entry.agent, &record.id))
}

//! `override canary sample`: records the metrics of one session of a trial. The last sample brings
//! the verdict.

use serde::{Deserialize, Serialize};
use serde_json::Map;

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::Documents as _;
use crate::core::routing::canary::{Canary, Sample, close, open_of};
use crate::core::routing::events::EventBuilder;
use crate::core::routing::evidence::{self, Session};
use crate::core::routing::index;
use crate::core::routing::metrics::Metrics;
use crate::core::routing::names::RoutedName;
use crate::core::routing::refusal::Refusal;
use crate::core::routing::text::Note;
use crate::core::routing::thresholds::Thresholds;

/// `override canary sample`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakeSample {
    pub agent: RoutedName,
    pub session: Note,
    /// The metrics; computed from the evidence of the session if absent.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub metrics: Option<Metrics>,
}

/// The result of recording a sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sampled {
    /// The sample in the ledger.
    pub sample: Sample,
    /// Set if it was there before, and stays as it was.
    pub was_there: bool,
    /// All samples of the trial, with this one.
    pub samples: Vec<Sample>,
    pub canary: Canary,
}

impl Decide for TakeSample {
    type Answer = Sampled;

    fn decide(&self, act: &mut Act<'_>) -> Result<Sampled, No> {
        let agent = &self.agent;
        let Some(canary) = open_of(act, agent)? else {
            // The last sample closes the trial; an agent that repeats it gets the earlier answer.
            return self.earlier_sample(act);
        };
        let mut samples = index::samples(act, agent, &canary.id)?;
        if let Some(sample) = samples.iter().find(|sample| sample.session == self.session) {
            let sample = sample.clone();
            return Ok(Sampled { sample, was_there: true, samples, canary });
        }
        let now = act.env.now;
        if self.began_before_trial(act, &canary)? {
            let (session, opened) = (self.session.to_string(), canary.opened_at);
            return Err(Refusal::SessionBefore { session, opened }.into());
        }
        if now >= canary.expires_at {
            let ended = canary.expires_at;
            return Err(Refusal::TrialOver { agent: agent.clone(), ended }.into());
        }
        let sample = Sample {
            canary: canary.id.clone(),
            agent: agent.clone(),
            session: self.session.clone(),
            at: now,
            by: act.env.actor.clone(),
            metrics: self.measured(act)?,
            unknown: Map::new(),
        };
        EventBuilder::new("sampled", agent).put(act, &sample).record(act);
        samples.push(sample.clone());
        let canary = if canary.is_due(samples.len(), now) {
            let (status, verdict) = canary.judge(&samples, now, &Thresholds::read(act)?);
            close(act, canary, status, verdict)?
        } else {
            canary
        };
        Ok(Sampled { sample, was_there: false, samples, canary })
    }

    fn summary(&self, answer: &Sampled, env: &Env<'_>) -> String {
        let Canary { window_uses, status, .. } = answer.canary;
        let ended = if status.is_open() { String::new() } else { format!(", {}", status.name()) };
        let (agent, count) = (&self.agent, answer.samples.len());
        format!("sample {count} of {window_uses} of {agent} by {}{ended}", env.actor)
    }
}

impl TakeSample {
    fn earlier_sample(&self, act: &Act<'_>) -> Result<Sampled, No> {
        for canary in index::canaries_of(act, &self.agent)? {
            let samples = index::samples(act, &self.agent, &canary.id)?;
            if let Some(sample) = samples.iter().find(|sample| sample.session == self.session) {
                let sample = sample.clone();
                return Ok(Sampled { sample, was_there: true, samples, canary });
            }
        }
        Err(Refusal::NoTrial { agent: self.agent.clone() }.into())
    }

    /// Tells whether the session began before the trial, as far as evidence and earlier trials
    /// show: it may be part of the baseline. A session that began at the very time of the trial
    /// counts as earlier, since a baseline includes it.
    fn began_before_trial(&self, act: &Act<'_>, canary: &Canary) -> Result<bool, No> {
        let known: Option<Session> = index::at(act, &index::session_key(&self.session))?;
        if known.is_some_and(|session| session.first_at <= canary.opened_at) {
            return Ok(true);
        }
        for earlier in index::canaries_of(act, &self.agent)? {
            let key = index::sample_key(&self.agent, &earlier.id, &self.session);
            if earlier.id != canary.id && act.get(&key)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the given metrics, or computes them from the session's evidence. A sample is a
    /// measurement: evidence in quarantine decides nothing, but it happened.
    fn measured(&self, act: &Act<'_>) -> Result<Metrics, No> {
        if let Some(metrics) = self.metrics {
            return Ok(metrics);
        }
        let rows = evidence::recent(act, act.env.now, &Thresholds::read(act)?)?;
        let of_session: Vec<_> = rows.iter().filter(|row| row.session == self.session).collect();
        if of_session.is_empty() {
            return Err(Refusal::NoNumbers { session: self.session.to_string() }.into());
        }
        Ok(Metrics::of_session(of_session))
    }
}

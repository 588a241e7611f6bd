//! Measures sessions without an agent, and judges the trial.

use schemars::JsonSchema;
use serde::Serialize;

use super::view::TrialView;
use super::{agent_name, some_agent};
use crate::app::answer::{Answer, Outcome};
use crate::app::problem::Problem;
use crate::app::{Ctx, WriteMode};
use crate::core::ledger::LedgerName;
use crate::core::routing::canary::{CheckTrials, Checked, Sample, Status};
use crate::core::routing::metrics::Metrics;
use crate::core::routing::sample::{Sampled, TakeSample};
use crate::core::routing::text::Note;

/// A sample to record: one session of a trial.
pub struct SampleRequest<'r> {
    pub agent: &'r str,
    pub session: &'r Note,
    /// The metrics; those of the session's evidence if absent.
    pub metrics: Option<Metrics>,
}

/// The answer to `override canary sample`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TakenSample")]
pub struct SampleBody {
    /// The sample of that session.
    pub sample: Sample,
    /// True if the session was sampled before; the first sample stays.
    pub was_there: bool,
    /// The trial, with this sample.
    pub trial: TrialView,
}

/// The answer to `override canary check`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CheckedTrials")]
pub struct CheckBody {
    pub trials: Vec<CheckedView>,
}

/// A trial that was checked.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CheckedTrial")]
pub struct CheckedView {
    #[serde(flatten)]
    pub trial: TrialView,
    /// True if this request has closed it with a verdict.
    pub closed: bool,
}

/// Records a sample of one session.
pub fn sample(ctx: &Ctx, request: &SampleRequest<'_>) -> Result<Answer<SampleBody>, Problem> {
    let command = TakeSample {
        agent: agent_name(ctx, request.agent)?,
        session: request.session.clone(),
        metrics: request.metrics,
    };
    let committed = ctx.transact(LedgerName::Overrides, command, WriteMode::Plain)?;
    Ok(Answer::committed(committed, |taken| {
        let Sampled { sample, was_there, samples, canary } = taken;
        SampleBody { sample, was_there, trial: TrialView::decided(canary, samples) }
    }))
}

/// Judges the trials that are due, of one agent or of all. The answer is no while a metric got
/// worse.
pub fn check(ctx: &Ctx, agent: Option<&str>) -> Result<Answer<CheckBody>, Problem> {
    let command = CheckTrials { agent: some_agent(ctx, agent)? };
    let committed = ctx.transact(LedgerName::Overrides, command, WriteMode::Plain)?;
    let mut answer = Answer::committed(committed, |checked| CheckBody {
        trials: checked.into_iter().map(CheckedView::from).collect(),
    });
    if answer.body.trials.iter().any(|one| one.trial.canary.status == Status::Alert) {
        answer.outcome = Outcome::No;
    }
    Ok(answer)
}

impl From<Checked> for CheckedView {
    fn from(checked: Checked) -> CheckedView {
        let Checked { canary, samples, closed } = checked;
        CheckedView { trial: TrialView::decided(canary, samples), closed }
    }
}

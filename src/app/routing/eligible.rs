//! Tells which agents may be excluded by their evidence.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::some_agent;
use crate::app::Ctx;
use crate::app::answer::{Answer, Outcome};
use crate::app::error::AppError;
use crate::app::problem::Problem;
use crate::core::ledger::LedgerName;
use crate::core::routing::classify::{Assessment, Eligibility, Pattern, Tally, assess};
use crate::core::routing::names::{RecordId, RoutedName};
use crate::core::routing::thresholds::Thresholds;
use crate::core::routing::{evidence, index};
use crate::core::time::Timestamp;

/// A choice of agents.
pub struct Request<'r> {
    /// All agents with evidence that counts if absent.
    pub agent: Option<&'r str>,
    /// Set to list the ids of the evidence.
    pub with_evidence: bool,
}

/// The answer to `override eligible`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EligibleAgents")]
pub struct Body {
    /// The agents: those that may be excluded first, then those that come close.
    pub agents: Vec<AssessmentView>,
}

/// The assessment of the evidence about an agent.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Assessment")]
pub struct AssessmentView {
    pub agent: RoutedName,
    /// `eligible`, or `not_eligible:` and the reason.
    pub eligibility: String,
    pub eligible: bool,
    /// True if an override leaves it out already, at least in its scope.
    pub left_out: bool,
    /// True if it comes close to being eligible.
    pub approaching: bool,
    /// True if its instructions may be at fault, so that an overlay may help.
    pub overlay_eligible: bool,
    #[serde(flatten)]
    pub tally: Tally,
    /// The number of sessions with evidence that counts.
    pub sessions: u64,
    /// Counts of rows with the same event and reason.
    pub patterns: Vec<Pattern>,
    /// The ids of the rows that count, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence_ids: Option<Vec<RecordId>>,
}

/// Assesses one agent or all. The answer is no if a named agent may not be excluded.
pub fn eligible(ctx: &Ctx, request: &Request<'_>) -> Result<Answer<Body>, Problem> {
    let agent = some_agent(ctx, request.agent)?;
    let (mut found, now) = assessments(ctx, agent.as_ref())?;
    found.sort_by_key(|(one, _)| {
        (one.eligibility != Eligibility::Eligible, !one.approaching, one.agent.clone())
    });
    let view = |(one, left_out)| AssessmentView::new(one, left_out, request.with_evidence);
    let mut answer = Answer::read(Body { agents: found.into_iter().map(view).collect() }, now);
    if agent.is_some() && answer.body.agents.iter().any(|one| !one.eligible) {
        answer.outcome = Outcome::No;
    }
    Ok(answer)
}

/// Assesses the agent that is named, or all with evidence that counts. Tells of each whether it is
/// left out already.
fn assessments(
    ctx: &Ctx,
    agent: Option<&RoutedName>,
) -> Result<(Vec<(Assessment, bool)>, Timestamp), AppError> {
    let reading = ctx.read_ledger(LedgerName::Overrides)?;
    let (documents, now) = (&reading.base.snapshot, reading.now);
    let mut agents = BTreeSet::new();
    if let Some(agent) = agent {
        agents.insert(agent.clone());
    } else {
        let rows = evidence::counting(documents, now, &Thresholds::read(documents)?)?;
        agents.extend(rows.into_iter().map(|row| row.source));
    }
    let mut found = Vec::new();
    for agent in &agents {
        let own = index::override_of(documents, agent)?;
        let is_left_out = own.is_some_and(|own| own.is_in_force());
        found.push((assess(documents, agent, now)?, is_left_out));
    }
    Ok((found, now))
}

impl AssessmentView {
    fn new(one: Assessment, left_out: bool, with_evidence: bool) -> AssessmentView {
        AssessmentView {
            eligibility: one.eligibility.word(),
            eligible: one.eligibility == Eligibility::Eligible,
            left_out,
            approaching: one.approaching,
            overlay_eligible: one.overlay,
            tally: one.tally,
            sessions: one.sessions,
            patterns: one.patterns,
            evidence_ids: with_evidence.then(|| one.rows.into_iter().map(|row| row.id).collect()),
            agent: one.agent,
        }
    }
}

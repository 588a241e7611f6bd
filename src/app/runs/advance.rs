//! Moves a run to its next phase.

use schemars::JsonSchema;
use serde::Serialize;

use super::{seen, transact};
use crate::app::Ctx;
use crate::app::answer::{Answer, Note};
use crate::app::next::command;
use crate::app::problem::Problem;
use crate::core::run::Run;
use crate::core::run::advance::{Advance, Advanced, Step};
use crate::core::run::bounds::Priority;
use crate::core::run::gate::{Evidence, ended_upstream, why_shut};
use crate::core::run::names::{IdPrefix, PhaseName};
use crate::core::text::Line;
use crate::store::ledger::transact::Committed;

/// A request to advance a run.
pub struct Request<'r> {
    pub run: &'r IdPrefix,
    /// The phase that it must be at; the present one if absent.
    pub expect: Option<&'r PhaseName>,
    /// The weight of the gate: at 0 and 1 it stops the run, at 2 and 3 it warns, at 4 it is not
    /// asked.
    pub priority: Priority,
    /// The reason to advance; a manual run needs one as its approval.
    pub reason: Option<&'r Line>,
}

/// The answer to `run advance` and `run gate override`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    /// The run as it is now.
    pub run: Run,
    /// The result: the run advanced, was stopped by the gate, or waits for approval.
    pub outcome: Step,
    /// The phase that it was at.
    pub from_phase: PhaseName,
    /// The phase that it is at now, or the one that it did not reach.
    pub to_phase: PhaseName,
    /// The findings of the gate; empty if it was not asked.
    pub evidence: Vec<Evidence>,
}

/// Advances the run if the gate is open.
pub fn advance(ctx: &Ctx, request: &Request<'_>) -> Result<Answer<Body>, Problem> {
    let (run, expect) = seen(ctx, request.run, request.expect)?;
    let (priority, reason) = (request.priority.get(), request.reason.cloned());
    let command = Advance { run, expect: Some(expect), priority, reason };
    Ok(answer(transact(ctx, command)?))
}

/// Answers with the result of an advance.
pub(super) fn answer(committed: Committed<Advanced>) -> Answer<Body> {
    let answer = Answer::committed(committed, Body::from);
    if let Some(refusal) = refusal(&answer.body) {
        return answer.refused(refusal);
    }
    let evidence = &answer.body.evidence;
    let is_shut = evidence.iter().any(|evidence| !evidence.passed);
    let text = is_shut.then(|| format!("the gate was shut: {}", why_shut(evidence)));
    answer.noting(text.map(Note::warning))
}

impl From<Advanced> for Body {
    fn from(advanced: Advanced) -> Body {
        let Advanced { run, from, to, step, evidence } = advanced;
        Body { run, outcome: step, from_phase: from, to_phase: to, evidence }
    }
}

/// Explains why a run did not go on, with the command that helps.
fn refusal(body: &Body) -> Option<Problem> {
    let Body { run, from_phase: from, to_phase: to, .. } = body;
    let id = run.id.as_str();
    let (code, message, next) = match body.outcome {
        Step::Done => return None,
        Step::Paused => {
            let message = format!("run '{id}' waits at '{from}' for somebody's word");
            ("paused", message, command(&["run", "advance", id, "--reason", "go on"]))
        }
        Step::Blocked => {
            let why = why_shut(&body.evidence);
            let message = format!("the gate of run '{id}' before '{to}' is shut: {why}");
            // An upstream run that has ended will never reach the phase, so the dependency has to
            // be removed.
            let next = match ended_upstream(&body.evidence) {
                Some(upstream) => command(&["run", "set", id, "--not-after", upstream]),
                None => command(&["run", "gate", "check", id]),
            };
            ("blocked", message, next)
        }
    };
    let problem = Problem::refused(code, message);
    Some(problem.with("run", id).with("from", from).with("to", to).with_next(next))
}

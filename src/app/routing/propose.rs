//! Proposes to exclude an agent.

use super::agent_name;
use super::change::{Basis, Became, Body, each_once, everywhere, stranger};
use crate::app::answer::Answer;
use crate::app::problem::Problem;
use crate::app::{Ctx, WriteMode};
use crate::core::environment::Environment;
use crate::core::ledger::LedgerName;
use crate::core::routing::propose::{Propose, Proposed};
use crate::core::routing::text;

/// A request to propose an override.
pub struct Request<'r> {
    pub agent: &'r str,
    pub reason: &'r text::Note,
    pub basis: Basis<'r>,
    /// The environment, which says where the roster is.
    pub environment: &'r Environment,
}

/// Records a proposal; an existing override stays as it is.
pub fn propose(ctx: &Ctx, request: &Request<'_>) -> Result<Answer<Body>, Problem> {
    let agent = agent_name(ctx, request.agent)?;
    let command = Propose {
        agent: agent.clone(),
        reason: request.reason.clone(),
        evidence: each_once(request.basis.evidence),
        scope: request.basis.scope(ctx)?,
        source: request.basis.source.clone(),
    };
    let committed = ctx.transact(LedgerName::Overrides, command, WriteMode::Plain)?;
    let answer = Answer::committed(committed, |Proposed { entry, was_there }| {
        Body::of(if was_there { Became::Already } else { Became::Proposed }, entry)
    });
    if answer.body.outcome == Became::Already {
        return Ok(answer);
    }
    let of_scope = everywhere(&answer.body.entry);
    Ok(answer.noting(stranger(ctx, request.environment, &agent)).noting(of_scope))
}

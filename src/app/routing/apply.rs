//! Excludes an agent from now on.

use super::change::{
    Basis, Became, Body, Earlier, each_once, everywhere, in_force_notes, stranger,
};
use super::{agent_name, confirmation, seen};
use crate::app::answer::Answer;
use crate::app::problem::Problem;
use crate::app::{Ctx, WriteMode};
use crate::core::environment::Environment;
use crate::core::ledger::LedgerName;
use crate::core::routing::apply::{Applied, Apply};
use crate::core::routing::text;

/// A request to put an override in force.
pub struct Request<'r> {
    pub agent: &'r str,
    pub reason: &'r text::Note,
    pub basis: Basis<'r>,
    /// Set if the caller confirms that the agent may be one that reviews across everything.
    pub confirmed: bool,
    /// The environment, which says where the roster is.
    pub environment: &'r Environment,
}

/// Puts an override in force, or updates the one that is in force.
pub fn apply(ctx: &Ctx, request: &Request<'_>) -> Result<Answer<Body>, Problem> {
    let agent = agent_name(ctx, request.agent)?;
    let confirmation = confirmation(ctx, &agent, request.confirmed);
    let command = Apply {
        seen: seen(ctx, &agent)?,
        agent: agent.clone(),
        reason: request.reason.clone(),
        evidence: each_once(request.basis.evidence),
        scope: request.basis.scope(ctx)?,
        source: request.basis.source.clone(),
        confirmation,
    };
    let committed = ctx.transact(LedgerName::Overrides, command, WriteMode::Plain)?;
    let mut notes = Vec::new();
    let answer = Answer::committed(committed, |applied| match applied {
        Applied::New(made) => {
            notes.extend(stranger(ctx, request.environment, &agent));
            notes.extend(in_force_notes(&made, confirmation.cross_cutting));
            Body::from(*made)
        }
        Applied::Updated(entry) => Body::of(Became::Updated, *entry),
        Applied::Already { entry, by, raced } => {
            let whose = if raced || by != *ctx.actor() { " by another session" } else { "" };
            let earlier = Earlier { by, message: format!("already applied{whose}") };
            Body { earlier: Some(earlier), ..Body::of(Became::Already, *entry) }
        }
    });
    let of_scope = everywhere(&answer.body.entry);
    Ok(answer.noting(notes).noting(of_scope))
}

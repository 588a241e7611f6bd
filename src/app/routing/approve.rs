//! Approves a proposal, so that it comes into force.

use super::change::{Became, Body, in_force_notes};
use super::{agent_name, confirmation, seen_override};
use crate::app::answer::{Answer, Note};
use crate::app::problem::Problem;
use crate::app::{Ctx, WriteMode};
use crate::core::ledger::LedgerName;
use crate::core::routing::approve::{Approve, Approved};

/// A request to approve a proposal.
pub struct Request<'r> {
    pub agent: &'r str,
    /// Set if the caller confirms that the agent may be one that reviews across everything.
    pub confirmed: bool,
}

/// Puts a proposal in force.
pub fn approve(ctx: &Ctx, request: &Request<'_>) -> Result<Answer<Body>, Problem> {
    let agent = agent_name(ctx, request.agent)?;
    let confirmation = confirmation(ctx, &agent, request.confirmed);
    let seen = Some(seen_override(ctx, &agent)?);
    let command = Approve { agent, confirmation, seen };
    let committed = ctx.transact(LedgerName::Overrides, command, WriteMode::Plain)?;
    let mut notes = Vec::new();
    let answer = Answer::committed(committed, |approved| match approved {
        Approved::New(made) => {
            if made.proposed_by.as_ref() == Some(ctx.actor()) {
                let text = "you approve your own proposal; a second pair of eyes is better";
                notes.push(Note::warning(text));
            }
            notes.extend(in_force_notes(&made, confirmation.cross_cutting));
            Body::from(*made)
        }
        Approved::Already(entry) => Body::of(Became::Already, *entry),
    });
    Ok(answer.noting(notes))
}

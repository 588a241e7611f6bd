//! Adds instructions to agents, within a budget.

use schemars::JsonSchema;
use serde::Serialize;

use super::change::each_once;
use super::{agent_name, some_agent};
use crate::app::answer::Answer;
use crate::app::error::AppError;
use crate::app::problem::Problem;
use crate::app::{Ctx, WriteMode};
use crate::core::ledger::LedgerName;
use crate::core::routing::index;
use crate::core::routing::names::{EvidenceRef, OverlayId, Word};
use crate::core::routing::overlay::{AddOverlay, DisableOverlay, Overlay, OverlayAdded, tokens};
use crate::core::routing::text;

/// An overlay to add.
pub struct AddRequest<'r> {
    pub agent: &'r str,
    pub id: &'r OverlayId,
    pub text: &'r text::Body,
    pub evidence: &'r [EvidenceRef],
    /// `human`, or the name of a program, which is refused.
    pub source: &'r Word,
}

/// The answer to `override overlay add`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AddedOverlay")]
pub struct AddBody {
    pub overlay: Overlay,
    /// The tokens that all active overlays of the agent cost.
    pub tokens: u64,
    /// True if it was there already, and stays as it was.
    pub was_there: bool,
}

/// The answer to `override overlay disable`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "DisabledOverlay")]
pub struct DisableBody {
    pub overlay: Overlay,
}

/// The answer to `override overlay list`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OverlayList")]
pub struct ListBody {
    pub overlays: Vec<Overlay>,
    /// The tokens that the active overlays cost.
    pub tokens: u64,
}

/// Adds an overlay, or replaces its text.
pub fn add(ctx: &Ctx, request: &AddRequest<'_>) -> Result<Answer<AddBody>, Problem> {
    let command = AddOverlay {
        agent: agent_name(ctx, request.agent)?,
        id: request.id.clone(),
        body: request.text.clone(),
        evidence: each_once(request.evidence),
        source: request.source.clone(),
    };
    let committed = ctx.transact(LedgerName::Overrides, command, WriteMode::Plain)?;
    Ok(Answer::committed(committed, |added| {
        let OverlayAdded { overlay, tokens, was_there } = added;
        AddBody { overlay, tokens, was_there }
    }))
}

/// Switches an overlay off; its text stays.
pub fn disable(ctx: &Ctx, agent: &str, id: &OverlayId) -> Result<Answer<DisableBody>, Problem> {
    let command = DisableOverlay { agent: agent_name(ctx, agent)?, id: id.clone() };
    let committed = ctx.transact(LedgerName::Overrides, command, WriteMode::Plain)?;
    Ok(Answer::committed(committed, |overlay| DisableBody { overlay }))
}

/// Lists the overlays of one agent or of all.
pub fn list(ctx: &Ctx, agent: Option<&str>) -> Result<Answer<ListBody>, Problem> {
    let agent = some_agent(ctx, agent)?;
    let reading = ctx.read_ledger(LedgerName::Overrides)?;
    let mut overlays = index::overlays(&reading.base.snapshot).map_err(AppError::from)?;
    overlays.retain(|overlay| agent.as_ref().is_none_or(|agent| overlay.agent == *agent));
    Ok(Answer::read(ListBody { tokens: tokens(&overlays), overlays }, reading.now))
}

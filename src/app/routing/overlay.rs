//! Adds instructions to agents, within a budget.

use schemars::JsonSchema;
use serde::Serialize;

use super::change::each_once;
use super::{agent_name, some_agent};
use crate::app::answer::Answer;
use crate::app::error::AppError;
use crate::app::next::command;
use crate::app::problem::Problem;
use crate::app::{Ctx, WriteMode};
use crate::core::ids::AgentName;
use crate::core::ledger::LedgerName;
use crate::core::refusal::Refusal;
use crate::core::routing::index;
use crate::core::routing::names::{EvidenceRef, OverlayId, Word};
use crate::core::routing::overlay::{AddOverlay, DisableOverlay, Overlay, OverlayAdded, tokens};
use crate::core::routing::{refusal, text};
use crate::core::seen::Seen;

/// An overlay to add.
pub struct AddRequest<'r> {
    pub agent: &'r str,
    pub id: &'r OverlayId,
    pub text: &'r text::Body,
    pub evidence: &'r [EvidenceRef],
    /// `human`, or the name of a program, which is refused.
    pub source: &'r Word,
    /// Set to replace an overlay of another agent.
    pub replace: bool,
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
    /// The author of the overlay that it replaced, if that was another agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced: Option<AgentName>,
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
        replace: request.replace,
    };
    let committed = ctx.transact(LedgerName::Overrides, command, WriteMode::Plain);
    let committed = committed.map_err(|error| match &error {
        AppError::Refused(Refusal::Routing(refusal::Refusal::OverlayOfAnother { .. })) => {
            Problem::from(error).with_next(replacing(request))
        }
        _ => error.into(),
    })?;
    Ok(Answer::committed(committed, |added| {
        let OverlayAdded { overlay, tokens, was_there, replaced } = added;
        AddBody { overlay, tokens, was_there, replaced }
    }))
}

/// Writes the request again, as a command that replaces the overlay of another agent.
fn replacing(request: &AddRequest<'_>) -> Vec<String> {
    let text = format!("--text={}", request.text.as_str());
    let mut words = vec!["override", "overlay", "add", "--replace", &text];
    let evidence = format!("--evidence={}", serde_json::json!(request.evidence));
    if !request.evidence.is_empty() {
        words.push(&evidence);
    }
    command(&[&words[..], &["--", request.agent, request.id.as_str()]].concat())
}

/// Switches an overlay off; its text stays.
pub fn disable(ctx: &Ctx, agent: &str, id: &OverlayId) -> Result<Answer<DisableBody>, Problem> {
    let agent = agent_name(ctx, agent)?;
    let reading = ctx.read_ledger(LedgerName::Overrides)?;
    let all = index::overlays_of(&reading.base.snapshot, &agent).map_err(AppError::from)?;
    let seen = Some(Seen::of(all.iter().find(|overlay| overlay.id == *id)));
    let command = DisableOverlay { agent, id: id.clone(), seen };
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

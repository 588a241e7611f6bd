//! Reverts overrides.

use schemars::JsonSchema;
use serde::Serialize;

use super::{seen_override, target};
use crate::app::answer::{self, Answer};
use crate::app::problem::Problem;
use crate::app::{Ctx, WriteMode};
use crate::core::ledger::LedgerName;
use crate::core::routing::names::RoutedName;
use crate::core::routing::revert::{Revert, Reverted, Target};
use crate::core::routing::text::Note;
use crate::core::routing::{Block, Override};

/// A request to revert.
pub struct Request<'r> {
    /// An agent, or the beginning of the name of an entry or an act.
    pub target: &'r str,
    pub reason: Option<&'r Note>,
    /// Set to block further overrides of the agent.
    pub block: bool,
    pub dry_run: bool,
}

/// The answer to `override revert`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RevertedOverrides")]
pub struct Body {
    /// The agents whose override is gone or, in a dry run, would be.
    pub reverted: Vec<RoutedName>,
    /// The overlays that were switched off, each as agent and name.
    pub overlays: Vec<String>,
    /// The blocks that were set.
    pub blocked: Vec<Block>,
    /// True if programs may no longer act by themselves because too much had to be reverted.
    pub autonomy_off: bool,
    pub dry_run: bool,
    /// The overrides themselves, for people.
    #[serde(skip)]
    pub overrides: Vec<Override>,
    /// Set if the caller named an entry or an act, for people.
    #[serde(skip)]
    pub is_act: bool,
}

/// Reverts the target. A target that does not exist is no error.
pub fn revert(ctx: &Ctx, request: &Request<'_>) -> Result<Answer<Body>, Problem> {
    let target = target(ctx, request.target)?;
    let is_act = matches!(target, Target::Act(_));
    let reason = || {
        let usual = || Note::new("reverted").expect("a plain word is a note");
        request.reason.cloned().unwrap_or_else(usual)
    };
    let block = request.block.then(reason);
    let seen = match &target {
        Target::Agent(agent) => Some(seen_override(ctx, agent)?),
        Target::Act(_) => None,
    };
    let command = Revert { target, reason: request.reason.cloned(), block, seen };
    let body = |reverted: Reverted| Body {
        reverted: reverted.overrides.iter().map(|entry| entry.agent.clone()).collect(),
        overlays: reverted.overlays,
        blocked: reverted.blocks,
        autonomy_off: reverted.autonomy_off,
        dry_run: request.dry_run,
        overrides: reverted.overrides,
        is_act,
    };
    let answer = if request.dry_run {
        Answer::read(body(ctx.decide_only(LedgerName::Overrides, command)?), ctx.clock())
    } else {
        Answer::committed(ctx.transact(LedgerName::Overrides, command, WriteMode::Plain)?, body)
    };
    let warning = "autonomy is off now: too many agents had to be taken back";
    let note = answer.body.autonomy_off.then(|| answer::Note::warning(warning));
    Ok(answer.noting(note))
}

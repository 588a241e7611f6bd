//! The trailers of an agent's commits.

use std::path::Path;

use super::commit::staged;
use crate::app::error::AppError;
use crate::app::identity::ActorKind;
use crate::app::{Ctx, edits};
use crate::core::environment::Environment;
use crate::store::changes::pushed::AGENT_TRAILER;

/// Below this line, as git writes it after the comment character, nothing belongs to the message.
const SCISSORS: &str = " ------------------------ >8 ------------------------";

/// `prepare-commit-msg`: says in the message who commits, and the fence that covers it.
///
/// `source` is git's word for where the message comes from. A merge is nobody's edit. A message
/// that is yet to be written stays as it is: git gives up a commit whose author leaves the editor
/// without a word, and a trailer would be one.
pub fn sign(
    ctx: &Ctx,
    environment: &Environment,
    message: &Path,
    source: Option<&str>,
) -> Result<(), AppError> {
    let is_signed = matches!(source, Some("message" | "commit" | "squash"));
    let by_agent = ctx.identity().kind == ActorKind::Agent;
    if !is_signed || !by_agent || !ctx.settings().hook.trailers || is_blank(message) {
        return Ok(());
    }
    let mut trailers = vec![format!("{AGENT_TRAILER}: {}", ctx.actor())];
    let fence = edits::fence(ctx, &staged(ctx, environment)?)?;
    trailers.extend(fence.map(|fence| format!("Coord-Fence: {fence}")));
    Ok(ctx.repository().add_trailers(message, &trailers)?)
}

/// Whether there is nothing in the message but comments. What cannot be read is left alone.
fn is_blank(message: &Path) -> bool {
    let Ok(text) = std::fs::read(message) else { return true };
    let text = String::from_utf8_lossy(&text);
    let mut lines = text.lines().take_while(|line| !line.ends_with(SCISSORS));
    lines.all(|line| line.trim().is_empty() || line.starts_with('#'))
}

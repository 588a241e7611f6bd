//! The trailers of an agent's commits.

use std::path::Path;

use super::commit::staged_paths;
use super::literal;
use crate::app::error::AppError;
use crate::app::identity::ActorKind;
use crate::app::{Ctx, edits};
use crate::core::environment::Environment;
use crate::core::pattern::Pattern;
use crate::store::worktree::changes::pushed::AGENT_TRAILER;

/// Below this line, as git writes it after the comment character, nothing belongs to the message.
const SCISSORS: &str = " ------------------------ >8 ------------------------";

/// The source of a message, in git's words.
#[derive(Clone, Copy, Debug, Default)]
pub struct Source<'a> {
    pub kind: Option<&'a str>,
    /// The commit that the message is taken from.
    pub commit: Option<&'a str>,
}

/// Names the agent that commits in the message, and the fence that covers the commit.
///
/// A merge is nobody's edit. A message that is yet to be written stays as it is: git gives up a
/// commit whose author leaves the editor without a word, and a trailer would be one.
pub(super) fn sign(
    ctx: &Ctx,
    environment: &Environment,
    message: &Path,
    source: Source<'_>,
) -> Result<(), AppError> {
    let Source { kind, commit } = source;
    let reuses_head = kind == Some("commit") && commit == Some("HEAD");
    let is_signed = matches!(kind, Some("message" | "commit" | "squash"));
    let by_agent = ctx.identity().kind == ActorKind::Agent;
    if !is_signed || !by_agent || !ctx.settings().hook.trailers || is_blank(message) {
        return Ok(());
    }
    let mut trailers = vec![format!("{AGENT_TRAILER}: {}", ctx.actor())];
    let fence = edits::fence(ctx, &signed_paths(ctx, environment, reuses_head)?)?;
    trailers.extend(fence.map(|fence| format!("Coord-Fence: {fence}")));
    Ok(ctx.repository().add_trailers(message, &trailers)?)
}

/// Lists what the commit changes. Git does not tell a hook that a commit is amended: one that takes
/// its message from `HEAD`, or that would change nothing, stands in the place of that one.
fn signed_paths(
    ctx: &Ctx,
    environment: &Environment,
    reuses_head: bool,
) -> Result<Vec<Pattern>, AppError> {
    let mut paths = staged_paths(ctx, environment)?;
    if paths.is_empty() || reuses_head {
        let amended = if ctx.repository().changes().is_before_first_commit()? {
            None
        } else {
            ctx.repository().changes().committed()?
        };
        paths.extend(amended.map(|(_, amended)| literal(&amended)).unwrap_or_default());
    }
    Ok(paths)
}

/// Tells whether there is nothing in the message but comments. A file that cannot be read is left
/// alone.
fn is_blank(message: &Path) -> bool {
    let Ok(text) = std::fs::read(message) else { return true };
    let text = String::from_utf8_lossy(&text);
    let mut lines = text.lines().take_while(|line| !line.ends_with(SCISSORS));
    lines.all(|line| line.trim().is_empty() || line.starts_with('#'))
}

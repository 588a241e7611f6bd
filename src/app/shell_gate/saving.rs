//! Saves what a command throws away when it goes ahead: files, and commits that it drops.

use super::commit_authors::meant;
use crate::app::Ctx;
use crate::app::error::AppError;
use crate::app::rescue::keep::{self, Kept, Occasion};
use crate::app::rescue::view::DroppedView;
use crate::core::rescue::{DroppedFrom, Why};
use crate::core::shell::effect::{Commits, Effect};
use crate::core::shell::verdict::is_kept;
use crate::store::rescue::Snapshot;

/// The work that is saved before a command.
#[derive(Debug, Default)]
pub struct Saved {
    /// Uncommitted files.
    pub files: Vec<Kept>,
    /// Commits that the command drops.
    pub commits: Vec<DroppedView>,
}

/// Saves files of a work tree before a command.
pub(super) fn save_files(
    here: &Ctx,
    command: &str,
    is_chosen: impl Fn(&[u8]) -> bool,
    saved: &mut Saved,
) -> Result<(), AppError> {
    let occasion = Occasion { command: Some(command), ..Occasion::of(Why::Verb) };
    saved.files.extend(keep::uncommitted(here, occasion, is_chosen)?);
    Ok(())
}

/// Saves the commits that a command drops.
pub(super) fn save_commits(
    here: &Ctx,
    command: &str,
    effect: &Effect,
    saved: &mut Saved,
) -> Result<(), AppError> {
    let occasion = Occasion { command: Some(command), ..Occasion::of(Why::Verb) };
    let kept = keep_commits(here, effect, occasion)?;
    saved.commits.extend(kept.as_ref().and_then(DroppedView::of));
    Ok(())
}

/// Keeps what an effect drops and no branch, no tag and no other entry of the stash leads to.
fn keep_commits(
    ctx: &Ctx,
    effect: &Effect,
    occasion: Occasion<'_>,
) -> Result<Option<Snapshot>, AppError> {
    let Some(commits) = effect.commits.as_ref().filter(|_| effect.rule.drops_commits()) else {
        return Ok(None);
    };
    let found = meant(ctx, commits)?;
    let known = ctx.commit_authors().all()?;
    let authors: Vec<_> = found.iter().map(|commit| known.get(commit).cloned()).collect();
    if !is_kept(effect, ctx.actor(), &authors) {
        return Ok(None);
    }
    let (from, kept, oldest) = match commits {
        Commits::StashEntry(_) | Commits::Stash => (DroppedFrom::Stash, &found[..], found.first()),
        // The newest leads to the others.
        Commits::Head | Commits::OnlyOn { .. } | Commits::LeftBehind { .. } => {
            (DroppedFrom::Branch, &found[..1], found.last())
        }
    };
    let base = oldest.and_then(|oldest| ctx.repository().first_parent(oldest));
    keep::commits(ctx, from, kept.to_vec(), base, occasion)
}

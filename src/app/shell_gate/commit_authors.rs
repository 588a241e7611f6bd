//! The authors of the commits that a command would take away.

use super::{Hit, How, Refusal};
use crate::app::Ctx;
use crate::app::error::AppError;
use crate::app::next::can_be_typed;
use crate::app::presence;
use crate::core::shell::effect::{Commits, Effect};
use crate::core::shell::verdict::CommitAuthor;
use crate::store::git::object::ObjectId;

/// Finds the agents that made commits, as far as this machine knows.
pub(super) fn authors(ctx: &Ctx, commits: &Commits) -> Result<Vec<CommitAuthor>, AppError> {
    let known = ctx.commit_authors().all()?;
    if known.is_empty() {
        return Ok(Vec::new());
    }
    let author = |commit: &ObjectId| {
        let agent = known.get(commit)?.clone();
        Some(CommitAuthor { turn: presence::turn(ctx, &agent), agent, commit: commit.short() })
    };
    Ok(meant(ctx, commits)?.iter().filter_map(author).collect())
}

/// Finds the commits that a command is about, the newest first.
pub(super) fn meant(ctx: &Ctx, commits: &Commits) -> Result<Vec<ObjectId>, AppError> {
    let repository = ctx.repository();
    Ok(match commits {
        Commits::Head | Commits::LeftBehind { target: None } => {
            repository.head_commit()?.into_iter().collect()
        }
        Commits::LeftBehind { target: Some(target) } => repository.commits_left_behind(target)?,
        Commits::OnlyOn { branch, target } => {
            repository.commits_only_on(branch, target.as_deref())?
        }
        Commits::StashEntry(number) => {
            let place = usize::try_from(*number).unwrap_or(usize::MAX);
            repository.stash_entries()?.get(place).copied().into_iter().collect()
        }
        Commits::Stash => repository.stash_entries()?,
    })
}

/// Refuses a command that would take commits of others away.
pub(super) fn refusal(
    command: Vec<String>,
    effect: &Effect,
    kept: &[&CommitAuthor],
    ctx: &Ctx,
) -> Refusal {
    let hit = |author: &&CommitAuthor| Hit {
        path: author.commit.clone(),
        agent: author.agent.clone(),
        since: ctx.clock(),
        how: How::Made(author.turn),
    };
    let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
    let instead = match &effect.commits {
        Some(Commits::Head) => vec![words(&["git", "commit"])],
        Some(Commits::OnlyOn { branch, .. }) if can_be_typed(branch) => {
            vec![words(&["git", "branch", "-d", "--", branch])]
        }
        Some(Commits::StashEntry(_) | Commits::Stash) => vec![words(&["git", "stash", "list"])],
        Some(Commits::OnlyOn { .. } | Commits::LeftBehind { .. }) | None => Vec::new(),
    };
    Refusal {
        command,
        does: effect.rule.does(),
        hits: kept.iter().map(hit).collect(),
        instead,
        ask: Vec::new(),
        adopt: Vec::new(),
        at: ctx.clock(),
    }
}

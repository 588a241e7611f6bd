//! Pushes that would publish paths which other agents hold.

use std::collections::HashMap;

use crate::app::error::AppError;
use crate::app::{Ctx, edits};
use crate::core::ids::AgentName;
use crate::core::pattern::Pattern;
use crate::core::reservation::fence::Overtaken;
use crate::store::git::object::ObjectId;
use crate::store::worktree::changes::pushed::{Pushed, PushedCommit};

/// Finds the paths of a push that others hold, except those that only their holders have changed.
pub fn held_by_others(
    ctx: &Ctx,
    pushed: &Pushed,
    paths: &[Pattern],
) -> Result<Vec<Overtaken>, AppError> {
    let mut held = edits::held_by_others(ctx, paths)?;
    if held.is_empty() {
        return Ok(held);
    }
    let noted = ctx.commit_authors().all()?;
    let authors: Vec<Authors> =
        pushed.commits.iter().map(|commit| Authors::of(commit, &noted)).collect();
    held.retain(|overtaken| {
        let commits = commits_of(pushed, &overtaken.path);
        let is_own = |number: &usize| {
            authors.get(*number).is_some_and(|authors| authors.are_one_with(overtaken))
        };
        commits.is_empty() || !commits.iter().all(is_own)
    });
    Ok(held)
}

/// Finds the commits that change a path, or files below it if the path stands for deeper ones.
fn commits_of(pushed: &Pushed, path: &Pattern) -> Vec<usize> {
    let path = path.literal_path().unwrap_or_default();
    if let Some(commits) = pushed.paths.get(&path) {
        return commits.clone();
    }
    let is_below = |(found, _): &(&Vec<u8>, &Vec<usize>)| {
        found.strip_prefix(&path[..]).is_some_and(|rest| rest.starts_with(b"/"))
    };
    pushed.paths.iter().filter(is_below).flat_map(|(_, commits)| commits.clone()).collect()
}

/// The agents that made a commit; none where they are not known.
struct Authors(Vec<AgentName>);

impl Authors {
    /// Finds the authors of a commit: those that its trailers name, wherever it came from, or else
    /// the one that was noted on this machine.
    fn of(commit: &PushedCommit, noted: &HashMap<ObjectId, AgentName>) -> Authors {
        if commit.made_by.is_empty() {
            return Authors(noted.get(&commit.id).cloned().into_iter().collect());
        }
        let named: Result<Vec<AgentName>, _> =
            commit.made_by.iter().map(|name| name.parse()).collect();
        Authors(named.unwrap_or_default())
    }

    fn are_one_with(&self, overtaken: &Overtaken) -> bool {
        let holder = &overtaken.by.holder;
        !self.0.is_empty() && self.0.iter().all(|author| author.is_one_with(holder))
    }
}

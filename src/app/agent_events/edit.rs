//! Before and after an edit of one file.

use std::path::Path;

use crate::app::error::AppError;
use crate::app::negotiation::view::RequestView;
use crate::app::ownership::{Owned, adopt};
use crate::app::presence::HolderLiveness;
use crate::app::{Ctx, edits, news, ownership, specs};
use crate::core::negotiation::Message;
use crate::core::pattern::Pattern;
use crate::core::refusal::Conflict;
use crate::core::time::Timestamp;

/// The answer before an edit.
#[derive(Debug)]
pub enum Answer {
    /// The file is outside of the repository, or ignored: nobody coordinates it.
    Uncoordinated,
    Granted(Granted),
    Refused(Refused),
}

/// An edit that may be made, with what the agent is to know.
#[derive(Debug)]
pub struct Granted {
    /// The owners of uncommitted changes in the file that may come back.
    pub changed_before: Vec<Owned>,
    /// Those that have died, whose changes are the agent's now.
    pub taken_over: Vec<Owned>,
    /// The reservations of agents that edit the same file in another worktree.
    pub edited_elsewhere: Vec<Conflict>,
    /// Warnings of the write.
    pub notices: Vec<String>,
    /// Messages that the file was taken from the agent, which it was not told of.
    pub taken: Vec<Message>,
    /// Requests to the agent that it was not told of at their present stage.
    pub requests: Vec<RequestView>,
    /// The time of the decision.
    pub at: Timestamp,
}

/// An edit of a file that others hold.
#[derive(Debug)]
pub struct Refused {
    pub conflicts: Vec<Conflict>,
    pub liveness: Box<HolderLiveness>,
    /// Messages that the file was taken from the agent.
    pub taken: Vec<Message>,
    /// The time of the decision.
    pub at: Timestamp,
}

/// Decides about an edit. Reserving the path is the gate: nothing that is read before decides
/// anything, so nothing can change between a look and the edit.
pub fn begins(ctx: &Ctx, path: &Path) -> Result<Answer, AppError> {
    let Some(file) = specs::file(ctx.repository(), path)? else {
        return Ok(Answer::Uncoordinated);
    };
    let specs::File { path, held: file } = file;
    let before = ctx.notes().get(ctx.actor(), &file)?;
    let is_first = before.as_ref().is_none_or(|before| before.by_shell || before.lost);
    // A file that passed before is not ignored, and looking that up is faster than asking git.
    let is_ignored = before.is_none() && ctx.repository().is_ignored(&path)?;
    if is_ignored {
        return Ok(Answer::Uncoordinated);
    }
    let reading = ctx.read()?;
    let news = news::before_edit(ctx, &reading, &file);
    match edits::edit(ctx, reading, &file, before) {
        Ok(edited) => {
            let others = if is_first { others_in(ctx, &file) } else { Others::default() };
            news.remember(ctx);
            Ok(Answer::Granted(Granted {
                changed_before: others.living,
                taken_over: others.dead,
                edited_elsewhere: edited.reserved.edited_elsewhere,
                notices: edited.notices,
                taken: news.untold_taken().into_iter().cloned().collect(),
                requests: news.requests,
                at: edited.at,
            }))
        }
        Err(AppError::Held { conflicts, at, liveness, .. }) => {
            Ok(Answer::Refused(Refused { conflicts, liveness, taken: news.taken, at }))
        }
        Err(error) => Err(error),
    }
}

/// Notes that an edit is done. A file outside of the repository needs no note.
pub fn ends(ctx: &Ctx, path: &Path) -> Result<(), AppError> {
    match specs::file(ctx.repository(), path)? {
        Some(file) => edits::made(ctx, &file.held),
        None => Ok(()),
    }
}

/// The owners of uncommitted changes in a file that another agent edits.
#[derive(Default)]
struct Others {
    /// Those that may come back.
    living: Vec<Owned>,
    /// Those that have died, whose changes are the editing agent's now.
    dead: Vec<Owned>,
}

/// Finds whose uncommitted changes are in a file. All of it is for information: if it cannot be
/// had, the commit is checked all the same.
fn others_in(ctx: &Ctx, file: &Pattern) -> Others {
    let mut living = ownership::of_others_in(ctx, file).unwrap_or_default();
    let dead = adopt::from_the_dead(ctx, &living).unwrap_or_default();
    living.retain(|owned| !dead.contains(owned));
    Others { living, dead }
}

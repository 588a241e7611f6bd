//! Finds the changes of others that a commit would take along, and edits that were made on another
//! branch.

use std::collections::BTreeMap;

use super::{Judged, Owned, Turns, judge};
use crate::app::error::AppError;
use crate::app::{Ctx, dead_holders};
use crate::core::ids::AgentName;
use crate::core::ownership::Note;
use crate::core::ownership::standing::Standing;
use crate::core::ownership::sweep::{is_shared, taken_along};
use crate::core::ownership::turn::Turn;
use crate::core::pattern::{self, Case, Pattern};
use crate::core::reservation::paths::{PathKind, Paths};
use crate::core::reservation::{Hold, Target, index};
use crate::core::text::Line;
use crate::store::worktree::changes::staged::StagedPath;

/// The findings about a commit.
#[derive(Debug, Default)]
pub struct Sweep {
    /// The changes of others that it would take along.
    pub taken: Vec<Owned>,
    /// Those of them whose owners said that they end.
    pub leftovers: Vec<Owned>,
    /// The staged paths that are the committer's or nobody's.
    pub rest: Vec<Pattern>,
    /// The committer's own edits that were made on another branch.
    pub moved: Option<Moved>,
}

/// Edits on one branch that are about to be committed on another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    pub paths: Vec<Pattern>,
    pub edited_on: Line,
    /// The branch that is checked out now; none if there is none.
    pub head_on: Option<Line>,
}

/// Finds what a commit of these paths would take along. Only reads.
pub fn of_commit(ctx: &Ctx, staged: &[StagedPath]) -> Result<Sweep, AppError> {
    let mut sweep = Sweep::default();
    let named: Vec<(Pattern, &StagedPath)> = staged
        .iter()
        .filter_map(|staged| Some((pattern::for_path(&staged.path)?, staged)))
        .collect();
    let paths: Vec<Pattern> = named.iter().map(|(path, _)| path.clone()).collect();
    let judged = judge(ctx, ctx.notes().on(&paths)?)?;
    let mut by_path: BTreeMap<&Pattern, Vec<(&Note, Standing)>> = BTreeMap::new();
    for Judged { note, standing } in &judged {
        by_path.entry(&note.path).or_default().push((note, *standing));
    }
    let mut turns = Turns::of(ctx);
    for (path, staged) in &named {
        let notes = by_path.get(path).map(Vec::as_slice).unwrap_or_default();
        let mut taken = taken_along(ctx.actor(), &staged.content, notes);
        if !taken.is_empty() {
            let sharing = Sharing::of(ctx, path)?;
            taken.retain(|note| !sharing.has(&note.agent));
        }
        if taken.is_empty() {
            sweep.rest.push(path.clone());
        }
        for note in taken {
            let owned = Owned { turn: turns.turn(&note.agent), note: note.clone() };
            let is_left = owned.turn == Turn::Ended;
            if is_left { &mut sweep.leftovers } else { &mut sweep.taken }.push(owned);
        }
    }
    sweep.moved = moved(ctx, &judged);
    Ok(sweep)
}

/// The agents that share a path with the one that asks.
pub struct Sharing<'c> {
    ctx: &'c Ctx,
    path: Target,
    meeting: Vec<Hold>,
    case: Case,
}

impl<'c> Sharing<'c> {
    /// Reads the live holds on a file.
    pub fn of(ctx: &'c Ctx, file: &Pattern) -> Result<Sharing<'c>, AppError> {
        let reading = ctx.read()?;
        let path = Target::Paths(Paths::new(file.clone(), Some(PathKind::File)));
        let mut meeting = index::meeting(&reading.base.snapshot, &path, reading.case)?;
        dead_holders::keep_live(ctx, &mut meeting, reading.now);
        Ok(Sharing { ctx, path, meeting, case: reading.case })
    }

    /// Tells whether the agent shares the file.
    pub fn has(&self, agent: &AgentName) -> bool {
        is_shared([self.ctx.actor(), agent], &self.path, &self.meeting, self.case.into())
    }
}

/// Finds the committer's own edits that were made on another branch, unless a command of its own
/// has changed the branch, or nothing tells who has.
fn moved(ctx: &Ctx, judged: &[Judged]) -> Option<Moved> {
    let head_on = ctx.repository().branch();
    let is_elsewhere = |judged: &&Judged| {
        let Judged { note, standing } = judged;
        let is_own = note.agent.is_one_with(ctx.actor()) && *standing == Standing::Owned;
        is_own && note.branch.is_some() && note.branch != head_on
    };
    let elsewhere: Vec<&Note> =
        judged.iter().filter(is_elsewhere).map(|judged| &judged.note).collect();
    let edited_on = elsewhere.first()?.branch.clone()?;
    // A renamed branch is the same branch.
    let is_there = ctx.repository().has_branch(edited_on.as_str());
    let was_moved = is_there && !ctx.repository().changes().is_replay();
    if !was_moved || !was_moved_by_another(ctx, &elsewhere) {
        return None;
    }
    let on_it = elsewhere.into_iter().filter(|note| note.branch.as_ref() == Some(&edited_on));
    Some(Moved { paths: on_it.map(|note| note.path.clone()).collect(), edited_on, head_on })
}

/// Tells whether the branch was changed while no tool call of the committer was open. After a shell
/// command that has changed the branch, the notes name the new one; a call that is still open may
/// be that command.
fn was_moved_by_another(ctx: &Ctx, notes: &[&Note]) -> bool {
    let Some(moved_at) = ctx.repository().head_moved_at() else { return false };
    let own = notes.iter().map(|note| &note.agent).chain([ctx.actor()]);
    let mut agents: Vec<_> = own.flat_map(|agent| [agent.clone(), agent.session()]).collect();
    agents.sort();
    agents.dedup();
    let began_before = |agent: &_| {
        let open = ctx.presences().open_tool_calls(agent).open();
        open.iter().any(|began| began.as_seconds() <= moved_at)
    };
    !agents.iter().any(began_before)
}

/// Notes that the newest entry of the stash is the agent's, after a command of the agent's has
/// written to the stash.
pub fn note_stash(ctx: &Ctx) -> Result<(), AppError> {
    let Some(newest) = ctx.repository().stash_entries()?.first().copied() else { return Ok(()) };
    if !ctx.commit_authors().all()?.contains_key(&newest) {
        ctx.commit_authors().note(&newest, ctx.actor())?;
    }
    Ok(())
}

/// Names the branch that is checked out now in the agent's notes, after its own shell command has
/// changed it.
pub fn follow_branch(ctx: &Ctx) -> Result<(), AppError> {
    let branch = ctx.repository().branch();
    let notes = ctx.notes();
    let is_own = |note: &&Note| note.agent.is_one_with(ctx.actor()) && note.branch != branch;
    for note in notes.all()?.iter().filter(is_own) {
        notes.put(&Note { branch: branch.clone(), ..note.clone() })?;
    }
    Ok(())
}

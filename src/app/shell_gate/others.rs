//! The uncommitted work in a work tree: that of others, and the agent's own.

use std::borrow::Cow;

use crate::app::edits;
use crate::app::error::AppError;
use crate::app::ownership::sweep::Sharing;
use crate::app::ownership::{self, Owned};
use crate::app::presence::LivenessProbe;
use crate::app::{Ctx, dead_holders, presence};
use crate::core::ids::AgentName;
use crate::core::ownership::Note;
use crate::core::ownership::turn::Turn;
use crate::core::pattern::{Case, Pattern, for_path};
use crate::core::reservation::{Hold, Mode, Via, index};
use crate::core::shell::effect::Rule;
use crate::core::shell::verdict::{Change, Others, Present};
use crate::core::time::Timestamp;
use crate::store::machine::presence::Presence;

/// The work in a work tree that no commit has.
pub(super) struct Work {
    pub(super) others: Others,
    /// The changed paths of the agent that asks.
    pub(super) own: Vec<Vec<u8>>,
    pub(super) case: Case,
    pub(super) at: Timestamp,
}

impl Work {
    /// Returns the work of others, with those who are at work if the rule asks for them.
    pub(super) fn seen_by(&self, ctx: &Ctx, rule: Rule) -> Cow<'_, Others> {
        if rule != Rule::CleanIgnored {
            return Cow::Borrowed(&self.others);
        }
        let changed =
            |agent: &AgentName| self.others.changes.iter().any(|change| change.agent == *agent);
        let mut present = at_work_here(ctx);
        present.retain(|seen| !changed(&seen.agent));
        let present = present
            .into_iter()
            .map(|seen| Present { agent: seen.agent, seen_at: seen.last_seen })
            .collect();
        Cow::Owned(Others { present, ..self.others.clone() })
    }
}

/// Finds the work of others by the notes of their edits and by their live holds, as far as it still
/// differs from the commit.
pub(super) fn work(ctx: &Ctx) -> Result<Work, AppError> {
    let reading = ctx.read()?;
    let mut holds = index::all(&reading.base.snapshot)?;
    dead_holders::keep_live(ctx, &mut holds, reading.now);
    let about = edits::here(ctx);
    let is_foreign = |agent: &AgentName| !ctx.actor().is_one_with(agent);
    holds.retain(|hold| {
        is_foreign(&hold.holder) && hold.mode == Mode::Exclusive && !about.is_edit_elsewhere(hold)
    });
    let mut changes: Vec<Change> =
        ownership::of_others(ctx)?.iter().filter_map(uncommitted).collect();
    let (mut with_edits, by_command): (Vec<Hold>, Vec<Hold>) =
        holds.into_iter().partition(|hold| hold.about.via == Via::Hook);
    let is_anything = [changes.len(), with_edits.len(), by_command.len()] != [0; 3];
    let own = if is_anything { own(ctx)? } else { Vec::new() };
    with_edits.retain(|hold| !own.iter().any(|note| note.is_written_over(hold)));
    hold(&mut changes, &with_edits);
    let own: Vec<Vec<u8>> = own.iter().filter_map(|note| note.path.literal_path()).collect();
    let paths: Vec<&[u8]> = changes
        .iter()
        .map(|change| change.path.as_slice())
        .chain(own.iter().map(Vec::as_slice))
        .collect();
    let states = ctx.repository().states_of(&paths)?;
    let own = own.into_iter().filter(|path| states.contains_key(path)).collect();
    for change in &mut changes {
        change.state = states.get(&change.path).copied();
        if let Some(path) = for_path(&change.path) {
            change.is_shared = Sharing::of(ctx, &path)?.has(&change.agent);
        }
    }
    changes.retain(|change| change.state.is_some() || change.is_held);
    changes.sort_by(|one, other| one.path.cmp(&other.path));
    let others = Others { changes, holds: by_command, present: Vec::new() };
    Ok(Work { others, own, case: reading.case, at: reading.now })
}

/// Lists the other agents that work through hooks in this worktree, and are alive.
fn at_work_here(ctx: &Ctx) -> Vec<Presence> {
    let probe = LivenessProbe::new(ctx);
    let mut seen = ctx.presences().all();
    seen.retain(|seen| {
        seen.hooked
            && seen.worktree == ctx.worktree()
            && !ctx.actor().is_one_with(&seen.agent)
            && !presence::has_ended(ctx, &seen.agent)
            && probe.liveness(&seen.agent).is_some_and(|it| it.is_alive(ctx.clock()))
    });
    seen
}

/// Lists the notes on what the agent, its session or its subagents have changed.
fn own(ctx: &Ctx) -> Result<Vec<Note>, AppError> {
    let mut notes = ctx.notes().all()?;
    notes.retain(|note| !note.by_shell && ctx.actor().is_one_with(&note.agent));
    Ok(notes)
}

/// Turns an owned change into one whose state in git is not known yet.
fn uncommitted(Owned { note, turn }: &Owned) -> Option<Change> {
    Some(Change {
        path: note.path.literal_path()?,
        agent: note.agent.clone(),
        since: note.at,
        turn: *turn,
        state: None,
        is_held: false,
        is_shared: false,
    })
}

/// Adds the files that others hold because they edit them.
fn hold(changes: &mut Vec<Change>, holds: &[Hold]) {
    for hold in holds {
        let Some(path) = hold.target.pattern().and_then(Pattern::literal_path) else {
            continue;
        };
        let is_it = |change: &&mut Change| change.path == path && change.agent == hold.holder;
        match changes.iter_mut().find(is_it) {
            Some(change) => change.is_held = true,
            None => changes.push(Change {
                path,
                agent: hold.holder.clone(),
                since: hold.granted_at,
                turn: Turn::Running,
                state: None,
                is_held: true,
                is_shared: false,
            }),
        }
    }
}

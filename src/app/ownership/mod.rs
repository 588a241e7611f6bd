//! Uncommitted changes and their owners.
//!
//! The notes say who changed what; the work tree and the newest commit say what has become of it.
//! The rules are in `core::ownership`.

pub mod adopt;
pub mod changes;
pub mod lost;
pub mod sweep;
pub mod view;

use std::collections::{BTreeMap, BTreeSet};

use crate::app::error::AppError;
use crate::app::{Ctx, presence};
use crate::core::ids::AgentName;
use crate::core::ownership::lost::Loss;
use crate::core::ownership::standing::{Seen, Standing, standing};
use crate::core::ownership::turn::Turn;
use crate::core::ownership::{Content, Note, Via};
use crate::core::pattern::Pattern;
use crate::store::machine::presence::Presence;

/// A change that somebody owns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owned {
    pub note: Note,
    pub turn: Turn,
}

/// A note, and what has become of its change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    pub note: Note,
    pub standing: Standing,
}

/// Lists the uncommitted changes of others in this work tree, in the order of their paths. The
/// asker's own, those of its session and those of its subagents are left out.
pub fn of_others(ctx: &Ctx) -> Result<Vec<Owned>, AppError> {
    let mut notes = ctx.notes().all()?;
    notes.retain(|note| !note.agent.is_one_with(ctx.actor()));
    in_order(ctx, notes)
}

/// Lists the uncommitted changes of all agents in this work tree, in the order of their paths.
pub fn of_all(ctx: &Ctx) -> Result<Vec<Owned>, AppError> {
    in_order(ctx, ctx.notes().all()?)
}

fn in_order(ctx: &Ctx, notes: Vec<Note>) -> Result<Vec<Owned>, AppError> {
    let mut judged = judge(ctx, notes)?;
    tidy(ctx, &judged);
    judged.sort_by(|one, other| order(&one.note).cmp(&order(&other.note)));
    Ok(owned(ctx, judged))
}

/// Lists the uncommitted changes of others in a file that stay theirs when the agent edits it.
pub fn of_others_in(ctx: &Ctx, file: &Pattern) -> Result<Vec<Owned>, AppError> {
    let mut notes = ctx.notes().on(std::slice::from_ref(file))?;
    notes.retain(|note| note.via != Via::Shell && !note.agent.is_one_with(ctx.actor()));
    let judged = judge(ctx, notes)?;
    tidy(ctx, &judged);
    Ok(owned(ctx, judged))
}

/// Keeps the notes whose changes are in their files, and adds the turns of their agents.
pub(super) fn owned(ctx: &Ctx, judged: Vec<Judged>) -> Vec<Owned> {
    let mut turns = Turns::of(ctx);
    let owned = judged.into_iter().filter(|judged| judged.standing == Standing::Owned);
    owned.map(|Judged { note, .. }| Owned { turn: turns.turn(&note.agent), note }).collect()
}

fn order(note: &Note) -> (&Pattern, &AgentName) {
    (&note.path, &note.agent)
}

/// The turns of agents, each looked up once.
pub(super) struct Turns<'c> {
    ctx: &'c Ctx,
    known: BTreeMap<AgentName, Turn>,
}

impl<'c> Turns<'c> {
    pub(super) fn of(ctx: &'c Ctx) -> Turns<'c> {
        Turns { ctx, known: BTreeMap::new() }
    }

    pub(super) fn turn(&mut self, agent: &AgentName) -> Turn {
        let ctx = self.ctx;
        *self.known.entry(agent.clone()).or_insert_with(|| presence::turn(ctx, agent))
    }
}

/// Tells what has become of noted changes.
pub(super) fn judge(ctx: &Ctx, notes: Vec<Note>) -> Result<Vec<Judged>, AppError> {
    judge_by(ctx, notes, |in_doubt| Ok(ctx.repository().differing(in_doubt)?))
}

/// Tells what has become of noted changes. `differing` finds the paths in which git sees a
/// difference, among those whose bytes differ from the newest commit.
fn judge_by(
    ctx: &Ctx,
    notes: Vec<Note>,
    differing: impl FnOnce(&[Vec<u8>]) -> Result<Vec<Vec<u8>>, AppError>,
) -> Result<Vec<Judged>, AppError> {
    let path = |note: &Note| note.path.literal_path().unwrap_or_default();
    let paths: BTreeSet<Vec<u8>> = notes.iter().map(path).collect();
    let paths: Vec<Vec<u8>> = paths.into_iter().collect();
    let heads = ctx.repository().contents_at_head(&paths)?;
    let mut seen: Vec<(Note, Seen)> = Vec::new();
    for note in notes {
        let head = heads.get(&path(&note)).cloned().unwrap_or(Content::Gone);
        let found = look(ctx, &note, head);
        seen.push((note, found));
    }
    let in_doubt: BTreeSet<Vec<u8>> =
        seen.iter().filter(|(_, seen)| !seen.is_clean).map(|(note, _)| path(note)).collect();
    let in_doubt: Vec<Vec<u8>> = in_doubt.into_iter().collect();
    // In order, so that a path is found among many without a look at each.
    let differing: BTreeSet<Vec<u8>> = differing(&in_doubt)?.into_iter().collect();
    let differs = |path: &[u8]| {
        let below = [path, b"/"].concat();
        let next = differing.range(below.clone()..).next();
        differing.contains(path) || next.is_some_and(|found| found.starts_with(&below))
    };
    let judged = seen.into_iter().map(|(note, mut seen)| {
        seen.is_clean = seen.is_clean || !differs(&path(&note));
        Judged { standing: standing(&note, &seen), note }
    });
    Ok(judged.collect())
}

/// Looks at the path of a note. A file that is as the note says need not be read.
fn look(ctx: &Ctx, note: &Note, head: Content) -> Seen {
    let path = note.path.literal_path().unwrap_or_default();
    let stamp = ctx.repository().as_left(&path);
    let known = note.content.clone().filter(|_| note.left == Some(stamp));
    let file = known.or_else(|| ctx.repository().content_of(&path));
    Seen { is_clean: file.as_ref() == Some(&head), head, file, stamp }
}

/// Removes the notes that are over, and marks those whose changes are gone, so that nothing that
/// comes into the file later is taken for theirs, and their agents are told. A failure to do so is
/// ignored: the next who looks does it.
pub(super) fn tidy(ctx: &Ctx, judged: &[Judged]) {
    let notes = ctx.notes();
    for Judged { note, standing } in judged {
        match standing {
            Standing::Settled => drop(notes.settle(note)),
            Standing::Lost if !note.lost => {
                ctx.losses().add(&Loss::of(note, ctx.clock())).ok();
                notes.put(&Note { lost: true, ..note.clone() }).ok();
            }
            Standing::Lost | Standing::Owned | Standing::Unmade => {}
        }
    }
}

/// Tidies the notes of others up. Those of the agent itself are about to be written again.
pub(super) fn tidy_others(ctx: &Ctx, judged: &[Judged]) {
    let is_strange = |judged: &&Judged| !judged.note.agent.is_one_with(ctx.actor());
    let others: Vec<Judged> = judged.iter().filter(is_strange).cloned().collect();
    tidy(ctx, &others);
}

/// Removes the notes on paths that are as the newest commit has them, whoever made them. A note on
/// an edit that is yet to be made stays while its agent is at work.
pub fn settle(ctx: &Ctx, paths: &[Pattern]) -> Result<(), AppError> {
    let notes = ctx.notes();
    let judged = judge(ctx, notes.on(paths)?)?;
    for Judged { note, standing } in judged {
        match standing {
            Standing::Settled | Standing::Lost => notes.settle(&note)?,
            Standing::Unmade => settle_unmade(ctx, &note)?,
            Standing::Owned => {}
        }
    }
    Ok(())
}

/// Removes a note on an edit that was never made. Its agent may be about to make it.
fn settle_unmade(ctx: &Ctx, note: &Note) -> Result<(), AppError> {
    let is_own = note.agent == *ctx.actor();
    if is_own || presence::turn(ctx, &note.agent) != Turn::Running {
        ctx.notes().settle(note)?;
    }
    Ok(())
}

/// Moves the notes of sessions that have ended in the agent's own process to the agent: it goes on
/// where they were left, under another name.
pub fn inherit(ctx: &Ctx) -> Result<(), AppError> {
    let Some(process) = ctx.agent_process() else { return Ok(()) };
    let notes = ctx.notes();
    let seen = ctx.presences().all().into_iter();
    let is_before = |seen: &Presence| {
        seen.has_left && seen.processes.contains(&process) && seen.agent != *ctx.actor()
    };
    let before: BTreeSet<AgentName> =
        seen.filter(is_before).map(|seen| seen.agent.session()).collect();
    if before.is_empty() {
        return Ok(());
    }
    for note in notes.all()?.into_iter().filter(|note| before.contains(&note.agent.session())) {
        let own = notes.get(ctx.actor(), &note.path)?;
        if own.is_none_or(|own| own.at < note.at) {
            notes.put(&Note { agent: ctx.actor().clone(), ..note.clone() })?;
        }
        notes.settle(&note)?;
    }
    Ok(())
}

//! Looks at what changed while a shell command ran: what was nobody's becomes the agent's, and what
//! is another's stays the other's, which is said.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::SystemTime;

use crate::app::error::AppError;
use crate::app::ownership::sweep::Sharing;
use crate::app::ownership::{self, Judged, Owned};
use crate::app::{Ctx, edits, path_facts, presence, reservations, session_places, specs, waiting};
use crate::core::ids::HoldId;
use crate::core::limits::PATTERNS_PER_COMMAND_MAX;
use crate::core::ownership::standing::Standing;
use crate::core::ownership::written::{Written, gives_way, written};
use crate::core::ownership::{Left, Note, Via};
use crate::core::pattern::{Pattern, for_path};
use crate::core::refusal::Conflict;
use crate::core::reservation::check::{self, Asker};
use crate::core::reservation::reserve::Reserve;
use crate::core::reservation::target::files;
use crate::core::time::Timestamp;

/// The largest number of files that one command makes the agent's.
const CLAIMED_MAX: usize = PATTERNS_PER_COMMAND_MAX;
/// The largest number of files that are named to us and looked at.
const NAMED_MAX: usize = 2_000;

/// A shell command that has run.
#[derive(Clone, Copy, Debug)]
pub struct Ran<'r> {
    /// The time when it began, if that is known. It has written nothing before.
    pub began: Option<SystemTime>,
    /// The files that it changed, by absolute paths, if the agent's program tells them.
    pub changed: Option<&'r [PathBuf]>,
}

/// The files of others that have changed under a shell command.
#[derive(Clone, Debug)]
pub struct OfOthers {
    /// Those that another agent holds.
    pub held: Vec<Conflict>,
    /// Those that another agent has changed, and that nobody holds.
    pub owned: Vec<Owned>,
    /// The changes among all of them that are gone from their files.
    pub gone: Vec<Note>,
    /// The time of the look.
    pub at: Timestamp,
}

/// A path that has changed, and what is known of it.
struct Changed {
    path: Pattern,
    now: Left,
    notes: Vec<Judged>,
    /// The holds of others in the way.
    held: Vec<Conflict>,
    /// True if it differs from the newest commit.
    is_dirty: bool,
}

/// Looks at what a command has changed, and notes whose it is.
pub fn after(ctx: &Ctx, ran: Ran<'_>) -> Result<OfOthers, AppError> {
    let mut found =
        OfOthers { held: Vec::new(), owned: Vec::new(), gone: Vec::new(), at: ctx.clock() };
    let changed = changed(ctx, ran, &mut found.at)?;
    // Where it is not known when the command began, what changed may be older than it.
    let is_its_work = ran.began.is_some() || ran.changed.is_some();
    let mut own: Vec<Changed> = Vec::new();
    for it in changed {
        let notes: Vec<(&Note, Standing)> =
            it.notes.iter().map(|judged| (&judged.note, judged.standing)).collect();
        let held: Vec<&HoldId> = it.held.iter().map(|conflict| &conflict.held.id).collect();
        match written(ctx.actor(), it.now, &notes, &held) {
            Written::Theirs => theirs(ctx, it, is_its_work, &mut found)?,
            Written::Own | Written::Claimed if is_its_work => own.push(it),
            Written::Known | Written::Own | Written::Claimed => {}
        }
    }
    settle_reverted(ctx, &own)?;
    own.retain(|it| it.is_dirty);
    own.truncate(CLAIMED_MAX);
    claim(ctx, own)?;
    Ok(found)
}

/// Finds the paths that have changed: those that differ from the newest commit, and those that
/// differ from a note.
fn changed(ctx: &Ctx, ran: Ran<'_>, at: &mut Timestamp) -> Result<Vec<Changed>, AppError> {
    let named = ran.changed.map(|paths| named(ctx, paths)).transpose()?;
    let mut dirty = dirty(ctx, ran, named.as_deref())?;
    dirty.sort();
    // A file that a command has made as the commit has it is no difference to git.
    let is_moved = |note: &Note| {
        let path = note.path.literal_path().unwrap_or_default();
        let is_since = || match ran.began {
            Some(began) => ctx.repository().was_written_since(&path, began),
            None => named.as_ref().is_some_and(|named| named.contains(&path)),
        };
        let is_counted = !note.by_shell && !note.lost;
        let is_moved = || note.left.is_some_and(|left| left != ctx.repository().as_left(&path));
        is_counted && is_moved() && is_since()
    };
    let mut notes = ctx.notes().all()?;
    notes.retain(|note| dirty.binary_search(&note.path).is_ok() || is_moved(note));
    let mut all: BTreeMap<Pattern, Changed> = BTreeMap::new();
    let mut add = |path: &Pattern, is_dirty: bool| {
        let new = || {
            let (path, now) = (path.clone(), left_now(ctx, path));
            Changed { path, now, notes: Vec::new(), held: Vec::new(), is_dirty }
        };
        all.entry(path.clone()).or_insert_with(new);
    };
    for path in &dirty {
        add(path, true);
    }
    for note in &notes {
        add(&note.path, false);
    }
    if all.is_empty() {
        return Ok(Vec::new());
    }
    let judged = ownership::judge(ctx, notes)?;
    ownership::tidy_others(ctx, &judged);
    for one in judged {
        if let Some(changed) = all.get_mut(&one.note.path) {
            changed.notes.push(one);
        }
    }
    for conflict in in_the_way(ctx, &all, at)? {
        let changed = conflict.target.pattern().and_then(|path| all.get_mut(path));
        if let Some(changed) = changed {
            changed.held.push(conflict);
        }
    }
    Ok(all.into_values().collect())
}

/// Finds the paths from the top of files that were named by absolute paths.
fn named(ctx: &Ctx, paths: &[PathBuf]) -> Result<Vec<Vec<u8>>, AppError> {
    let mut found = Vec::new();
    for path in paths.iter().take(NAMED_MAX) {
        // The file itself is meant, also if it is a link.
        let parent = path.parent().zip(path.file_name());
        let path = parent.map(|(parent, name)| specs::resolved(parent).join(name));
        let file = path.map(|path| specs::file(ctx.repository(), &path)).transpose()?.flatten();
        found.extend(file.map(|file| file.path));
    }
    Ok(found)
}

/// Lists the paths that differ from the newest commit and that the command may have written.
fn dirty(ctx: &Ctx, ran: Ran<'_>, named: Option<&[Vec<u8>]>) -> Result<Vec<Pattern>, AppError> {
    let Some(named) = named else {
        let changed = ctx.repository().changed_since(ran.began)?;
        return Ok(changed.iter().filter_map(|path| for_path(path)).collect());
    };
    let paths: Vec<&[u8]> = named.iter().map(Vec::as_slice).collect();
    let states = ctx.repository().states_of(&paths)?;
    Ok(states.keys().filter_map(|path| for_path(path)).collect())
}

/// Finds the holds of others on what has changed, as far as they stand in the way here.
fn in_the_way(
    ctx: &Ctx,
    changed: &BTreeMap<Pattern, Changed>,
    at: &mut Timestamp,
) -> Result<Vec<Conflict>, AppError> {
    let paths: Vec<Pattern> = changed.keys().cloned().collect();
    let (conflicts, now) = reservations::in_the_way(ctx, &files(&paths))?;
    *at = now;
    let reading = ctx.read()?;
    let asker = Asker::exclusive(ctx.actor(), now);
    let documents = &reading.base.snapshot;
    let mut conflicts = check::without_shared(documents, conflicts, asker, reading.case)?;
    let about = edits::here(ctx);
    conflicts.retain(|conflict| !about.is_edit_elsewhere(&conflict.held));
    Ok(conflicts)
}

fn left_now(ctx: &Ctx, path: &Pattern) -> Left {
    ctx.repository().as_left(&path.literal_path().unwrap_or_default())
}

/// Notes what is another agent's. The note on a held file is for the next commit: by then the
/// reservation may have ended, but the change is still in the file.
fn theirs(
    ctx: &Ctx,
    changed: Changed,
    is_its_work: bool,
    found: &mut OfOthers,
) -> Result<(), AppError> {
    let Changed { path, notes, held, is_dirty, .. } = changed;
    let of_others = notes.into_iter().filter(|it| !it.note.agent.is_one_with(ctx.actor()));
    let of_others: Vec<Judged> = of_others.filter(|it| !it.note.by_shell).collect();
    let is_gone = |it: &&Judged| it.standing == Standing::Lost && !it.note.lost;
    found.gone.extend(of_others.iter().filter(is_gone).map(|it| it.note.clone()));
    if held.is_empty() {
        // Agents that have agreed to work on the file together need no word about it.
        let sharing = Sharing::of(ctx, &path)?;
        let others = of_others.into_iter().filter(|it| !sharing.has(&it.note.agent));
        found.owned.extend(others.map(|Judged { note, .. }| {
            let turn = presence::turn(ctx, &note.agent);
            Owned { note, turn }
        }));
        return Ok(());
    }
    let notes = ctx.notes();
    // A note on an edit of its own is older, and that edit precedes this reservation as well.
    if is_its_work && is_dirty && notes.get(ctx.actor(), &path)?.is_none() {
        notes.put(&Note::of_shell(ctx.actor(), path, &held[0].held, found.at))?;
    }
    found.held.extend(held);
    Ok(())
}

/// Removes the notes of the agent and its session on changes that its own command has taken back.
fn settle_reverted(ctx: &Ctx, own: &[Changed]) -> Result<(), AppError> {
    let notes = own.iter().filter(|it| !it.is_dirty).flat_map(|it| &it.notes);
    let is_own = |it: &&Judged| it.note.agent.is_one_with(ctx.actor());
    for judged in notes.filter(is_own) {
        ctx.notes().settle(&judged.note)?;
    }
    Ok(())
}

/// Makes changes the agent's: notes them, and reserves the files as an edit would.
fn claim(ctx: &Ctx, own: Vec<Changed>) -> Result<(), AppError> {
    if own.is_empty() {
        return Ok(());
    }
    session_places::note(ctx);
    let fence = ctx.read()?.base.counters().map_or(0, |counters| counters.fence);
    let mut new: Vec<Note> = Vec::new();
    for Changed { path, now, notes, held, .. } in &own {
        let is_own = |it: &&Judged| it.note.agent.is_one_with(ctx.actor());
        let before: Vec<&Judged> =
            notes.iter().filter(is_own).filter(|it| !it.note.by_shell && !it.note.lost).collect();
        for judged in &before {
            edits::leave(ctx, judged.note.clone())?;
        }
        if before.is_empty() {
            // Held by an earlier writer, if at all.
            let hold = held.first().map(|conflict| conflict.held.id.clone());
            let note = Note::of_edit(ctx.actor(), path.clone(), ctx.clock());
            let note = Note { via: Via::Shell, hold, fence, ..note };
            edits::leave(ctx, note.clone())?;
            new.push(note);
        }
        for judged in notes.iter().filter(|it| gives_way(&it.note, ctx.actor(), *now)) {
            ctx.notes().settle(&judged.note)?;
        }
    }
    let free = own.into_iter().filter(|it| it.held.is_empty()).map(|it| it.path);
    let holds = reserve(ctx, free.collect())?;
    for note in new {
        let hold = holds.get(&note.path);
        let written = ctx.notes().get(ctx.actor(), &note.path)?;
        if let (Some((id, fence)), Some(note)) = (hold, written) {
            ctx.notes().put(&Note { hold: Some(id.clone()), fence: *fence, ..note })?;
        }
    }
    Ok(())
}

/// Reserves files as edits of them would, each by itself. Returns the holds by path.
fn reserve(ctx: &Ctx, paths: Vec<Pattern>) -> Result<BTreeMap<Pattern, (HoldId, u64)>, AppError> {
    if paths.is_empty() {
        return Ok(BTreeMap::new());
    }
    let facts = path_facts::edited_files(ctx.repository(), &paths);
    let about = edits::about(ctx);
    let asked = Reserve::asked(paths, Vec::new(), ctx.settings().ttl, about);
    let command = Reserve { facts, with_edit: true, ..asked };
    let committed = waiting::reserve_each(ctx, command)?;
    let grants = committed.answer.granted.into_iter().filter_map(|grant| {
        let path = grant.hold.target.pattern()?.clone();
        Some((path, (grant.hold.id, grant.hold.fence)))
    });
    Ok(grants.collect())
}

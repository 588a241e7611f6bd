//! Edits and their commits: the gate before an edit, the fence before a commit, and the release
//! after both.

use crate::app::answer::Written;
use crate::app::error::AppError;
use crate::app::path_facts::edited_files;
use crate::app::rescue::keep;
use crate::app::{Ctx, Reading, WriteMode, dead_holders, waiting};
use crate::core::ids::HoldId;
use crate::core::ledger::LedgerName;
use crate::core::limits::EXCEPTIONS_MAX;
use crate::core::ownership::written::gives_way;
use crate::core::ownership::{Left, Note, Via as NoteVia};
use crate::core::pattern::{Case, Pattern};
use crate::core::refusal::Conflict;
use crate::core::reservation::check::{self, Asker};
use crate::core::reservation::fence::{self, Committer, Overtaken};
use crate::core::reservation::index::{self, Whose};
use crate::core::reservation::release::{Release, Released};
use crate::core::reservation::reserve::{Grant, Reserve, Reserved};
use crate::core::reservation::select::Selection;
use crate::core::reservation::target::files;
use crate::core::reservation::{About, Hold, Via};
use crate::core::time::Timestamp;
use crate::store::git::object::ObjectId;
use crate::store::ledger::entry::Entry;
use crate::store::ledger::history::{Past, PastEntry};
use crate::store::ledger::transact::Committed;
use crate::store::rescue::edits::EDIT_BYTES_MAX;

/// The error that the ledger does not reach back to an edit.
#[derive(Debug, thiserror::Error)]
#[error(
    "the entries since your oldest edit are not all in this repository, so it is not known who was \
     granted what since"
)]
struct CutShort;

/// An edit that may be made.
#[derive(Clone, Debug)]
pub struct Edited {
    /// The reservations for it, and those of agents that edit the same file elsewhere.
    pub reserved: Reserved,
    /// The time of the decision.
    pub at: Timestamp,
    /// The entry that has the reservation, if one was written.
    pub written: Option<Written>,
    /// Warnings for the caller.
    pub notices: Vec<String>,
}

/// Reserves the path of an edit, which is the only gate, and notes the reservation for the commit;
/// the note replaces that of an earlier edit. `reading` is used while it is the newest state.
pub fn edit<'c>(
    ctx: &'c Ctx,
    reading: Reading<'c>,
    path: &Pattern,
    before: Option<Note>,
) -> Result<Edited, AppError> {
    let paths = vec![path.clone()];
    let command = Reserve {
        facts: edited_files(ctx.repository(), &paths),
        with_edit: true,
        ..Reserve::asked(paths, Vec::new(), ctx.settings().ttl, about(ctx))
    };
    let case = reading.case;
    let committed = waiting::reserve_for_edit(ctx, reading, &command)?;
    let (hold, fence) = let_pass_by(ctx, path, &committed.answer, case)?;
    let before = before.filter(|before| !before.by_shell && !before.lost);
    let is_same = |before: &Note| {
        before.hold == hold && before.fence == fence && before.via != NoteVia::Shell
    };
    if committed.entry.is_some() || !before.as_ref().is_some_and(is_same) {
        let note = before.unwrap_or_else(|| announced(ctx, path, committed.at));
        let via = if note.via == NoteVia::Shell { NoteVia::Edit } else { note.via };
        ctx.notes().put(&Note { hold, fence, via, ..note })?;
    }
    let written = Written::of(&committed);
    let Committed { answer, at, notices, .. } = committed;
    Ok(Edited { reserved: answer, at, written, notices })
}

/// Notes the first edit of a file, before it is made.
fn announced(ctx: &Ctx, path: &Pattern, at: Timestamp) -> Note {
    let before = path.literal_path().map(|path| ctx.repository().as_left(&path));
    let branch = ctx.repository().branch();
    Note { branch, before, ..Note::of_edit(ctx.actor(), path.clone(), at) }
}

/// Describes a reservation that an edit makes: its worktree, and that a hook made it.
pub fn about(ctx: &Ctx) -> About {
    let (worktree, place) = (ctx.worktree(), None);
    About { reason: None, task: None, run: None, via: Via::Hook, worktree, place }
}

/// Describes an edit that is made here: its worktree and its clone.
pub(super) fn here(ctx: &Ctx) -> About {
    about(ctx).at(ctx.known_place().as_ref())
}

/// Notes the state of a file after an edit, to tell it from a later change by somebody else.
pub fn made(ctx: &Ctx, path: &Pattern) -> Result<(), AppError> {
    let notes = ctx.notes();
    match notes.get(ctx.actor(), path)? {
        Some(note) => leave(ctx, note),
        None => Ok(()),
    }
}

/// Notes how a file was left. The note of a shell command of another agent is over then: this agent
/// has written the file since.
pub(super) fn leave(ctx: &Ctx, note: Note) -> Result<(), AppError> {
    let Some(path) = note.path.literal_path() else { return Ok(()) };
    let now = ctx.repository().as_left(&path);
    let left = Some(now);
    if note.left == left && note.before.is_none() {
        return Ok(());
    }
    if note.before.is_some() {
        settle_written_over(ctx, &note.path, now)?;
    }
    // Looked at after the time of the write was: if the file is written in between, the next who
    // looks reads it again.
    let found = ctx.repository().read_file(&path, EDIT_BYTES_MAX);
    let content = found.content();
    // An edit that cannot be saved is an edit all the same. The end of the turn saves it again.
    keep::edit(ctx, &note.path, &found).ok();
    let (branch, at) = (ctx.repository().branch(), ctx.clock());
    Ok(ctx.notes().put(&Note { left, content, branch, at, before: None, ..note })?)
}

/// Removes the notes of shell commands of others on a file that the agent has written since.
pub(super) fn settle_written_over(ctx: &Ctx, path: &Pattern, now: Left) -> Result<(), AppError> {
    let notes = ctx.notes();
    let on_it = notes.on(std::slice::from_ref(path))?.into_iter();
    for note in on_it.filter(|note| gives_way(note, ctx.actor(), now)) {
        notes.settle(&note)?;
    }
    Ok(())
}

/// Ends what was announced and not reported, when a turn ends: an edit that was not made owns
/// nothing, and one that was made is the agent's as it is now.
pub fn conclude(ctx: &Ctx, whose: Whose) -> Result<(), AppError> {
    let notes = ctx.notes();
    let is_meant = |note: &Note| match whose {
        Whose::Own => note.agent == *ctx.actor(),
        Whose::Session => ctx.actor().covers(&note.agent),
    };
    for note in notes.all()?.into_iter().filter(|note| note.before.is_some() && is_meant(note)) {
        let path = note.path.literal_path().unwrap_or_default();
        if note.before == Some(ctx.repository().as_left(&path)) {
            notes.settle(&note)?;
        } else {
            leave(ctx, note)?;
        }
    }
    Ok(())
}

/// Finds the reservation that permits an edit of the path, with its fence. There is none where
/// somebody edits the file elsewhere; the newest fence counts then, and everything granted so far
/// came before.
fn let_pass_by(
    ctx: &Ctx,
    path: &Pattern,
    answer: &Reserved,
    case: Case,
) -> Result<(Option<HoldId>, u64), AppError> {
    let literal = path.literal_path().unwrap_or_default();
    let is_for_it = |grant: &&Grant| {
        let Hold { target, .. } = &grant.hold;
        target.pattern() == Some(path) || target.reach(case).matches(&literal)
    };
    if let Some(Grant { hold, .. }) = answer.granted.iter().find(is_for_it) {
        return Ok((Some(hold.id.clone()), hold.fence));
    }
    let latest = ctx.read()?.base.counters().map_or(0, |counters| counters.fence);
    Ok((None, latest))
}

/// Finds the paths that others hold. They must not be pushed to anybody either.
pub fn held_by_others(ctx: &Ctx, paths: &[Pattern]) -> Result<Vec<Overtaken>, AppError> {
    let reading = ctx.read()?;
    let about = here(ctx);
    held_now(ctx, &reading, &committer(ctx, &about, &reading), paths, &[])
}

fn held_now(
    ctx: &Ctx,
    reading: &Reading<'_>,
    committer: &Committer<'_>,
    paths: &[Pattern],
    notes: &[Note],
) -> Result<Vec<Overtaken>, AppError> {
    let documents = &reading.base.snapshot;
    let targets = files(paths);
    let skew = ctx.skew(committer.about.place.as_ref());
    let asker = Asker { skew, ..committer.asker() };
    let conflicts: Vec<Conflict> = check::check(documents, &targets, asker, reading.case)?;
    let is_live = |conflict: &Conflict| !dead_holders::has_ended(ctx, &conflict.held);
    let conflicts = conflicts.into_iter().filter(is_live).collect();
    let case = reading.case;
    let conflicts = check::without_shared(documents, conflicts, asker, case)?;
    Ok(committer.held_now(conflicts, notes))
}

fn committer<'a>(ctx: &'a Ctx, about: &'a About, reading: &Reading<'_>) -> Committer<'a> {
    Committer { agent: ctx.actor(), about, now: reading.now, case: reading.case }
}

/// Lists the reasons why paths may not be committed; empty if they may.
pub fn overtaken(ctx: &Ctx, paths: &[Pattern]) -> Result<Vec<Overtaken>, AppError> {
    let reading = ctx.read()?;
    let about = here(ctx);
    let committer = committer(ctx, &about, &reading);
    let documents = &reading.base.snapshot;
    let notes = noted(ctx, paths)?;
    let mut overtaken = held_now(ctx, &reading, &committer, paths, &notes)?;
    let Some(oldest) = notes.iter().map(|note| note.fence).min() else { return Ok(overtaken) };
    let own = index::of_agent(documents, ctx.actor(), Whose::Session)?;
    let given = match given_since(ctx, reading.base.id(), oldest) {
        // A conflict that is known suffices to refuse the commit.
        Err(_) if !overtaken.is_empty() => return Ok(overtaken),
        given => given?,
    };
    for hold in &given {
        for found in committer.overtaken_by(hold, &notes, &own) {
            let is_known = overtaken.iter().any(|known| known.path == found.path);
            if !is_known {
                overtaken.push(found);
            }
        }
    }
    Ok(overtaken)
}

/// Lists the reservations that were granted since a fence, the newest first. It reads entries that
/// compactions have set aside too, so some stand there twice.
fn given_since(ctx: &Ctx, tip: Option<ObjectId>, fence: u64) -> Result<Vec<Hold>, AppError> {
    let ledger = ctx.ledger(LedgerName::Reservations);
    let is_before = |entry: &Entry| entry.message.counters.fence <= fence;
    let given_in = |entry: &Entry| -> Vec<Hold> {
        entry.message.events.iter().filter_map(fence::given).collect()
    };
    let mut given = Vec::new();
    let mut last = None;
    for item in Past::from(&ledger, tip) {
        let PastEntry { entry, .. } = item?;
        if is_before(&entry) {
            return Ok(given);
        }
        given.extend(given_in(&entry));
        last = Some(entry);
    }
    let is_first = |entry: &Entry| entry.parent.is_none() && entry.message.checkpoint.is_none();
    match last {
        Some(entry) if !is_first(&entry) => Err(AppError::Failed(Box::new(CutShort))),
        _ => Ok(given),
    }
}

/// Finds the notes on these paths about changes of the asker itself.
fn noted(ctx: &Ctx, paths: &[Pattern]) -> Result<Vec<Note>, AppError> {
    let mut notes = ctx.notes().on(paths)?;
    notes.retain(|note| note.agent.is_one_with(ctx.actor()));
    Ok(notes)
}

/// Releases what ends with a turn: the reservations that the agent's own edits made, while its
/// subagents may still work. With the session, all that it and its subagents have ends.
pub fn let_go(ctx: &Ctx, whose: Whose) -> Result<Committed<Released>, AppError> {
    let which = match whose {
        Whose::Own => Selection { alone: true, via: Some(Via::Hook), ..Selection::default() },
        Whose::Session => Selection { leaving: true, ..Selection::default() },
    };
    let which = Selection { mine: true, ..which };
    ctx.transact(LedgerName::Reservations, Release { which, force: None }, WriteMode::Plain)
}

/// Releases reservations of the agent.
pub fn release(ctx: &Ctx, ids: &[HoldId]) -> Result<Committed<Released>, AppError> {
    let ids = ids.iter().filter_map(|id| id.to_string().parse().ok()).collect();
    let which = Selection { ids, ..Selection::default() };
    ctx.transact(LedgerName::Reservations, Release { which, force: None }, WriteMode::Plain)
}

/// Releases what ends with the turn from committed paths: the reservations that edits made, and
/// what was granted. The holder keeps the rest of a wider one.
pub fn committed(ctx: &Ctx, paths: &[Pattern]) -> Result<Option<Committed<Released>>, AppError> {
    // A commit may have thousands of files; it names only those that it can release, which are
    // mostly none.
    let case = ctx.read()?.case;
    let mut held: Vec<Pattern> = Vec::new();
    for hold in own(ctx)?.into_iter().filter(|hold| hold.about.via.ends_with_turn()) {
        let reach = hold.target.reach(case);
        let is_within = |path: &&Pattern| path.literal_path().is_some_and(|it| reach.matches(&it));
        let within: Vec<&Pattern> = paths.iter().filter(is_within).collect();
        // The rest of a reservation without more than these cannot be kept, so it stays.
        if within.len() <= EXCEPTIONS_MAX {
            held.extend(within.into_iter().cloned());
        }
    }
    held.sort();
    held.dedup();
    if held.is_empty() {
        return Ok(None);
    }
    let which = Selection { paths: held, via: Some(Via::Hook), ..Selection::default() };
    ctx.transact(LedgerName::Reservations, Release { which, force: None }, WriteMode::Plain)
        .map(Some)
}

/// Finds the highest fence among the asker's live reservations that cover one of these paths.
pub fn fence(ctx: &Ctx, paths: &[Pattern]) -> Result<Option<u64>, AppError> {
    let reading = ctx.read()?;
    let counts = |hold: &Hold| hold.is_live(reading.now) && covers(hold, paths, reading.case);
    Ok(own(ctx)?.into_iter().filter(counts).map(|hold| hold.fence).max())
}

fn covers(hold: &Hold, paths: &[Pattern], case: Case) -> bool {
    let reach = hold.target.reach(case);
    paths.iter().filter_map(Pattern::literal_path).any(|path| reach.matches(&path))
}

fn own(ctx: &Ctx) -> Result<Vec<Hold>, AppError> {
    let reading = ctx.read()?;
    Ok(index::of_agent(&reading.base.snapshot, ctx.actor(), Whose::Session)?)
}

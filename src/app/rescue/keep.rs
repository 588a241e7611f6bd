//! Saves uncommitted content: single edits as they are made, and snapshots of a worktree.

use std::collections::{BTreeMap, BTreeSet};

use crate::app::Ctx;
use crate::app::error::AppError;
use crate::core::ids::AgentName;
use crate::core::ownership::{Content, Note};
use crate::core::pattern::{Pattern, for_path};
use crate::core::rescue::bounds::{Sized, fitting};
use crate::core::rescue::prune::{Candidate, to_remove};
use crate::core::rescue::{Dropped, DroppedFrom, LeftOut, Owner, Record, Why};
use crate::core::text::Line;
use crate::store::git::object::ObjectId;
use crate::store::rescue::edits::{EDIT_BYTES_MAX, SavedEdit};
use crate::store::rescue::{Name, Snapshot, Unsaved};
use crate::store::worktree::content::{Found, Links};
use crate::store::worktree::uncommitted::Unsettled;

/// One in so many snapshots may be there beyond their number.
const SLACK: usize = 10;

/// The reasons why files are left out of a snapshot, for answers.
pub const NOT_SAVED: &str = "because they are too large, too many, or cannot be read";

/// The outcome of saving: a snapshot, and what it does not have.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The snapshot that has everything but what is left out; none if that is nothing.
    pub snapshot: Option<Snapshot>,
    /// The number of files in it.
    pub files: usize,
    /// The changed files that are not saved.
    pub left_out: Vec<LeftOut>,
    /// True if an earlier snapshot had all of it.
    pub was_there: bool,
}

impl Kept {
    /// Returns the name of the snapshot that people type.
    pub fn id(&self) -> Option<String> {
        self.snapshot.as_ref().map(Snapshot::id)
    }
}

/// The occasion of a snapshot.
#[derive(Clone, Copy, Debug)]
pub struct Occasion<'o> {
    pub why: Why,
    /// The command that is about to run.
    pub command: Option<&'o str>,
    /// The reason that somebody gave.
    pub reason: Option<&'o Line>,
}

impl Occasion<'_> {
    pub fn of(why: Why) -> Occasion<'static> {
        Occasion { why, command: None, reason: None }
    }
}

/// Saves a file as an edit of the agent has left it.
pub fn edit(ctx: &Ctx, path: &Pattern, found: &Found) -> Result<(), AppError> {
    let Found::File(stored, content) = found else { return Ok(()) };
    if !ctx.settings().rescue.enabled || content.len() as u64 > limit(ctx).min(EDIT_BYTES_MAX) {
        return Ok(());
    }
    let edit = SavedEdit {
        path: path.clone(),
        agent: ctx.actor().clone(),
        at: ctx.clock(),
        stored: stored.clone(),
        bytes: content.len() as u64,
    };
    let edits = ctx.saved_edits(ctx.worktree().as_ref());
    edits.put(&edit, content)?;
    // The edit is saved, even if older ones cannot be removed.
    edits.prune_seldom(&edit, ctx.clock(), ctx.settings().rescue.bounds.seconds_max).ok();
    Ok(())
}

/// Returns the size of the largest file that is saved.
fn limit(ctx: &Ctx) -> u64 {
    ctx.settings().rescue.file_bytes_max
}

/// Saves the files that agents have changed in this worktree. Git is not asked, so this costs the
/// same in a large repository.
pub fn noted(ctx: &Ctx, occasion: Occasion<'_>) -> Result<Option<Kept>, AppError> {
    if !ctx.settings().rescue.enabled {
        return Ok(None);
    }
    let paths = ctx.notes().all()?.into_iter().filter(is_owned);
    keep(ctx, work(paths.filter_map(|note| note.path.literal_path())), occasion)
}

/// Tells whether a file that agents have changed may be in no snapshot as it is now, and not saved
/// as an edit. This looks at names and times only, so in doubt it says yes.
pub fn has_unsaved_notes(ctx: &Ctx) -> bool {
    if !ctx.settings().rescue.enabled {
        return false;
    }
    let Ok(notes) = ctx.notes().all() else { return true };
    let mut notes = notes.into_iter().filter(is_owned).peekable();
    if notes.peek().is_none() {
        return false;
    }
    let Ok(saved) = ctx.saved_edits(ctx.worktree().as_ref()).names() else { return true };
    let is_saved = |note: &Note| {
        let Some(path) = note.path.literal_path() else { return false };
        let now = Some(ctx.repository().as_left(&path));
        match &note.content {
            // The edit is announced and not made, so it has left nothing yet.
            None if note.left.is_none() => note.before == now,
            None => false,
            Some(Content::Gone) => note.left == now,
            Some(Content::Stored(stored)) => note.left == now && saved.contains(&note.path, stored),
        }
    };
    !notes.all(|note| is_saved(&note))
}

/// Saves what no commit has and git does not ignore, of the paths that are chosen.
pub fn uncommitted(
    ctx: &Ctx,
    occasion: Occasion<'_>,
    is_chosen: impl Fn(&[u8]) -> bool,
) -> Result<Option<Kept>, AppError> {
    if !ctx.settings().rescue.enabled {
        return Ok(None);
    }
    let changed = ctx.repository().uncommitted_and_staged()?;
    // Git lists another repository inside of this one as a directory.
    let files = changed.into_iter().filter(|(path, _)| !path.ends_with(b"/") && is_chosen(path));
    keep(ctx, files.collect(), occasion)
}

/// Saves these files.
pub fn paths(
    ctx: &Ctx,
    paths: &BTreeSet<Vec<u8>>,
    occasion: Occasion<'_>,
) -> Result<Option<Kept>, AppError> {
    keep(ctx, work(paths.iter().cloned()), occasion)
}

/// Keeps commits that a command drops, the newest first. Their files are those in which the newest
/// differs from `base`. Commits that the last such command dropped are not kept again.
pub fn commits(
    ctx: &Ctx,
    from: DroppedFrom,
    commits: Vec<ObjectId>,
    base: Option<ObjectId>,
    occasion: Occasion<'_>,
) -> Result<Option<Snapshot>, AppError> {
    if !ctx.settings().rescue.enabled {
        return Ok(None);
    }
    let known = ctx.snapshots().names(ctx.worktree().as_ref())?;
    let before = ctx.snapshots().newest(&known, false);
    if let Some(before) = before.filter(|before| before.dropped == commits) {
        return Ok(Some(before));
    }
    let mut record = record(ctx, occasion);
    record.dropped = Some(Dropped { from, parents: commits.len() });
    let kept = ctx.snapshots().keep(commits, base, record, &ctx.committer)?;
    if let Some(kept) = &kept {
        // The commits are kept, even if older snapshots cannot be removed.
        prune(ctx, kept, &known).ok();
    }
    Ok(kept)
}

/// Takes paths for those of somebody's work, with nothing staged.
fn work(paths: impl Iterator<Item = Vec<u8>>) -> BTreeMap<Vec<u8>, Unsettled> {
    paths.map(|path| (path, Unsettled { staged: None, is_tracked: true })).collect()
}

/// Tells whether the change of a note is saved.
pub(super) fn is_owned(note: &Note) -> bool {
    !note.by_shell && !note.lost
}

/// Saves paths, each with what is staged for it.
fn keep(
    ctx: &Ctx,
    paths: BTreeMap<Vec<u8>, Unsettled>,
    occasion: Occasion<'_>,
) -> Result<Option<Kept>, AppError> {
    if paths.is_empty() {
        return Ok(None);
    }
    let worktree = ctx.worktree();
    let known = ctx.snapshots().names(worktree.as_ref())?;
    let before = ctx.snapshots().newest(&known, true);
    let notes: Vec<Note> = ctx.notes().all()?.into_iter().filter(is_owned).collect();
    let (mut unsaved, left_out) = read(ctx, paths, &notes);
    let mut record = record(ctx, occasion);
    record.owners = owners(notes, &unsaved);
    record.left_out.clone_from(&left_out);
    let files = unsaved.files();
    let saved = ctx.snapshots().save(&mut unsaved, record, &ctx.committer, before.as_ref())?;
    let Some(snapshot) = saved else {
        let kept = Kept { snapshot: None, files: 0, left_out, was_there: false };
        return Ok(Some(kept).filter(|kept| !kept.left_out.is_empty()));
    };
    let was_there = before.is_some_and(|before| before.commit == snapshot.commit);
    if !was_there {
        // The snapshot is made, even if older ones cannot be removed.
        tidy(ctx, &snapshot, &unsaved, &known).ok();
    }
    Ok(Some(Kept { snapshot: Some(snapshot), files, left_out, was_there }))
}

/// Records a snapshot of this worktree.
fn record(ctx: &Ctx, occasion: Occasion<'_>) -> Record {
    let mut record = Record::new(occasion.why, ctx.clock(), ctx.actor().clone(), ctx.worktree());
    record.reason = occasion.reason.cloned();
    match occasion.command {
        Some(command) => record.before_command(command),
        None => record,
    }
}

/// Reads the files that fit into a snapshot, and names the others.
fn read(ctx: &Ctx, paths: BTreeMap<Vec<u8>, Unsettled>, notes: &[Note]) -> (Unsaved, Vec<LeftOut>) {
    let repository = ctx.repository();
    let owned: BTreeSet<Vec<u8>> =
        notes.iter().filter_map(|note| note.path.literal_path()).collect();
    let paths: Vec<(Vec<u8>, Unsettled)> = paths.into_iter().collect();
    let measured = |(path, is): &(Vec<u8>, Unsettled)| Sized {
        bytes: repository.as_left(path).bytes,
        goes_first: is.is_tracked || owned.contains(path),
    };
    let sizes: Vec<Sized> = paths.iter().map(measured).collect();
    let (fitting, mut not_saved) = fitting(&sizes, limit(ctx));
    let mut unsaved = Unsaved::default();
    let mut links = Links::default();
    for place in fitting {
        let (path, _) = &paths[place];
        if links.is_above(repository, path) {
            unsaved.deletion(path.clone());
            continue;
        }
        match repository.read_file(path, limit(ctx)) {
            Found::File(stored, content) => unsaved.file(path.clone(), &stored, content),
            Found::Nothing => unsaved.deletion(path.clone()),
            Found::TooLong(_) => not_saved.push(place),
            Found::NoFile if repository.may_be_file(path) => not_saved.push(place),
            Found::NoFile => {}
        }
    }
    for (path, is) in &paths {
        if let Some(content) = &is.staged {
            unsaved.staged(path.clone(), content);
        }
    }
    let named = |place: &usize| {
        Some(LeftOut { path: for_path(&paths[*place].0)?, bytes: sizes[*place].bytes })
    };
    let left_out = not_saved.iter().filter_map(named).collect();
    (unsaved, left_out)
}

/// Tells whose the saved changes are, by the notes on them.
fn owners(notes: Vec<Note>, unsaved: &Unsaved) -> Vec<Owner> {
    let owned = notes
        .into_iter()
        .filter(|note| note.path.literal_path().is_some_and(|it| unsaved.has(&it)));
    let mut owners: Vec<Owner> =
        owned.map(|Note { agent, path, .. }| Owner { agent, path }).collect();
    owners.sort_by(|one, other| (&one.path, &one.agent).cmp(&(&other.path, &other.agent)));
    owners
}

/// Removes what a new snapshot makes superfluous: the saved edits that it has, and older snapshots
/// beyond the bounds.
fn tidy(ctx: &Ctx, new: &Snapshot, saved: &Unsaved, known: &[Name]) -> Result<(), AppError> {
    let edits = ctx.saved_edits(new.record.worktree.as_ref());
    for edit in edits.all()? {
        let path = edit.path.literal_path().unwrap_or_default();
        if saved.has_as(&path, &edit.stored) {
            edits.forget(&edit)?;
        }
    }
    edits.prune(ctx.clock(), ctx.settings().rescue.bounds.seconds_max)?;
    prune(ctx, new, known)
}

/// Removes older snapshots beyond the bounds.
fn prune(ctx: &Ctx, new: &Snapshot, known: &[Name]) -> Result<(), AppError> {
    let bounds = ctx.settings().rescue.bounds;
    let times = [new.record.at].into_iter().chain(known.iter().map(|name| name.at));
    let plain: Vec<Candidate> = times.map(|at| Candidate { at, is_needed: false }).collect();
    // A few are removed together, so that most ends of a turn need not wait for it.
    if to_remove(&plain, bounds, ctx.clock()).len() <= bounds.count_max / SLACK {
        return Ok(());
    }
    let snapshots = ctx.snapshots().of_worktree(new.record.worktree.as_ref())?;
    let all = candidates(&snapshots, &needed(ctx, &snapshots)?);
    for place in to_remove(&all, bounds, ctx.clock()) {
        ctx.snapshots().remove(&snapshots[place])?;
    }
    Ok(())
}

fn candidates(snapshots: &[Snapshot], needed: &BTreeSet<usize>) -> Vec<Candidate> {
    let candidate = |(place, snapshot): (usize, &Snapshot)| Candidate {
        at: snapshot.record.at,
        is_needed: needed.contains(&place),
    };
    snapshots.iter().enumerate().map(candidate).collect()
}

/// Finds the snapshots, of a list with the newest first, that have a change which its owner has
/// lost and which no newer one has.
fn needed(ctx: &Ctx, snapshots: &[Snapshot]) -> Result<BTreeSet<usize>, AppError> {
    let lost = ctx.notes().all()?.into_iter().filter(|note| note.lost);
    let mut lost: Vec<(Vec<u8>, Option<Content>)> =
        lost.filter_map(|note| Some((note.path.literal_path()?, note.content))).collect();
    let mut needed = BTreeSet::new();
    for (place, snapshot) in snapshots.iter().enumerate() {
        if lost.is_empty() {
            break;
        }
        let Ok(files) = ctx.snapshots().files(snapshot) else { continue };
        let before = lost.len();
        lost.retain(|(path, content)| {
            !files.iter().any(|file| file.path == *path && Some(&file.content) == content.as_ref())
        });
        if lost.len() < before {
            needed.insert(place);
        }
    }
    Ok(needed)
}

/// Lists the owners of a snapshot's files by path.
pub(super) fn owners_by_path(snapshot: &Snapshot) -> BTreeMap<Vec<u8>, AgentName> {
    let owners = snapshot.record.owners.iter();
    owners.filter_map(|owner| Some((owner.path.literal_path()?, owner.agent.clone()))).collect()
}

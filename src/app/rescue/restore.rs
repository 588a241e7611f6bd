//! Brings saved content back.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::keep::{self, Occasion};
use super::versions::{Version, Wanted, bytes, split, versions};
use super::{nothing_saved, worktree_of};
use crate::app::answer::Answer;
use crate::app::error::AppError;
use crate::app::next::{after_conflict, command, from_top};
use crate::app::ownership::view::PathView;
use crate::app::problem::{Hint, Problem};
use crate::app::{Ctx, edits, session_places, specs};
use crate::core::ids::HoldId;
use crate::core::ownership::Content;
use crate::core::ownership::content::BlobId;
use crate::core::pattern::{Pattern, Reading, for_path};
use crate::core::refusal::Conflict;
use crate::core::rescue::Why;
use crate::core::rescue::restore::{Present, Reason, Step, step};
use crate::core::text::{Line, shown};
use crate::store::worktree::content::Found;
use crate::store::worktree::restoring::{Below, restore_below};

/// Saved content to bring back.
pub struct Request<'r> {
    /// The id of a snapshot, if there is one, and paths. Without an id, the newest version of each
    /// path that differs from what is there is meant.
    pub words: &'r [OsString],
    pub worktree: Option<&'r str>,
    /// A directory to write to, in the place of the work tree.
    pub to: Option<&'r Path>,
    /// Set if uncommitted changes may be replaced. They are saved first.
    pub force: bool,
}

impl Request<'_> {
    /// Checks that the request names something: nothing is not everything.
    pub fn check(&self) -> Result<(), AppError> {
        if self.words.is_empty() {
            return Err(AppError::usage("nothing to restore: name a snapshot, or paths"));
        }
        if self.force && self.to.is_some() {
            let message = "--force replaces files of the work tree, and --to writes none of them";
            return Err(AppError::usage(message));
        }
        Ok(())
    }
}

/// The answer to `rescue restore`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    /// The files that were written.
    pub restored: Vec<Restored>,
    /// The files that are as they were saved already.
    pub already: Vec<PathView>,
    /// The files that were not written.
    pub refused: Vec<Refused>,
    /// The files of which only older versions are saved than a commit has: they come back only from
    /// a snapshot that is named.
    pub committed: Vec<PathView>,
    /// The paths and patterns that were named and of which nothing is saved.
    pub missing: Vec<Pattern>,
}

/// A file that was brought back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Restored {
    pub path: PathView,
    /// The id of the snapshot, or 'edit'.
    pub from: String,
    pub blob: BlobId,
}

/// A file that was not brought back.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RestoreRefused")]
pub struct Refused {
    pub path: PathView,
    pub why: Reason,
    /// The reservations in the way.
    #[serde(skip)]
    conflicts: Vec<Conflict>,
}

/// Brings files back, each whole or not at all.
pub fn restore(ctx: &Ctx, request: &Request<'_>) -> Result<Answer<Body>, Problem> {
    request.check()?;
    let (id, paths) = split(ctx, request.words)?;
    let wanted = specs::patterns(ctx.repository(), paths, Reading::Glob)?;
    let worktree = worktree_of(ctx, request.worktree)?;
    let all = versions(ctx, worktree.as_ref(), id, &Wanted::new(&wanted))?;
    if all.is_empty() {
        return Err(nothing_saved("nothing is saved of these paths"));
    }
    let work = Work { ctx, id, force: request.force, worktree: worktree.as_ref() };
    let body = Body {
        restored: Vec::new(),
        already: Vec::new(),
        refused: Vec::new(),
        committed: Vec::new(),
        missing: missing(wanted, &all),
    };
    let mut answer = Answer::read(body, ctx.clock());
    match request.to {
        Some(directory) => work.write_below(&target(ctx, directory)?, &all, &mut answer.body)?,
        None => work.write_here(all, &mut answer)?,
    }
    let refusal = refusal(&answer.body, ctx);
    Ok(match refusal {
        Some(refusal) => answer.refused(refusal),
        None => answer,
    })
}

/// Finds the patterns that no saved version matches.
fn missing(mut wanted: Vec<Pattern>, all: &[Version]) -> Vec<Pattern> {
    wanted.retain(|pattern| {
        let it = Wanted::new(std::slice::from_ref(pattern));
        !all.iter().any(|version| it.has(&version.path))
    });
    wanted
}

/// Finds the directory to write to, which must not be in the work tree.
fn target(ctx: &Ctx, directory: &Path) -> Result<PathBuf, AppError> {
    let directory = specs::resolved(&ctx.directory().join(directory));
    let top = ctx.repository().work_tree().map(|tree| tree.top.as_path());
    if top.is_some_and(|top| directory.starts_with(top)) {
        let message = format!("'{}' is in the work tree; leave --to out", directory.display());
        return Err(AppError::Usage(message));
    }
    Ok(directory)
}

struct Work<'w> {
    ctx: &'w Ctx,
    id: Option<&'w str>,
    force: bool,
    worktree: Option<&'w Line>,
}

/// A file to be written, with what is there now.
struct Planned {
    version: Version,
    present: Found,
}

impl Work<'_> {
    fn write_below(
        &self,
        directory: &Path,
        all: &[Version],
        body: &mut Body,
    ) -> Result<(), AppError> {
        let mut seen = BTreeSet::new();
        for version in all.iter().filter(|version| seen.insert(version.path.clone())) {
            let saved = bytes(self.ctx, self.worktree, version)?;
            let saved = (version.stored.mode, saved.as_slice());
            match restore_below(directory, &version.path, saved, self.ctx.files)? {
                Below::Written => body.restored.push(restored(version)),
                Below::Taken => body.refused.push(refused(version, Reason::Changed)),
                Below::NoPlace => body.refused.push(refused(version, Reason::NoFile)),
            }
        }
        Ok(())
    }

    fn write_here(&self, all: Vec<Version>, answer: &mut Answer<Body>) -> Result<(), AppError> {
        let mut planned = Vec::new();
        let mut to_save = BTreeSet::new();
        let body = &mut answer.body;
        for (version, present, is) in self.compared(all, body)? {
            match step(is, false, self.force) {
                Step::Leave => body.already.push(PathView(version.path)),
                Step::Refuse(why) => body.refused.push(refused(&version, why)),
                Step::Write => planned.push(Planned { version, present }),
                Step::SaveAndWrite => {
                    to_save.insert(version.path.clone());
                    planned.push(Planned { version, present });
                }
            }
        }
        let saved = self.save(&to_save)?;
        let mut reserved = Vec::new();
        for Planned { version, present } in planned {
            let is_saved = || saved.get(&version.path) == present.content().as_ref();
            if to_save.contains(&version.path) && !is_saved() {
                answer.body.refused.push(refused(&version, Reason::CannotBeSaved));
            } else {
                self.write(&version, &present, answer, &mut reserved)?;
            }
        }
        // Nothing ends the reservations of somebody whose turns nobody knows of.
        if !reserved.is_empty() && !session_places::ends_are_heard(self.ctx) {
            answer.included(Some(edits::release(self.ctx, &reserved)?));
        }
        Ok(())
    }

    /// Saves changes that are to be replaced. Returns those that fit into the snapshot.
    fn save(&self, paths: &BTreeSet<Vec<u8>>) -> Result<BTreeMap<Vec<u8>, Content>, AppError> {
        let ctx = self.ctx;
        let kept = keep::paths(ctx, paths, Occasion::of(Why::Restore))?;
        let snapshot = kept.and_then(|kept| kept.snapshot);
        let files = snapshot.map(|snapshot| ctx.snapshots().files(&snapshot)).transpose()?;
        Ok(files.into_iter().flatten().map(|file| (file.path, file.content)).collect())
    }

    /// Chooses a version for each path, and compares it with what is there.
    fn compared(
        &self,
        all: Vec<Version>,
        body: &mut Body,
    ) -> Result<Vec<(Version, Found, Present)>, AppError> {
        let repository = self.ctx.repository();
        let mut by_path: BTreeMap<Vec<u8>, Vec<Version>> = BTreeMap::new();
        for version in all {
            by_path.entry(version.path.clone()).or_default().push(version);
        }
        let paths: Vec<Vec<u8>> = by_path.keys().cloned().collect();
        let heads = repository.contents_at_head(&paths)?;
        let mut filtered: BTreeSet<Vec<u8>> = repository.watched(&paths)?.into_iter().collect();
        for differing in repository.differing(&paths)? {
            filtered.remove(&differing);
        }
        let superseded = self.superseded(&by_path)?;
        let settings = self.ctx.settings().rescue;
        let mut compared = Vec::new();
        for (path, versions) in by_path {
            let present = repository.read_file(&path, settings.file_bytes_max);
            let content = present.content();
            let is_there = |version: &Version| {
                content.as_ref() == Some(&Content::Stored(version.stored.clone()))
            };
            let newest = versions.first().cloned();
            let is_old = |version: &Version| {
                superseded.get(&path).is_some_and(|second| version.at.as_seconds() < *second)
            };
            let mut usable = versions.into_iter().filter(|version| !is_old(version));
            let other = usable.find(|version| !is_there(version));
            let (version, is) = match (other, newest) {
                (Some(version), _) => {
                    let is_committed = present == Found::Nothing
                        || content.as_ref() == heads.get(&path)
                        || filtered.contains(&path) && content.is_some();
                    let can_be_saved = settings.enabled && content.is_some();
                    let is = match present {
                        _ if !repository.can_restore(&path) => Present::NoFile,
                        _ if is_committed => Present::Committed,
                        _ => Present::Uncommitted { can_be_saved },
                    };
                    (version, is)
                }
                (None, Some(newest)) if is_there(&newest) => (newest, Present::Same),
                (None, _) => {
                    body.committed.push(PathView(path));
                    continue;
                }
            };
            compared.push((version, present, is));
        }
        Ok(compared)
    }

    /// Finds when each path was last committed since its oldest version was saved. An older version
    /// than that is brought back only from a snapshot that is named.
    fn superseded(
        &self,
        by_path: &BTreeMap<Vec<u8>, Vec<Version>>,
    ) -> Result<BTreeMap<Vec<u8>, i64>, AppError> {
        let oldest = by_path.values().flatten().map(|version| version.at.as_seconds()).min();
        let (Some(oldest), None) = (oldest, self.id) else { return Ok(BTreeMap::new()) };
        let paths: Vec<Vec<u8>> = by_path.keys().cloned().collect();
        Ok(self.ctx.repository().last_committed(&paths, oldest)?)
    }

    /// Writes a file as an edit would be made: reserved before, and noted after.
    fn write(
        &self,
        version: &Version,
        present: &Found,
        answer: &mut Answer<Body>,
        reserved: &mut Vec<HoldId>,
    ) -> Result<(), AppError> {
        let ctx = self.ctx;
        let pattern = for_path(&version.path)
            .filter(|pattern| pattern.literal_path().as_ref() == Some(&version.path));
        if let Some(pattern) = &pattern {
            let before = ctx.notes().get(ctx.actor(), pattern)?;
            match edits::edit(ctx, ctx.read()?, pattern, before) {
                Ok(edited) => {
                    answer.wrote(edited.written, edited.notices);
                    let new = edited.reserved.granted.into_iter().filter(|grant| !grant.renewed);
                    reserved.extend(new.map(|grant| grant.hold.id));
                }
                Err(AppError::Held { conflicts, .. }) => {
                    let held = refused(version, Reason::Held);
                    answer.body.refused.push(Refused { conflicts, ..held });
                    return Ok(());
                }
                Err(error) => return Err(error),
            }
        }
        let saved = bytes(ctx, self.worktree, version)?;
        let saved = (version.stored.mode, saved.as_slice());
        if !ctx.repository().restore(&version.path, present, saved, ctx.files)? {
            answer.body.refused.push(refused(version, Reason::Changed));
            return Ok(());
        }
        if let Some(pattern) = &pattern {
            edits::made(ctx, pattern)?;
        }
        answer.body.restored.push(restored(version));
        Ok(())
    }
}

fn restored(version: &Version) -> Restored {
    let (path, from) = (PathView(version.path.clone()), version.from().to_owned());
    Restored { path, from, blob: version.stored.blob.clone() }
}

fn refused(version: &Version, why: Reason) -> Refused {
    Refused { path: PathView(version.path.clone()), why, conflicts: Vec::new() }
}

/// Explains why files were not brought back.
fn refusal(body: &Body, ctx: &Ctx) -> Option<Problem> {
    let Some(first) = body.refused.first() else {
        let listing = vec![command(&["rescue", "list"])];
        if let Some(missing) = body.missing.first() {
            let message = format!("nothing is saved of '{}'", missing.shown());
            return Some(Problem::refused("not_saved", message).suggesting(listing, Hint::plain));
        }
        let only_old = body.restored.is_empty() && body.already.is_empty();
        let first = body.committed.first().filter(|_| only_old)?;
        let message = format!(
            "'{}' was committed after it was saved; name a snapshot to bring an older version back",
            shown(&String::from_utf8_lossy(&first.0))
        );
        return Some(Problem::refused("committed", message).suggesting(listing, Hint::plain));
    };
    let path = shown(&String::from_utf8_lossy(&first.path.0)).into_owned();
    let typed = for_path(&first.path.0).and_then(|path| from_top(&path));
    let forced = typed.map(|path| command(&["rescue", "restore", "--force", "--", &path]));
    let (code, message, next) = match first.why {
        Reason::Changed => {
            ("changed", format!("'{path}' has an uncommitted change"), forced.into_iter().collect())
        }
        Reason::CannotBeSaved => (
            "cannot_be_saved",
            format!("'{path}' has an uncommitted change that cannot be saved first"),
            Vec::new(),
        ),
        Reason::Held => (
            "held",
            format!("'{path}' is held by another agent"),
            after_conflict(&first.conflicts, ctx.settings().negotiation),
        ),
        Reason::NoFile => (
            "no_file",
            format!("no file can be written at '{path}': a directory or a link is in the way"),
            Vec::new(),
        ),
    };
    let problem = Problem::refused(code, message);
    let problem = match first.why {
        Reason::Changed => problem.with_hint(Hint::plain("to save that change and replace it:")),
        _ => problem,
    };
    Some(problem.suggesting(next, Hint::plain))
}

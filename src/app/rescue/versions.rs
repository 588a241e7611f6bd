//! The saved versions of files.

use std::cmp::Reverse;
use std::ffi::OsString;

use crate::app::Ctx;
use crate::app::error::AppError;
use crate::core::ownership::Content;
use crate::core::ownership::content::Stored;
use crate::core::pattern::{Case, Matcher, Pattern, for_path};
use crate::core::rescue::prune;
use crate::core::text::{Line, shown};
use crate::core::time::Timestamp;
use crate::store::rescue::Snapshot;
use crate::store::rescue::edits::SavedEdit;

/// The shortest beginning of an id.
const ID_LENGTH_MIN: usize = 4;

/// A saved version of a file.
#[derive(Clone, Debug)]
pub(super) struct Version {
    pub(super) path: Vec<u8>,
    pub(super) at: Timestamp,
    pub(super) stored: Stored,
    /// The content in the commit that was checked out then; none if that is not known.
    pub(super) before: Option<Content>,
    pub(super) origin: Origin,
}

/// The place that has a saved version.
#[derive(Clone, Debug)]
pub(super) enum Origin {
    /// A snapshot of this id.
    Snapshot(String),
    Edit(SavedEdit),
}

impl Version {
    /// Names the origin, for answers.
    pub(super) fn from(&self) -> &str {
        match &self.origin {
            Origin::Snapshot(id) => id,
            Origin::Edit(_) => "edit",
        }
    }
}

/// The paths that are meant; all of them if none is named.
pub(super) struct Wanted(Vec<Matcher>);

impl Wanted {
    pub(super) fn new(patterns: &[Pattern]) -> Wanted {
        Wanted(patterns.iter().map(|pattern| pattern.matcher(Case::Sensitive)).collect())
    }

    pub(super) fn has(&self, path: &[u8]) -> bool {
        let meets = |path: Pattern| {
            let path = path.matcher(Case::Sensitive);
            self.0.iter().any(|wanted| wanted.overlaps(&path))
        };
        self.0.is_empty() || for_path(path).is_some_and(meets)
    }
}

/// Splits the words of a request: the first may be the id of a snapshot. A file whose name is like
/// one is named by `./` before it.
pub(super) fn split<'w>(
    ctx: &Ctx,
    words: &'w [OsString],
) -> Result<(Option<&'w str>, &'w [OsString]), AppError> {
    let Some((first, rest)) = words.split_first() else { return Ok((None, words)) };
    let is_digits = |text: &&str| {
        (ID_LENGTH_MIN..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit())
    };
    let Some(id) = first.to_str().filter(is_digits) else { return Ok((None, words)) };
    let is_known = ctx.snapshots().all()?.iter().any(|it| it.commit.to_string().starts_with(id));
    if is_known && ctx.directory().join(id).symlink_metadata().is_ok() {
        let message = format!("'{id}' is a snapshot and a file: write './{id}' for the file");
        return Err(AppError::Usage(format!("{message}, and more digits for the snapshot")));
    }
    Ok(if is_known { (Some(id), rest) } else { (None, words) })
}

/// Finds the snapshot that an id means, by its first characters.
pub(super) fn snapshot(snapshots: &[Snapshot], id: &str) -> Result<Snapshot, AppError> {
    let is_it = |snapshot: &&Snapshot| snapshot.commit.to_string().starts_with(id);
    let found: Vec<&Snapshot> = snapshots.iter().filter(is_it).collect();
    match found.as_slice() {
        [one] if id.len() >= ID_LENGTH_MIN => Ok((*one).clone()),
        [_, _, ..] => Err(AppError::Usage(format!("'{}' is the beginning of several", shown(id)))),
        _ => {
            let message = format!("there is no snapshot '{}'", shown(id));
            Err(AppError::nothing("nothing_saved", message))
        }
    }
}

/// Lists the saved versions of files in a worktree, the newest first: of one snapshot, or of all
/// and of the edits that no snapshot has yet. A file that was deleted is no version.
pub(super) fn versions(
    ctx: &Ctx,
    worktree: Option<&Line>,
    id: Option<&str>,
    wanted: &Wanted,
) -> Result<Vec<Version>, AppError> {
    let mut versions = Vec::new();
    let snapshots = if let Some(id) = id {
        vec![snapshot(&ctx.snapshots().all()?, id)?]
    } else {
        let mut all = ctx.snapshots().of_worktree(worktree)?;
        // A version that was committed is not meant where uncommitted work is looked for.
        all.retain(|snapshot| snapshot.dropped.is_empty());
        all
    };
    for snapshot in &snapshots {
        let files = match ctx.snapshots().files(snapshot) {
            // One that cannot be read does not hide the others.
            Err(_) if id.is_none() => continue,
            files => files?,
        };
        for file in files {
            let Content::Stored(stored) = file.content else { continue };
            let (path, at, before) = (file.path, snapshot.record.at, Some(file.before));
            let origin = Origin::Snapshot(snapshot.id());
            versions.push(Version { path, at, stored, before, origin });
        }
    }
    let edits = if id.is_none() { ctx.saved_edits(worktree).all()? } else { Vec::new() };
    for edit in edits {
        let path = edit.path.literal_path().unwrap_or_default();
        let (at, stored, before) = (edit.at, edit.stored.clone(), None);
        versions.push(Version { path, at, stored, before, origin: Origin::Edit(edit) });
    }
    versions.retain(|version| wanted.has(&version.path));
    versions.sort_by_key(|version| Reverse(prune::order(version.at, ctx.clock())));
    Ok(versions)
}

/// Reads a saved version.
pub(super) fn bytes(
    ctx: &Ctx,
    worktree: Option<&Line>,
    version: &Version,
) -> Result<Vec<u8>, AppError> {
    if let Origin::Edit(edit) = &version.origin {
        // A snapshot may have taken it over meanwhile.
        if let Some(content) = ctx.saved_edits(worktree).content(edit)? {
            return Ok(content);
        }
    }
    Ok(ctx.snapshots().bytes(&version.stored)?)
}

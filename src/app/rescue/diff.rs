//! Shows what bringing saved content back would change.

use std::ffi::OsString;

use schemars::JsonSchema;
use serde::Serialize;

use super::versions::{Version, Wanted, bytes, split, versions};
use super::{nothing_saved, worktree_of};
use crate::app::answer::Answer;
use crate::app::error::AppError;
use crate::app::ownership::view::PathView;
use crate::app::problem::Problem;
use crate::app::{Ctx, specs};
use crate::core::ownership::Content;
use crate::core::pattern::Reading;
use crate::store::rescue::patch::patch;
use crate::store::worktree::content::Found;

/// The side that saved content is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Against {
    /// The file as it is now.
    Work,
    /// The commit that was checked out when it was saved, or that is now.
    Head,
}

/// The side to compare with if the caller names none.
pub const AGAINST_DEFAULT: Against = Against::Work;

/// Saved content to compare.
pub struct Request<'r> {
    /// The id of a snapshot, if there is one, and paths. Without an id, the newest version of each
    /// path is meant.
    pub words: &'r [OsString],
    pub worktree: Option<&'r str>,
    pub against: Against,
}

/// The answer to `rescue diff`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    /// The files that differ.
    pub files: Vec<Difference>,
}

/// The difference of one file.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Difference {
    pub path: PathView,
    /// The id of the snapshot, or 'edit'.
    pub from: String,
    /// The patch; bytes that are no text are replaced.
    pub patch: String,
    /// The patch as it is.
    #[serde(skip)]
    pub bytes: Vec<u8>,
}

/// Compares saved content.
pub fn diff(ctx: &Ctx, request: &Request<'_>) -> Result<Answer<Body>, Problem> {
    let (id, paths) = split(ctx, request.words)?;
    let wanted = specs::patterns(ctx.repository(), paths, Reading::Glob)?;
    let worktree = worktree_of(ctx, request.worktree)?;
    let mut found = versions(ctx, worktree.as_ref(), id, &Wanted::new(&wanted))?;
    if found.is_empty() {
        return Err(nothing_saved("nothing is saved of these paths"));
    }
    found.sort_by(|one, other| (&one.path, other.at).cmp(&(&other.path, one.at)));
    found.dedup_by(|later, first| later.path == first.path);
    let mut body = Body { files: Vec::new() };
    for version in &found {
        let saved = bytes(ctx, worktree.as_ref(), version)?;
        let patch = against(ctx, request.against, version, &saved)?;
        if !patch.is_empty() {
            body.files.push(Difference {
                path: PathView(version.path.clone()),
                from: version.from().to_owned(),
                patch: String::from_utf8_lossy(&patch).into_owned(),
                bytes: patch,
            });
        }
    }
    Ok(Answer::read(body, ctx.clock()))
}

fn against(
    ctx: &Ctx,
    against: Against,
    version: &Version,
    saved: &[u8],
) -> Result<Vec<u8>, AppError> {
    let after = Some((&version.stored, saved));
    let path = &version.path;
    let content = match (against, &version.before) {
        (Against::Work, _) => {
            let found = ctx.repository().read_file(path, u64::MAX);
            let before = match &found {
                Found::File(stored, content) => Some((stored, content.as_slice())),
                Found::Nothing | Found::TooLong(_) | Found::NoFile => None,
            };
            return Ok(patch(path, before, after)?);
        }
        (Against::Head, Some(before)) => before.clone(),
        (Against::Head, None) => {
            let heads = ctx.repository().contents_at_head(std::slice::from_ref(path))?;
            heads.get(path).cloned().unwrap_or(Content::Gone)
        }
    };
    let Content::Stored(stored) = content else { return Ok(patch(path, None, after)?) };
    let before = ctx.snapshots().bytes(&stored)?;
    Ok(patch(path, Some((&stored, &before)), after)?)
}

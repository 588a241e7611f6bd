//! Records the artifacts of phases.

use std::ffi::OsString;

use schemars::JsonSchema;
use serde::Serialize;

use super::{named, seen, transact};
use crate::app::answer::Answer;
use crate::app::error::AppError;
use crate::app::problem::Problem;
use crate::app::{Ctx, specs};
use crate::core::run::Run;
use crate::core::run::artifact::{AddArtifact, AddedArtifact, Artifact, ContentHash};
use crate::core::run::names::{IdPrefix, PhaseName};
use crate::core::text::Line;

/// An artifact that is to be recorded.
pub struct Add<'r> {
    pub run: &'r IdPrefix,
    /// Its path, relative to the caller's directory, or to the top after `:/`.
    pub path: &'r OsString,
    /// The phase of its dispatch, or else the present one, if absent.
    pub phase: Option<&'r PhaseName>,
    pub kind: Option<&'r Line>,
    /// The dispatch that made it.
    pub dispatch: Option<&'r IdPrefix>,
}

/// The answer to `run artifact add`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Added {
    pub run: Run,
    pub artifact: Artifact,
    /// False if it was recorded already.
    pub added: bool,
}

/// Records an artifact, with the hash of its content if the file exists.
pub fn add(ctx: &Ctx, request: &Add<'_>) -> Result<Answer<Added>, Problem> {
    let (bytes, path) = specs::path(ctx.repository(), request.path)?;
    let sha256 = content_of(ctx, &bytes)?;
    let (run, phase, dispatch) = if let Some(dispatch) = request.dispatch {
        // A dispatch never changes its phase.
        let (run, dispatch) = named::dispatch(ctx, request.run, dispatch)?;
        (run, request.phase.cloned(), Some(dispatch))
    } else {
        let (run, phase) = seen(ctx, request.run, request.phase)?;
        (run, Some(phase), None)
    };
    let kind = request.kind.cloned();
    let committed = transact(ctx, AddArtifact { run, phase, path, kind, sha256, dispatch })?;
    Ok(Answer::committed(committed, |AddedArtifact { run, artifact, known }| Added {
        run,
        artifact,
        added: !known,
    }))
}

/// Hashes a file of the work tree, if there is one.
fn content_of(ctx: &Ctx, path: &[u8]) -> Result<Option<ContentHash>, AppError> {
    let digest = ctx.repository().sha256_of(path)?;
    Ok(digest.map(|digest| digest.try_into().expect("a digest is one")))
}

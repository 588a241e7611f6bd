//! Tells whether targets are free, without taking them.

use std::ffi::OsString;

use schemars::JsonSchema;
use serde::Serialize;

use super::{in_the_way, terminals};
use crate::app::answer::{Answer, Note};
use crate::app::error::AppError;
use crate::app::path_facts::path_facts;
use crate::app::presence::HolderLiveness;
use crate::app::problem::{Problem, conflicting};
use crate::app::view::ConflictView;
use crate::app::{Ctx, specs, unmatched};
use crate::core::ids::LockName;
use crate::core::limits::PATTERNS_PER_COMMAND_MAX;
use crate::core::pattern::Reading;
use crate::core::refusal::Conflict;
use crate::core::reservation::check::{Asker, without_shared};
use crate::core::reservation::target::targets;

/// The targets in question.
pub struct Request<'r> {
    /// Paths or patterns, relative to the caller's directory.
    pub patterns: &'r [OsString],
    pub locks: &'r [LockName],
    pub reading: Reading,
    /// Set for a list from another program, which may be of any length and have no path in it.
    pub is_list: bool,
    /// Set to point out a name that matches no file.
    pub advise: bool,
}

/// The answer to `check`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    /// True if the caller would get all targets.
    pub free: bool,
    /// Each target with each reservation that stands in its way, at most ten of them; `list` has
    /// them all.
    pub conflicts: Vec<ConflictView>,
    /// True if conflicts were left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
    /// All conflicts, for people.
    #[serde(skip)]
    pub all: Vec<ConflictView>,
}

/// Tells whether the targets are free for the caller.
pub fn check(ctx: &Ctx, request: &Request<'_>) -> Result<Answer<Body>, Problem> {
    let specs::Meant { patterns, hints } = meant(ctx, request)?;
    let facts = path_facts(ctx.repository(), &patterns);
    let targets = targets(&patterns, request.locks, &facts);
    let (conflicts, now) = in_the_way(ctx, &targets)?;
    let elsewhere = terminals::held_from_another(ctx, &targets)?;
    let advise = || unmatched::hint(ctx, request.patterns, request.reading, None);
    let unmatched = request.advise.then(advise).flatten();
    let notes = hints.into_iter().map(Note::plain).chain(elsewhere).chain(unmatched);
    if conflicts.is_empty() {
        let body = Body { free: true, conflicts: Vec::new(), more: false, all: Vec::new() };
        return Ok(Answer::read(body, now).noting(notes));
    }
    let notes = notes.chain(shared_with(ctx, &conflicts)?);
    let liveness = HolderLiveness::of(ctx, &conflicts);
    let all = ConflictView::all(&conflicts, now, &liveness);
    let (shown, more) = ConflictView::bounded(&all);
    let body = Body { free: false, conflicts: shown, more, all };
    let refusal = conflicting(&conflicts, now, &liveness);
    Ok(Answer::read(body, now).refused(refusal).noting(notes))
}

/// Resolves the patterns; a list is resolved in as many parts as it takes.
fn meant(ctx: &Ctx, request: &Request<'_>) -> Result<specs::Meant, AppError> {
    let resolved = |part| specs::meant(ctx.repository(), part, request.reading, "check");
    if !request.is_list {
        return resolved(request.patterns);
    }
    let mut all = specs::Meant::default();
    for part in request.patterns.chunks(PATTERNS_PER_COMMAND_MAX) {
        let specs::Meant { patterns, hints } = resolved(part)?;
        all.patterns.extend(patterns);
        all.hints.extend(hints);
    }
    Ok(all)
}

/// Tells a caller that shares the targets that those who share them too do not stop its edits.
fn shared_with(ctx: &Ctx, conflicts: &[Conflict]) -> Result<Option<Note>, AppError> {
    let reading = ctx.read()?;
    let asker = Asker::exclusive(ctx.actor(), reading.now);
    let documents = &reading.base.snapshot;
    let left = without_shared(documents, conflicts.to_vec(), asker, reading.case)?;
    let text = "you share this: you may edit and commit it, and so may the others who share it";
    Ok(left.is_empty().then(|| Note::plain(text)))
}

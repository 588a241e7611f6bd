//! Before and after a commit.

use std::path::PathBuf;

use super::objection::Act;
use super::sweep::{self, Place};
use super::{Body, Objection, Verdict, literal};
use crate::app::answer::Answer;
use crate::app::config::Severity;
use crate::app::error::AppError;
use crate::app::identity::ActorKind;
use crate::app::ownership::adopt;
use crate::app::{Ctx, edits, news, ownership};
use crate::core::environment::Environment;
use crate::core::pattern::Pattern;
use crate::store::git::object::ObjectId;
use crate::store::worktree::changes::staged::StagedPath;

/// Decides whether the staged changes may be committed. Only reads.
pub(super) fn before(ctx: &Ctx, environment: &Environment) -> Result<Verdict, AppError> {
    let staged = staged(ctx, environment)?;
    let overtaken = edits::overtaken(ctx, &named(&staged))?;
    if overtaken.is_empty() {
        return unowned(ctx, environment, &staged);
    }
    let changes = ctx.repository().changes();
    let act = match (is_of_more(environment), changes.is_before_first_commit()?) {
        (true, _) => Act::CommitOfMore,
        (false, true) => Act::FirstCommit,
        (false, false) => Act::Commit,
    };
    let mut objection = Objection::to(act, &overtaken, ctx.clock());
    if act == Act::CommitOfMore {
        let is_free = |path: &Pattern| overtaken.iter().all(|found| found.path != *path);
        let rest: Vec<Pattern> = named(&staged).into_iter().filter(is_free).collect();
        if let Some(words) = sweep::only(&rest, place(ctx, environment)) {
            objection = objection.suggesting("to commit the rest without it:".to_owned(), words);
        }
    }
    // A hint that cannot be had is no reason to let it pass.
    if let Ok(Some((newest, paths))) = changes.undone(own_index(environment).as_deref()) {
        let undone = literal(&paths);
        if overtaken.iter().all(|found| undone.contains(&found.path)) {
            let newest = newest.short();
            let hint = format!("it would undo {newest}: if that came in just now, commit again");
            objection.hints.insert(0, hint);
        }
    }
    Ok(Verdict::on(ctx, "commit", objection))
}

/// Decides whether the commit takes changes of others along, or goes to another branch than its
/// edits were made on.
fn unowned(
    ctx: &Ctx,
    environment: &Environment,
    staged: &[StagedPath],
) -> Result<Verdict, AppError> {
    let mut found = ownership::sweep::of_commit(ctx, staged)?;
    let hook = ctx.settings().hook;
    let place = place(ctx, environment);
    let mut taken = std::mem::take(&mut found.taken);
    if hook.leftovers == Severity::Refuse {
        taken.append(&mut found.leftovers);
    }
    if !taken.is_empty() {
        let objection = sweep::of_others(&found, &taken, place);
        return Ok(match hook.changes {
            Severity::Refuse => Verdict::on(ctx, "commit", objection),
            Severity::Warn => Verdict::Warn(objection.passing("commit")),
        });
    }
    if let Some(moved) = &found.moved {
        return Ok(Verdict::on(ctx, "commit", sweep::of_branch(moved)));
    }
    if found.leftovers.is_empty() {
        return Ok(Verdict::Pass);
    }
    Ok(Verdict::Warn(sweep::of_leftovers(&found.leftovers, place.now)))
}

/// Describes the commit that is about to be made.
fn place(ctx: &Ctx, environment: &Environment) -> Place {
    let is_merge = environment.names_after("GITHEAD_").next().is_some();
    Place {
        is_merge: is_merge || ctx.repository().changes().is_merge(),
        is_at_top: environment.non_empty("GIT_PREFIX").is_none(),
        now: ctx.clock(),
    }
}

/// Decides once more when git takes up the message: hooks of the project may have staged more since
/// the first decision, and `--no-verify` skips that one. A person who would only be warned has been
/// warned. A rebase, a cherry-pick or a revert passes, and the push sees what it brings.
pub(super) fn again(ctx: &Ctx, environment: &Environment) -> Result<Verdict, AppError> {
    match before(ctx, environment)? {
        refusal @ Verdict::Refuse(_) if !ctx.repository().changes().is_replay() => Ok(refusal),
        _ => Ok(Verdict::Pass),
    }
}

/// Ends the edits of what was just committed, and notes the author of the commit for the push.
///
/// Answers with the last entry that was written for it.
pub(super) fn after(ctx: &Ctx) -> Result<Answer<Body>, AppError> {
    let mut answer = Answer::read(Body {}, ctx.clock());
    let Some((commit, paths)) = ctx.repository().changes().committed()? else { return Ok(answer) };
    let committed = literal(&paths);
    // Git and a hook manager may both call us for one commit.
    let known = ctx.commit_authors().all();
    let is_noted = known.is_ok_and(|known| known.get(&commit) == Some(ctx.actor()));
    let noted = if is_noted { Ok(()) } else { ctx.commit_authors().note(&commit, ctx.actor()) };
    if !is_noted {
        // That somebody could not be told is no reason to keep what is done with.
        answer.included(news::after_commit(ctx, &committed).ok().flatten());
    }
    if !is_noted && ctx.identity().kind == ActorKind::Agent {
        // The commit is made. That its owner could not be told does not undo it.
        answer.included(adopt::by_commit(ctx, &committed, &commit.short()).ok().flatten());
    }
    ownership::settle(ctx, &committed)?;
    if ctx.settings().hook.release.is_at_commit() {
        answer.included(edits::committed(ctx, &committed)?);
    }
    noted?;
    Ok(answer)
}

/// Lists the paths that the commit would change that git is about to make.
pub(super) fn staged_paths(ctx: &Ctx, environment: &Environment) -> Result<Vec<Pattern>, AppError> {
    Ok(named(&staged(ctx, environment)?))
}

fn staged(ctx: &Ctx, environment: &Environment) -> Result<Vec<StagedPath>, AppError> {
    // So `git merge` tells its children what it merges; MERGE_HEAD comes later.
    let merged: Vec<ObjectId> =
        environment.names_after("GITHEAD_").filter_map(|name| name.parse().ok()).collect();
    Ok(ctx.repository().changes().staged(own_index(environment).as_deref(), &merged)?)
}

fn named(staged: &[StagedPath]) -> Vec<Pattern> {
    literal(staged.iter().map(|staged| &staged.path))
}

/// Tells whether the commit has an index of its own, which git makes from more than is staged.
fn is_of_more(environment: &Environment) -> bool {
    let index = own_index(environment);
    let name = index.as_ref().and_then(|index| index.extension());
    name.is_some_and(|extension| extension == "lock")
}

/// Returns the index of the commit: `git commit -a` and `git commit <path>` have one of their own.
fn own_index(environment: &Environment) -> Option<PathBuf> {
    environment.path("GIT_INDEX_FILE")
}

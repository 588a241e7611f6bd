//! The work trees of a session, so that the end of its turn is heard in all of them.
//!
//! A hook knows where its session was begun. Work elsewhere is noted in the repository there, if
//! hooks act in it.

use std::path::{Path, PathBuf};

use crate::app::open::{Door, enter};
use crate::app::presence::is_reported_by_hooks;
use crate::app::{Ctx, env_file};
use crate::core::environment::Environment;
use crate::store::machine::presence::Presences;
use crate::store::machine::session_places::SessionPlaces;

/// Names the directory that the session was begun in; its agent may stand elsewhere by now.
const BEGUN_VARIABLE: &str = "CLAUDE_PROJECT_DIR";

/// Finds the directory that the session was begun in, as its hooks are told.
pub fn begun_in(environment: &Environment) -> Option<PathBuf> {
    directory(environment, BEGUN_VARIABLE)
}

fn directory(environment: &Environment, variable: &str) -> Option<PathBuf> {
    environment.os(variable).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// Finds the directory that the session of a command was begun in, as a hook has handed it on.
fn begun_before(environment: &Environment) -> Option<PathBuf> {
    directory(environment, env_file::SESSION_DIR_VARIABLE).or_else(|| begun_in(environment))
}

/// Tells whether hooks end with its turn what the agent of a command gets here: they report it
/// here, or act here and report it where its session was begun. If so, this place is noted there.
pub fn ends_are_heard(ctx: &Ctx) -> bool {
    let begun = begun_before(&ctx.environment);
    let is_reported_there = || {
        let there = elsewhere(ctx, begun.as_deref()?)?;
        let acts_here = Door::find(&ctx.environment).is_ok_and(|here| here.is_enabled());
        Some(acts_here && is_reported_by_hooks(&Presences::new(&there, ctx.files), ctx.actor()))
    };
    let is_heard =
        is_reported_by_hooks(&ctx.presences(), ctx.actor()) || is_reported_there().unwrap_or(false);
    if let Some(begun) = begun.filter(|_| is_heard) {
        note_begun_in(ctx, &begun);
    }
    is_heard
}

/// Notes that the session of the agent works here, where it was begun elsewhere. If that fails, its
/// end may not be heard here.
pub fn note(ctx: &Ctx) {
    if let Some(begun) = begun_in(&ctx.environment) {
        note_begun_in(ctx, &begun);
    }
}

fn note_begun_in(ctx: &Ctx, begun: &Path) {
    let top = ctx.repository().work_tree().map(|tree| tree.top.as_path());
    let Some(top) = top else { return };
    let (session, here) = (ctx.actor().session(), ctx.session_places());
    if here.is_marked(&session, top, begun) {
        return;
    }
    if let Some(there) = elsewhere(ctx, begun) {
        let there = SessionPlaces::new(&there, ctx.files);
        there.note(&session, top).ok();
    }
    here.set_mark(&session, top, begun).ok();
}

/// Finds the common directory of the repository where the session was begun; none if that is this
/// work tree, or hooks do not act there.
fn elsewhere(ctx: &Ctx, begun: &Path) -> Option<PathBuf> {
    let door = Door::find_around(&enter(&ctx.environment, begun).ok()?).ok()?;
    let (git_dir, common_dir) =
        door.repository(|found| (found.git_dir().to_owned(), found.common_dir().to_owned()))?;
    let is_elsewhere = git_dir != ctx.repository().git_dir();
    (is_elsewhere && door.is_enabled()).then_some(common_dir)
}

/// Lists the work trees that the session of the agent is noted to work in.
pub fn of(ctx: &Ctx) -> Vec<PathBuf> {
    ctx.session_places().of(&ctx.actor().session())
}

/// Forgets where the session of the agent has worked, once it has ended.
pub fn forget(ctx: &Ctx) {
    let top = ctx.repository().work_tree().map(|tree| tree.top.as_path());
    ctx.session_places().forget(&ctx.actor().session(), top).ok();
}

//! The work trees of a session, so that the end of its turn is heard in all of them.
//!
//! A hook knows where its session was begun. Work elsewhere is noted in the repository there, if
//! hooks act in it.

use std::path::{Path, PathBuf};

use crate::app::Ctx;
use crate::app::open::{Door, enter};
use crate::core::environment::Environment;
use crate::store::machine::session_places::SessionPlaces;

/// Names the directory that the session was begun in; its agent may stand elsewhere by now.
const BEGUN_VARIABLE: &str = "CLAUDE_PROJECT_DIR";

/// Finds the directory that the session was begun in, as its hooks are told.
pub fn begun_in(environment: &Environment) -> Option<PathBuf> {
    environment.os(BEGUN_VARIABLE).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// Notes that the session of the agent works here, where it was begun elsewhere. If that fails, its
/// end may not be heard here.
pub fn note(ctx: &Ctx) {
    let top = ctx.repository().work_tree().map(|tree| tree.top.as_path());
    let Some((top, begun)) = top.zip(begun_in(&ctx.environment)) else { return };
    let (session, here) = (ctx.actor().session(), ctx.session_places());
    if here.is_marked(&session, top, &begun) {
        return;
    }
    if let Some(there) = elsewhere(ctx, &begun) {
        there.note(&session, top).ok();
    }
    here.set_mark(&session, top, &begun).ok();
}

/// Opens the record of the repository where the session was begun; none if that is this work tree,
/// or hooks do not act there.
fn elsewhere(ctx: &Ctx, begun: &Path) -> Option<SessionPlaces> {
    let door = Door::find_around(&enter(&ctx.environment, begun).ok()?).ok()?;
    let (git_dir, common_dir) =
        door.repository(|found| (found.git_dir().to_owned(), found.common_dir().to_owned()))?;
    let is_elsewhere = git_dir != ctx.repository().git_dir();
    (is_elsewhere && door.is_enabled()).then(|| SessionPlaces::new(&common_dir, ctx.files))
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

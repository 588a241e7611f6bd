//! The places that a command works in: the shell that it begins in, and work trees.

use std::cell::OnceCell;

use super::others::{Work, work};
use crate::app::Ctx;
use crate::app::error::AppError;
use crate::app::open::{Door, enter};
use crate::core::environment::Environment;
use crate::core::shell::git::Ground;
use crate::core::shell::pathspec::Place;
use crate::core::shell::{Known, Setting, Start, joined};

/// The variables that tell git which repository is meant.
const GIT_VARIABLES: [&str; 3] = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"];

/// A work tree that a command is about.
pub(super) struct Tree {
    /// None if it is that of the request.
    pub(super) other: Option<Ctx>,
    pub(super) door: Option<Door>,
    pub(super) place: Place,
    /// Set if git works with another index than that of the work tree.
    pub(super) has_other_index: bool,
    work: OnceCell<Work>,
}

/// Describes the shell that the command begins in: that of the agent, with the hook's variables.
pub(super) fn start(ctx: &Ctx) -> Start {
    let known = |name: &str| match ctx.environment.text(name) {
        Some(value) => Known::Is(value.to_owned()),
        None => Known::Unset,
    };
    let names = GIT_VARIABLES.into_iter().chain(["HOME"]);
    let variables = names.map(|name| (name.to_owned(), known(name))).collect();
    Start { directory: ctx.directory().to_owned(), variables }
}

/// The place of a command, as far as its text tells it.
pub(super) enum Spot {
    Known(Box<Tree>),
    /// A place without a repository, or one where hooks do not act.
    Elsewhere,
    /// Nobody knows: a directory or a repository that is not known, or that is not there, so that
    /// the shell stays where it is.
    Unknown,
}

/// Finds the work tree of a place.
pub(super) fn find(ctx: &Ctx, ground: &Ground) -> Spot {
    let is_unknown = |setting: &Setting| *setting == Setting::Unknown;
    let Some(directory) = &ground.directory else { return Spot::Unknown };
    if is_unknown(&ground.git_dir) || is_unknown(&ground.work_tree) {
        return Spot::Unknown;
    }
    match enter(&ctx.environment, directory) {
        Ok(environment) => {
            let tree = tree(ctx, ground, environment).map(Box::new);
            tree.map_or(Spot::Elsewhere, Spot::Known)
        }
        Err(_) => Spot::Unknown,
    }
}

fn tree(ctx: &Ctx, ground: &Ground, mut environment: Environment) -> Option<Tree> {
    let is_named = [&ground.git_dir, &ground.work_tree].iter().any(|set| **set != Setting::Unset);
    let is_as_asked = environment.directory() == Some(ctx.directory());
    if is_as_asked && !is_named && ctx.environment.text("GIT_DIR").is_none() {
        let top = ctx.repository().work_tree()?.top.clone();
        let place = Place { top, directory: ctx.directory().to_owned() };
        let has_other_index = has_other_index(ctx, &ground.index_file, &place);
        let (other, door, work) = (None, None, OnceCell::new());
        return Some(Tree { other, door, place, has_other_index, work });
    }
    for (name, setting) in [("GIT_DIR", &ground.git_dir), ("GIT_WORK_TREE", &ground.work_tree)] {
        environment = match setting {
            Setting::Unset | Setting::Unknown => environment.with(name, None),
            Setting::Is(value) => environment.with(name, Some(value)),
        };
    }
    // The caller's own variables are its choice. A name in the text of a command is not: the agent
    // may have read it in a file of the repository.
    let is_in_text = environment.text("GIT_DIR") != ctx.environment.text("GIT_DIR");
    let door = if is_in_text && ground.git_dir != Setting::Unset {
        Door::find_in_text(&environment)
    } else {
        Door::find_around(&environment)
    };
    let door = door.ok()?;
    if !door.has_repository() || !door.is_enabled() {
        return None;
    }
    let other = door.open_for(ctx.identity().clone()).ok()?;
    let top = other.repository().work_tree()?.top.clone();
    let place = Place { top, directory: environment.directory()?.to_owned() };
    let has_other_index = has_other_index(&other, &ground.index_file, &place);
    let (other, door, work) = (Some(other), Some(door), OnceCell::new());
    Some(Tree { other, door, place, has_other_index, work })
}

/// Tells whether git is to use another index than that of the work tree, or one that is not known.
/// Git reads its path from the top.
fn has_other_index(here: &Ctx, index_file: &Setting, place: &Place) -> bool {
    let path = match index_file {
        Setting::Unset => return false,
        Setting::Unknown => return true,
        Setting::Is(path) => joined(&place.top, path),
    };
    let usual = here.repository().git_dir().join("index");
    path != usual && path.canonicalize().ok() != usual.canonicalize().ok()
}

impl Tree {
    pub(super) fn work(&self, ctx: &Ctx) -> Result<&Work, AppError> {
        if let Some(work) = self.work.get() {
            return Ok(work);
        }
        let found = work(ctx)?;
        Ok(self.work.get_or_init(|| found))
    }
}

//! The gate before a shell command: what it would do to uncommitted work of other agents.
//!
//! A command that contains none of the names in question is not read. One that is read asks the
//! notes, the ledger and git only if it has an effect on uncommitted work at all.

mod makers;
mod others;
mod places;
mod refusals;

use std::path::Path;

use self::places::{Tree, find, start, tree_at};
use self::refusals::refusal;
use crate::app::Ctx;
use crate::app::config::Severity;
use crate::app::error::AppError;
use crate::app::next::in_shell;
use crate::app::open::Door;
use crate::app::presence::CallKind;
use crate::app::rescue::keep::{self, Kept, Occasion};
use crate::core::ids::AgentName;
use crate::core::ownership::turn::Turn;
use crate::core::rescue::Why;
use crate::core::shell::effect::Effect;
use crate::core::shell::git::Ground;
use crate::core::shell::verbs::Facts;
use crate::core::shell::verdict::{Change, Verdict, kept_for_makers, verdict};
use crate::core::shell::{Simple, Word, act, joined, read};
use crate::core::time::Timestamp;

/// The largest number of work trees that are looked at for one command.
const TREES_MAX: usize = 4;

/// A command that would hit work of others.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// The words of the simple command, as far as they are known.
    pub command: Vec<String>,
    /// The harm that it would do.
    pub does: &'static str,
    pub hits: Vec<Hit>,
    /// Commands that do the same to the own work only.
    pub instead: Vec<Vec<String>>,
    /// Commands that ask the owners.
    pub ask: Vec<Vec<String>>,
    /// Commands that take the changes over, if their owners are not at work.
    pub adopt: Vec<Vec<String>>,
    /// The time of the look.
    pub at: Timestamp,
}

/// A file of another agent, or a pattern that it holds.
#[derive(Clone, Debug)]
pub struct Hit {
    pub path: String,
    pub agent: AgentName,
    pub since: Timestamp,
    pub how: How,
}

/// The way in which a file is another agent's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// It is held.
    Held,
    /// It is changed and not committed, by an agent in that state.
    Changed(Turn),
    /// It is a commit, made by an agent in that state.
    Made(Turn),
}

/// Tells the kind of the tool call that runs a command, whose text may not be known.
pub fn kind(text: Option<&str>) -> CallKind {
    if text.is_some_and(act::runs_git) { CallKind::Git } else { CallKind::Shell }
}

/// The outcome of a look at a command.
#[derive(Debug)]
pub enum Looked {
    /// It runs.
    Pass,
    /// It would hit work of others.
    Refused(Refusal),
    /// It runs, and this is saved.
    Saved(Vec<Kept>),
}

/// Looks at a command. Refuses the first simple command in it that would hit work of others. If
/// there is none, saves the files that it may throw away. Calls `before_saving` before that,
/// because it may take long.
pub fn look(
    ctx: &Ctx,
    door: &Door,
    text: &str,
    before_saving: &dyn Fn(),
) -> Result<Looked, AppError> {
    if !act::is_worth_reading(text) {
        return Ok(Looked::Pass);
    }
    let reading = read(text, &start(ctx));
    let mut to_save: Vec<(usize, &Simple, Vec<Effect>)> = Vec::new();
    let mut trees: Vec<(Ground, Option<Tree>)> = Vec::new();
    for simple in reading.commands.iter().filter(|simple| act::can_have_effects(simple)) {
        let ground = Ground::of(simple);
        let known = trees.iter().position(|(seen, _)| *seen == ground);
        let at = match known {
            Some(at) => at,
            None if trees.len() >= TREES_MAX => continue,
            None => {
                trees.push((ground.clone(), find(ctx, &ground)));
                trees.len() - 1
            }
        };
        let Some(tree) = &trees[at].1 else { continue };
        match look_at(ctx, door, simple, tree)? {
            Met::Nothing => {}
            Met::Refused(refusal) => return Ok(Looked::Refused(refusal)),
            Met::ToSave(effects) => match to_save.iter_mut().find(|(known, ..)| *known == at) {
                Some((.., before)) => before.extend(effects),
                None => to_save.push((at, simple, effects)),
            },
        }
    }
    if to_save.is_empty() {
        return Ok(Looked::Pass);
    }
    before_saving();
    let mut saved = Vec::new();
    for (at, simple, effects) in to_save {
        let here = trees[at].1.as_ref().and_then(|tree| tree.other.as_ref()).unwrap_or(ctx);
        saved.extend(save(here, simple, &effects)?);
    }
    Ok(if saved.is_empty() { Looked::Pass } else { Looked::Saved(saved) })
}

/// Saves the files of a work tree that a command may touch.
fn save(here: &Ctx, simple: &Simple, effects: &[Effect]) -> Result<Option<Kept>, AppError> {
    let command = in_shell(&typed(simple));
    let occasion = Occasion { command: Some(&command), ..Occasion::of(Why::Verb) };
    keep::uncommitted(here, occasion, |path| effects.iter().any(|effect| effect.contains(path)))
}

/// The outcome of a look at a simple command.
enum Met {
    Nothing,
    Refused(Refusal),
    /// These would throw work away, which is to be saved before.
    ToSave(Vec<Effect>),
}

/// Looks at one simple command in its work tree.
fn look_at(ctx: &Ctx, door: &Door, simple: &Simple, tree: &Tree) -> Result<Met, AppError> {
    let here = tree.other.as_ref().unwrap_or(ctx);
    let door = tree.door.as_ref().unwrap_or(door);
    let path_of = |typed: &str| joined(&tree.place.directory, typed);
    let was_there = |path: &Path| {
        let inside = path.strip_prefix(&tree.place.top).ok();
        let changes = || tree.work(here).ok().map(|work| work.others.changes.as_slice());
        let is_it = |change: &Change| inside.is_some_and(|inside| is_path(change, inside));
        changes().is_some_and(|changes| changes.iter().any(is_it))
    };
    let facts = Facts {
        place: tree.place.clone(),
        branch: here.repository().branch().map(|branch| branch.as_str().to_owned()),
        is_path: &|typed| {
            let path = path_of(typed);
            path.symlink_metadata().is_ok() || was_there(&path)
        },
        is_directory: &|typed| path_of(typed).is_dir(),
        config: &|key| door.get(key),
    };
    let mut to_save = Vec::new();
    for effect in act::effects(simple, &facts) {
        // A work tree that is removed has its own notes.
        let removed = effect.tree.as_ref().map(|path| tree_at(ctx, path));
        let (here, tree) = match &removed {
            Some(None) => continue,
            Some(Some(removed)) => (removed.other.as_ref().unwrap_or(ctx), removed),
            None => (here, tree),
        };
        if let Some(commits) = &effect.commits {
            let makers = makers::makers(here, commits)?;
            let kept = kept_for_makers(&effect, ctx.actor(), &makers);
            if !kept.is_empty() {
                return Ok(Met::Refused(makers::refusal(typed(simple), &effect, &kept, here)));
            }
            continue;
        }
        // Git changes another index than the one here, and commit hooks look at that.
        if tree.has_other_index && effect.rule.is_about_index() {
            to_save.extend(Some(effect).filter(|effect| effect.rule.is_kept()));
            continue;
        }
        let work = tree.work(here)?;
        match verdict(&effect, &work.others, work.case) {
            Verdict::Refused(refused) => {
                // With this setting it runs all the same.
                if ctx.settings().hook.changes == Severity::Warn && effect.rule.is_kept() {
                    save(here, simple, std::slice::from_ref(&effect))?;
                }
                return Ok(Met::Refused(refusal(simple, &effect, &refused, work, here)));
            }
            // A work tree that is removed is another one than that of the command.
            Verdict::KeepFirst if removed.is_some() => {
                save(here, simple, std::slice::from_ref(&effect))?;
            }
            Verdict::KeepFirst => to_save.push(effect),
            Verdict::Pass => {}
        }
    }
    Ok(if to_save.is_empty() { Met::Nothing } else { Met::ToSave(to_save) })
}

/// Returns the words of a simple command, as far as they are known.
fn typed(simple: &Simple) -> Vec<String> {
    let shown = |word: &Word| word.literal().unwrap_or("...").to_owned();
    simple.words.iter().map(shown).collect()
}

fn is_path(change: &Change, path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes() == change.path
}

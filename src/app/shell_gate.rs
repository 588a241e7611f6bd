//! The gate before a shell command: what it would do to uncommitted work of other agents.
//!
//! A command asks the ledger and git only if it has an effect on uncommitted work at all, and the
//! notes only if nobody knows what it does.

mod commit_authors;
mod others;
mod places;
mod refusals;
mod saving;

use std::path::{Path, PathBuf};

use self::places::{Spot, Tree, find, start};
use self::refusals::refusal;
pub use self::saving::Saved;
use self::saving::{save_commits, save_files};
use crate::app::Ctx;
use crate::app::config::Severity;
use crate::app::error::AppError;
use crate::app::next::in_shell;
use crate::app::open::Door;
use crate::app::rescue::keep::{self, Occasion};
use crate::core::ids::AgentName;
use crate::core::ownership::tool_call::CallKind;
use crate::core::ownership::turn::Turn;
use crate::core::rescue::Why;
use crate::core::shell::effect::Effect;
use crate::core::shell::git::Ground;
use crate::core::shell::verbs::Facts;
use crate::core::shell::verdict::{Change, Verdict, kept_for_authors, verdict};
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
    /// It is nothing yet: the agent is at work in this work tree.
    Present,
}

/// Tells the kind of the tool call that runs a command, whose text may not be known.
pub fn kind(text: Option<&str>) -> CallKind {
    if text.is_some_and(act::runs_git) { CallKind::Git } else { CallKind::Shell }
}

/// Tells whether a command runs a verb of git that may touch work of others, as far as its text
/// tells.
pub fn runs_verb(text: &str) -> bool {
    act::runs_verb(text)
}

/// The outcome of a look at a command.
#[derive(Debug)]
pub enum Looked {
    /// It runs.
    Pass,
    /// It would hit work of others.
    Refused(Refusal),
    /// It runs, and this is saved.
    Saved(Saved),
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
    let reading = read(text, &start(ctx));
    let mut look = Look { ctx, door, trees: Vec::new(), to_save: Vec::new(), own: None };
    for simple in reading.commands.iter().filter(|simple| act::can_have_effects(simple)) {
        if let Some(refusal) = look.at_simple(simple)? {
            return Ok(Looked::Refused(refusal));
        }
    }
    if !reading.is_whole {
        // Nobody knows what the rest does.
        look.own = Some(text.to_owned());
    }
    let saved = look.save(before_saving)?;
    if look.own.is_none()
        && let Some(opaque) = reading.commands.iter().find(|simple| act::is_opaque(simple))
        && keep::has_unsaved_notes(ctx)
    {
        before_saving();
        let command = in_shell(&typed(opaque));
        let occasion = Occasion { command: Some(&command), ..Occasion::of(Why::Verb) };
        // Most such commands do no harm, and each edit is saved by itself.
        keep::noted(ctx, occasion).ok();
    }
    let is_nothing = saved.files.is_empty() && saved.commits.is_empty();
    Ok(if is_nothing { Looked::Pass } else { Looked::Saved(saved) })
}

/// A look at a command.
struct Look<'l> {
    ctx: &'l Ctx,
    door: &'l Door,
    /// The places that were looked for.
    trees: Vec<(Ground, Spot)>,
    /// The effects that want something saved, by the number of their work tree.
    to_save: Vec<(usize, String, Vec<Effect>)>,
    /// The command before which everything in the work tree of the session is saved.
    own: Option<String>,
}

impl Look<'_> {
    /// Returns the number of a place; none if there are too many.
    fn at(&mut self, ground: Ground) -> Option<usize> {
        let known = self.trees.iter().position(|(seen, _)| *seen == ground);
        if known.is_none() && self.trees.len() < TREES_MAX {
            let spot = find(self.ctx, &ground);
            self.trees.push((ground, spot));
            return Some(self.trees.len() - 1);
        }
        known
    }

    fn tree(&self, at: usize) -> Option<(&Ctx, &Tree)> {
        match &self.trees[at].1 {
            Spot::Known(tree) => Some((tree.other.as_ref().unwrap_or(self.ctx), tree.as_ref())),
            Spot::Elsewhere | Spot::Unknown => None,
        }
    }

    /// Looks at one simple command. Returns why it is refused, if it is.
    fn at_simple(&mut self, simple: &Simple) -> Result<Option<Refusal>, AppError> {
        let mut effects: Vec<(Option<usize>, Effect)> = Vec::new();
        let removals = act::removals(simple, &trees_below(self.ctx, simple));
        let ground = Ground::of(simple);
        let is_somewhere = ground.directory.is_some();
        let here = self.at(ground);
        match here.map(|at| &self.trees[at].1) {
            Some(Spot::Elsewhere) => {}
            Some(Spot::Known(tree)) => {
                let found = effects_in(self.ctx, self.door, simple, tree);
                effects.extend(found.into_iter().map(|effect| (here, effect)));
            }
            Some(Spot::Unknown) | None => {
                let stays = |path: &str| joined(self.ctx.directory(), path).exists();
                let is_path = |path: &str| !is_somewhere || stays(path);
                if act::may_destroy(simple, &is_path, &|key| self.door.get(key)) {
                    self.own.get_or_insert_with(|| in_shell(&typed(simple)));
                }
            }
        }
        effects.extend(removals.into_iter().map(|effect| (None, effect)));
        for (at, effect) in effects {
            // A work tree that is removed has its own notes.
            let at = match &effect.tree {
                Some(path) => self.at(Ground::in_directory(path)),
                None => at,
            };
            let Some(at) = at else {
                self.own.get_or_insert_with(|| in_shell(&typed(simple)));
                continue;
            };
            match self.judge(simple, &effect, at)? {
                Met::Nothing => {}
                Met::Refused(refusal) => return Ok(Some(refusal)),
                Met::ToSave => self.add(at, simple, effect),
            }
        }
        Ok(None)
    }

    /// Adds an effect that wants something saved. The files of a work tree are saved at once.
    fn add(&mut self, at: usize, simple: &Simple, effect: Effect) {
        let is_file = effect.commits.is_none();
        let before = self.to_save.iter_mut().find(|(known, _, effects)| {
            is_file && *known == at && effects.iter().all(|effect| effect.commits.is_none())
        });
        match before {
            Some((.., effects)) => effects.push(effect),
            None => self.to_save.push((at, in_shell(&typed(simple)), vec![effect])),
        }
    }

    /// Judges an effect in its work tree.
    fn judge(&self, simple: &Simple, effect: &Effect, at: usize) -> Result<Met, AppError> {
        let Some((here, tree)) = self.tree(at) else { return Ok(Met::Nothing) };
        let kept = || if effect.rule.is_kept() { Met::ToSave } else { Met::Nothing };
        if let Some(commits) = &effect.commits {
            let authors = commit_authors::authors(here, commits)?;
            let kept = kept_for_authors(effect, self.ctx.actor(), &authors);
            if !kept.is_empty() {
                if self.ctx.settings().hook.changes == Severity::Warn {
                    let command = in_shell(&typed(simple));
                    save_commits(here, &command, effect, &mut Saved::default())?;
                }
                let refusal = commit_authors::refusal(typed(simple), effect, &kept, here);
                return Ok(Met::Refused(refusal));
            }
            return Ok(if effect.rule.drops_commits() { Met::ToSave } else { Met::Nothing });
        }
        // Git changes another index than the one here, and commit hooks look at that.
        if tree.has_other_index && effect.rule.is_about_index() {
            return Ok(kept());
        }
        let work = tree.work(here)?;
        let others = work.seen_by(here, effect.rule);
        match verdict(effect, &others, work.case) {
            Verdict::Refused(refused) => {
                // With this setting it runs all the same.
                if self.ctx.settings().hook.changes == Severity::Warn && effect.rule.is_kept() {
                    let command = in_shell(&typed(simple));
                    let is_chosen = |path: &[u8]| effect.may_touch(path);
                    save_files(here, &command, is_chosen, &mut Saved::default())?;
                }
                Ok(Met::Refused(refusal(simple, effect, &refused, work, here)))
            }
            Verdict::KeepFirst | Verdict::Pass => Ok(kept()),
        }
    }

    /// Saves what the effects want saved.
    fn save(&self, before_saving: &dyn Fn()) -> Result<Saved, AppError> {
        let mut saved = Saved::default();
        if self.to_save.is_empty() && self.own.is_none() {
            return Ok(saved);
        }
        before_saving();
        for (at, command, effects) in &self.to_save {
            let Some((here, tree)) = self.tree(*at) else { continue };
            let (commits, files): (Vec<_>, Vec<_>) =
                effects.iter().partition(|effect| effect.commits.is_some());
            for effect in commits {
                save_commits(here, command, effect, &mut saved)?;
            }
            if !files.is_empty() && (self.own.is_none() || tree.other.is_some()) {
                let is_chosen = |path: &[u8]| files.iter().any(|effect| effect.may_touch(path));
                save_files(here, command, is_chosen, &mut saved)?;
            }
        }
        if let Some(command) = &self.own {
            save_files(self.ctx, command, |_| true, &mut saved)?;
        }
        Ok(saved)
    }
}

/// The outcome of a look at an effect.
enum Met {
    Nothing,
    Refused(Refusal),
    /// It would throw work away, which is to be saved before.
    ToSave,
}

/// Lists the effects of a simple command in its work tree.
fn effects_in(ctx: &Ctx, door: &Door, simple: &Simple, tree: &Tree) -> Vec<Effect> {
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
    act::effects(simple, &facts)
}

/// Lists the work trees of this repository that a program could remove from outside of git; none
/// for a command that removes no directory.
fn trees_below(ctx: &Ctx, simple: &Simple) -> Vec<PathBuf> {
    if simple.program() != Some("rm") {
        return Vec::new();
    }
    let repository = ctx.repository();
    let mut trees: Vec<PathBuf> = Vec::new();
    if repository.has_linked_worktrees() {
        let all = repository.worktrees().unwrap_or_default();
        trees.extend(all.into_iter().map(|(_, top)| top));
    }
    let own = repository.work_tree().map(|tree| tree.top.clone());
    let own = own.filter(|own| !trees.contains(own));
    trees.extend(own);
    trees
}

/// Returns the words of a simple command, as far as they are known.
fn typed(simple: &Simple) -> Vec<String> {
    let shown = |word: &Word| word.literal().unwrap_or("...").to_owned();
    simple.words.iter().map(shown).collect()
}

fn is_path(change: &Change, path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes() == change.path
}

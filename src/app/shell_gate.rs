//! The gate before a shell command: what it would do to uncommitted work of other agents.
//!
//! A command that contains none of the names in question is not read. One that is read asks the
//! notes, the ledger and git only if it has an effect on uncommitted work at all.

mod makers;
mod others;

use std::cell::OnceCell;
use std::path::Path;

use self::others::{Work, work};
use crate::app::Ctx;
use crate::app::config::Severity;
use crate::app::error::AppError;
use crate::app::next::{can_be_typed, command, in_shell};
use crate::app::open::{Door, enter};
use crate::app::presence::CallKind;
use crate::app::rescue::keep::{self, Kept, Occasion};
use crate::core::ids::AgentName;
use crate::core::ownership::turn::Turn;
use crate::core::rescue::Why;
use crate::core::shell::effect::Effect;
use crate::core::shell::git::Ground;
use crate::core::shell::pathspec::Place;
use crate::core::shell::verbs::Facts;
use crate::core::shell::verdict::{Change, Refused, Verdict, kept_for_makers, verdict};
use crate::core::shell::{Known, Setting, Simple, Start, Word, act, joined, read};
use crate::core::time::Timestamp;

/// The largest number of work trees that are looked at for one command.
const TREES_MAX: usize = 4;
/// The largest number of own paths that are spelled out.
const OWN_MAX: usize = 20;
/// The variables that tell git which repository is meant.
const GIT_VARIABLES: [&str; 3] = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"];
/// The largest number of paths in a suggestion to take them over.
const ADOPT_MAX: usize = 5;
/// The reason in a suggested request.
const REASON: &str = "a command of mine would touch it";

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

/// A work tree that a command is about.
struct Tree {
    /// None if it is that of the request.
    other: Option<Ctx>,
    door: Option<Door>,
    place: Place,
    work: OnceCell<Work>,
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

/// Describes the shell that the command begins in: that of the agent, with the hook's variables.
fn start(ctx: &Ctx) -> Start {
    let known = |name: &str| match ctx.environment.text(name) {
        Some(value) => Known::Is(value.to_owned()),
        None => Known::Unset,
    };
    let names = GIT_VARIABLES.into_iter().chain(["HOME"]);
    let variables = names.map(|name| (name.to_owned(), known(name))).collect();
    Start { directory: ctx.directory().to_owned(), variables }
}

/// Finds the work tree of a place; none if it is not known, has no repository, or hooks do not act
/// there.
fn find(ctx: &Ctx, ground: &Ground) -> Option<Tree> {
    let directory = ground.directory.as_ref()?;
    // With an index of its own, git commits something else than what is staged here.
    if ground.index_file != Setting::Unset {
        return None;
    }
    let mut environment = enter(&ctx.environment, directory).ok()?;
    let is_named = [&ground.git_dir, &ground.work_tree].iter().any(|set| **set != Setting::Unset);
    let is_as_asked = environment.directory() == Some(ctx.directory());
    if is_as_asked && !is_named && ctx.environment.text("GIT_DIR").is_none() {
        let top = ctx.repository().work_tree()?.top.clone();
        let place = Place { top, directory: ctx.directory().to_owned() };
        return Some(Tree { other: None, door: None, place, work: OnceCell::new() });
    }
    for (name, setting) in [("GIT_DIR", &ground.git_dir), ("GIT_WORK_TREE", &ground.work_tree)] {
        environment = match setting {
            Setting::Unknown => return None,
            Setting::Unset => environment.with(name, None),
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
    Some(Tree { other: Some(other), door: Some(door), place, work: OnceCell::new() })
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

fn tree_at(ctx: &Ctx, directory: &Path) -> Option<Tree> {
    let directory = Some(directory.to_owned());
    let (git_dir, work_tree) = (Setting::Unset, Setting::Unset);
    find(ctx, &Ground { directory, git_dir, work_tree, index_file: Setting::Unset })
}

impl Tree {
    fn work(&self, ctx: &Ctx) -> Result<&Work, AppError> {
        if let Some(work) = self.work.get() {
            return Ok(work);
        }
        let found = work(ctx)?;
        Ok(self.work.get_or_init(|| found))
    }
}

fn refusal(
    simple: &Simple,
    effect: &Effect,
    refused: &Refused<'_>,
    work: &Work,
    ctx: &Ctx,
) -> Refusal {
    let changed = refused.changes.iter().map(|change| Hit {
        path: String::from_utf8_lossy(&change.path).into_owned(),
        agent: change.agent.clone(),
        since: change.since,
        how: change.state.map_or(How::Held, |_| How::Changed(change.turn)),
    });
    let held = refused.holds.iter().map(|hold| Hit {
        path: hold.target.shown(),
        agent: hold.holder.clone(),
        since: hold.granted_at,
        how: How::Held,
    });
    Refusal {
        command: typed(simple),
        does: effect.rule.does(),
        hits: changed.chain(held).collect(),
        instead: instead(effect, &work.own),
        ask: asks(refused, ctx),
        adopt: adopts(refused),
        at: work.at,
    }
}

/// Suggests commands that leave the work of others alone.
fn instead(effect: &Effect, own: &[Vec<u8>]) -> Vec<Vec<String>> {
    let words =
        |words: &[&str]| -> Vec<String> { words.iter().map(|&word| word.to_owned()).collect() };
    if effect.rule.wants_own_tree() {
        let branch = effect.tree_words.last().filter(|branch| can_be_typed(branch));
        let Some(branch) = branch else { return Vec::new() };
        let name = branch.rsplit('/').next().unwrap_or(branch);
        let add =
            [words(&["git", "worktree", "add", &format!("../{name}")]), effect.tree_words.clone()];
        return vec![add.concat()];
    }
    let Some(start) = effect.rule.instead() else { return Vec::new() };
    let typed =
        |path: &Vec<u8>| String::from_utf8(path.clone()).ok().filter(|path| can_be_typed(path));
    let mine: Vec<String> =
        own.iter().filter_map(typed).take(OWN_MAX).map(|path| format!(":/{path}")).collect();
    if mine.is_empty() { Vec::new() } else { vec![[words(start), mine].concat()] }
}

/// Suggests to take changes over that nobody works on any more. A held file is asked for instead.
fn adopts(refused: &Refused<'_>) -> Vec<Vec<String>> {
    let is_idle = |change: &&&Change| !change.is_held && change.turn != Turn::Running;
    let idle: Vec<&&Change> = refused.changes.iter().filter(is_idle).collect();
    if idle.len() < refused.changes.len() || !refused.holds.is_empty() {
        return Vec::new();
    }
    let typed = |change: &&&Change| {
        let path = std::str::from_utf8(&change.path).ok().filter(|path| can_be_typed(path))?;
        Some(format!(":/{path}"))
    };
    let paths: Vec<String> = idle.iter().filter_map(typed).take(ADOPT_MAX).collect();
    if paths.is_empty() {
        return Vec::new();
    }
    let words = ["adopt", "--reason", "<why>", "--"].map(str::to_owned);
    let words: Vec<String> = words.into_iter().chain(paths).collect();
    vec![command(&words.iter().map(String::as_str).collect::<Vec<_>>())]
}

/// Suggests to ask those who hold something: they work on it now.
fn asks(refused: &Refused<'_>, ctx: &Ctx) -> Vec<Vec<String>> {
    if !ctx.settings().negotiation {
        return Vec::new();
    }
    let held = refused.changes.iter().find(|change| change.is_held);
    let path = held.and_then(|change| {
        let path = std::str::from_utf8(&change.path).ok().filter(|path| can_be_typed(path))?;
        Some((&change.agent, format!(":/{path}")))
    });
    let by_command = refused.holds.first().map(|hold| (&hold.holder, hold.id.to_string()));
    let ask = path.or(by_command).map(|(agent, what)| {
        command(&["ask", &format!("--holder={agent}"), "--reason", REASON, "--", &what])
    });
    ask.into_iter().collect()
}

//! How the hooks of git come to call us, in this repository and with this git.
//!
//! Pure. A git that takes hooks from its configuration needs no file. Where a hook manager has the
//! hooks, it is told nothing and overwritten never: what to add to it is said. Elsewhere the files
//! are ours to share.

use std::path::{Path, PathBuf};

use crate::app::install::hook_file::{self, GitHook, Whose};
use crate::app::install::plan::{Act, Item, Setting};
use crate::store::files::{Rights, Shape};

/// The first git that takes hooks from its configuration.
const CONFIGURED_SINCE: (u32, u32) = (2, 54);

/// What is there.
#[derive(Clone, Debug)]
pub struct Found {
    /// The first two numbers of git's version.
    pub git: (u32, u32),
    /// Whether somebody can commit here; a bare repository runs none of these hooks.
    pub has_work_tree: bool,
    /// Where git looks for hooks, if nothing else is configured.
    pub directory: PathBuf,
    /// What is there, hook by hook.
    pub places: Vec<Place>,
    /// `core.hooksPath`.
    pub elsewhere: Option<Elsewhere>,
    /// The repository's own configuration.
    pub local: Vec<Setting>,
}

/// What is there for one hook.
#[derive(Clone, Debug)]
pub struct Place {
    /// Which.
    pub hook: GitHook,
    /// Its file.
    pub file: Option<(Vec<u8>, Shape)>,
    /// The file that we keep for somebody.
    pub chained: Option<Vec<u8>>,
}

/// Hooks that are not where git looks by itself.
#[derive(Clone, Debug)]
pub struct Elsewhere {
    /// The value of `core.hooksPath`.
    pub path: String,
    /// Who looks after them.
    pub manager: Manager,
    /// Those of them that call us.
    pub called: Vec<GitHook>,
}

/// A program that looks after hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manager {
    /// husky, with a script for each hook.
    Husky,
    /// lefthook, with one file for all.
    Lefthook,
    /// pre-commit or prek, with one file for all.
    PreCommit,
    /// Nobody that we know.
    Unknown,
}

impl Manager {
    /// The line that makes it call us, and where it belongs.
    fn line(self, hooks_path: &str, hook: GitHook) -> String {
        let (name, call) = (hook.name(), hook.call());
        match self {
            Manager::Husky => format!("add to '.husky/{name}': {call} \"$@\""),
            Manager::Lefthook => format!(
                "add to 'lefthook.yml': {name}: {{ jobs: [ {{ run: \"{call} {{0}}\", \
                 use_stdin: true }} ] }}"
            ),
            Manager::PreCommit => format!(
                "add to '.pre-commit-config.yaml', under 'repo: local': {{ id: git-coord-{name}, \
                 name: git coord, entry: {call}, language: system, stages: [{name}], \
                 always_run: true, pass_filenames: {} }}",
                hook.needs_file_names()
            ),
            Manager::Unknown => format!("add to '{hooks_path}/{name}': {call} \"$@\""),
        }
    }
}

/// Everything that makes git call us.
pub fn install(found: &Found) -> Vec<Item> {
    if !found.has_work_tree {
        return vec![Item::note("no git hooks: nobody commits in a bare repository")];
    }
    if found.git >= CONFIGURED_SINCE {
        // What an older git needed would call us a second time.
        let configured = GitHook::ALL.into_iter().map(|hook| configured(hook, &found.local));
        return configured.chain(without_files(found)).collect();
    }
    if let Some(elsewhere) = &found.elsewhere {
        return GitHook::ALL.into_iter().map(|hook| managed(hook, elsewhere)).collect();
    }
    let files = found.places.iter().map(|place| with_file(place, &found.directory));
    files.chain(without_configured(&found.local)).collect()
}

/// Everything that takes it back.
pub fn uninstall(found: &Found) -> Vec<Item> {
    let mut items: Vec<Item> = without_files(found).collect();
    items.extend(without_configured(&found.local));
    for hook in found.elsewhere.iter().flat_map(|elsewhere| &elsewhere.called) {
        let what = format!("hook {0}: remove the line '{1}' yourself", hook.name(), hook.call());
        items.push(Item::note(what));
    }
    items
}

fn configured(hook: GitHook, local: &[Setting]) -> Item {
    let what = format!("hook {}: configuration", hook.name());
    let missing = settings(hook).into_iter().filter(|setting| !setting.is_in(local));
    let acts: Vec<Act> = missing.map(Act::Set).collect();
    if acts.is_empty() { Item::already_so(what) } else { Item::change(what, acts) }
}

/// Git puts the arguments after the command, so the call of ours comes last. The command is there
/// before the event, so that git never meets an event with nothing to run.
fn settings(hook: GitHook) -> [Setting; 2] {
    let section = format!("hook.git-coord-{}", hook.name());
    let command = format!("! command -v git-coord >/dev/null 2>&1 || {}", hook.call());
    [
        Setting::new(format!("{section}.command"), command),
        Setting::new(format!("{section}.event"), hook.name()),
    ]
}

fn without_configured(local: &[Setting]) -> impl Iterator<Item = Item> {
    GitHook::ALL.into_iter().filter_map(|hook| {
        let set = settings(hook).into_iter().rev().filter(|setting| setting.is_in(local));
        let acts: Vec<Act> = set.map(Act::Unset).collect();
        let what = || format!("hook {}: taken out of the configuration", hook.name());
        (!acts.is_empty()).then(|| Item::change(what(), acts))
    })
}

fn managed(hook: GitHook, elsewhere: &Elsewhere) -> Item {
    let Elsewhere { path, manager, called } = elsewhere;
    if called.contains(&hook) {
        return Item::already_so(format!("hook {}: called from '{path}'", hook.name()));
    }
    let line = manager.line(path, hook);
    Item::note(format!("hook {}: core.hooksPath is '{path}'; {line}", hook.name()))
}

fn with_file(place: &Place, directory: &Path) -> Item {
    let hook = place.hook;
    let path = directory.join(hook.name());
    let shown = path.display().to_string();
    let item = |how: &str, acts: Vec<Act>| {
        let what = format!("hook {}: {how} {shown}", hook.name());
        if acts.is_empty() { Item::already_so(what) } else { Item::change(what, acts) }
    };
    let ours = |content: String| Act::Write {
        path: path.clone(),
        content: content.into_bytes(),
        rights: Rights::Executable,
    };
    let Some((content, shape)) = &place.file else {
        return match place.chained {
            None => item("file", vec![ours(hook_file::own(hook))]),
            Some(_) => {
                item("before the one that was there,", vec![ours(hook_file::chaining(hook))])
            }
        };
    };
    // What is there stays if it is the same, and can be run.
    let unless_so = |wanted: Vec<u8>, rights| {
        let is_so = wanted == *content && shape.is_executable;
        let write = Act::Write { path: path.clone(), content: wanted, rights };
        if is_so { Vec::new() } else { vec![write] }
    };
    let executable = Rights::Executable;
    match hook_file::whose(hook, content) {
        Whose::Own => item("file", unless_so(hook_file::own(hook).into_bytes(), executable)),
        Whose::Chaining => {
            let wanted = hook_file::chaining(hook).into_bytes();
            item("before the one that was there,", unless_so(wanted, executable))
        }
        Whose::With(rest) => {
            let wanted = hook_file::with_block(hook, &rest).unwrap_or(content.clone());
            item("lines in", unless_so(wanted, executable))
        }
        Whose::Foreign => {
            let with_block = hook_file::with_block(hook, content);
            match with_block.filter(|_| shape.is_executable && !shape.is_link) {
                Some(wanted) => item("lines in", unless_so(wanted, Rights::AsBefore)),
                None => before_another(place, content, directory, ours(hook_file::chaining(hook))),
            }
        }
    }
}

/// A hook that we cannot write into gets a second name first, so that at no time there is none.
fn before_another(place: &Place, content: &[u8], directory: &Path, ours: Act) -> Item {
    let hook = place.hook;
    let path = directory.join(hook.name());
    let to = directory.join(hook.chained_name());
    let what = format!("hook {}: before the one that was there, {}", hook.name(), path.display());
    match &place.chained {
        None => Item::change(what, [Act::Link { from: path, to }, ours]),
        Some(kept) if kept == content => Item::change(what, [ours]),
        Some(_) => {
            let (path, to) = (path.display(), to.display());
            Item::note(format!(
                "hook {}: not installed: '{path}' is no hook of ours, and '{to}' is taken; \
                 remove one of them",
                hook.name()
            ))
        }
    }
}

fn without_files(found: &Found) -> impl Iterator<Item = Item> {
    found.places.iter().filter_map(|place| without_file(place, &found.directory))
}

fn without_file(place: &Place, directory: &Path) -> Option<Item> {
    let hook = place.hook;
    let path = directory.join(hook.name());
    let chained = directory.join(hook.chained_name());
    let back = |path: PathBuf| {
        let what = format!("hook {}: the one that was there, {}", hook.name(), path.display());
        Item::change(what, [Act::Rename { from: chained, to: path }])
    };
    let shown = path.display().to_string();
    let gone = |path: PathBuf| {
        Item::change(format!("hook {}: no file {shown}", hook.name()), [Act::Remove(path)])
    };
    match (&place.file, &place.chained) {
        (None, None) => None,
        (None, Some(_)) => Some(back(path)),
        (Some((content, _)), kept) => match (hook_file::whose(hook, content), kept) {
            (Whose::Foreign, _) => None,
            (Whose::Chaining, Some(_)) => Some(back(path)),
            (Whose::Chaining | Whose::Own, _) => Some(gone(path)),
            (Whose::With(rest), _) => {
                let write = Act::Write { path, content: rest, rights: Rights::AsBefore };
                Some(Item::change(format!("hook {}: no lines in {shown}", hook.name()), [write]))
            }
        },
    }
}

#[cfg(test)]
mod tests;

//! A world of few paths, in which every set of paths can be listed. Nothing here uses the matcher
//! or the decisions.

use std::collections::{BTreeMap, BTreeSet};

use git_coord::core::reservation::paths::{PathKind, Paths};
use git_coord::core::reservation::{Hold, Mode, Via, index};

use crate::scenario::MemoryLedger;

pub(super) type Set = BTreeSet<String>;

/// A session, two of its subagents, and strangers.
pub(super) const AGENTS: [&str; 5] = ["ann", "ann/x", "ann/y", "bob", "cid"];

/// The files of the world.
pub(super) const FILES: [&str; 4] = ["x", "b/x", "b/y", "b/c/x"];

/// Directories and patterns with wildcards; of the names, `y` also stands for files yet to be made.
pub(super) const PATTERNS: [&str; 10] =
    ["b", "b/c", "c", "**", "**/x", "**/y", "b/*", "b/**", "*/x", "b/c/?"];

/// Lists every path of up to three names, one of which is in no pattern. Nothing is below a file.
fn world() -> Set {
    let names = ["b", "c", "x", "y", "z"];
    let mut paths: Vec<String> = names.map(str::to_owned).to_vec();
    for _ in 0..2 {
        let deeper = |path: &String| names.map(|name| format!("{path}/{name}"));
        let below: Vec<String> = paths.iter().flat_map(deeper).collect();
        paths.extend(below);
    }
    let is_below_file = |path: &String| FILES.iter().any(|file| is_below(path, file));
    paths.into_iter().filter(|path| !is_below_file(path)).collect()
}

fn is_below(path: &str, directory: &str) -> bool {
    path.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'))
}

fn is_matched(pattern: &[&str], path: &[&str]) -> bool {
    match (pattern, path) {
        ([], []) => true,
        (["**", rest @ ..], _) => {
            let is_longer = || matches!(path, [_, below @ ..] if is_matched(pattern, below));
            is_matched(rest, path) || is_longer()
        }
        ([name, rest @ ..], [first, below @ ..]) => {
            (["*", "?"].contains(name) || name == first) && is_matched(rest, below)
        }
        _ => false,
    }
}

/// Lists the paths that a word means: a directory and a path without wildcards with all below.
pub(super) fn meant(text: &str) -> Set {
    let words: Vec<&str> = text.split('/').collect();
    let is_literal = !text.contains(['*', '?']);
    let belongs = |path: &String| {
        let names: Vec<&str> = path.split('/').collect();
        is_matched(&words, &names) || (is_literal && is_below(path, text))
    };
    world().into_iter().filter(belongs).collect()
}

fn members(paths: &Paths) -> Set {
    let text = paths.pattern.shown();
    let mut set = match paths.kind {
        Some(PathKind::File) => Set::from([text]),
        Some(PathKind::New) | None => meant(&text),
    };
    for except in &paths.except {
        let gone = meant(&except.shown());
        set.retain(|path| !gone.contains(path));
    }
    set
}

/// The worktree that a hold protects, if it came with an edit; none if it protects all.
pub(super) type Tree = Option<Option<String>>;

/// A hold as a set of paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Held {
    pub(super) holder: String,
    pub(super) paths: Set,
    pub(super) is_shared: bool,
    pub(super) tree: Tree,
    pub(super) ends_with_turn: bool,
}

impl Held {
    fn of(hold: &Hold) -> Held {
        let paths = hold.target.paths().unwrap();
        let worktree = || hold.about.worktree.as_ref().map(|name| name.as_str().to_owned());
        Held {
            holder: hold.holder.to_string(),
            paths: members(paths),
            is_shared: hold.mode == Mode::Shared,
            tree: (hold.about.via == Via::Hook).then(worktree),
            ends_with_turn: hold.about.via != Via::Command,
        }
    }

    /// Tells whether the hold came with an edit in another worktree.
    pub(super) fn is_elsewhere(&self, worktree: Option<&str>) -> bool {
        self.tree.as_ref().is_some_and(|tree| tree.as_deref() != worktree)
    }
}

/// Reads all holds of a state.
pub(super) fn held(ledger: &MemoryLedger) -> Vec<Held> {
    index::all(&ledger.documents).unwrap().iter().map(Held::of).collect()
}

/// Tells whether one agent acts for the other: it is the other, or the other is its subagent.
pub(super) fn covers(one: &str, other: &str) -> bool {
    one == other || is_below(other, one)
}

pub(super) fn are_strangers(one: &str, other: &str) -> bool {
    !covers(one, other) && !covers(other, one)
}

/// Who has what how: the union of the holds of a kind.
pub(super) type Shares = BTreeMap<(String, bool, Tree), Set>;

pub(super) fn shares(held: &[Held]) -> Shares {
    let mut shares = Shares::new();
    for Held { holder, paths, is_shared, tree, .. } in held {
        let key = (holder.clone(), *is_shared, tree.clone());
        shares.entry(key).or_default().extend(paths.iter().cloned());
    }
    shares.retain(|_, paths| !paths.is_empty());
    shares
}

/// Takes paths away from agents.
pub(super) fn without(mut shares: Shares, given: &Set, whose: impl Fn(&str) -> bool) -> Shares {
    for ((holder, ..), paths) in &mut shares {
        if whose(holder) {
            paths.retain(|path| !given.contains(path));
        }
    }
    shares.retain(|_, paths| !paths.is_empty());
    shares
}

/// Lists all paths that an agent has, however.
pub(super) fn all_of(shares: &Shares, agent: &str) -> Set {
    let own = shares.iter().filter(|((holder, ..), _)| holder == agent);
    own.flat_map(|(_, paths)| paths.clone()).collect()
}

/// Lists the paths that an agent has beyond its turn.
pub(super) fn lasting(held: &[Held], agent: &str) -> Set {
    let own = held.iter().filter(|hold| hold.holder == agent && !hold.ends_with_turn);
    own.flat_map(|hold| hold.paths.clone()).collect()
}

/// Leaves out the shares of an agent.
pub(super) fn of_others(mut shares: Shares, agent: &str) -> Shares {
    shares.retain(|(holder, ..), _| holder != agent);
    shares
}

/// Lists the paths that an agent has alone, in every worktree.
pub(super) fn alone(shares: &Shares, agent: &str) -> Set {
    shares.get(&(agent.to_owned(), false, None)).cloned().unwrap_or_default()
}

//! From a simple command to its effects: git, with the user's own names for its verbs, and the
//! programs that write files.

use std::path::{Path, PathBuf};

use super::effect::{Effect, Rule};
use super::git::GitCall;
use super::pathspec::Place;
use super::verbs::{self, Facts};
use super::{DEPTH_MAX, Simple, Start, Word, harmless, read, writers};

/// The programs that act under an agent's name.
const PROGRAMS: [&str; 2] = ["git", "git-coord"];

/// Verbs of git, which cannot be given another meaning by an alias.
const VERBS: [&str; 63] = [
    "add",
    "am",
    "apply",
    "archive",
    "bisect",
    "blame",
    "branch",
    "bundle",
    "cat-file",
    "check-ignore",
    "checkout",
    "checkout-index",
    "cherry-pick",
    "clean",
    "clone",
    "commit",
    "config",
    "describe",
    "diff",
    "difftool",
    "fetch",
    "for-each-ref",
    "format-patch",
    "fsck",
    "gc",
    "grep",
    "hash-object",
    "help",
    "init",
    "log",
    "ls-files",
    "ls-remote",
    "ls-tree",
    "maintenance",
    "merge",
    "merge-base",
    "mergetool",
    "mv",
    "notes",
    "pull",
    "push",
    "range-diff",
    "read-tree",
    "rebase",
    "reflog",
    "remote",
    "reset",
    "restore",
    "rev-list",
    "rev-parse",
    "revert",
    "rm",
    "shortlog",
    "show",
    "stage",
    "stash",
    "status",
    "submodule",
    "switch",
    "symbolic-ref",
    "tag",
    "update-ref",
    "worktree",
];

/// Tells whether a command runs git or this program, as far as its text tells.
pub fn runs_git(text: &str) -> bool {
    let is_git = |simple: &Simple| simple.program().is_some_and(|it| PROGRAMS.contains(&it));
    text.contains("git") && read(text, &Start::default()).commands.iter().any(is_git)
}

/// Tells whether a simple command can have effects, before anybody looks for its work tree.
pub fn can_have_effects(simple: &Simple) -> bool {
    let is_known = |program: &str| matches!(program, "git" | "gh") || writers::is_known(program);
    !simple.writes.is_empty() || !simple.words.is_empty() && simple.program().is_none_or(is_known)
}

/// Tells whether a simple command may change files in a way that its words do not tell: a script, a
/// build, a program that is not known.
pub fn is_opaque(simple: &Simple) -> bool {
    !harmless::is_harmless(simple)
}

/// Tells whether git itself, or this program, knows a verb.
pub(super) fn is_known_verb(verb: &str) -> bool {
    verb == "coord" || VERBS.contains(&verb)
}

/// Tells whether a simple command may throw something away in a work tree that is not known.
/// `is_path` tells whether a word may be a path there.
pub fn may_destroy(
    simple: &Simple,
    is_path: &dyn Fn(&str) -> bool,
    config: &dyn Fn(&str) -> Option<String>,
) -> bool {
    let top = PathBuf::from("/");
    let place = Place { directory: top.clone(), top };
    let facts = Facts { place, branch: None, is_path, is_directory: &|_| false, config };
    effects(simple, &facts).iter().any(|effect| effect.rule.is_kept())
}

/// Tells whether a command runs a verb of git that may touch work of others, as far as its text
/// tells. It knows neither the repository nor its configuration.
pub fn runs_verb(text: &str) -> bool {
    let place = Place { top: PathBuf::from("/"), directory: PathBuf::from("/") };
    let (is_path, is_directory, config) = (&|_: &str| true, &|_: &str| false, &|_: &str| None);
    let facts = Facts { place, branch: None, is_path, is_directory, config };
    let is_verb = |simple: &Simple| {
        GitCall::read(simple).is_some_and(|call| !verbs::effects(&call, &facts).is_empty())
    };
    read(text, &Start::default()).commands.iter().any(is_verb)
}

/// Lists the removals of whole work trees, of these, by another program than git.
pub fn removals(simple: &Simple, trees: &[PathBuf]) -> Vec<Effect> {
    let removal = |tree: &Path| Effect {
        tree: Some(tree.to_owned()),
        ..Effect::everywhere(Rule::RemoveTree)
    };
    writers::removed(simple, trees).into_iter().map(removal).collect()
}

/// Lists the effects of a simple command.
pub fn effects(simple: &Simple, facts: &Facts<'_>) -> Vec<Effect> {
    nested(simple, facts, 0)
}

fn nested(simple: &Simple, facts: &Facts<'_>, depth: usize) -> Vec<Effect> {
    let is = |at: usize, text: &str| simple.words.get(at).is_some_and(|word| word.is(text));
    let Some(program) = simple.program() else {
        let is_unknown = !simple.words.is_empty();
        let unknown = is_unknown.then(Effect::unknown).into_iter();
        return writers::effects(simple, facts).into_iter().chain(unknown).collect();
    };
    if program == "gh" && is(1, "pr") && is(2, "checkout") {
        return vec![Effect::everywhere(Rule::MoveHead)];
    }
    let Some(call) = GitCall::read(simple) else {
        // The verb, or an option before it, is not known.
        let is_unknown = |word: &Word| matches!(word, Word::Unknown | Word::Several);
        return if program == "git" && simple.words.iter().any(is_unknown) {
            vec![Effect::unknown()]
        } else {
            writers::effects(simple, facts)
        };
    };
    if VERBS.contains(&call.verb.as_str()) {
        return verbs::effects(&call, facts);
    }
    if depth >= DEPTH_MAX {
        return Vec::new();
    }
    let behind = behind_alias(&call, simple, facts);
    behind.iter().flat_map(|simple| nested(simple, facts, depth + 1)).collect()
}

/// Reads the commands that an alias stands for. The words behind the alias go to the last of them.
fn behind_alias(call: &GitCall, simple: &Simple, facts: &Facts<'_>) -> Vec<Simple> {
    let key = format!("alias.{}", call.verb);
    let given = call.config.iter().rev().find(|(name, _)| name.eq_ignore_ascii_case(&key));
    let value = given.map(|(_, value)| value.clone()).or_else(|| (facts.config)(&key));
    let Some(value) = value else { return Vec::new() };
    let (text, directory) = match value.strip_prefix('!') {
        // A command for a shell runs at the top.
        Some(command) => (command.to_owned(), Some(facts.place.top.clone())),
        None => (format!("git {value}"), call.directory.clone()),
    };
    let start = Start { directory: directory.clone().unwrap_or_default(), ..Start::default() };
    let mut commands = read(&text, &start).commands;
    for command in &mut commands {
        command.variables = simple.variables.clone();
        if directory.is_none() {
            command.directory = None;
        }
    }
    let passed_on = call.arguments.iter().cloned();
    if let Some(last) = commands.last_mut() {
        last.words.retain(|word| *word != Word::Several);
        last.words.extend(passed_on);
    }
    commands
}

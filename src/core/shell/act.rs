//! From a simple command to its effects: git, with the user's own names for its verbs, and the
//! programs that write files.

use super::effect::{Effect, Rule};
use super::git::GitCall;
use super::verbs::{self, Facts};
use super::{DEPTH_MAX, Simple, Start, Word, read, writers};

/// Names that a command has to contain to be worth reading.
const NAMES: [&str; 13] =
    ["git", "gh", "rm", "mv", "cp", "tee", ">", "truncate", "dd", "sed", "perl", "find", "unlink"];

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

/// Tells whether a command could touch work of others at all. This looks at letters only, also at
/// those of a name with quotes in it.
pub fn is_worth_reading(text: &str) -> bool {
    let is_letter = |letter: &char| !matches!(letter, '\'' | '"' | '\\' | '\n');
    let text: String = text.chars().filter(is_letter).collect();
    NAMES.iter().any(|name| text.contains(name))
}

/// Tells whether a command runs git or this program, as far as its text tells.
pub fn runs_git(text: &str) -> bool {
    let is_git = |simple: &Simple| simple.program().is_some_and(|it| PROGRAMS.contains(&it));
    text.contains("git") && read(text, &Start::default()).commands.iter().any(is_git)
}

/// Tells whether a simple command can have effects, before anybody looks for its work tree.
pub fn can_have_effects(simple: &Simple) -> bool {
    let is_known = |program: &str| matches!(program, "git" | "gh") || writers::is_known(program);
    !simple.writes.is_empty() || simple.program().is_some_and(is_known)
}

/// Lists the effects of a simple command.
pub fn effects(simple: &Simple, facts: &Facts<'_>) -> Vec<Effect> {
    nested(simple, facts, 0)
}

fn nested(simple: &Simple, facts: &Facts<'_>, depth: usize) -> Vec<Effect> {
    let is = |at: usize, text: &str| simple.words.get(at).is_some_and(|word| word.is(text));
    if simple.program() == Some("gh") && is(1, "pr") && is(2, "checkout") {
        return vec![Effect::everywhere(Rule::MoveHead)];
    }
    let Some(call) = GitCall::read(simple) else { return writers::effects(simple, facts) };
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

//! The verbs of git that touch uncommitted work, each with its forms.

use super::arguments::Arguments;
use super::effect::{Commits, Effect, Rule};
use super::git::GitCall;
use super::pathspec::{Place, Scope};
use super::{Word, commits};

/// The known facts about the work tree that a command runs in.
pub struct Facts<'f> {
    pub place: Place,
    /// The branch that is checked out.
    pub branch: Option<String>,
    /// Tells whether a path exists, or did before somebody deleted it; by the path as it is typed.
    pub is_path: &'f dyn Fn(&str) -> bool,
    /// Tells whether a path, as it is typed, is a directory.
    pub is_directory: &'f dyn Fn(&str) -> bool,
    /// Reads the configuration.
    pub config: &'f dyn Fn(&str) -> Option<String>,
}

/// Options that ask a question and do nothing.
const QUESTIONS: [&str; 4] = ["dry-run", "help", "patch", "interactive"];
/// Options that read paths from a file, which are not known then.
const FROM_FILE: &str = "pathspec-from-file";

/// Lists the effects of a call.
pub fn effects(call: &GitCall, facts: &Facts<'_>) -> Vec<Effect> {
    let reader = Verb { call, facts };
    let is_question = |word: &Word| {
        let text = word.literal().unwrap_or_default();
        text == "-h" || text.strip_prefix("--").is_some_and(|name| QUESTIONS.contains(&name))
    };
    let before_paths = call.arguments.iter().take_while(|word| !word.is("--"));
    if before_paths.into_iter().any(is_question) {
        return Vec::new();
    }
    reader.effects()
}

struct Verb<'v> {
    call: &'v GitCall,
    facts: &'v Facts<'v>,
}

impl Verb<'_> {
    fn effects(&self) -> Vec<Effect> {
        let sub = self.call.arguments.first().and_then(Word::literal).unwrap_or_default();
        match self.call.verb.as_str() {
            "reset" => self.reset(),
            "checkout" => self.checkout(),
            "switch" => self.switch(),
            "restore" => self.restore(),
            "rm" => self.remove(),
            "mv" => self.paths(Rule::WipePaths, &self.sorted("", &[]), "n"),
            "checkout-index" => self.checkout_index(),
            "read-tree" => {
                let sorted = self.sorted("", &["prefix", "index-output"]);
                one(Rule::Wipe, sorted.has(&["reset"]) && sorted.has(&["u"]))
            }
            "stash" => self.stash(sub),
            "clean" => self.clean(),
            "rebase" => self.rebase(),
            "pull" => self.pull(),
            "merge" | "cherry-pick" | "revert" => self.merge(),
            "add" | "stage" => self.add(),
            "commit" => self.commit(),
            "symbolic-ref" => {
                let operands = self.sorted("m", &[]).operands;
                let is_write = operands.len() > 1 && operands[0].is("HEAD");
                one(Rule::MoveHead, is_write)
            }
            "bisect" => {
                let is_look = matches!(sub, "" | "log" | "view" | "visualize" | "terms" | "help");
                one(Rule::MoveHead, !is_look)
            }
            "worktree" if sub == "remove" => self.worktree_remove(),
            "branch" => commits::branch(&self.sorted("", &commits::BRANCH_VALUES)),
            "update-ref" => commits::update_ref(&self.sorted("m", &[])),
            _ => Vec::new(),
        }
    }

    fn sorted(&self, letters: &str, names: &[&str]) -> Arguments {
        Arguments::new(&self.call.arguments, letters, names)
    }

    fn scope(&self, words: &[Word]) -> Scope {
        Scope::of_git(words, &self.facts.place, self.call.has_literal_paths)
    }

    /// Tells whether a configured or given setting is on.
    fn is_on(&self, key: &str) -> bool {
        let given = self.call.config.iter().rev();
        let mut given = given.filter(|(name, _)| name.eq_ignore_ascii_case(key));
        let value = given.next().map(|(_, value)| value.clone());
        let value = value.or_else(|| (self.facts.config)(key)).unwrap_or_default();
        !matches!(value.to_ascii_lowercase().as_str(), "" | "false" | "no" | "off" | "0")
    }

    /// Applies a rule to all paths that are named, unless `question` asks for a dry run.
    fn paths(&self, rule: Rule, sorted: &Arguments, question: &str) -> Vec<Effect> {
        if sorted.has(&[question]) || sorted.has(&[FROM_FILE]) {
            return Vec::new();
        }
        vec![Effect::new(rule, self.scope(&sorted.all()))]
    }

    /// Tells whether a word without `--` before it means a path, not a branch or a commit.
    fn is_path(&self, word: &Word) -> bool {
        match word {
            Word::Literal(text) => text.starts_with(":/") || (self.facts.is_path)(text),
            Word::Glob(_) | Word::Any => true,
            Word::Unknown | Word::Several => false,
        }
    }

    /// Tells whether a word means another commit than the one that is checked out.
    fn is_elsewhere(&self, word: &Word) -> bool {
        let is_here =
            |text: &str| matches!(text, "HEAD" | "@") || self.facts.branch.as_deref() == Some(text);
        word.literal().is_some_and(|text| !is_here(text))
    }

    fn reset(&self) -> Vec<Effect> {
        let sorted = self.sorted("", &[FROM_FILE]);
        if sorted.has(&["p", FROM_FILE, "keep"]) {
            return Vec::new();
        }
        let target = sorted.operands.first();
        if sorted.has(&["hard", "merge"]) {
            let moves = target.is_some_and(|target| self.is_elsewhere(target));
            return wipe(moves);
        }
        if sorted.has(&["soft"]) {
            return Vec::new();
        }
        let is_named = |word: &&Word| self.is_path(word) || sorted.operands.len() > 1;
        let paths: Vec<Word> = match &sorted.paths {
            Some(paths) => paths.clone(),
            // The first of several words may be a commit.
            None if target.as_ref().is_some_and(is_named) => sorted.operands.clone(),
            None => Vec::new(),
        };
        match (&sorted.paths, paths.is_empty()) {
            (_, false) => vec![Effect::new(Rule::Unstage, self.scope(&paths))],
            (_, true) => vec![Effect::everywhere(Rule::ResetIndex)],
        }
    }

    fn checkout(&self) -> Vec<Effect> {
        let names = ["orphan", "conflict", FROM_FILE];
        let sorted = self.sorted("bB", &names);
        if sorted.has(&["p", FROM_FILE]) {
            return Vec::new();
        }
        let made = sorted.value(&["b", "B", "orphan"]);
        if let Some(paths) = sorted.paths.as_ref().filter(|paths| !paths.is_empty()) {
            return vec![Effect::new(Rule::WipePaths, self.scope(paths))];
        }
        let is_forced = sorted.has(&["f", "force"]);
        if made.is_some() {
            return head(made, true, is_forced);
        }
        match sorted.operands.as_slice() {
            [] if sorted.has(&["detach", "d"]) => head(None, false, is_forced),
            [only] if sorted.paths.is_none() && self.is_path(only) => {
                vec![Effect::new(Rule::WipePaths, self.scope(&sorted.operands))]
            }
            [only] if self.is_elsewhere(only) || sorted.has(&["detach", "d"]) => {
                head(Some(only), false, is_forced)
            }
            [] | [_] => one(Rule::Wipe, is_forced),
            [first, rest @ ..] => {
                let paths = if self.is_path(first) { &sorted.operands } else { rest };
                vec![Effect::new(Rule::WipePaths, self.scope(paths))]
            }
        }
    }

    fn switch(&self) -> Vec<Effect> {
        let names = ["orphan", "create", "force-create", "conflict"];
        let sorted = self.sorted("cC", &names);
        let is_forced = sorted.has(&["f", "force", "discard-changes"]);
        let made = sorted.value(&["c", "C", "orphan", "create", "force-create"]);
        let target = made.or(sorted.operands.first());
        match target {
            Some(target) if made.is_some() || self.is_elsewhere(target) => {
                head(Some(target), made.is_some(), is_forced)
            }
            None if sorted.has(&["detach", "d"]) => head(None, false, is_forced),
            _ => one(Rule::Wipe, is_forced),
        }
    }

    fn restore(&self) -> Vec<Effect> {
        let sorted = self.sorted("s", &["source", "conflict", FROM_FILE]);
        let is_staged = sorted.has(&["S", "staged"]);
        let is_work = sorted.has(&["W", "worktree"]) || !is_staged;
        let rule = if is_work { Rule::WipePaths } else { Rule::Unstage };
        self.paths(rule, &sorted, "p")
    }

    fn remove(&self) -> Vec<Effect> {
        let sorted = self.sorted("", &[FROM_FILE]);
        let rule = if sorted.has(&["cached"]) { Rule::Unstage } else { Rule::WipePaths };
        self.paths(rule, &sorted, "n")
    }

    fn checkout_index(&self) -> Vec<Effect> {
        let sorted = self.sorted("", &["stage", "prefix"]);
        if !sorted.has(&["f", "force"]) || sorted.has(&["n", "prefix"]) {
            return Vec::new();
        }
        let is_all = sorted.has(&["a", "all"]);
        let scope = if is_all { Scope::Everything } else { self.scope(&sorted.all()) };
        vec![Effect::new(Rule::WipePaths, scope)]
    }

    fn stash(&self, sub: &str) -> Vec<Effect> {
        if matches!(sub, "pop" | "apply" | "drop" | "clear") {
            return commits::used(&self.sorted("", &[]), sub);
        }
        let is_push = sub.is_empty() || sub == "push" || sub == "save" || sub.starts_with('-');
        if sub == "branch" {
            return head(self.call.arguments.get(1), true, false);
        }
        let sorted = self.sorted("m", &["message", FROM_FILE]);
        if !is_push || sorted.has(&["p", FROM_FILE]) {
            return Vec::new();
        }
        if sorted.has(&["S", "staged"]) {
            return one(Rule::Abort, true);
        }
        let mut paths = sorted.paths.clone().unwrap_or_default();
        if sub == "push" {
            paths.extend(sorted.operands.iter().skip(1).cloned());
        }
        let has_paths = !paths.is_empty();
        let scope = if has_paths { self.scope(&paths) } else { Scope::Everything };
        let mut effect = Effect::new(Rule::Stash, scope);
        effect.touches.untracked = sorted.has(&["u", "include-untracked", "a", "all"]);
        vec![effect]
    }

    fn clean(&self) -> Vec<Effect> {
        let sorted = self.sorted("e", &["exclude"]);
        let is_forced = sorted.has(&["f", "force"])
            || (self.facts.config)("clean.requireForce").as_deref() == Some("false");
        if !is_forced || sorted.has(&["n", "i"]) {
            return Vec::new();
        }
        let paths = sorted.all();
        let scope = if paths.is_empty() { self.scope(&[here()]) } else { self.scope(&paths) };
        let mut effects = Vec::new();
        if !sorted.has(&["X"]) {
            effects.push(Effect::new(Rule::Clean, scope));
        }
        if sorted.has(&["x", "X"]) && paths.is_empty() {
            effects.push(Effect::everywhere(Rule::CleanIgnored));
        }
        effects
    }

    fn rebase(&self) -> Vec<Effect> {
        let names = ["onto", "strategy", "strategy-option", "exec", "empty", "whitespace"];
        let sorted = self.sorted("sXxC", &names);
        let goes_on = ["continue", "skip", "quit", "edit-todo", "show-current-patch"];
        if sorted.has(&["abort"]) {
            return wipe(true);
        }
        one(Rule::Rebase, !sorted.has(&goes_on))
    }

    fn pull(&self) -> Vec<Effect> {
        let names = ["strategy", "strategy-option", "depth", "upload-pack", "refmap"];
        let sorted = self.sorted("sXo", &names);
        let rebases = sorted.has(&["rebase", "r"]) || self.is_on("pull.rebase");
        let rebases = rebases && !sorted.has(&["no-rebase"]);
        let key = if rebases { "rebase.autoStash" } else { "merge.autoStash" };
        self.autostash(&sorted, key)
    }

    fn merge(&self) -> Vec<Effect> {
        let names = ["strategy", "strategy-option", "message", "file", "into-name", "cleanup"];
        let sorted = self.sorted("sXmF", &names);
        if sorted.has(&["abort"]) {
            return one(Rule::Abort, true);
        }
        if self.call.verb == "merge" {
            self.autostash(&sorted, "merge.autoStash")
        } else {
            Vec::new()
        }
    }

    fn autostash(&self, sorted: &Arguments, key: &str) -> Vec<Effect> {
        let is_on = sorted.has(&["autostash"]) || self.is_on(key);
        one(Rule::Autostash, is_on && !sorted.has(&["no-autostash"]))
    }

    fn add(&self) -> Vec<Effect> {
        let sorted = self.sorted("", &["chmod", FROM_FILE]);
        if sorted.has(&["n", "p", "i", "e", "edit", "refresh", FROM_FILE]) {
            return Vec::new();
        }
        let paths = sorted.all();
        let is_all = sorted.has(&["A", "all", "u", "update"]) && paths.is_empty();
        let scope = if is_all { Scope::Everything } else { self.scope(&paths) };
        let mut effect = Effect::new(Rule::Add, scope);
        effect.touches.untracked = !sorted.has(&["u", "update"]);
        vec![effect]
    }

    fn commit(&self) -> Vec<Effect> {
        let names = [
            "message",
            "file",
            "author",
            "date",
            "template",
            "cleanup",
            "fixup",
            "squash",
            "reuse-message",
            "reedit-message",
            "trailer",
            FROM_FILE,
        ];
        let sorted = self.sorted("mFCct", &names);
        if sorted.has(&["p", FROM_FILE]) {
            return Vec::new();
        }
        let paths = sorted.all();
        let mut effect = Effect::everywhere(Rule::Commit);
        if sorted.has(&["a", "all"]) {
            effect.touches.tracked = true;
        } else if !paths.is_empty() {
            effect.touches.tracked = true;
            effect.touches.staged = sorted.has(&["i", "include"]);
            effect.scope = self.scope(&paths);
        }
        let amended = Effect::on_commits(Rule::Amend, Commits::Head);
        [effect].into_iter().chain(sorted.has(&["amend"]).then_some(amended)).collect()
    }

    fn worktree_remove(&self) -> Vec<Effect> {
        let sorted = self.sorted("", &[]);
        let tree = sorted.operands.get(1).and_then(Word::literal);
        let Some(tree) = tree.filter(|_| sorted.has(&["f", "force"])) else { return Vec::new() };
        let tree = Some(super::joined(&self.facts.place.directory, tree));
        vec![Effect { tree, ..Effect::everywhere(Rule::RemoveTree) }]
    }
}

/// Makes the current directory as a word.
fn here() -> Word {
    Word::Literal(".".to_owned())
}

fn one(rule: Rule, counts: bool) -> Vec<Effect> {
    counts.then(|| Effect::everywhere(rule)).into_iter().collect()
}

fn wipe(moves_head: bool) -> Vec<Effect> {
    let moved = moves_head.then(|| Effect::everywhere(Rule::MoveHead));
    [Effect::everywhere(Rule::Wipe)].into_iter().chain(moved).collect()
}

/// Makes the effects of checking out another branch or commit.
fn head(target: Option<&Word>, is_new: bool, is_forced: bool) -> Vec<Effect> {
    let branch = target.and_then(Word::literal).filter(|branch| !branch.starts_with('-'));
    let option = is_new.then(|| "-b".to_owned());
    let tree_words = branch.map(|branch| option.into_iter().chain([branch.to_owned()]).collect());
    let tree_words = tree_words.unwrap_or_default();
    let moved = Effect { tree_words, ..Effect::everywhere(Rule::MoveHead) };
    let wiped = is_forced.then(|| Effect::everywhere(Rule::Wipe));
    wiped.into_iter().chain([moved]).collect()
}

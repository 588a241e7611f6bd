//! The verbs of git that touch uncommitted work, each with its forms.

use super::arguments::Arguments;
use super::effect::{Commits, Effect, Rule, Touches};
use super::git::GitCall;
use super::options::{self, Options};
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

/// Options that read paths from a file, which are not known then.
const FROM_FILE: &str = "pathspec-from-file";

/// Verbs that throw something away with some of their options, such as `--abort`.
const MORE_IN_OPTIONS: [&str; 6] =
    ["cherry-pick", "merge", "read-tree", "rebase", "revert", "switch"];

/// Lists the effects of a call.
pub fn effects(call: &GitCall, facts: &Facts<'_>) -> Vec<Effect> {
    let reader = Verb { call, facts };
    let sorted = reader.sorted();
    if options::questions(&call.verb).any(|question| sorted.has_flag(question)) {
        return Vec::new();
    }
    let mut effects = reader.effects(&sorted);
    if MORE_IN_OPTIONS.contains(&call.verb.as_str()) && sorted.may_have_more_options() {
        effects.push(Effect::unknown());
    }
    effects
}

struct Verb<'v> {
    call: &'v GitCall,
    facts: &'v Facts<'v>,
}

impl Verb<'_> {
    fn effects(&self, sorted: &Arguments) -> Vec<Effect> {
        let sub = self.call.arguments.first().and_then(Word::literal).unwrap_or_default();
        match self.call.verb.as_str() {
            "reset" => self.reset(sorted),
            "checkout" => self.checkout(sorted),
            "switch" => self.switch(sorted),
            "restore" => self.restore(sorted),
            "rm" => self.remove(sorted),
            "mv" => self.paths(Rule::WipePaths, sorted, "n"),
            "checkout-index" => self.checkout_index(sorted),
            "read-tree" => one(Rule::Wipe, sorted.has(&["reset"]) && sorted.has(&["u"])),
            "stash" => self.stash(sorted),
            "clean" => self.clean(sorted),
            "rebase" => self.rebase(sorted),
            "pull" => self.pull(sorted),
            "merge" | "cherry-pick" | "revert" => self.merge(sorted),
            "add" | "stage" => self.add(sorted),
            "commit" => self.commit(sorted),
            "symbolic-ref" => {
                let operands = &sorted.operands;
                let is_write = operands.len() > 1 && operands[0].is("HEAD");
                one(Rule::MoveHead, is_write)
            }
            "bisect" => {
                let is_look = matches!(sub, "" | "log" | "view" | "visualize" | "terms" | "help");
                one(Rule::MoveHead, !is_look)
            }
            "worktree" if sub == "remove" => self.worktree_remove(sorted),
            "branch" => commits::branch(sorted),
            "update-ref" => commits::update_ref(sorted),
            _ => Vec::new(),
        }
    }

    fn sorted(&self) -> Arguments {
        let Options { letters, names } = options::of(&self.call.verb);
        Arguments::new(&self.call.arguments, letters, &names)
    }

    fn scope(&self, words: &[Word]) -> Scope {
        Scope::of_git(words, &self.facts.place, self.call.has_literal_paths)
    }

    /// Returns the scope of paths, which nobody knows if they are in a file.
    fn named(&self, sorted: &Arguments, words: &[Word]) -> Scope {
        if sorted.has(&[FROM_FILE]) { Scope::UNKNOWN } else { self.scope(words) }
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
        if sorted.has(&[question]) {
            return Vec::new();
        }
        vec![Effect::new(rule, self.named(sorted, &sorted.all()))]
    }

    /// Tells whether a word without `--` before it means a path, not a branch or a commit.
    fn is_path(&self, word: &Word) -> bool {
        match word {
            Word::Literal(text) => text.starts_with(":/") || (self.facts.is_path)(text),
            Word::Glob(_) | Word::Any => true,
            Word::Unknown | Word::Several => false,
        }
    }

    /// Tells whether a word may mean anything.
    fn is_unknown(word: &Word) -> bool {
        matches!(word, Word::Unknown | Word::Several)
    }

    /// Tells whether a word means another commit than the one that is checked out.
    fn is_elsewhere(&self, word: &Word) -> bool {
        let is_here =
            |text: &str| matches!(text, "HEAD" | "@") || self.facts.branch.as_deref() == Some(text);
        word.literal().is_some_and(|text| !is_here(text))
    }

    fn reset(&self, sorted: &Arguments) -> Vec<Effect> {
        if sorted.has(&["p", FROM_FILE]) {
            return Vec::new();
        }
        let target = sorted.operands.first();
        // Also a commit whose name is not known may be another one.
        let other = target.filter(|it| it.literal().is_none() || self.is_elsewhere(it));
        let left_behind = other.map(|target| commits::left_behind(target.literal()));
        if sorted.has(&["hard", "merge"]) {
            let moves = target.is_some_and(|target| self.is_elsewhere(target));
            return wipe(moves).into_iter().chain(left_behind).collect();
        }
        if sorted.has(&["soft", "keep"]) {
            return left_behind.into_iter().collect();
        }
        if sorted.operands.iter().any(Verb::is_unknown) {
            // It may be `--hard`.
            return vec![Effect::unknown()];
        }
        let is_named = |word: &&Word| self.is_path(word) || sorted.operands.len() > 1;
        let paths: Vec<Word> = match &sorted.paths {
            Some(paths) => paths.clone(),
            // The first of several words may be a commit.
            None if target.as_ref().is_some_and(is_named) => sorted.operands.clone(),
            None => Vec::new(),
        };
        if !paths.is_empty() {
            return vec![Effect::new(Rule::Unstage, self.scope(&paths))];
        }
        [Effect::everywhere(Rule::ResetIndex)].into_iter().chain(left_behind).collect()
    }

    fn checkout(&self, sorted: &Arguments) -> Vec<Effect> {
        if sorted.has(&["p"]) {
            return Vec::new();
        }
        if sorted.has(&[FROM_FILE]) {
            return vec![Effect::unknown()];
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
            [only] if Verb::is_unknown(only) => {
                one(Rule::Wipe, is_forced).into_iter().chain([Effect::unknown()]).collect()
            }
            [only] if sorted.paths.is_none() && self.is_path(only) => {
                vec![Effect::new(Rule::WipePaths, self.scope(&sorted.operands))]
            }
            [only] if self.is_elsewhere(only) || sorted.has(&["detach", "d"]) => {
                head(Some(only), false, is_forced)
            }
            [] | [_] => one(Rule::Wipe, is_forced),
            [first, rest @ ..] => {
                let is_first = self.is_path(first) || Verb::is_unknown(first);
                let paths = if is_first { &sorted.operands } else { rest };
                vec![Effect::new(Rule::WipePaths, self.scope(paths))]
            }
        }
    }

    fn switch(&self, sorted: &Arguments) -> Vec<Effect> {
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

    fn restore(&self, sorted: &Arguments) -> Vec<Effect> {
        let is_staged = sorted.has(&["S", "staged"]);
        let is_work = sorted.has(&["W", "worktree"]) || !is_staged;
        let rule = if is_work { Rule::WipePaths } else { Rule::Unstage };
        self.paths(rule, sorted, "p")
    }

    fn remove(&self, sorted: &Arguments) -> Vec<Effect> {
        let rule = if sorted.has(&["cached"]) { Rule::Unstage } else { Rule::WipePaths };
        self.paths(rule, sorted, "n")
    }

    fn checkout_index(&self, sorted: &Arguments) -> Vec<Effect> {
        if !sorted.has(&["f", "force"]) || sorted.has(&["n", "prefix"]) {
            return Vec::new();
        }
        let is_all = sorted.has(&["a", "all"]);
        let scope = if is_all { Scope::Everything } else { self.scope(&sorted.all()) };
        vec![Effect::new(Rule::WipePaths, scope)]
    }

    fn stash(&self, sorted: &Arguments) -> Vec<Effect> {
        let first = self.call.arguments.first();
        if first.is_some_and(Verb::is_unknown) {
            return vec![Effect::unknown()];
        }
        let sub = first.and_then(Word::literal).unwrap_or_default();
        if matches!(sub, "pop" | "apply" | "drop" | "clear") {
            return commits::used(sorted, sub);
        }
        let is_push = sub.is_empty() || sub == "push" || sub == "save" || sub.starts_with('-');
        if sub == "branch" {
            return head(self.call.arguments.get(1), true, false);
        }
        if !is_push || sorted.has(&["p"]) {
            return Vec::new();
        }
        if sorted.has(&["S", "staged"]) {
            return one(Rule::Abort, true);
        }
        let mut paths = sorted.paths.clone().unwrap_or_default();
        if sub == "push" {
            paths.extend(sorted.operands.iter().skip(1).cloned());
        }
        let has_paths = !paths.is_empty() || sorted.has(&[FROM_FILE]);
        let scope = if has_paths { self.named(sorted, &paths) } else { Scope::Everything };
        let mut effect = Effect::new(Rule::Stash, scope);
        effect.touches.untracked = sorted.has(&["u", "include-untracked", "a", "all"]);
        vec![effect]
    }

    fn clean(&self, sorted: &Arguments) -> Vec<Effect> {
        let is_forced = sorted.has(&["f", "force"])
            || (self.facts.config)("clean.requireForce").as_deref() == Some("false");
        if sorted.has(&["n", "i"]) {
            return Vec::new();
        }
        if !is_forced {
            let may_be_forced = sorted.operands.iter().any(Verb::is_unknown);
            return may_be_forced.then(Effect::unknown).into_iter().collect();
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

    fn rebase(&self, sorted: &Arguments) -> Vec<Effect> {
        let goes_on = ["continue", "skip", "quit", "edit-todo", "show-current-patch"];
        if sorted.has(&["abort"]) {
            return wipe(true);
        }
        if sorted.has(&goes_on) {
            return Vec::new();
        }
        let mut effects = one(Rule::Rebase, true);
        // The rebase is refused for others, so that this only saves what is put aside.
        for mut aside in self.autostash(sorted, "rebase.autoStash") {
            aside.touches = Touches::default();
            effects.push(aside);
        }
        effects
    }

    fn pull(&self, sorted: &Arguments) -> Vec<Effect> {
        let rebases = sorted.has(&["rebase", "r"]) || self.is_on("pull.rebase");
        let rebases = rebases && !sorted.has(&["no-rebase"]);
        let key = if rebases { "rebase.autoStash" } else { "merge.autoStash" };
        self.autostash(sorted, key)
    }

    fn merge(&self, sorted: &Arguments) -> Vec<Effect> {
        if sorted.has(&["abort"]) {
            return one(Rule::Abort, true);
        }
        if self.call.verb == "merge" {
            self.autostash(sorted, "merge.autoStash")
        } else {
            Vec::new()
        }
    }

    fn autostash(&self, sorted: &Arguments, key: &str) -> Vec<Effect> {
        let is_on = sorted.has(&["autostash"]) || self.is_on(key);
        one(Rule::Autostash, is_on && !sorted.has(&["no-autostash"]))
    }

    fn add(&self, sorted: &Arguments) -> Vec<Effect> {
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

    fn commit(&self, sorted: &Arguments) -> Vec<Effect> {
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

    fn worktree_remove(&self, sorted: &Arguments) -> Vec<Effect> {
        let tree = sorted.operands.get(1).filter(|_| sorted.has(&["f", "force"]));
        let Some(tree) = tree else { return Vec::new() };
        let Some(tree) = tree.literal() else { return vec![Effect::unknown()] };
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

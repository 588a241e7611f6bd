//! The verbs of git that take commits away: entries of the stash, and what only one branch has.

use super::Word;
use super::arguments::Arguments;
use super::effect::{Commits, Effect, Rule};

/// Lists the effects of `git stash pop`, `apply`, `drop` and `clear`.
pub(super) fn used(sorted: &Arguments, sub: &str) -> Vec<Effect> {
    let number = |text: &str| -> Option<u32> {
        let text = text.strip_prefix("refs/").unwrap_or(text);
        let inner = text.strip_prefix("stash@{").and_then(|text| text.strip_suffix('}'));
        if text == "stash" { Some(0) } else { inner.unwrap_or(text).parse().ok() }
    };
    let entry = match sorted.operands.get(1) {
        None => Some(0),
        Some(word) => word.literal().and_then(number),
    };
    let commits =
        if sub == "clear" { Some(Commits::Stash) } else { entry.map(Commits::StashEntry) };
    let rule = if sub == "apply" { Rule::ApplyStash } else { Rule::UseStash };
    commits.map(|commits| Effect::on_commits(rule, commits)).into_iter().collect()
}

/// Lists the effects of `git branch`: one that is deleted whatever it has, or moved elsewhere.
pub(super) fn branch(sorted: &Arguments) -> Vec<Effect> {
    let is_forced = sorted.has(&["f", "force"]);
    let is_deleted = sorted.has(&["D"]) || sorted.has(&["d", "delete"]) && is_forced;
    let is_other = sorted.has(&["d", "delete", "m", "move", "c", "copy"]);
    let is_moved = is_forced && !is_other;
    let mut branches = sorted.operands.iter();
    match (is_deleted, is_moved) {
        _ if sorted.has(&["r", "remotes"]) => Vec::new(),
        (true, _) => branches.filter_map(Word::literal).map(|it| dropped(it, None)).collect(),
        (false, true) => {
            let branch = branches.next().and_then(Word::literal);
            let target = branches.next().map_or(Some("HEAD"), Word::literal);
            branch.map(|branch| dropped(branch, target)).into_iter().collect()
        }
        (false, false) => Vec::new(),
    }
}

/// Lists the effects of `git update-ref`.
pub(super) fn update_ref(sorted: &Arguments) -> Vec<Effect> {
    let name = sorted.operands.first().and_then(Word::literal);
    let Some(name) = name.filter(|_| !sorted.has(&["stdin"])) else { return Vec::new() };
    let is_deleted = sorted.has(&["d"]);
    let target = sorted.operands.get(1).filter(|_| !is_deleted).and_then(Word::literal);
    match name.strip_prefix("refs/heads/") {
        Some(branch) => vec![dropped(branch, target)],
        None if name == "HEAD" && !is_deleted => vec![left_behind(target)],
        None if name == "refs/stash" => vec![Effect::on_commits(Rule::UseStash, Commits::Stash)],
        None => Vec::new(),
    }
}

/// Makes the effect of moving the branch that is checked out to a commit; to none that is known if
/// its name is not.
pub(super) fn left_behind(target: Option<&str>) -> Effect {
    let target = target.map(str::to_owned);
    Effect::on_commits(Rule::MoveBack, Commits::LeftBehind { target })
}

fn dropped(branch: &str, target: Option<&str>) -> Effect {
    let (branch, target) = (branch.to_owned(), target.map(str::to_owned));
    Effect::on_commits(Rule::DropBranch, Commits::OnlyOn { branch, target })
}

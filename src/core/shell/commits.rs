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
    commits.map(|commits| Effect::on_commits(Rule::UseStash, commits)).into_iter().collect()
}

/// Lists the effects of `git branch`: one that is deleted whatever it has, or moved elsewhere.
pub(super) fn branch(sorted: &Arguments) -> Vec<Effect> {
    let is_forced = sorted.has(&["f", "force"]);
    let is_deleted = sorted.has(&["D"]) || sorted.has(&["d", "delete"]) && is_forced;
    let is_other = sorted.has(&["d", "delete", "m", "move", "c", "copy"]);
    let count = match (is_deleted, is_forced && !is_other) {
        _ if sorted.has(&["r", "remotes"]) => 0,
        (true, _) => usize::MAX,
        (false, is_moved) => usize::from(is_moved),
    };
    sorted.operands.iter().take(count).filter_map(Word::literal).map(dropped).collect()
}

/// Lists the effects of `git update-ref`.
pub(super) fn update_ref(sorted: &Arguments) -> Vec<Effect> {
    let name = sorted.operands.first().and_then(Word::literal);
    let branch = name.and_then(|name| name.strip_prefix("refs/heads/"));
    branch.filter(|_| !sorted.has(&["stdin"])).map(dropped).into_iter().collect()
}

fn dropped(branch: &str) -> Effect {
    Effect::on_commits(Rule::DropBranch, Commits::OnlyOn(branch.to_owned()))
}

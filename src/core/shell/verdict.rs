//! The verdict on a command: what it would do to the work of others.

use super::effect::{Effect, Rule};
use crate::core::ids::AgentName;
use crate::core::ownership::turn::Turn;
use crate::core::pattern::Case;
use crate::core::reservation::Hold;
use crate::core::time::Timestamp;

/// An uncommitted change of another agent, or a file that it is about to change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// From the top of the work tree.
    pub path: Vec<u8>,
    pub agent: AgentName,
    /// The time of the last edit.
    pub since: Timestamp,
    pub turn: Turn,
    /// The difference to what is committed; none if there is none yet.
    pub state: Option<State>,
    /// Set if the agent holds the file.
    pub is_held: bool,
    /// Set if the agent shares the file with the one that asks.
    pub is_shared: bool,
}

/// How a changed file differs from what is committed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    pub is_tracked: bool,
    pub is_staged: bool,
    /// Set if the file differs from what is staged.
    pub is_changed_since: bool,
}

/// The work of others in a work tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Others {
    pub changes: Vec<Change>,
    /// Reservations of others, made by commands.
    pub holds: Vec<Hold>,
    /// Other agents that are at work here, whether they have changed anything or not. Only the
    /// removal of ignored files asks for them.
    pub present: Vec<Present>,
}

/// An agent at work in a work tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Present {
    pub agent: AgentName,
    pub seen_at: Timestamp,
}

/// The fate of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict<'o> {
    Pass,
    /// It goes ahead once everything is saved.
    KeepFirst,
    Refused(Refused<'o>),
}

/// The work that a command would hit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused<'o> {
    pub changes: Vec<&'o Change>,
    pub holds: Vec<&'o Hold>,
    pub present: Vec<&'o Present>,
}

/// Decides about an effect.
pub fn verdict<'o>(effect: &Effect, others: &'o Others, case: Case) -> Verdict<'o> {
    let changes: Vec<&Change> =
        others.changes.iter().filter(|change| is_hit(effect, change)).collect();
    let paths = if effect.touches.held && effect.names.is_empty() {
        effect.scope.paths()
    } else {
        Vec::new()
    };
    let is_held = |hold: &&Hold| {
        let reach = hold.target.reach(case);
        paths.iter().any(|path| !path.is_empty() && reach.matches(path))
    };
    let holds: Vec<&Hold> = others.holds.iter().filter(is_held).collect();
    // Nothing brings ignored files back.
    let is_for_all = effect.rule == Rule::CleanIgnored;
    let present: Vec<&Present> = others.present.iter().filter(|_| is_for_all).collect();
    if !changes.is_empty() || !holds.is_empty() || !present.is_empty() {
        return Verdict::Refused(Refused { changes, holds, present });
    }
    if effect.rule.is_kept() { Verdict::KeepFirst } else { Verdict::Pass }
}

/// The author of a commit that an act would take away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitAuthor {
    pub agent: AgentName,
    pub turn: Turn,
    /// The name of the commit, for people.
    pub commit: String,
}

/// Finds the commits that an act must leave to their authors. A session that has ended leaves its
/// commits to others, but what it has put into the stash is uncommitted work. A branch may be moved
/// back: what it leaves behind is kept.
pub fn kept_for_authors<'a>(
    effect: &Effect,
    asker: &AgentName,
    authors: &'a [CommitAuthor],
) -> Vec<&'a CommitAuthor> {
    let is_stash = matches!(effect.rule, Rule::UseStash | Rule::ApplyStash);
    let is_kept = |author: &&CommitAuthor| {
        !author.agent.is_one_with(asker)
            && (author.turn != Turn::Ended || is_stash)
            && effect.rule != Rule::MoveBack
    };
    authors.iter().filter(is_kept).collect()
}

/// Tells whether commits that an act drops are kept when it goes ahead, by their authors as far as
/// they are known. An agent that moves its branch back over its own commits knows what it does.
pub fn is_kept(effect: &Effect, asker: &AgentName, authors: &[Option<AgentName>]) -> bool {
    let is_own = |author: &Option<AgentName>| {
        author.as_ref().is_some_and(|author| author.is_one_with(asker))
    };
    effect.rule.drops_commits()
        && !authors.is_empty()
        && !(effect.rule == Rule::MoveBack && authors.iter().all(is_own))
}

fn is_hit(effect: &Effect, change: &Change) -> bool {
    let touches = effect.touches;
    if touches.everybody {
        return change.turn != Turn::Ended
            || effect.rule == Rule::RemoveTree && change.state.is_some();
    }
    // To commit what the last session left is the most common next step, and agents that share a
    // file have agreed to work on it together.
    if effect.rule.is_sweep() && (change.turn == Turn::Ended || change.is_shared) {
        return false;
    }
    if touches.staged && change.state.is_some_and(|state| state.is_staged) {
        return true;
    }
    if !effect.contains(&change.path) {
        return false;
    }
    let Some(State { is_tracked, is_staged, is_changed_since }) = change.state else {
        return touches.held && change.is_held;
    };
    touches.tracked && is_tracked
        || touches.untracked && !is_tracked
        || touches.only_staged && is_staged && is_changed_since
        || touches.held && change.is_held
}

#[cfg(test)]
mod tests;

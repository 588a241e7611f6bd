//! The words against a commit that takes changes of others along, or goes to another branch.

use serde_json::json;

use super::Objection;
use super::objection::{PATHS_SHOWN_MAX, from_top_literally, typed};
use crate::app::next::{command, from_top};
use crate::app::ownership::Owned;
use crate::app::ownership::sweep::{Moved, Sweep};
use crate::app::ownership::view::{PathView, TurnView, turn_text};
use crate::core::ids::AgentName;
use crate::core::ownership::turn::Turn;
use crate::core::pattern::Pattern;
use crate::core::text::{WHY, shown};
use crate::core::time::{Timestamp, relative};

/// The name of a commit without a branch.
const NO_BRANCH: &str = "no branch";

/// Where a commit is made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Git cannot commit single paths in a merge.
    pub is_merge: bool,
    /// True if the caller stands at the top of the work tree, so that paths can be typed as they
    /// are.
    pub is_at_top: bool,
    pub now: Timestamp,
}

/// Objects to a commit that takes changes of others along; there is at least one.
pub(super) fn of_others(sweep: &Sweep, taken: &[Owned], place: Place) -> Objection {
    let heading = "this commit would take another agent's uncommitted changes along:";
    let message = listed(heading, taken, place.now);
    let mut objection = Objection::saying("changes_of_others", message);
    let view = |owned: &Owned| {
        json!({
            "path": PathView::of(&owned.note.path),
            "agent": owned.note.agent,
            "turn": TurnView::from(owned.turn),
            "since": owned.note.since,
        })
    };
    let views: Vec<_> = taken.iter().take(PATHS_SHOWN_MAX).map(view).collect();
    objection.details.push(("changes", json!(views)));
    if let Some(words) = only(&sweep.rest, place) {
        objection = objection.suggesting("to commit your own changes only:".to_owned(), words);
    }
    if let Some(running) = taken.iter().find(|owned| owned.turn == Turn::Running) {
        let agent = &running.note.agent;
        let line = format!("{agent} is still at work; wait for its commit, or write to it:");
        let subject = "Are you going to commit your changes?";
        let words = command(&["send", agent.as_str(), "--subject", subject]);
        return objection.suggesting(line, words);
    }
    let Some(words) = adopt(taken.iter().map(|owned| &owned.note.path)) else { return objection };
    let line =
        format!("if they belong into this commit, take them over; {} told:", are(&owners(taken)));
    objection.suggesting(line, words)
}

/// Says that a commit takes along what agents have left behind.
pub(super) fn of_leftovers(leftovers: &[Owned], now: Timestamp) -> Objection {
    let heading = "this commit takes over the uncommitted changes of a session that has ended:";
    Objection::saying("changes_of_others", listed(heading, leftovers, now))
}

/// Objects to a commit on another branch than its edits were made on.
pub(super) fn of_branch(moved: &Moved) -> Objection {
    let Moved { paths, edited_on, head_on } = moved;
    let head = head_on.as_ref().map_or(NO_BRANCH, |branch| branch.as_str());
    let mut lines =
        vec!["this commit goes to another branch than your edits were made on:".to_owned()];
    let line = |path: &Pattern| {
        format!(
            "'{}' was edited on '{}', and '{}' is checked out now",
            shown(&path.shown()),
            shown(edited_on.as_str()),
            shown(head)
        )
    };
    lines.extend(paths.iter().take(PATHS_SHOWN_MAX).map(line));
    lines.extend(more(paths.len()));
    let mut objection = Objection::saying("branch_moved", lines.join("\n  "));
    objection.details.push(("edited_on", json!(edited_on)));
    objection.details.push(("head_on", json!(head_on)));
    let Some(words) = adopt(paths.iter()) else { return objection };
    objection.suggesting("if they belong there, say so, and commit again:".to_owned(), words)
}

fn listed(heading: &str, taken: &[Owned], now: Timestamp) -> String {
    let mut lines = vec![heading.to_owned()];
    let line = |owned: &Owned| {
        let note = &owned.note;
        let ago = relative(note.at.as_seconds(), now.as_seconds());
        let (path, turn) = (note.path.shown(), turn_text(owned.turn));
        format!("'{}' was changed by {} {ago}, {turn}", shown(&path), note.agent)
    };
    lines.extend(taken.iter().take(PATHS_SHOWN_MAX).map(line));
    lines.extend(more(taken.len()));
    lines.join("\n  ")
}

fn more(count: usize) -> Option<String> {
    let more = count.saturating_sub(PATHS_SHOWN_MAX);
    (more > 0).then(|| format!("and {more} more"))
}

fn owners(taken: &[Owned]) -> Vec<&AgentName> {
    let mut owners: Vec<&AgentName> = taken.iter().map(|owned| &owned.note.agent).collect();
    owners.sort();
    owners.dedup();
    owners
}

fn are(owners: &[&AgentName]) -> String {
    match owners {
        [only] => format!("{only} is"),
        several => format!("{} agents are", several.len()),
    }
}

/// Builds the command that commits these paths alone; none if it cannot be typed.
pub(super) fn only(rest: &[Pattern], place: Place) -> Option<Vec<String>> {
    if rest.is_empty() || rest.len() > PATHS_SHOWN_MAX || place.is_merge {
        return None;
    }
    let word = |path: &Pattern| {
        let plain = String::from_utf8(path.literal_path()?).ok()?;
        let is_magic = plain.contains(['*', '?', '[', '\\']) || plain.starts_with(':');
        let word = if place.is_at_top && !is_magic { plain } else { from_top_literally(path)? };
        typed(Some(word))
    };
    let paths: Option<Vec<String>> = rest.iter().map(word).collect();
    let words = ["git", "commit", "--only", "--"].map(str::to_owned);
    Some(words.into_iter().chain(paths?).collect())
}

/// Builds the command that adopts the changes of these paths; none if there are too many to type.
fn adopt<'p>(paths: impl Iterator<Item = &'p Pattern>) -> Option<Vec<String>> {
    let mut paths: Vec<&Pattern> = paths.collect();
    paths.dedup();
    let words = if paths.len() > PATHS_SHOWN_MAX {
        vec!["--all".to_owned()]
    } else {
        let typed: Option<Vec<String>> = paths.iter().map(|path| typed(from_top(path))).collect();
        ["--".to_owned()].into_iter().chain(typed?).collect()
    };
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    Some(command(&[&["adopt", "--reason", WHY], &words[..]].concat()))
}

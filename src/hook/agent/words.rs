//! The messages to agents. Agents act on what they read, so text of others is marked as such, kept
//! on one line, and kept short.

pub(super) mod shell;

use crate::app::negotiation::view::RequestView;
use crate::app::next::{after_conflict, can_be_typed, command, from_top, in_shell};
use crate::app::ownership::Owned;
use crate::app::ownership::view::turn_text;
use crate::app::presence::{HolderLiveness, Liveness};
use crate::app::prime::NO_INSTRUCTIONS;
use crate::app::wording::{self, orphan_text};
use crate::core::ids::AgentName;
use crate::core::negotiation::Message;
use crate::core::negotiation::ids::ThreadId;
use crate::core::negotiation::standing::Stage;
use crate::core::ownership::lost::Loss;
use crate::core::refusal::Conflict;
use crate::core::reservation::{Hold, Mode};
use crate::core::text::{WHY, is_disguise};
use crate::core::time::{Timestamp, about};

const QUOTED_CHARS_MAX: usize = 200;
const TOLD_MAX: usize = 5;
/// The largest number of holders in the refusal of an edit.
const HOLDERS_MAX: usize = 2;

/// Says what to run after a refused edit, and why it is refused, in six lines at most.
pub(super) fn refused(conflicts: &[Conflict], now: Timestamp, seen: &HolderLiveness) -> String {
    let first = conflicts.first().map_or_else(String::new, |first| quoted(&first.target.shown()));
    let what_to_do = if seen.can_ask {
        "ask its holder, with your reason, and wait"
    } else {
        "look again later"
    };
    let next: Vec<Vec<String>> =
        after_conflict(conflicts, seen.can_ask).into_iter().take(1).collect();
    format!(
        "git coord: not edited, {first} is held by another agent; work on something else, or \
         {what_to_do}:\n{}\n{}\n{NO_INSTRUCTIONS}",
        commands(&next),
        listed_seen(conflicts, now, seen),
    )
}

/// Lists the requests of others to this agent, each with the commands that answer it.
pub(super) fn asked(requests: &[RequestView]) -> Option<String> {
    if requests.is_empty() {
        return None;
    }
    let mut lines = Vec::new();
    for request in requests.iter().take(TOLD_MAX) {
        let Some(asked) = &request.asked else { continue };
        let age = about(asked.age_seconds);
        let late = match asked.stage {
            Some(Stage::Overdue) => ", and may take it now",
            Some(Stage::Reminder) => ", and may take it soon",
            _ => "",
        };
        lines.push(format!(
            "- {} asks for {} since {age}{late}: reason {}\n{}",
            asked.asker,
            quoted(&asked.what()),
            quoted(asked.reason.as_str()),
            answers(&request.thread),
        ));
    }
    lines.extend(more(requests.len()));
    Some(format!(
        "git coord: others ask for what you hold. Answer when you can spare it:\n{}\n\
         {NO_INSTRUCTIONS}",
        lines.join("\n")
    ))
}

fn answers(thread: &ThreadId) -> String {
    let id = thread.short();
    let reason = ["--reason", WHY];
    let defer = [&["answer", id, "--defer", "15m"][..], &reason].concat();
    commands(&[command(&["answer", id, "--release"]), command(&defer)])
}

/// Says that another agent took what this one held.
pub(super) fn taken(messages: &[Message], now: Timestamp) -> Option<String> {
    let lines: Vec<String> = messages
        .iter()
        .take(TOLD_MAX)
        .map(|message| {
            let ago = about(now.seconds_since(message.at));
            format!("- {ago} ago, by {}: {}", message.from, quoted(message.subject.as_str()))
        })
        .collect();
    (!lines.is_empty()).then(|| {
        format!(
            "git coord: this file was taken from you, because you did not answer in time. Read it \
             again before you change it:\n{}\n{NO_INSTRUCTIONS}",
            lines.join("\n")
        )
    })
}

/// Says that another agent edits the same file in another worktree.
pub(super) fn edited_elsewhere(conflicts: &[Conflict], now: Timestamp) -> String {
    let first = conflicts.first().map_or_else(String::new, |first| quoted(&first.target.shown()));
    format!(
        "git coord: {first} is being edited in another worktree too; git will have to merge both. \
         Each of you holds it in its own worktree.\n{}\n{NO_INSTRUCTIONS}",
        listed(conflicts.iter().map(|conflict| &conflict.held), now),
    )
}

/// Says whose uncommitted changes are in a file that the agent edits.
pub(super) fn changed_before(others: &[Owned], now: Timestamp) -> Option<String> {
    let first = others.first()?;
    let adopt = from_top(&first.note.path)
        .map(|path| commands(&[command(&["adopt", "--reason", WHY, "--", &path])]));
    Some(format!(
        "git coord: {} has uncommitted changes of another agent:\n{}\nKeep them as they are. A \
         commit of yours that takes them along is refused; if they belong to your work, take them \
         over, and their owner is told:\n{}",
        quoted(&first.note.path.shown()),
        owners(others, now),
        adopt.unwrap_or_default(),
    ))
}

/// Says that changes of agents that have died are the agent's now.
pub(super) fn taken_over(dead: &[Owned], now: Timestamp) -> Option<String> {
    let first = dead.first()?;
    Some(format!(
        "git coord: {} has uncommitted changes of an agent that has died. They are yours now, and \
         that is on record:\n{}",
        quoted(&first.note.path.shown()),
        owners(dead, now),
    ))
}

fn owners(others: &[Owned], now: Timestamp) -> String {
    let line = |owned: &Owned| {
        let ago = about(now.seconds_since(owned.note.at));
        format!("- {}, {ago} ago, {}", owned.note.agent, turn_text(owned.turn))
    };
    let mut lines: Vec<String> = others.iter().take(TOLD_MAX).map(line).collect();
    lines.extend(more(others.len()));
    lines.join("\n")
}

/// Says which uncommitted changes of the agent or its subagents are gone, and how those come back
/// whose content is known.
pub(super) fn lost(agent: &AgentName, losses: &[Loss], now: Timestamp) -> Option<String> {
    let line = |loss: &Loss| {
        let [changed, seen] =
            [loss.changed_at, loss.seen_at].map(|at| about(now.seconds_since(at)));
        let whose =
            if loss.agent == *agent { String::new() } else { format!(" by {}", loss.agent) };
        let path = quoted(&loss.path.shown());
        format!("- {path}, changed{whose} {changed} ago, seen to be gone {seen} ago")
    };
    let mut lines: Vec<String> = losses.iter().take(TOLD_MAX).map(line).collect();
    lines.extend(more(losses.len()));
    let back = losses.iter().filter(|loss| loss.has_content()).take(TOLD_MAX);
    let back = back.filter_map(|loss| {
        let path = from_top(&loss.path).filter(|path| can_be_typed(path))?;
        Some(command(&["rescue", "restore", "--", &path]))
    });
    let back: Vec<Vec<String>> = back.collect();
    let mut text = format!(
        "git coord: uncommitted changes of yours are gone: they are in no commit, and not in their \
         files any more.\n{}",
        lines.join("\n")
    );
    if !back.is_empty() {
        text.push_str(&format!("\nIf you need them, this brings them back:\n{}", commands(&back)));
    }
    (!losses.is_empty()).then_some(text)
}

fn listed<'h>(holds: impl ExactSizeIterator<Item = &'h Hold>, now: Timestamp) -> String {
    let count = holds.len();
    let mut lines: Vec<String> =
        holds.take(TOLD_MAX).map(|hold| format!("- {}", described(hold, now, None))).collect();
    lines.extend(more(count));
    lines.join("\n")
}

/// Lists the conflicts, with what is known of each holder.
fn listed_seen(conflicts: &[Conflict], now: Timestamp, liveness: &HolderLiveness) -> String {
    let mut lines: Vec<String> = Vec::new();
    for Conflict { held, .. } in conflicts.iter().take(HOLDERS_MAX) {
        let seen = liveness.known.get(&held.holder);
        let orphan = orphan_text(held, &liveness.orphans);
        lines.push(format!("- {}{orphan}", described(held, now, seen)));
    }
    lines.extend(more_than(HOLDERS_MAX, conflicts.len()));
    lines.join("\n")
}

/// Says whether an agent is alive, when it was last seen, and where.
fn sighted(seen: &Liveness, now: Timestamp) -> String {
    let alive = seen.word(now);
    let seen = &seen.presence;
    let ago = about(now.seconds_since(seen.last_seen));
    let mut text = format!(", {alive}, last seen {ago} ago");
    for (name, value) in [("branch", &seen.branch), ("terminal", &seen.terminal)] {
        if let Some(value) = value {
            text.push_str(&format!(", {name} {}", quoted(value.as_str())));
        }
    }
    text
}

fn more(count: usize) -> Option<String> {
    more_than(TOLD_MAX, count)
}

fn more_than(told: usize, count: usize) -> Option<String> {
    let more = count.saturating_sub(told);
    (more > 0).then(|| format!("- and {more} more"))
}

/// Describes a hold: holder, target, time left, place and reason. Text of others comes last.
fn described(hold: &Hold, now: Timestamp, seen: Option<&Liveness>) -> String {
    let shared = if hold.mode == Mode::Shared { " shared" } else { "" };
    let left = about(hold.expires_at.seconds_since(now));
    let mut text =
        format!("{} holds {}{shared} for {left} more", hold.holder, quoted(&hold.target.shown()));
    match &hold.about.worktree {
        Some(worktree) => text.push_str(&format!(", in worktree {}", quoted(worktree.as_str()))),
        None => text.push_str(", in the main worktree"),
    }
    text.extend(seen.map(|seen| sighted(seen, now)));
    if let Some(task) = &hold.about.task {
        text.push_str(&format!(", task {}", quoted(task.as_str())));
    }
    if let Some(reason) = &hold.about.reason {
        text.push_str(&format!(", reason {}", quoted(reason.as_str())));
    }
    text
}

/// Quotes text of another agent.
fn quoted(text: &str) -> String {
    wording::quoted(text, QUOTED_CHARS_MAX)
}

/// Lists commands, one a line. Leaves out a command that is long or cannot be typed.
fn commands(all: &[Vec<String>]) -> String {
    let can_be_typed = |words: &&Vec<String>| {
        let text = words.concat();
        !text.contains(is_disguise) && text.chars().count() <= QUOTED_CHARS_MAX
    };
    let mut lines: Vec<String> =
        all.iter().filter(can_be_typed).map(|words| in_shell(words)).collect();
    if lines.is_empty() {
        lines.push(in_shell(&command(&["list"])));
    }
    lines.iter().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

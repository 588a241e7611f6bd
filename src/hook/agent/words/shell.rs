//! The message about a shell command that would hit work of others.

use super::{TOLD_MAX, commands, more, quoted};
use crate::app::next::{command, in_shell};
use crate::app::ownership::Owned;
use crate::app::ownership::view::turn_text;
use crate::app::prime::NO_INSTRUCTIONS;
use crate::app::rescue::keep::{Kept, NOT_SAVED};
use crate::app::shell_gate::{Hit, How, Refusal, Saved};
use crate::app::shell_writes::OfOthers;
use crate::core::ownership::turn::Turn;
use crate::core::pattern::Pattern;
use crate::core::refusal::Conflict;
use crate::core::rescue::{DroppedFrom, LeftOut};
use crate::core::text::shown;
use crate::core::time::{Timestamp, about};

/// The largest number of characters of the command that are repeated.
const COMMAND_CHARS_MAX: usize = 120;

/// Says what a command would do to whose work, and what to run in its place. `is_run` tells that it
/// runs all the same.
pub(in crate::hook::agent) fn hit(refusal: &Refusal, is_run: bool) -> String {
    let command: String = in_shell(&refusal.command).chars().take(COMMAND_CHARS_MAX).collect();
    let mut lines: Vec<String> =
        refusal.hits.iter().take(TOLD_MAX).map(|hit| described(hit, refusal.at)).collect();
    lines.extend(more(refusal.hits.len()));
    let beginning = if is_run { "look out" } else { "not run" };
    let command = shown(&command).into_owned();
    let mut text = format!("git coord: {beginning}, '{command}' {}:\n", refusal.does);
    text.push_str(&format!("{}\n{NO_INSTRUCTIONS}\n", lines.join("\n")));
    if !refusal.instead.is_empty() {
        text.push_str(&format!("This leaves them alone:\n{}\n", commands(&refusal.instead)));
    }
    if !refusal.ask.is_empty() {
        text.push_str(&format!("Its holder can be asked:\n{}", commands(&refusal.ask)));
    } else if !refusal.adopt.is_empty() {
        let adopt = commands(&refusal.adopt);
        text.push_str(&format!(
            "If they belong to your work, take them over, with your reason, and run the command \
             again. Their owner is told:\n{adopt}"
        ));
    } else {
        text.push_str("If it has to be, tell the person you work for whose work it is.");
    }
    text
}

/// Says what was saved before a command that throws work away.
pub(in crate::hook::agent) fn saved(saved: &Saved) -> String {
    let files = (!saved.files.is_empty()).then(|| saved_files(&saved.files));
    let commits = saved.commits.iter().map(|dropped| {
        let (what, them) = match (dropped.from, dropped.commits.len()) {
            (DroppedFrom::Branch, _) => ("commits that no other branch has".to_owned(), "them"),
            (DroppedFrom::Stash, 1) => ("the entry of the stash".to_owned(), "it"),
            (DroppedFrom::Stash, count) => (format!("{count} entries of the stash"), "the first"),
        };
        format!(
            "git coord: {what} will be dropped by this command and stay in 'git coord rescue'; to \
             have {them} back: {}",
            dropped.back
        )
    });
    files.into_iter().chain(commits).collect::<Vec<_>>().join("\n")
}

fn saved_files(saved: &[Kept]) -> String {
    let files: usize = saved.iter().map(|kept| kept.files).sum();
    let files = if files == 1 { "1 file".to_owned() } else { format!("{files} files") };
    let ids: Vec<String> = saved.iter().filter_map(Kept::id).collect();
    let left_out: Vec<&LeftOut> = saved.iter().flat_map(|kept| &kept.left_out).collect();
    let mut sentences = Vec::new();
    if let Some(first) = ids.first() {
        sentences.push(format!(
            "the uncommitted content of {files} was saved before this command, as {}. To see it, \
             and to bring a file back:\n{}",
            ids.join(", "),
            commands(&[
                command(&["rescue", "list"]),
                command(&["rescue", "restore", first, "--", "<path>"]),
            ]),
        ));
    }
    if !left_out.is_empty() {
        let paths = left_out.iter().take(TOLD_MAX).map(|file| quoted(&file.path.shown()));
        let lines: Vec<String> = paths.chain(more(left_out.len())).collect();
        sentences.push(format!("Not saved, {NOT_SAVED}:\n{}", lines.join("\n")));
    }
    format!("git coord: {}", sentences.join("\n"))
}

/// Says that files of others have changed under a shell command; none if there are no such files.
/// To put such a file back with git would throw away what its owner has done.
pub(in crate::hook::agent) fn changed(found: &OfOthers, can_send: bool) -> Option<String> {
    let is_gone = |path: &Pattern| found.gone.iter().any(|note| note.path == *path);
    let gone =
        |path: &Pattern| if is_gone(path) { ", its uncommitted changes are gone" } else { "" };
    let held = found.held.iter().map(|Conflict { target, held }| {
        let gone = target.pattern().map(gone).unwrap_or_default();
        format!("- {}: {}{gone}", quoted(&target.shown()), super::described(held, found.at, None))
    });
    let owned = found.owned.iter().map(|Owned { note, turn }| {
        let (ago, turn) = (about(found.at.seconds_since(note.at)), turn_text(*turn));
        let path = quoted(&note.path.shown());
        format!("- {path}: changed by {} {ago} ago, {turn}{}", note.agent, gone(&note.path))
    });
    let heading = |what: &str| format!("git coord: {what} have changed, perhaps by this command:");
    let mut text = Vec::new();
    for (what, lines) in [
        ("files that another agent holds", held.collect::<Vec<String>>()),
        ("files with uncommitted changes of another agent", owned.collect()),
    ] {
        if !lines.is_empty() {
            text.push(heading(what));
            text.extend(lines.iter().take(TOLD_MAX).cloned());
            text.extend(more(lines.len()));
        }
    }
    let holder = found.held.first().map(|conflict| &conflict.held.holder);
    let agent = holder.or_else(|| found.owned.first().map(|owned| &owned.note.agent))?;
    text.push(NO_INSTRUCTIONS.to_owned());
    text.push(
        "They are the other's still. Leave them as they are now: to put them back would throw away \
         more of its work."
            .to_owned(),
    );
    if can_send {
        let subject = "A command of mine may have changed your files";
        text.push("If it was you, tell the other:".to_owned());
        text.push(commands(&[command(&["send", agent.as_str(), "--subject", subject])]));
    }
    text.push("Tell the person you work for as well.".to_owned());
    Some(text.join("\n"))
}

fn described(hit: &Hit, now: Timestamp) -> String {
    let ago = about(now.seconds_since(hit.since));
    let (path, agent) = (quoted(&hit.path), &hit.agent);
    let (what, turn) = match hit.how {
        How::Held => return format!("- {path} is held by {agent} since {ago}"),
        How::Present => return format!("- {agent} works here, and was seen {ago} ago"),
        How::Changed(turn) => (format!("{path} was changed by {agent} {ago} ago"), turn),
        How::Made(turn) => (format!("{path} was made by {agent}"), turn),
    };
    let turn = match turn {
        Turn::Running => "whose turn still runs",
        Turn::Over => "whose turn is over",
        Turn::Ended => "whose session has ended",
        Turn::Died => "which has not been seen since",
    };
    format!("- {what}, {turn}")
}

//! Sentences about obstacles, which every door uses.

use crate::app::dead_holders::Orphans;
use crate::app::presence::{HolderLiveness, liveness_word};
use crate::app::view::ConflictView;
use crate::core::refusal::Conflict;
use crate::core::reservation::renew::{Asked, Lost, Why};
use crate::core::reservation::tickets::Ticket;
use crate::core::reservation::wait::Obstacles;
use crate::core::reservation::word::Missing;
use crate::core::reservation::{Hold, Mode, Target};
use crate::core::text::shown;
use crate::core::time::{Timestamp, relative};

/// The number of holds that are named one by one.
const OWN_SHOWN_MAX: usize = 5;

/// Quotes text of another agent for a model: on one line, in double quotes that it cannot end, and
/// bounded.
pub fn quoted(text: &str, chars_max: usize) -> String {
    let start: String = text.chars().take(chars_max).collect();
    let more = if start.len() < text.len() { "..." } else { "" };
    let safe = shown(&start).replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{safe}{more}\"")
}

/// Names a target in quotes, for a sentence.
pub fn target_text(target: &Target) -> String {
    match target {
        Target::Paths(paths) => format!("'{}'", shown(&paths.shown())),
        Target::Lock(name) => format!("lock '{}'", shown(name.as_str())),
    }
}

/// Tells in one line why a target is not free: the holder, the mode, the end and the reason.
pub fn conflict_text(conflict: &Conflict, now: Timestamp) -> String {
    let Conflict { target, held } = conflict;
    let left = relative(held.expires_at.as_seconds(), now.as_seconds());
    held_text(target, held, "is held by", &format!("until {} ({left})", held.expires_at))
}

/// Explains why a reservation stays although its `with` is gone, for the end of a line about it.
pub fn orphan_text(held: &Hold, orphans: &Orphans) -> String {
    orphans.get(&held.id).copied().map_or_else(String::new, orphan_words)
}

fn orphan_words(pid: u32) -> String {
    format!("; its 'with' was killed, but its command, process {pid}, still runs")
}

/// Tells what this machine knows of a holder, for the end of a line about it.
pub fn liveness_text(conflict: &Conflict, now: Timestamp, all: &HolderLiveness) -> String {
    let orphan = orphan_text(&conflict.held, &all.orphans);
    let Some(holder) = all.known.get(&conflict.held.holder) else { return orphan };
    let alive = holder.word(now);
    let seen = &holder.presence;
    let ago = relative(seen.last_seen.as_seconds(), now.as_seconds());
    let branch = seen
        .branch
        .as_ref()
        .map_or_else(String::new, |branch| format!(", branch {}", shown(branch.as_str())));
    format!(" ({alive}, seen {ago}{branch}){orphan}")
}

/// Tells why a target is not free, with what this machine knows of the holder.
pub fn view_text(view: &ConflictView, now: Timestamp) -> String {
    let held = &view.held;
    let seen = held.holder_presence.as_ref().map_or_else(String::new, |seen| {
        let alive = liveness_word(seen.alive, seen.ended);
        let ago = relative(seen.last_seen.as_seconds(), now.as_seconds());
        let branch = seen.branch.as_ref().map(|branch| shown(branch.as_str()).into_owned());
        let branch = branch.map_or_else(String::new, |branch| format!(", branch {branch}"));
        format!(" ({alive}, seen {ago}{branch})")
    });
    let orphan = held.command_runs.map_or_else(String::new, orphan_words);
    format!("{}{seen}{orphan}", conflict_text(&view.conflict(), now))
}

/// Tells in one line of a waiter: its name, its targets and its deadline.
pub fn ticket_text(ticket: &Ticket, now: Timestamp) -> String {
    let wanted: Vec<String> = ticket.targets().iter().map(target_text).collect();
    let left = relative(ticket.until.as_seconds(), now.as_seconds());
    let shared = if ticket.mode == Mode::Shared { " (shared)" } else { "" };
    let (agent, until) = (&ticket.agent, ticket.until);
    format!("'{agent}' waits for {}{shared} until {until} ({left})", wanted.join(", "))
}

/// Tells in one line what a waiter waits for: the holders, and how many waiters go first.
pub fn obstacles_text(obstacles: &Obstacles, orphans: &Orphans, now: Timestamp) -> String {
    let Obstacles { conflicts, before } = obstacles;
    let held = conflicts
        .first()
        .map(|conflict| conflict_text(conflict, now) + &orphan_text(&conflict.held, orphans));
    let more = conflicts.len().saturating_sub(1);
    let more = (more > 0).then(|| format!("and {more} more"));
    let first = before.first().map(|ticket| {
        let count = before.len();
        format!("{count} before you, the first of them '{}'", ticket.agent)
    });
    let parts: Vec<String> = [held, more, first].into_iter().flatten().collect();
    parts.join("; ")
}

/// Tells in one line of a reservation that meets a target: the holder, the mode, the time and the
/// reason.
pub fn held_text(target: &Target, held: &Hold, verb: &str, when: &str) -> String {
    let wider = if held.target == *target {
        String::new()
    } else {
        format!(" as {}", target_text(&held.target))
    };
    let shared = if held.mode == Mode::Shared { " (shared)" } else { "" };
    let mut text = format!(
        "{} {verb} '{}'{wider}{shared} {when}, {}",
        target_text(target),
        held.holder,
        held.id,
    );
    if let Some(reason) = &held.about.reason {
        text.push_str(&format!(": {}", shown(reason.as_str())));
    }
    if let Some(task) = &held.about.task {
        text.push_str(&format!(" [task {}]", shown(task.as_str())));
    }
    text
}

/// Names the agent that holds a word which names nothing of the caller's.
pub fn held_by(missing: &Missing, at: Timestamp) -> Option<String> {
    let word = missing.word.as_path();
    let hold = missing.meeting.iter().find(|hold| hold.is_live(at))?;
    let (target, holder) = (hold.target.shown(), &hold.holder);
    Some(if target == word {
        format!("'{}' is held by '{holder}'", shown(&word))
    } else {
        format!("'{}' meets '{}', which '{holder}' holds", shown(&word), shown(&target))
    })
}

/// Lists what an agent holds, where it named something else.
pub fn own_holds(own: &[Hold]) -> String {
    let mut named: Vec<String> =
        own.iter().map(|hold| format!("'{}'", shown(&hold.target.shown()))).collect();
    if named.is_empty() {
        return "you hold nothing".to_owned();
    }
    let more = named.split_off(named.len().min(OWN_SHOWN_MAX)).len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("you hold {}{more}", named.join(", "))
}

/// Tells which reservation was lost, and why.
pub fn lost_text(lost: &Lost) -> String {
    let named = match &lost.named {
        Asked::Id(id) => id.clone(),
        Asked::Path(path) => format!("'{}'", shown(path)),
        Asked::Lock(name) => format!("lock '{name}'"),
    };
    match &lost.why {
        Why::Gone => format!("{named}, which is not there (any more)"),
        Why::Expired { expired_at } => format!("{named}, which expired at {expired_at}"),
        Why::Held { holder } => format!("{named}, which '{holder}' holds"),
    }
}

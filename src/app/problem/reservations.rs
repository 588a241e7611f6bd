//! Refusals about reservations, with what helps.

use super::{Advice, Hint, Problem};
use crate::app::next::{after_conflict, command, in_shell};
use crate::app::presence::HolderLiveness;
use crate::app::view::{CONFLICTS_MAX, ConflictView, HeldView, HoldView};
use crate::app::wording::{conflict_text, liveness_text, target_text, ticket_text};
use crate::core::refusal::{Conflict, Refusal};
use crate::core::reservation::tickets::Ticket;
use crate::core::text::is_disguise;
use crate::core::time::Timestamp;

/// Explains a refusal.
pub(super) fn refused(refusal: &Refusal) -> Problem {
    let problem = Problem::refused(refusal.code(), refusal.to_string());
    match refusal {
        Refusal::Held { conflicts, before, at } => {
            held(conflicts, before, *at, &HolderLiveness::default())
        }
        Refusal::Deadlock { circle } => {
            let release = in_shell(&command(&["release", "--mine"]));
            problem
                .with("circle", circle)
                .with_next(command(&["list"]))
                .with_hint(Hint::plain("nobody would ever go on. Let go of something first, then:"))
                .with_hint(Hint::plain(format!("  {release}")))
        }
        Refusal::NotYours { holds, at } => {
            let hint = "its holder can do this; to do it anyway, on the record, add: \
                        --force --reason '<why>'";
            problem
                .with("holds", HoldView::all(holds.clone(), *at))
                .with_next(command(&["list", &format!("--holder={}", holds[0].holder)]))
                .with_hint(Hint::advice(Advice::NotYours, hint))
        }
        Refusal::TooMany { count, max, .. } => {
            problem.with("count", count).with("max", max).with_next(command(&["list", "--mine"]))
        }
        Refusal::Ambiguous { prefix, ids } => {
            problem.with("prefix", prefix).with("ids", ids).with_next(command(&["list"]))
        }
        Refusal::NothingThere { named } => {
            problem.with("named", named).with_next(command(&["list"]))
        }
        Refusal::RequestMismatch { id, by } => problem
            .with("request_id", id)
            .with("by", by)
            .with_hint(Hint::plain("a request id names one request; choose another")),
        Refusal::RequestOver { id, ended } => problem
            .with("request_id", id)
            .with("ended", ended)
            .with_hint(Hint::plain("to ask again, choose another request id")),
        Refusal::Changed { expected, found } => problem
            .with("expected", expected)
            .with("found", found)
            .with_next(command(&["ledger", "log", "reservations"])),
        // The rest belongs to other areas.
        _ => problem,
    }
}

/// Explains that others hold what was asked for.
pub fn held(
    conflicts: &[Conflict],
    before: &[Ticket],
    now: Timestamp,
    liveness: &HolderLiveness,
) -> Problem {
    let text = |conflict| conflict_text(conflict, now) + &liveness_text(conflict, now, liveness);
    let mut lines: Vec<String> = conflicts.iter().take(CONFLICTS_MAX).map(text).collect();
    lines.extend(before.iter().take(CONFLICTS_MAX).map(|ticket| ticket_text(ticket, now)));
    if let more @ 1.. = conflicts.len().saturating_sub(CONFLICTS_MAX) {
        lines.push(format!("and {more} more"));
    }
    let (views, more) = ConflictView::bounded(&ConflictView::all(conflicts, now, liveness));
    let hint = if liveness.can_ask {
        "nothing was reserved; work on something else, ask its holder, or look again later:"
    } else {
        "nothing was reserved; work on something else, or look again later:"
    };
    let mut problem = Problem::refused("held", lines.join("\n       "))
        .in_short(in_short(conflicts))
        .with_hint(Hint::advice(Advice::Held, hint));
    problem.next = after_conflict(conflicts, liveness.can_ask);
    // A command that cannot be typed is not shown to people; programs find it in the JSON.
    let typed = problem.next.iter().filter(|words| !words.concat().contains(is_disguise));
    let hints: Vec<Hint> =
        typed.map(|words| Hint::advice(Advice::Held, format!("  {}", in_shell(words)))).collect();
    problem.hints.extend(hints);
    problem.held = Some(Box::new(HeldView {
        granted: Vec::new(),
        free: false,
        conflicts: views,
        more,
        before: before.iter().take(CONFLICTS_MAX).cloned().collect(),
    }));
    problem
}

/// Explains conflicts that are part of an answer, by the first of them.
pub fn conflicting(conflicts: &[Conflict], now: Timestamp, liveness: &HolderLiveness) -> Problem {
    let message = conflicts.first().map(|conflict| conflict_text(conflict, now));
    let mut problem =
        Problem::refused("held", message.unwrap_or_default()).in_short(in_short(conflicts));
    problem.next = after_conflict(conflicts, liveness.can_ask);
    problem
}

/// Names the first target and its holder, for programs, which find the rest in the conflicts.
fn in_short(conflicts: &[Conflict]) -> Option<String> {
    let Conflict { target, held } = conflicts.first()?;
    let first = format!("{} is held by '{}'", target_text(target), held.holder);
    Some(match conflicts.len() - 1 {
        0 => first,
        more => format!("{first}, and {more} more"),
    })
}

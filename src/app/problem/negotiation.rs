//! Refusals about negotiation, with what helps.

use super::{Advice, Hint, Problem};
use crate::app::next::{asking, can_be_typed, command, from_top, reserving};
use crate::core::ids::HoldId;
use crate::core::negotiation::dispute::Dispute;
use crate::core::text::WHY;

/// Explains a dispute.
pub(super) fn refused(dispute: &Dispute) -> Problem {
    let problem = Problem::refused(dispute.code(), dispute.to_string());
    let problem = match dispute {
        Dispute::SeveralHolders { holders, .. } => problem.with("holders", holders),
        Dispute::SeveralThreads { threads, .. } => problem.with("threads", threads),
        Dispute::NotHolder { thread, holder } => {
            problem.with("thread", thread).with("holder", holder)
        }
        Dispute::NotAsker { thread, asker } => problem.with("thread", thread).with("asker", asker),
        Dispute::Over { thread, how, by, at } => {
            problem.with("thread", thread).with("how", how).with("by", by).with("at", at)
        }
        Dispute::Barred { thread, by, at, .. } => {
            problem.with("thread", thread).with("by", by).with("at", at)
        }
        Dispute::TooEarly { thread, window_ends_at, .. }
        | Dispute::DefersNothing { thread, window_ends_at } => {
            problem.with("thread", thread).with("window_ends_at", window_ends_at)
        }
        Dispute::ReservationChanged { thread, holds, .. } => {
            let ids: Vec<&HoldId> = holds.iter().map(|hold| &hold.id).collect();
            problem.with("thread", thread).with("changed", ids)
        }
        Dispute::EndsWhole { thread, holds } | Dispute::TakesWhole { thread, holds, .. } => {
            let ids: Vec<&HoldId> = holds.iter().map(|hold| &hold.id).collect();
            problem.with("thread", thread).with("ends_whole", ids)
        }
        Dispute::DeferredBefore { thread, until } => {
            problem.with("thread", thread).with("until", until)
        }
        Dispute::NothingAsked { thread } => problem.with("thread", thread),
        Dispute::PathOrId { id, .. } => problem.with("id", id),
        Dispute::SwitchedOff => problem.with_hint(Hint::plain(
            "nothing is lost; to switch it on: git config coord.negotiation true",
        )),
        Dispute::NotHeld { .. } => problem.with_hint(Hint::advice(Advice::Held, "to have it:")),
        Dispute::NoThread { .. } | Dispute::NoRequest { .. } | Dispute::NoMessage { .. } => problem,
    };
    problem.suggesting(remedies(dispute), |text| Hint::advice(Advice::Held, text))
}

/// Lists the commands that help.
fn remedies(dispute: &Dispute) -> Vec<Vec<String>> {
    let read =
        |thread: &dyn std::fmt::Display| command(&["inbox", "--thread", &thread.to_string()]);
    match dispute {
        Dispute::SeveralThreads { threads, .. } => threads.iter().map(|id| read(id)).collect(),
        Dispute::NotHolder { thread, .. }
        | Dispute::NotAsker { thread, .. }
        | Dispute::Over { thread, .. }
        | Dispute::Barred { thread, .. }
        | Dispute::TooEarly { thread, .. }
        | Dispute::DefersNothing { thread, .. }
        | Dispute::DeferredBefore { thread, .. }
        | Dispute::NothingAsked { thread } => vec![read(thread)],
        Dispute::ReservationChanged { holds, holder, .. } => {
            let look = command(&["list", &format!("--holder={holder}")]);
            let ask =
                holds.first().map(|hold| command(&["ask", hold.id.as_str(), "--reason", WHY]));
            ask.into_iter().chain([look]).collect()
        }
        Dispute::EndsWhole { thread, .. } => {
            let release = command(&["answer", thread.as_str(), "--release", "--whole"]);
            vec![release, read(thread)]
        }
        Dispute::TakesWhole { thread, holder, patterns, .. } => {
            let holder = format!("--holder={holder}");
            let ask = |what: String| command(&["ask", &holder, "--reason", WHY, "--", &what]);
            let again = match patterns.as_slice() {
                [only] => from_top(only).filter(|text| can_be_typed(text)).map(ask),
                _ => None,
            };
            again.into_iter().chain([read(thread)]).collect()
        }
        Dispute::SeveralHolders { holders, .. } => {
            holders.iter().map(|holder| command(&["list", &format!("--holder={holder}")])).collect()
        }
        Dispute::NotHeld { targets, .. } => {
            vec![reserving(targets).unwrap_or_else(|| command(&["list"]))]
        }
        Dispute::NoRequest { to_ask_for, .. } => asking(to_ask_for).into_iter().collect(),
        Dispute::PathOrId { .. } => vec![command(&["list"])],
        Dispute::NoThread { .. } | Dispute::NoMessage { .. } | Dispute::SwitchedOff => Vec::new(),
    }
}

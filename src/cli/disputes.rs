//! Why a negotiation does not go on, in the words of the command line.

use serde_json::json;

use super::error::{Advice, CliError, ErrorKind, Hint};
use super::holds::{fields, ids_json};
use crate::app::next::{command as next, in_shell};
use crate::core::negotiation::dispute::Dispute;

/// A dispute with what can be done about it.
pub(crate) fn disputed(dispute: &Dispute) -> CliError {
    if dispute.is_absence() {
        return CliError::new(ErrorKind::NothingThere, dispute.to_string());
    }
    let details = match dispute {
        Dispute::SeveralHolders { holders, .. } => fields([("holders", json!(holders))]),
        Dispute::SeveralThreads { threads, .. } => fields([("threads", json!(threads))]),
        Dispute::NotHolder { thread, holder } => {
            fields([("thread", json!(thread)), ("holder", json!(holder))])
        }
        Dispute::NotAsker { thread, asker } => {
            fields([("thread", json!(thread)), ("asker", json!(asker))])
        }
        Dispute::Over { thread, how, by, at } => fields([
            ("thread", json!(thread)),
            ("how", json!(how)),
            ("by", json!(by)),
            ("at", json!(at)),
        ]),
        Dispute::Barred { thread, by, at, .. } => {
            fields([("thread", json!(thread)), ("by", json!(by)), ("at", json!(at))])
        }
        Dispute::TooEarly { thread, window_ends_at, .. }
        | Dispute::DefersNothing { thread, window_ends_at } => {
            fields([("thread", json!(thread)), ("window_ends_at", json!(window_ends_at))])
        }
        Dispute::ReservationChanged { thread, holds, .. } => {
            fields([("thread", json!(thread)), ("changed", ids_json(holds))])
        }
        Dispute::DeferredBefore { thread, until } => {
            fields([("thread", json!(thread)), ("until", json!(until))])
        }
        Dispute::NothingAsked { thread } => fields([("thread", json!(thread))]),
        Dispute::PathOrId { id, .. } => fields([("id", json!(id))]),
        Dispute::NotHeld { .. }
        | Dispute::NoThread { .. }
        | Dispute::NoRequest { .. }
        | Dispute::NoMessage { .. }
        | Dispute::SwitchedOff => fields([]),
    };
    let commands = remedies(dispute);
    let mut error = CliError::refused(dispute.code(), dispute.to_string(), details, &commands);
    error = match dispute {
        Dispute::SwitchedOff => error.with_hint(Hint::plain(
            "nothing is lost; to switch it on: git config coord.negotiation true",
        )),
        Dispute::NotHeld { .. } => {
            error.with_hint(Hint::plain("to have it: git coord reserve <path>"))
        }
        _ => error,
    };
    for words in &commands {
        error = error.with_hint(Hint::advice(Advice::Held, format!("  {}", in_shell(words))));
    }
    error
}

/// Commands that help, as they can be run.
fn remedies(dispute: &Dispute) -> Vec<Vec<String>> {
    let read = |thread: &dyn std::fmt::Display| next(&["inbox", "--thread", &thread.to_string()]);
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
            let look = next(&["list", &format!("--holder={holder}")]);
            let ask = holds.first().map(|hold| {
                next(&["ask", hold.id.as_str(), "--reason", "what is held has changed"])
            });
            ask.into_iter().chain([look]).collect()
        }
        Dispute::SeveralHolders { holders, .. } => {
            holders.iter().map(|holder| next(&["list", &format!("--holder={holder}")])).collect()
        }
        Dispute::NotHeld { .. } | Dispute::PathOrId { .. } => vec![next(&["list"])],
        Dispute::NoThread { .. }
        | Dispute::NoRequest { .. }
        | Dispute::NoMessage { .. }
        | Dispute::SwitchedOff => Vec::new(),
    }
}

//! Refusals about routing, with what helps.

use super::{Hint, Problem};
use crate::app::next::command;
use crate::core::routing::refusal::Refusal;

/// Explains a refusal.
pub(super) fn refused(refusal: &Refusal) -> Problem {
    let problem = Problem::refused(refusal.code(), refusal.to_string());
    let (problem, hint, commands) = match refusal {
        Refusal::Blocked(block) => (
            problem.with("agent", &block.agent).with("by", &block.by),
            "to let it be left out all the same:",
            vec![command(&["override", "unblock", block.agent.as_str()])],
        ),
        Refusal::CrossCutting { agent } => (
            problem.with("agent", agent),
            "if that is what you want, add: --confirm-cross-cutting",
            Vec::new(),
        ),
        Refusal::OnTrial { agent, until } => (
            problem.with("agent", agent).with("until", until),
            "wait for its verdict, or take it back first:",
            vec![command(&["override", "revert", agent.as_str()])],
        ),
        Refusal::TrialOver { agent, ended } => (
            problem.with("agent", agent).with("ended", ended),
            "for its verdict:",
            vec![command(&["override", "canary", "check", agent.as_str()])],
        ),
        Refusal::NotAsSeen { agent, .. }
        | Refusal::Withdrawn { agent }
        | Refusal::NoProposal { agent }
        | Refusal::NoTrial { agent } => (
            problem.with("agent", agent),
            "to see how things stand:",
            vec![command(&["override", "status"])],
        ),
        Refusal::NoOverlay { agent, .. } => (
            problem.with("agent", agent),
            "to see which there are:",
            vec![command(&["override", "overlay", "list", agent.as_str()])],
        ),
        Refusal::OverlayOfAnother { agent, id, by } => (
            problem.with("agent", agent).with("id", id).with("by", by),
            "to read it first; --replace puts yours in its place:",
            vec![command(&["override", "overlay", "list", agent.as_str()])],
        ),
        Refusal::OverBudget { agent, tokens, max } => (
            problem.with("tokens", tokens).with("max", max),
            "disable another one, or say it shorter:",
            vec![command(&["override", "overlay", "list", agent.as_str()])],
        ),
        Refusal::SessionBefore { session, opened } => (
            problem.with("session", session).with("opened", opened),
            "a sample is of a session that began after the override",
            Vec::new(),
        ),
        Refusal::NoNumbers { .. } => {
            (problem, "add: --override-rate X --fp-rate X --density X", Vec::new())
        }
        Refusal::NotAutomatic { .. } => (
            problem,
            "a person can do it, without --source",
            vec![command(&["override", "thresholds"])],
        ),
    };
    problem.with_hint(Hint::plain(hint)).suggesting(commands, Hint::plain)
}

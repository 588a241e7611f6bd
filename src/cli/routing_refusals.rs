//! Why a decision about routing said no, in the words of the command line.

use serde_json::{Map, json};

use super::error::{CliError, Hint};
use super::holds::fields;
use crate::app::next::{command as next, in_shell};
use crate::core::routing::refusal::Refusal;

/// A refusal with what can be done about it.
pub(crate) fn refused(refusal: &Refusal) -> CliError {
    let (details, commands, hint) = match refusal {
        Refusal::Blocked(block) => {
            let unblock = next(&["override", "unblock", block.agent.as_str()]);
            let details = fields([("agent", json!(block.agent)), ("by", json!(block.by))]);
            (details, vec![unblock], "to let it be left out all the same:")
        }
        Refusal::CrossCutting { agent } => {
            let hint = "if that is what you want, add: --confirm-cross-cutting";
            (fields([("agent", json!(agent))]), Vec::new(), hint)
        }
        Refusal::OnTrial { agent, until } => {
            let revert = next(&["override", "revert", agent.as_str()]);
            let details = fields([("agent", json!(agent)), ("until", json!(until))]);
            (details, vec![revert], "wait for its verdict, or take it back first:")
        }
        Refusal::TrialOver { agent, ended } => {
            let check = next(&["override", "canary", "check", agent.as_str()]);
            let details = fields([("agent", json!(agent)), ("ended", json!(ended))]);
            (details, vec![check], "for its verdict:")
        }
        Refusal::Withdrawn { agent }
        | Refusal::NoProposal { agent }
        | Refusal::NoTrial { agent } => {
            let status = next(&["override", "status"]);
            (fields([("agent", json!(agent))]), vec![status], "to see how things stand:")
        }
        Refusal::NoOverlay { agent, .. } => {
            let list = next(&["override", "overlay", "list", agent.as_str()]);
            (fields([("agent", json!(agent))]), vec![list], "to see which there are:")
        }
        Refusal::OverBudget { agent, tokens, max } => {
            let list = next(&["override", "overlay", "list", agent.as_str()]);
            let details = fields([("tokens", json!(tokens)), ("max", json!(max))]);
            (details, vec![list], "disable another one, or say it shorter:")
        }
        Refusal::SessionBefore { session, opened } => {
            let details = fields([("session", json!(session)), ("opened", json!(opened))]);
            (details, Vec::new(), "a sample is of a session that began after the override")
        }
        Refusal::NoNumbers { .. } => {
            (Map::new(), Vec::new(), "add: --override-rate X --fp-rate X --density X")
        }
        Refusal::NotAutomatic { .. } => {
            let hint = "a person can do it, without --source";
            (Map::new(), vec![next(&["override", "thresholds"])], hint)
        }
    };
    let mut error = CliError::refused(refusal.code(), refusal.to_string(), details, &commands)
        .with_hint(Hint::plain(hint));
    for command in &commands {
        error = error.with_hint(Hint::plain(format!("  {}", in_shell(command))));
    }
    error
}

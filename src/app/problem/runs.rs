//! Refusals about runs, with what helps.

use super::{Hint, Problem};
use crate::app::next::command;
use crate::core::run::refusal::Refusal;

/// Explains a refusal.
pub(super) fn refused(refusal: &Refusal) -> Problem {
    let commands = match refusal {
        Refusal::GateOpen { run, .. } => vec![command(&["run", "advance", run.as_str()])],
        Refusal::NoRun(_) | Refusal::Ambiguous { .. } | Refusal::Cycle { .. } => {
            vec![command(&["run", "list", "--all"])]
        }
        _ => refusal.run().map(|run| command(&["run", "show", run.as_str()])).into_iter().collect(),
    };
    let mut problem = Problem::refused(refusal.code(), refusal.to_string());
    problem.details = Box::new(refusal.details());
    if let Refusal::PhaseChanged { .. } = refusal {
        problem =
            problem.with_hint(Hint::plain("nothing was changed: somebody moved it meanwhile"));
    }
    problem.suggesting(commands, Hint::plain)
}

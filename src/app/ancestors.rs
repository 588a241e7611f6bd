//! Looks at the processes above a command for the program of its agent.

use crate::core::environment::Environment;
use crate::core::identity::ancestry::{self, Ancestor};
use crate::core::identity::process_of_session;
use crate::core::identity::programs::signs;
use crate::core::reservation::process::Process;
use crate::store::os::process::{LOOK_IS_CHEAP, ancestors, climb};

/// Looks at the processes above this one, with the variables that tell of agents' programs.
pub(super) fn of_command(environment: &Environment) -> Vec<Ancestor> {
    let set = |name: &'static str| Some((name, environment.non_empty(name)?));
    ancestors(&signs().filter_map(set).collect::<Vec<_>>())
}

/// Finds the process of a session of that kind. Where the look takes long, there is none.
pub(super) fn of_session(kind: &str, environment: &Environment) -> Option<Process> {
    let all = if LOOK_IS_CHEAP { ancestors(&[]) } else { Vec::new() };
    process_of_session(kind, environment, &all)
}

/// Finds the process that this one is called from, where there is no terminal.
pub(super) fn caller() -> Option<Process> {
    ancestry::caller(climb(&[])).filter(|process| process.started.is_some())
}

/// Lists the processes above this one.
pub(super) fn processes() -> Vec<Process> {
    climb(&[]).map(|one| one.process).collect()
}

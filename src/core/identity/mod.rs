//! The agent that a command belongs to, by its variables and the processes above it.
//!
//! Programs that run agents tell their commands the session, or only that they are there. A mark
//! alone is no name: two agents of one program would share it. So the name of such an agent comes
//! from the process of its program, which stays the same over its commands.
//!
//! Pure: variables and processes in, a name out.

pub mod ancestry;
pub mod in_shell;
pub mod programs;
#[cfg(test)]
mod tests;

use sha2::{Digest as _, Sha256};

use self::ancestry::{Ancestor, Owner, owner};
use self::programs::{PROGRAMS, Program};
use crate::core::environment::Environment;
use crate::core::reservation::process::Process;

/// The kind of agents whose mark is only a switch.
const SWITCHES: [&str; 3] = ["1", "true", "yes"];
/// The largest number of letters of a mark that become the first part of a name.
const KIND_CHARS_MAX: usize = 16;

/// The number of digits of an id.
const ID_DIGITS: usize = 16;

/// The agent of a command, as its program tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DetectedAgent {
    /// The first part of its name.
    pub kind: String,
    /// The variable that tells of it.
    pub variable: &'static str,
    pub who: Who,
}

/// The part of an agent's name that tells it from others of its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Who {
    /// A session, or a subagent of it.
    Session { id: String, subagent: Option<String> },
    /// The process of the program; absent if no process above the command can be seen.
    Process(Option<Process>),
}

impl DetectedAgent {
    pub fn has_session(&self) -> bool {
        matches!(self.who, Who::Session { .. })
    }
}

/// Finds the agent of a command. `look` reads the processes above the command, the nearest first;
/// it is only called where variables do not suffice. Where a program was started by the agent of
/// another one, the variables of both are set, and the program of the nearest process counts.
pub fn detect(
    environment: &Environment,
    look: impl FnOnce() -> Vec<Ancestor>,
) -> Option<DetectedAgent> {
    let set = || PROGRAMS.iter().filter_map(|one| Some((one, one.sign(environment)?)));
    let (first, variable) = set().next()?;
    let is_alone = set().nth(1).is_none();
    if is_alone && let Some(agent) = by_session(first, environment) {
        return Some(agent);
    }
    let ancestors = look();
    let owned = set().filter_map(|(program, variable)| {
        let owner = owner(program, Some(variable), environment, &ancestors)?;
        Some((program, variable, owner))
    });
    // Of several, `min_by_key` returns the first.
    let nearest = owned.min_by_key(|(_, _, owner)| owner.distance);
    let (program, variable, process) = match nearest {
        Some((program, variable, Owner { process, .. })) => (program, variable, Some(process)),
        None => (first, variable, None),
    };
    by_session(program, environment).or_else(|| {
        let kind = kind(program, environment);
        Some(DetectedAgent { kind, variable, who: Who::Process(process.cloned()) })
    })
}

/// Finds the process of a session of that kind, where it surely is one: it ends with the session.
pub fn process_of_session(
    kind: &str,
    environment: &Environment,
    ancestors: &[Ancestor],
) -> Option<Process> {
    let program = PROGRAMS.iter().find(|program| program.kind == kind)?;
    let owner = owner(program, None, environment, ancestors).filter(|owner| owner.is_sure)?;
    Some(owner.process.clone())
}

fn by_session(program: &Program, environment: &Environment) -> Option<DetectedAgent> {
    let (variable, id) = program.session_variable(environment)?;
    let subagent = program.subagent.and_then(|name| environment.non_empty(name));
    let subagent = subagent.filter(|subagent| *subagent != id).map(str::to_owned);
    let who = Who::Session { id: id.to_owned(), subagent };
    Some(DetectedAgent { kind: program.kind.to_owned(), variable, who })
}

/// Returns the first part of a name. The common mark may have the name of the program as its value.
fn kind(program: &Program, environment: &Environment) -> String {
    let named = program.names.is_empty().then(|| environment.non_empty(program.mark?)).flatten();
    let is_plain = |name: &&str| {
        let letters = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-');
        letters && name.chars().count() <= KIND_CHARS_MAX && !SWITCHES.contains(name)
    };
    named.filter(is_plain).unwrap_or(program.kind).to_lowercase()
}

/// Hashes the run of a process to an id, which is the same wherever the process is looked at.
pub fn id_of(process: &Process) -> String {
    let Process { pid, host, started, boot, namespace } = process;
    let words =
        [started, boot, namespace].map(|word| word.as_ref().map_or("-", |word| word.as_str()));
    let digest = Sha256::digest(format!("{pid} {host} {}", words.join(" ")));
    format!("{digest:x}")[..ID_DIGITS].to_owned()
}

#[cfg(test)]
mod testing {
    use super::ancestry::Ancestor;
    use crate::core::reservation::process::Process;

    /// Makes a process whose variables are hidden.
    pub(super) fn process(pid: u32, program: &str, line: &str) -> Ancestor {
        let process = Process {
            pid,
            host: "h".parse().unwrap(),
            started: "1".parse().ok(),
            boot: None,
            namespace: None,
        };
        Ancestor {
            process,
            program: program.to_owned(),
            executable: None,
            words: line.split(' ').map(str::to_owned).collect(),
            leads_terminal: false,
            shares: None,
        }
    }
}

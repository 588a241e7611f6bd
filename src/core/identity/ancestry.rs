//! The processes above a command, and the one among them that is an agent's program.
//!
//! Pure: the processes in, one of them out.

use std::path::Path;

use super::programs::Program;
use crate::core::environment::Environment;
use crate::core::reservation::process::Process;

/// The programs that run other programs' commands, and are nobody by themselves.
const SHELLS: [&str; 12] =
    ["sh", "ash", "bash", "dash", "zsh", "ksh", "mksh", "fish", "csh", "tcsh", "busybox", "nu"];
/// The programs that run a script, which is the second word of their command line.
const INTERPRETERS: [&str; 7] = ["node", "nodejs", "bun", "deno", "python", "python3", "ruby"];
/// The directory below which packages of scripts lie.
const PACKAGES: &str = "node_modules";

/// A process above a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ancestor {
    pub process: Process,
    /// The name of the process, as the system shows it.
    pub program: String,
    /// The name of the file that it executes; absent if the system hides it.
    pub executable: Option<String>,
    /// The first words of its command line; empty if the system hides them.
    pub words: Vec<String>,
    /// True for the first process of a terminal, which is its shell.
    pub leads_terminal: bool,
    /// The variables that it was started with as the command was, with the same values; absent if
    /// the system hides them.
    pub shares: Option<Vec<&'static str>>,
}

/// The process of an agent's program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner<'a> {
    /// The number of processes between the command and this one.
    pub distance: usize,
    pub process: &'a Process,
    /// True if the process surely is the program, so that the agent ends when it does. Another one
    /// that set the variable may only be on the way.
    pub is_sure: bool,
}

impl Ancestor {
    /// Tells whether the process only runs what another program asked for: a shell, git, or this
    /// program.
    pub fn is_go_between(&self) -> bool {
        let is_one = |name: &str| {
            let name = name.trim_start_matches('-');
            SHELLS.contains(&name) || name == "git" || name.starts_with("git-")
        };
        is_one(&self.program) || self.executable.as_deref().is_some_and(is_one)
    }

    /// Tells whether the process is a program of one of these names, or a script of that name.
    pub fn is_called(&self, names: &[&str]) -> bool {
        let has_name = |word: &str| names.contains(&stem(word));
        has_name(&self.program)
            || self.words.first().is_some_and(|word| has_name(word))
            || self.script().is_some_and(|script| {
                let path = script.split_once(PACKAGES).map(|(_, path)| path);
                let mut parts = path.into_iter().flat_map(|path| path.split('/'));
                has_name(script) || parts.any(|part| names.contains(&part))
            })
    }

    /// Returns the script that an interpreter runs.
    fn script(&self) -> Option<&str> {
        let (first, rest) = self.words.split_first()?;
        let runs_scripts = INTERPRETERS.contains(&stem(first)) || SHELLS.contains(&stem(first));
        let script = rest.iter().find(|word| !word.starts_with('-'))?;
        (runs_scripts && script.contains('/')).then_some(script)
    }
}

/// Returns the name of a file without its directory and its extension.
fn stem(path: &str) -> &str {
    Path::new(path).file_stem().and_then(|name| name.to_str()).unwrap_or_default()
}

/// Finds the process of a program among those above a command, the nearest first: the process that
/// the program tells, or else the nearest that is called like it, or else the one that set its
/// variable.
pub fn owner<'a>(
    program: &Program,
    variable: Option<&str>,
    environment: &Environment,
    ancestors: &'a [Ancestor],
) -> Option<Owner<'a>> {
    let told = program.pid.and_then(|name| environment.non_empty(name)?.parse::<u32>().ok());
    let is_told = |one: &Ancestor| Some(one.process.pid) == told;
    let by_name = |one: &Ancestor| one.is_called(program.names);
    let sure = ancestors.iter().position(is_told).or_else(|| ancestors.iter().position(by_name));
    let distance = sure.or_else(|| setter(variable?, ancestors))?;
    Some(Owner { distance, process: &ancestors[distance].process, is_sure: sure.is_some() })
}

/// The first process of a system or a container. It takes in those whose parent has ended, so a
/// command below it is nobody's.
const FIRST: u32 = 1;

/// Finds the process that a command without a terminal is called from: the nearest above it that is
/// the shell of a terminal, or no go-between. Where there are only shells, it is the highest.
pub fn caller(ancestors: impl Iterator<Item = Ancestor>) -> Option<Process> {
    let mut highest = None;
    for one in ancestors.take_while(|one| one.process.pid != FIRST) {
        if one.leads_terminal || !one.is_go_between() {
            return Some(one.process);
        }
        if SHELLS.contains(&one.program.as_str()) {
            highest = Some(one.process);
        }
    }
    highest
}

/// Finds the process that set a variable: the nearest that was started without it. Where the system
/// hides the variables, that is the nearest from there on that is no go-between. If all processes
/// were started with the variable, it is the highest.
fn setter(variable: &str, ancestors: &[Ancestor]) -> Option<usize> {
    let shares = |one: &Ancestor| one.shares.as_ref().map(|all| all.contains(&variable));
    let end = ancestors.iter().position(|one| shares(one) != Some(true));
    match end {
        None => ancestors.len().checked_sub(1),
        Some(end) if shares(&ancestors[end]) == Some(false) => Some(end),
        Some(end) => {
            let is_somebody = |one: &Ancestor| !one.is_go_between();
            ancestors[end..].iter().position(is_somebody).map(|further| end + further)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::identity::testing::process;

    #[test]
    fn a_program_is_known_by_its_name_or_its_script() {
        for (program, line) in [
            ("gemini", "/bin/sh /opt/bin/gemini"),
            ("node", "node --max-old-space-size=8192 /usr/bin/gemini -p x"),
            ("node", "node /usr/lib/node_modules/@google/gemini-cli/dist/index.js"),
            ("MainThread", "/opt/gemini.js"),
        ] {
            assert!(process(7, program, line).is_called(&["gemini", "gemini-cli"]), "{line}");
        }
        for (program, line) in [
            ("make", "make -C gemini"),
            ("node", "node /opt/gemini/tool.js gemini"),
            ("node", "node gemini"),
            ("git", "git -C /x/gemini coord whoami"),
            ("bash", "bash -c gemini"),
        ] {
            assert!(!process(7, program, line).is_called(&["gemini", "gemini-cli"]), "{line}");
        }
    }

    /// 8/NOBODY-FOR-SOMEBODY: a command without a terminal is its caller's, not a shell's on the
    /// way.
    #[test]
    fn a_command_without_a_terminal_is_called_from_a_program() {
        let [git, sh] = [(9, "git"), (8, "sh")].map(|(pid, name)| process(pid, name, name));
        let [ide, desktop, init] =
            [(5, "node"), (3, "desktop"), (1, "init")].map(|(pid, name)| process(pid, name, name));
        let terminal = Ancestor { leads_terminal: true, ..process(6, "bash", "bash") };
        for (above, expected) in [
            (vec![&git, &sh, &ide, &desktop, &init], Some(5)),
            (vec![&git, &sh, &terminal, &desktop, &init], Some(6)),
            (vec![&git, &sh, &init], Some(8)),
            (vec![&git, &init], None),
            (vec![], None),
        ] {
            let found = caller(above.into_iter().cloned()).map(|process| process.pid);
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn a_shell_is_known_behind_a_script_of_any_name() {
        for name in ["bash", "-zsh", "git-coord"] {
            assert!(process(7, name, "").is_go_between(), "{name}");
        }
        let script = process(7, "wrap.sh", "/bin/sh /opt/wrap.sh");
        assert!(!script.is_go_between());
        assert!(Ancestor { executable: Some("dash".to_owned()), ..script }.is_go_between());
        assert!(!process(7, "node", "node x").is_go_between());
    }
}

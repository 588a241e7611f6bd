//! Help for the program as a whole: its commands, grouped by use.

use clap::Command;
use rustix::termios::tcgetwinsize;

use super::layout::wrapped;

/// The groups of commands in the order of `git coord help`, each with its title. A test holds that
/// every command stands in one of them.
pub(super) const GROUPS: [(&str, &[&str]); 6] = [
    (
        "Everyday",
        &[
            "reserve", "check", "renew", "release", "transfer", "undo", "list", "who", "with",
            "status",
        ],
    ),
    ("Uncommitted work", &["changes", "adopt", "rescue"]),
    ("Negotiation", &["ask", "answer", "take", "inbox", "send", "agents"]),
    ("History", &["log", "events", "ledger", "sweep"]),
    (
        "Set-up",
        &[
            "install",
            "uninstall",
            "doctor",
            "whoami",
            "prime",
            "hook",
            "completions",
            "demo",
            "help",
            "version",
        ],
    ),
    ("Workflows and review agents", &["run", "override", "route", "domain"]),
];

/// The layout of the help for the program: the groups stand in place of one long list.
const TEMPLATE: &str = "\
{about-with-newline}
{usage-heading} {usage}{after-help}

Options:
{options}";

/// The end of the list of commands.
const CLOSING: &str = "'git coord help <command>' shows the options and examples of a command.";

/// The number of columns before the description of a command.
const INDENT: usize = 15;
/// The maximum number of columns that help takes, also where the width is not known.
const COLUMNS_MAX: usize = 100;

/// Adds the grouped list of commands to the description of the program, whose commands must be
/// described already.
pub(super) fn with_groups(program: Command) -> Command {
    let size = tcgetwinsize(std::io::stdout()).ok().filter(|size| size.ws_col > 0);
    let columns = size.map_or(COLUMNS_MAX, |size| usize::from(size.ws_col).min(COLUMNS_MAX));
    let list = list(&program, columns);
    program.help_template(TEMPLATE).after_help(list)
}

/// Lists the commands by group, a line each.
fn list(program: &Command, columns: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for (title, names) in GROUPS {
        lines.push(format!("{title}:"));
        for command in names.iter().filter_map(|name| program.find_subcommand(name)) {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            let mut described = wrapped(&about, columns.saturating_sub(INDENT)).into_iter();
            let first = described.next().unwrap_or_default();
            lines.push(format!("  {:width$}{first}", command.get_name(), width = INDENT - 2));
            lines.extend(described.map(|line| format!("{:INDENT$}{line}", "")));
        }
        lines.push(String::new());
    }
    lines.extend(wrapped(CLOSING, columns));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::cli::args::Cli;

    #[test]
    fn every_command_stands_in_one_group() {
        let program = Cli::described();
        let grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        let known: BTreeSet<&str> = program.get_subcommands().map(Command::get_name).collect();
        assert_eq!(grouped.iter().copied().collect::<BTreeSet<_>>(), known);
        assert_eq!(grouped.len(), known.len());
    }

    #[test]
    fn the_list_fits_the_terminal() {
        for columns in [40, 60, 80, 100] {
            let list = list(&Cli::described(), columns);
            assert!(list.lines().all(|line| line.len() <= columns), "{list}");
            assert!(list.contains("\n  reserve      Reserve paths"), "{list}");
        }
    }
}

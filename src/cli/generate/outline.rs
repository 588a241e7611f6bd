//! The commands as plain data, taken from the clap definitions: the common source of the manual and
//! the reference.

use clap::{Arg, Command};

use crate::cli::args::Cli;

/// One command.
pub(super) struct Outline {
    /// `git coord ledger log`
    pub(super) invocation: String,
    /// The invocation with its arguments.
    pub(super) usage: String,
    /// One line.
    pub(super) about: String,
    /// The paragraphs after that line.
    pub(super) description: Vec<String>,
    /// Its arguments and options, without the global ones.
    pub(super) arguments: Vec<Argument>,
    /// Command lines.
    pub(super) examples: Vec<String>,
}

/// One argument or option.
pub(super) struct Argument {
    /// `-q, --quiet` or `--ttl <DURATION>`
    pub(super) spelling: String,
    /// The paragraphs of its help.
    pub(super) help: Vec<String>,
}

/// Outlines the program as a whole; its arguments are the global options.
pub(super) fn program() -> Outline {
    outline(&Cli::described(), |_| true)
}

/// Outlines every command; subcommands follow the command that they belong to.
pub(super) fn commands() -> Vec<Outline> {
    let mut found = Vec::new();
    collect(&Cli::described(), &mut found);
    found
}

fn collect(parent: &Command, found: &mut Vec<Outline>) {
    for command in parent.get_subcommands() {
        found.push(outline(command, |argument| !argument.is_global_set()));
        collect(command, found);
    }
}

fn outline(command: &Command, wanted: impl Fn(&Arg) -> bool) -> Outline {
    let usage = command.clone().render_usage().to_string();
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let long = command.get_long_about().map(ToString::to_string).unwrap_or_default();
    let examples = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    Outline {
        invocation: command.get_bin_name().unwrap_or(command.get_name()).to_owned(),
        usage: usage.trim_start_matches("Usage: ").to_owned(),
        about,
        description: paragraphs(&long).skip(1).collect(),
        arguments: command
            .get_arguments()
            .filter(|argument| !matches!(argument.get_id().as_str(), "help" | "version"))
            .filter(|argument| !argument.is_hide_set())
            .filter(|argument| wanted(argument))
            .map(described)
            .collect(),
        examples: examples.lines().skip(1).map(|line| line.trim().to_owned()).collect(),
    }
}

fn described(argument: &Arg) -> Argument {
    let help = argument.get_long_help().or(argument.get_help()).map(ToString::to_string);
    let mut help: Vec<String> = paragraphs(&help.unwrap_or_default()).collect();
    let values: Vec<String> =
        argument.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
    if argument.get_action().takes_values() && !values.is_empty() {
        help.push(format!("One of: {}", values.join(", ")));
    }
    if let [default] = argument.get_default_values()
        && argument.get_action().takes_values()
    {
        help.push(format!("Default: {}", default.to_string_lossy()));
    }
    Argument { spelling: spelling(argument), help }
}

fn spelling(argument: &Arg) -> String {
    let long = argument.to_string();
    match argument.get_short() {
        Some(short) if argument.get_long().is_some() => format!("-{short}, {long}"),
        Some(_) | None => long,
    }
}

fn paragraphs(text: &str) -> impl Iterator<Item = String> {
    text.split("\n\n").map(|paragraph| paragraph.replace('\n', " ")).filter(|p| !p.is_empty())
}

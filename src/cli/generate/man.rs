//! The manual page. It is one page for all commands, because `git coord --help` and
//! `git help coord` open exactly this one.

use clap_mangen::roff::{Inline, Roff, bold, italic, roman};

use super::outline::{Argument, Outline};
use super::{ORIGIN, facts, outline};
use crate::app::config::{KEYS, Key};
use crate::cli::exit::ExitCode;

/// Renders `git-coord.1`.
pub(super) fn page() -> String {
    let mut roff = Roff::new();
    roff.control("\\\"", [ORIGIN]);
    let version = concat!("git-coord ", env!("CARGO_PKG_VERSION"));
    roff.control("TH", ["GIT-COORD", "1", "", version, "Git Manual"]);
    introduction(&mut roff, &outline::program());
    commands(&mut roff, &outline::commands());
    section(&mut roff, "EXIT STATUS");
    for code in ExitCode::ALL {
        item(&mut roff, bold(code.number().to_string()), &[code.meaning().to_owned()]);
    }
    section(&mut roff, "CONFIGURATION");
    for key in KEYS {
        item(&mut roff, bold(key.name), &[key.meaning.to_owned(), value_of(&key)]);
    }
    section(&mut roff, "ENVIRONMENT");
    for (name, meaning) in facts::variables() {
        item(&mut roff, bold(name), &[meaning.to_owned()]);
    }
    section(&mut roff, "FILES");
    for (name, meaning) in facts::files() {
        item(&mut roff, italic(name), &[meaning.to_owned()]);
    }
    section(&mut roff, "EXAMPLES");
    for (purpose, line) in facts::examples() {
        paragraph(&mut roff, purpose);
        verbatim(&mut roff, &[line]);
    }
    section(&mut roff, "SEE ALSO");
    roff.text([bold("git"), roman("(1), "), bold("git-config"), roman("(1)")]);
    roff.render()
}

fn introduction(roff: &mut Roff, program: &Outline) {
    section(roff, "NAME");
    roff.text([roman(format!("git-coord - {}", program.about.to_lowercase()))]);
    section(roff, "SYNOPSIS");
    roff.text([bold("git coord"), roman(" [<global option>...] [<command>] [<argument>...]")]);
    section(roff, "DESCRIPTION");
    for text in &program.description {
        paragraph(roff, text);
    }
    section(roff, "GLOBAL OPTIONS");
    roff.text([roman("Global options can stand before or after the command.")]);
    arguments(roff, &program.arguments);
    item(roff, bold("-h"), &["Short help for a command.".to_owned()]);
    item(roff, bold("-V, --version"), &["The version of the program.".to_owned()]);
}

fn commands(roff: &mut Roff, commands: &[Outline]) {
    section(roff, "COMMANDS");
    for command in commands {
        roff.control("SS", [command.invocation.as_str()]);
        roff.text([bold(command.usage.as_str())]);
        paragraph(roff, &format!("{}.", command.about));
        for text in &command.description {
            paragraph(roff, text);
        }
        arguments(roff, &command.arguments);
        if !command.examples.is_empty() {
            verbatim(roff, &command.examples);
        }
    }
}

fn arguments(roff: &mut Roff, arguments: &[Argument]) {
    for argument in arguments {
        item(roff, bold(argument.spelling.as_str()), &argument.help);
    }
}

fn value_of(key: &Key) -> String {
    match key.default {
        Some(default) => format!("Type: {}. Default: {default}.", key.kind.description()),
        None => format!("Type: {}.", key.kind.description()),
    }
}

fn section(roff: &mut Roff, title: &str) {
    roff.control("SH", [title]);
}

fn paragraph(roff: &mut Roff, text: &str) {
    roff.control("PP", []).text([roman(text)]);
}

/// Adds a term, with its explanation indented below.
fn item(roff: &mut Roff, term: Inline, help: &[String]) {
    roff.control("TP", []).text([term]);
    for (index, text) in help.iter().enumerate() {
        if index > 0 {
            // A paragraph that keeps the indentation of the first one.
            roff.control("IP", []);
        }
        roff.text([roman(text.as_str())]);
    }
}

/// Adds lines as they are, indented.
fn verbatim(roff: &mut Roff, lines: &[String]) {
    roff.control("PP", []).control("RS", ["4"]).control("nf", []);
    for line in lines {
        roff.text([roman(line.as_str())]);
    }
    roff.control("fi", []).control("RE", []);
}

//! Wrong command lines, reported like all other errors.
//!
//! clap finds the fault. This module splits its text into a message, hints and the usage line, so
//! that it can be shown as JSON and never ends with clap's exit code 2.

use clap::error::{ContextKind, ContextValue};

use super::suggest;
use crate::app::problem::{Hint, Kind, Problem};
use crate::core::text::shown;

/// The number of characters of a typed word that an error repeats.
const TYPED_CHARS_MAX: usize = 200;

/// Turns an error of clap into a problem with hints.
pub(crate) fn usage_error(error: &clap::Error) -> Problem {
    if error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return missing_subcommand(error);
    }
    let rendered = without_long_words(error);
    let paragraph = rendered.split("\n\n").next().unwrap_or_default();
    let message = paragraph.strip_prefix("error: ").unwrap_or(paragraph);
    let message = message.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    // The message repeats typed text, which may have come from anywhere.
    let mut result = Problem::new(Kind::Usage, shown(&message));
    if let Some(words) = runs_a_program(error, &rendered) {
        let hint = format!("to run it while something is reserved: git coord with -- {words}");
        result = result.with_hint(Hint::plain(hint));
    } else if let Some(command) = meant_command(error) {
        result = result.with_hint(Hint::plain(format!("did you mean '{command}'?")));
    } else {
        for tip in rendered.lines().filter_map(|line| line.trim().strip_prefix("tip: ")) {
            result = result.with_hint(Hint::plain(shown(tip)));
        }
    }
    if let Some(usage) = rendered.lines().find_map(|line| line.strip_prefix("Usage: ")) {
        result = result.with_hint(Hint::plain(format!("usage: {usage}")));
    }
    result.with_hint(Hint::plain("all commands and options: git coord -h"))
}

/// Renders an error of clap, and cuts the typed words in it to a readable length.
fn without_long_words(error: &clap::Error) -> String {
    let rendered = error.render().to_string();
    let typed =
        [ContextKind::InvalidValue, ContextKind::InvalidArg, ContextKind::InvalidSubcommand];
    typed.into_iter().fold(rendered, |rendered, kind| match error.get(kind) {
        Some(ContextValue::String(word)) if word.chars().count() > TYPED_CHARS_MAX => {
            let start: String = word.chars().take(TYPED_CHARS_MAX).collect();
            rendered.replace(word.as_str(), &format!("{start}..."))
        }
        _ => rendered,
    })
}

/// Reports that a group of commands was named without one of them, and lists them.
fn missing_subcommand(error: &clap::Error) -> Problem {
    let rendered = error.render().to_string();
    let usage = rendered.lines().find_map(|line| line.strip_prefix("Usage: ")).unwrap_or_default();
    let (_, commands) = rendered.split_once("Commands:\n").unwrap_or_default();
    let names: Vec<&str> = commands
        .lines()
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let message = format!("a command is missing: one of {}", names.join(", "));
    Problem::new(Kind::Usage, message).with_hint(Hint::plain(format!("usage: {usage}")))
}

/// Finds the program that was to be run, if `run` was used as in other tools.
fn runs_a_program(error: &clap::Error, rendered: &str) -> Option<String> {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    let is_of_run = rendered.lines().any(|line| line.starts_with("Usage: git coord run "));
    let is_slip = error.get(ContextKind::SuggestedSubcommand).is_some();
    (is_of_run && !is_slip).then(|| shown(word).into_owned())
}

/// Tells whether the user wants JSON, by words that could not be parsed.
pub(crate) fn asks_for_json(words: &[std::ffi::OsString]) -> bool {
    words.iter().skip(1).take_while(|word| *word != "--").any(|word| word == "--json")
}

/// Guesses the command that was meant, by a synonym or by its spelling.
fn meant_command(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    if let Some(command) = suggest::command_for(word) {
        return Some(command.to_owned());
    }
    match error.get(ContextKind::SuggestedSubcommand) {
        Some(ContextValue::String(similar)) => Some(similar.clone()),
        // The most similar one comes last.
        Some(ContextValue::Strings(similar)) => similar.last().cloned(),
        _ => None,
    }
}

//! Wrong command lines, reported like all other errors.
//!
//! clap finds the fault. This module splits its text into a message, hints and the usage line, so
//! that it can be shown as JSON and never ends with clap's exit code 2.

use std::ffi::OsString;

use clap::Command;
use clap::error::{ContextKind, ContextValue};

use super::args::Cli;
use super::suggest;
use crate::app::problem::{Hint, Kind, Problem};
use crate::core::text::shown;

/// The number of characters of a typed word that an error repeats.
const TYPED_CHARS_MAX: usize = 200;

/// Turns an error of clap about these words into a problem with hints.
pub(crate) fn usage_error(error: &clap::Error, words: &[OsString]) -> Problem {
    let program = Cli::described();
    let called = called(&program, words);
    let problem = match error.kind() {
        clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            missing_subcommand(called)
        }
        _ => wrong_words(error, called),
    };
    problem.with_hint(Hint::plain(format!("help: {}", help_for(called))))
}

/// Finds the command that was called, as far as the words name one.
fn called<'p>(program: &'p Command, words: &[OsString]) -> &'p Command {
    let words = words.iter().skip(1).take_while(|word| *word != "--");
    words
        .filter_map(|word| word.to_str())
        .fold(program, |found, word| found.find_subcommand(word).unwrap_or(found))
}

/// Names the command that explains another one.
fn help_for(command: &Command) -> String {
    let invocation = command.get_bin_name().unwrap_or_default();
    invocation.replacen("git coord", "git coord help", 1)
}

/// Reports words that the parser does not take.
fn wrong_words(error: &clap::Error, called: &Command) -> Problem {
    let rendered = without_long_words(error);
    let paragraph = rendered.split("\n\n").next().unwrap_or_default();
    let message = paragraph.strip_prefix("error: ").unwrap_or(paragraph);
    let message = message.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    // The message repeats typed text, which may have come from anywhere.
    let mut result = Problem::new(Kind::Usage, shown(&message));
    if let Some(words) = runs_a_program(error, &rendered) {
        let hint = format!("to run it while something is reserved: git coord with -- {words}");
        result = result.with_hint(Hint::plain(hint));
    } else if let Some(hint) = suggestion(error, called) {
        result = result.with_hint(Hint::plain(hint));
    } else {
        for tip in rendered.lines().filter_map(|line| line.trim().strip_prefix("tip: ")) {
            result = result.with_hint(Hint::plain(shown(tip)));
        }
    }
    match rendered.lines().find_map(|line| line.strip_prefix("Usage: ")) {
        Some(usage) => result.with_hint(Hint::plain(format!("usage: {usage}"))),
        None => result,
    }
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
fn missing_subcommand(group: &Command) -> Problem {
    let names: Vec<&str> = group.get_subcommands().map(Command::get_name).collect();
    let message = format!("a command is missing: one of {}", names.join(", "));
    let usage = group.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ");
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
pub(crate) fn asks_for_json(words: &[OsString]) -> bool {
    words.iter().skip(1).take_while(|word| *word != "--").any(|word| word == "--json")
}

/// Guesses the meaning: a command by a synonym or its spelling, an option by its usual letter.
fn suggestion(error: &clap::Error, called: &Command) -> Option<String> {
    if let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg) {
        return suggest::option_for(called, word);
    }
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    suggest::hint_for(called, word).or_else(|| match error.get(ContextKind::SuggestedSubcommand) {
        Some(ContextValue::String(similar)) => Some(suggest::did_you_mean(similar)),
        // The most similar one comes last.
        Some(ContextValue::Strings(similar)) => {
            similar.last().map(|word| suggest::did_you_mean(word))
        }
        _ => None,
    })
}

//! The command line: words in, text or JSON out, an exit code at the end.
//!
//! `app` decides about each command; this layer reads requests and shows answers.
mod args;
mod color;
mod commands;
mod dispatch;
mod error;
mod exit;
mod generate;
mod help;
mod holds;
mod layout;
mod patience;
mod requests;
mod runs;
mod show;
mod suggest;
mod term;
mod usage;
mod values;

use std::ffi::OsString;
use std::io;
use std::path::Path;

pub use exit::ExitCode;
pub use generate::generated;

use crate::app::open::{Door, enter};
use crate::app::problem::{Kind, Problem};
use args::{Cli, Command};
use color::ColorChoice;
use dispatch::Context;
use term::{Manner, Ui};

use crate::core::environment::Environment;
use crate::core::text::shown;

/// Runs the command line `words`, whose first one is the name of the program.
pub fn run(words: &[OsString], environment: &Environment) -> ExitCode {
    match run_and_report(words, environment) {
        Ok(code) => code,
        // There is no stream left to say it on.
        Err(_) => ExitCode::Failure,
    }
}

fn run_and_report(words: &[OsString], environment: &Environment) -> io::Result<ExitCode> {
    let cli = match Cli::read(words) {
        Ok(cli) => cli,
        Err(error) => return report_unparsed(&error, words, environment),
    };
    let manner = cli.globals.manner();
    let command = cli.command.unwrap_or_default();
    let door = match door(&command, cli.globals.directory.as_deref(), environment) {
        Ok(door) => door,
        Err(error) => return error.report(&mut Ui::of_process(manner, environment, &|_| None)),
    };
    let mut ui = Ui::of_process(manner, environment, &|key| door.get(key));
    if command.is_answered_by_its_exit_code() {
        ui.mute_if_quiet();
    }
    run_parsed(&command, &mut ui, &Context { globals: &cli.globals, door })
}

/// Finds the place that a command is about. As git does it, `-C` changes the directory before
/// anything is looked for.
fn door(
    command: &Command,
    directory: Option<&Path>,
    environment: &Environment,
) -> Result<Door, Problem> {
    let entered = directory.map(|directory| {
        enter(environment, directory).map_err(|error| {
            let directory = directory.to_string_lossy();
            let message = format!("cannot change to '{}': {error}", shown(&directory));
            Problem::new(Kind::Failure, message)
        })
    });
    let environment = &entered.transpose()?.unwrap_or_else(|| environment.clone());
    if command.finds_its_repository() || command.is_kept_out(environment) {
        return Ok(Door::nowhere(environment));
    }
    Ok(Door::find(environment)?)
}

fn run_parsed(command: &Command, ui: &mut Ui, context: &Context<'_>) -> io::Result<ExitCode> {
    if let Err(error) = command.check() {
        return Problem::from(error).report(ui);
    }
    let result = dispatch::run(command, ui, context);
    match result.and_then(|code| ui.flush().map(|()| code).map_err(Problem::from)) {
        Ok(code) => Ok(code),
        Err(error) => error.report(ui),
    }
}

/// Reports words that clap did not parse. Help and version are answers; the rest is wrong usage.
fn report_unparsed(
    error: &clap::Error,
    words: &[OsString],
    environment: &Environment,
) -> io::Result<ExitCode> {
    let manner =
        Manner { json: usage::asks_for_json(words), quiet: false, color: requested_color(words) };
    let mut ui = Ui::of_process(manner, environment, &|_| None);
    if error.use_stderr() {
        return usage::usage_error(error, words).report(&mut ui);
    }
    let text = error.render();
    ui.text(&if ui.is_colored() { text.ansi().to_string() } else { text.to_string() })?;
    ui.flush()?;
    Ok(ExitCode::Done)
}

/// Finds `--color` in words that were not parsed.
fn requested_color(words: &[OsString]) -> Option<ColorChoice> {
    let words: Vec<&str> = words.iter().filter_map(|word| word.to_str()).collect();
    let pair = words.windows(2).find(|pair| pair[0] == "--color").map(|pair| pair[1]);
    let value = pair.or_else(|| words.iter().find_map(|word| word.strip_prefix("--color=")))?;
    clap::ValueEnum::from_str(value, true).ok()
}

#[cfg(test)]
mod tests;

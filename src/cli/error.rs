//! Errors as the user meets them: what failed, why, and what to type.
//!
//! In text: `error: ...` and `hint: ...` lines on stderr. With `--json`: one object on stdout,
//! so that an agent reads refusals the same way as answers.

use std::io;

use serde_json::{Map, Value, json};

use super::color::Slot;
use super::exit::ExitCode;
use super::term::{Output, Ui};
use crate::app::config::SettingError;
use crate::app::error::with_causes;
use crate::app::identity::IdentityError;
use crate::app::next::{command, in_shell};
use crate::core::text::shown;
use crate::store::git::config::ConfigError;

/// What sort of error, which decides the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorKind {
    /// The command line is wrong.
    Usage,
    /// The answer is no: a decision refused.
    Refused,
    /// What was named is not there.
    NothingThere,
    /// Others kept writing.
    Busy,
    /// A signal of this number came first.
    Interrupted(i32),
    /// A command was not run, for whatever reason.
    NotStarted,
    /// Input, output or stored data failed.
    Failure,
}

impl ErrorKind {
    pub(crate) fn exit_code(self) -> ExitCode {
        match self {
            ErrorKind::Usage => ExitCode::Usage,
            ErrorKind::Refused => ExitCode::No,
            ErrorKind::NothingThere => ExitCode::NothingThere,
            ErrorKind::Busy => ExitCode::Busy,
            ErrorKind::NotStarted => ExitCode::NotStarted,
            ErrorKind::Interrupted(signal) => ExitCode::of_signal(signal),
            ErrorKind::Failure => ExitCode::Failure,
        }
    }

    /// The word in JSON.
    fn word(self) -> &'static str {
        match self {
            ErrorKind::Usage => "usage",
            ErrorKind::Refused => "refused",
            ErrorKind::NothingThere => "nothing",
            ErrorKind::Busy => "busy",
            ErrorKind::Interrupted(_) => "interrupted",
            ErrorKind::NotStarted => "not_started",
            ErrorKind::Failure => "failure",
        }
    }
}

/// A family of hints with a configuration key that switches it off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Advice {
    /// What to do when another holds it.
    Held,
    /// A pattern that matches no tracked file.
    NoMatch,
    /// What to do about a reservation of another.
    NotYours,
}

impl Advice {
    pub(crate) const ALL: [Advice; 3] = [Advice::Held, Advice::NoMatch, Advice::NotYours];

    pub(crate) fn key(self) -> &'static str {
        match self {
            Advice::Held => "advice.coordHeld",
            Advice::NoMatch => "advice.coordNoMatch",
            Advice::NotYours => "advice.coordNotYours",
        }
    }
}

/// One line of help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hint {
    /// The family; a hint without one is part of the error and always shown.
    advice: Option<Advice>,
    text: String,
}

impl Hint {
    /// A hint that belongs to the error, such as "did you mean".
    pub(crate) fn plain(text: impl Into<String>) -> Hint {
        Hint { advice: None, text: text.into() }
    }

    /// A hint that experienced users switch off.
    pub(crate) fn advice(advice: Advice, text: impl Into<String>) -> Hint {
        Hint { advice: Some(advice), text: text.into() }
    }
}

/// Why a command did not do what it was asked to.
#[derive(Clone, Debug)]
pub(crate) struct CliError {
    /// Decides the exit code.
    pub(crate) kind: ErrorKind,
    /// Lower case, no full stop, names in single quotes.
    pub(crate) message: String,
    /// What to type next.
    pub(crate) hints: Vec<Hint>,
    /// Commands that programs can run as they are.
    pub(crate) next: Vec<Vec<String>>,
    /// Fields for the top of the JSON object, such as `conflicts`.
    pub(crate) json_extra: Box<Map<String, Value>>,
}

impl CliError {
    /// An error with nothing but its message.
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> CliError {
        CliError {
            kind,
            message: message.into(),
            hints: Vec::new(),
            next: Vec::new(),
            json_extra: Box::default(),
        }
    }

    /// A failure with the chain of its causes, in git's style: `cannot x: because y: because z`.
    pub(crate) fn caused(kind: ErrorKind, error: &dyn std::error::Error) -> CliError {
        CliError::new(kind, with_causes(error))
    }

    /// A refusal: `code` is the word that programs go by, `next` holds commands that can be run.
    pub(crate) fn refused(
        code: &str,
        message: impl Into<String>,
        details: Map<String, Value>,
        next: &[Vec<String>],
    ) -> CliError {
        let mut error = CliError::new(ErrorKind::Refused, message);
        let mut refusal = Map::new();
        refusal.insert("code".to_owned(), json!(code));
        refusal.insert("message".to_owned(), json!(error.message));
        refusal.extend(details);
        refusal.insert("next".to_owned(), json!(next));
        error.json_extra.insert("refusal".to_owned(), Value::Object(refusal));
        error
    }

    /// The same error with one more hint.
    pub(crate) fn with_hint(mut self, hint: Hint) -> CliError {
        self.hints.push(hint);
        self
    }

    /// The same error with one more command that helps.
    pub(crate) fn with_next(mut self, command: Vec<String>) -> CliError {
        self.next.push(command);
        self
    }

    /// Shows the error and says how to exit.
    pub(crate) fn report(&self, ui: &mut Ui) -> io::Result<ExitCode> {
        let output = ui.output();
        // Where no data can be written, an error is no data either.
        if ui.is_json() && output == Output::Written {
            ui.answer(false, self.json_fields())?;
        } else {
            let word = ui.paint_talk(Slot::Error, "error:");
            // Text of others may be part of it; the line ends are ours.
            let lines: Vec<_> = self.message.lines().map(shown).collect();
            ui.talk(&format!("{word} {}", lines.join("\n")))?;
            self.report_hints(ui)?;
        }
        match output {
            Output::Written => ui.flush()?,
            Output::Lost => {}
            Output::LostAfterWrite => {
                let look = in_shell(&command(&["status"]));
                say_hint(
                    ui,
                    &format!("what was asked for is done, and recorded; to see it: {look}"),
                )?;
            }
        }
        Ok(self.kind.exit_code())
    }

    fn report_hints(&self, ui: &mut Ui) -> io::Result<()> {
        let wanted: Vec<&Hint> = self
            .hints
            .iter()
            .filter(|hint| hint.advice.is_none_or(|advice| ui.wants_advice(advice)))
            .collect();
        for (index, hint) in wanted.iter().enumerate() {
            say_hint(ui, &hint.text)?;
            let Some(advice) = hint.advice else { continue };
            // How to switch a family off is said once, after its last hint.
            if !wanted[index + 1..].iter().any(|later| later.advice == Some(advice)) {
                say_how_to_switch_off(ui, advice)?;
            }
        }
        Ok(())
    }

    fn json_fields(&self) -> Map<String, Value> {
        let mut fields = Map::clone(&self.json_extra);
        if !fields.contains_key("refusal") {
            let mut error = Map::new();
            error.insert("kind".to_owned(), json!(self.kind.word()));
            error.insert("message".to_owned(), json!(self.message));
            let plain = self.hints.iter().filter(|hint| hint.advice.is_none());
            let hints: Vec<&str> = plain.map(|hint| hint.text.as_str()).collect();
            if !hints.is_empty() {
                error.insert("hints".to_owned(), json!(hints));
            }
            if !self.next.is_empty() {
                error.insert("next".to_owned(), json!(self.next));
            }
            fields.insert("error".to_owned(), Value::Object(error));
        }
        fields
    }
}

/// A hint that comes with an answer instead of an error.
pub(crate) fn advise(ui: &mut Ui, advice: Advice, text: &str) -> io::Result<()> {
    if ui.wants_advice(advice) {
        say_hint(ui, text)?;
        say_how_to_switch_off(ui, advice)?;
    }
    Ok(())
}

fn say_how_to_switch_off(ui: &mut Ui, advice: Advice) -> io::Result<()> {
    say_hint(ui, &format!("turn this off with: git config {} false", advice.key()))
}

/// A hint that may have several lines; each gets its own `hint:`.
fn say_hint(ui: &mut Ui, text: &str) -> io::Result<()> {
    for line in text.lines() {
        let hint = ui.paint_talk(Slot::Hint, &format!("hint: {}", shown(line)));
        ui.talk(&hint)?;
    }
    Ok(())
}

impl From<io::Error> for CliError {
    fn from(error: io::Error) -> Self {
        CliError::new(ErrorKind::Failure, format!("cannot write the output: {error}"))
    }
}

impl From<ConfigError> for CliError {
    fn from(error: ConfigError) -> Self {
        // libgit2's cause says the same as its wrapper.
        CliError::new(ErrorKind::Failure, error.to_string())
    }
}

impl From<SettingError> for CliError {
    fn from(error: SettingError) -> Self {
        let find = format!("see where it is set: git config --show-origin --get-all {}", error.key);
        CliError::caused(ErrorKind::Failure, &error).with_hint(Hint::plain(find))
    }
}

impl From<IdentityError> for CliError {
    fn from(error: IdentityError) -> Self {
        CliError::caused(ErrorKind::Usage, &error)
    }
}

#[cfg(test)]
mod tests;

//! The reason why a request has no answer, for every door: a code for programs, a sentence for
//! people, and commands that help.
//!
//! An [`AppError`] is internal; a [`Problem`] is its form for the caller. Each area has a file with
//! its refusals, and `failures` has the remedies for failures.

mod failures;
mod negotiation;
mod reservations;
mod routing;
mod runs;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::app::answer::Note;
use crate::app::config::SettingError;
use crate::app::error::{AppError, Missing, with_causes};
use crate::app::next::{command, in_shell};
use crate::app::open::ConfigError;
use crate::app::view::HeldView;
use crate::core::refusal::Refusal;

pub use reservations::{conflicting, held};

/// A family of hints with a configuration key that switches it off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// After a refusal because another agent holds it.
    Held,
    /// After a pattern that matches no tracked file.
    NoMatch,
    /// After a refusal because a reservation belongs to another agent.
    NotYours,
}

impl Advice {
    /// Every family.
    pub const ALL: [Advice; 3] = [Advice::Held, Advice::NoMatch, Advice::NotYours];

    /// Names the key in git's configuration.
    pub fn key(self) -> &'static str {
        match self {
            Advice::Held => "advice.coordHeld",
            Advice::NoMatch => "advice.coordNoMatch",
            Advice::NotYours => "advice.coordNotYours",
        }
    }
}

/// One line of help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The family; a hint without one is part of the problem and always shown.
    pub advice: Option<Advice>,
    pub text: String,
}

impl Hint {
    /// Makes a hint that belongs to the problem, such as "did you mean".
    pub fn plain(text: impl Into<String>) -> Hint {
        Hint { advice: None, text: text.into() }
    }

    /// Makes a hint that experienced users switch off.
    pub fn advice(advice: Advice, text: impl Into<String>) -> Hint {
        Hint { advice: Some(advice), text: text.into() }
    }
}

/// The kinds of problems. A door maps each to its own signal, such as an exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The request makes no sense. Nothing was read or written.
    Usage,
    /// The decision was no.
    Refused,
    /// The request names something that does not exist.
    #[serde(rename = "nothing")]
    NothingThere,
    /// Others kept writing. Nothing was written.
    Busy,
    /// A signal ended the request.
    Interrupted,
    /// `with` did not start its command.
    NotStarted,
    /// Input, output or stored data failed.
    Failure,
}

/// The reason why a request has no answer, and what helps.
#[derive(Clone, Debug)]
pub struct Problem {
    pub kind: Kind,
    /// The word that programs go by; every refusal has one.
    pub code: Option<&'static str>,
    /// Lower case, no full stop, names in single quotes.
    pub message: String,
    /// Ordered as they are to be read.
    pub hints: Vec<Hint>,
    /// Commands that programs can run as they are, or with a reason in place of `<why>`.
    pub next: Vec<Vec<String>>,
    /// Further members of the refusal, by name.
    pub details: Box<Map<String, Value>>,
    /// The reservations of others, if they are the reason.
    pub held: Option<Box<HeldView>>,
    aside: Box<Aside>,
}

/// The rarely used members of a problem, boxed to keep it small.
#[derive(Clone, Debug, Default)]
struct Aside {
    notes: Vec<Note>,
    signal: Option<i32>,
    /// The message for programs, if it is another than that for people.
    in_short: Option<String>,
}

/// A refusal in JSON.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Refusal")]
pub struct RefusalForm {
    /// The word that programs go by, such as `held`.
    code: &'static str,
    /// The reason in a sentence.
    message: String,
    /// Members that depend on the code.
    #[serde(flatten)]
    details: Map<String, Value>,
    /// Commands that help; each is a list of words. It can be run as it is, or with a reason in
    /// place of `<why>`.
    next: Vec<Vec<String>>,
}

/// An error in JSON.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Error")]
pub struct ErrorForm {
    /// The kind, which decides the exit code.
    kind: Kind,
    /// The word that programs go by.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
    /// The reason in a sentence.
    message: String,
    /// Advice in sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hints: Vec<String>,
    /// Members that depend on the code.
    #[serde(flatten)]
    details: Map<String, Value>,
    /// Commands that help; each is a list of words. It can be run as it is, or with a reason in
    /// place of `<why>`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    next: Vec<Vec<String>>,
}

/// The member of an answer that a problem becomes: its refusal or its error.
#[derive(Clone, Debug)]
pub enum Form {
    Refusal(RefusalForm),
    Error(ErrorForm),
}

impl Problem {
    /// Makes a problem with nothing but its message.
    pub fn new(kind: Kind, message: impl Into<String>) -> Problem {
        Problem {
            kind,
            code: (kind == Kind::Busy).then_some("busy"),
            message: message.into(),
            hints: Vec::new(),
            next: Vec::new(),
            details: Box::default(),
            held: None,
            aside: Box::default(),
        }
    }

    /// Makes a failure with the chain of its causes, in git's style: `cannot x: because y`.
    pub fn caused(kind: Kind, error: &dyn std::error::Error) -> Problem {
        Problem::new(kind, with_causes(error))
    }

    /// Makes a refusal.
    pub fn refused(code: &'static str, message: impl Into<String>) -> Problem {
        Problem { code: Some(code), ..Problem::new(Kind::Refused, message) }
    }

    /// Adds a member to the refusal.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Serialize) -> Problem {
        self.details.insert(name.to_owned(), json!(value));
        self
    }

    /// Adds a hint.
    #[must_use]
    pub fn with_hint(mut self, hint: Hint) -> Problem {
        self.hints.push(hint);
        self
    }

    /// Adds remarks.
    #[must_use]
    pub fn noting(mut self, notes: Vec<Note>) -> Problem {
        self.aside.notes.extend(notes);
        self
    }

    /// Adds a command that helps, for programs alone.
    #[must_use]
    pub fn with_next(mut self, command: Vec<String>) -> Problem {
        self.next.push(command);
        self
    }

    /// Adds commands that help, for programs and as hints of their own.
    #[must_use]
    pub fn suggesting(
        mut self,
        commands: Vec<Vec<String>>,
        hint: impl Fn(String) -> Hint,
    ) -> Problem {
        self.hints.extend(commands.iter().map(|words| hint(format!("  {}", in_shell(words)))));
        self.next.extend(commands);
        self
    }

    pub fn notes(&self) -> &[Note] {
        &self.aside.notes
    }

    /// Returns the number of the signal that ended the request.
    pub fn signal(&self) -> Option<i32> {
        self.aside.signal
    }

    /// Gives programs a shorter message than people: other members tell them the rest.
    #[must_use]
    fn in_short(mut self, sentence: Option<String>) -> Problem {
        self.aside.in_short = sentence;
        self
    }

    /// Shapes the problem as a refusal or as an error.
    pub fn form(&self) -> Form {
        match (self.kind, self.code) {
            (Kind::Refused | Kind::NotStarted, Some(code)) => Form::Refusal(RefusalForm {
                code,
                message: self.aside.in_short.as_ref().unwrap_or(&self.message).clone(),
                details: Map::clone(&self.details),
                next: self.next.clone(),
            }),
            (kind, code) => {
                let plain = self.hints.iter().filter(|hint| hint.advice.is_none());
                Form::Error(ErrorForm {
                    kind,
                    code,
                    message: self.message.clone(),
                    hints: plain.map(|hint| hint.text.clone()).collect(),
                    details: Map::clone(&self.details),
                    next: self.next.clone(),
                })
            }
        }
    }
}

impl From<AppError> for Problem {
    fn from(error: AppError) -> Problem {
        match error {
            AppError::Usage(message) => Problem::new(Kind::Usage, message),
            AppError::Nothing(Missing { code, message }) => {
                Problem { code: Some(code), ..Problem::new(Kind::NothingThere, message) }
            }
            AppError::Busy(message) => Problem::new(Kind::Busy, message)
                .with_hint(Hint::plain("nothing was written; try again")),
            AppError::Interrupted(signal) => Problem {
                aside: Box::new(Aside { signal: Some(signal), ..Aside::default() }),
                ..Problem::new(Kind::Interrupted, "interrupted while waiting")
                    .with_hint(Hint::plain("nothing was reserved, and nobody waits for it"))
            },
            AppError::Refused(refusal) => Problem::from(&refusal),
            // An absence has the members of the refusal that it is, and an exit code of its own.
            AppError::Absent(refusal) => {
                Problem { kind: Kind::NothingThere, ..Problem::from(&refusal) }
            }
            AppError::Held { conflicts, before, at, liveness } => {
                held(&conflicts, &before, at, &liveness)
            }
            AppError::Setting(error) => error.into(),
            AppError::Store(error) => failures::of_store(&error),
            AppError::Unreadable(error) => failures::of_document(&error),
            AppError::Failed(error) => Problem::caused(Kind::Failure, &*error),
        }
    }
}

impl From<SettingError> for Problem {
    fn from(error: SettingError) -> Problem {
        let find = format!("see where it is set: git config --show-origin --get-all {}", error.key);
        Problem::caused(Kind::Failure, &error).with_hint(Hint::plain(find))
    }
}

impl From<ConfigError> for Problem {
    fn from(error: ConfigError) -> Problem {
        // libgit2's cause repeats its wrapper.
        Problem::new(Kind::Failure, error.to_string())
    }
}

impl From<&Refusal> for Problem {
    fn from(refusal: &Refusal) -> Problem {
        match refusal {
            Refusal::Run(refusal) => runs::refused(refusal),
            Refusal::Routing(refusal) => routing::refused(refusal),
            Refusal::Dispute(dispute) => negotiation::refused(dispute),
            Refusal::Domain(refused) => Problem::refused(refused.code(), refused.to_string())
                .with_next(command(&["domain", "show"])),
            of_reservations => reservations::refused(of_reservations),
        }
    }
}

//! The answer to a request, in one shape for every door, and the one place where it becomes JSON.

use schemars::JsonSchema;
use serde::Serialize;

use crate::app::next::{command, in_shell};
use crate::app::problem::{Advice, ErrorForm, Form, Problem, RefusalForm};
use crate::app::view::HeldView;
use crate::core::damage::Damage;
use crate::core::ids::OpId;
use crate::core::time::Timestamp;
use crate::store::git::object::ObjectId;
use crate::store::ledger::snapshot::Snapshot;
use crate::store::ledger::transact::Committed;

/// The version of every JSON answer.
const SCHEMA: u32 = 1;

/// The outcome of a request that has an answer. Everything else is a [`Problem`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Done, free, fresh or allowed; also if it was so already.
    Done,
    /// No; the body has the details.
    No,
    /// The cached data is out of date.
    Stale,
    /// There is no data about the subject of the request.
    NothingThere,
}

/// The answer to a request.
#[derive(Debug)]
pub struct Answer<T> {
    pub outcome: Outcome,
    /// The data of the request's own kind.
    pub body: T,
    /// The reason for a no, in the form that refusals have everywhere.
    pub refusal: Option<Problem>,
    /// The entry that the request wrote, if it wrote one.
    pub written: Option<Written>,
    /// Remarks on the data.
    pub notes: Vec<Note>,
    /// The time at which the request was decided or answered.
    pub at: Timestamp,
}

/// An entry of a ledger, and the act that it records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Written {
    /// The id of the act, which `git coord ledger log` and events name.
    pub op: OpId,
    /// The id of the entry's commit.
    pub entry: ObjectId,
}

impl Written {
    /// Returns the entry of a write; none if nothing had to be written.
    pub fn of<A>(committed: &Committed<A>) -> Option<Written> {
        let entry = committed.entry?;
        Some(Written { op: committed.op.clone(), entry })
    }

    /// Returns the newest entry of a ledger as it was read; none before the first.
    pub fn newest(snapshot: &Snapshot<'_>) -> Option<Written> {
        let tip = snapshot.tip()?;
        Some(Written { op: tip.head.counters.op.clone(), entry: tip.id })
    }
}

/// A remark that comes with an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Note {
    pub level: Level,
    /// The word that programs go by, if the remark stands for a refusal or a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
    /// One sentence.
    pub text: String,
    /// The things that the sentence is about, a line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
    /// The family of a hint, which experienced users switch off.
    #[serde(skip)]
    pub advice: Option<Advice>,
}

/// The weight of a remark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Good to know.
    Note,
    /// Something may be wrong.
    Warning,
    /// Something to do next.
    Hint,
}

impl Note {
    fn new(level: Level, text: impl Into<String>) -> Note {
        Note { level, code: None, text: text.into(), details: Vec::new(), advice: None }
    }

    /// Makes a remark that is good to know.
    pub fn plain(text: impl Into<String>) -> Note {
        Note::new(Level::Note, text)
    }

    /// Makes a warning.
    pub fn warning(text: impl Into<String>) -> Note {
        Note::new(Level::Warning, text)
    }

    /// Makes a hint that belongs to the answer, and is always shown.
    pub fn plain_hint(text: impl Into<String>) -> Note {
        Note::new(Level::Hint, text)
    }

    /// Warns of documents that cannot be read and are passed over, and tells what helps.
    pub fn of_damage(damaged: &[Damage]) -> Vec<Note> {
        let warning =
            |Damage { key, why }: &Damage| Note::warning(format!("damaged: {key}: {why}"));
        let mut notes: Vec<Note> = damaged.iter().map(warning).collect();
        if !damaged.is_empty() {
            let doctor = in_shell(&command(&["doctor"]));
            notes.push(Note::plain_hint(format!("what to do about it: {doctor}")));
        }
        notes
    }

    /// Makes a hint that experienced users switch off.
    pub fn hint(advice: Advice, text: impl Into<String>) -> Note {
        Note { advice: Some(advice), ..Note::new(Level::Hint, text) }
    }

    /// Gives the remark the word that programs go by.
    #[must_use]
    pub fn of(self, code: &'static str) -> Note {
        Note { code: Some(code), ..self }
    }
}

impl<T> Answer<T> {
    /// Answers a request that wrote nothing.
    pub fn read(body: T, at: Timestamp) -> Answer<T> {
        Answer { outcome: Outcome::Done, body, refusal: None, written: None, notes: Vec::new(), at }
    }

    /// Answers a request with the result of its write.
    pub fn committed<A>(committed: Committed<A>, body: impl FnOnce(A) -> T) -> Answer<T> {
        let written = Written::of(&committed);
        let Committed { answer, at, notices, .. } = committed;
        let mut answer = Answer::read(body(answer), at);
        answer.wrote(written, notices);
        answer
    }

    /// Adds a further write of the same request; the answer names the last one.
    pub fn wrote(&mut self, written: Option<Written>, notices: Vec<String>) {
        self.written = written.or(self.written.take());
        self.notes.extend(notices.into_iter().map(Note::warning));
    }

    /// Adds a write that was made on the way, if it was made.
    pub fn included<A>(&mut self, committed: Option<Committed<A>>) {
        if let Some(committed) = committed {
            self.wrote(Written::of(&committed), committed.notices);
        }
    }

    /// Turns the answer into a no.
    #[must_use]
    pub fn refused(self, refusal: Problem) -> Answer<T> {
        Answer { outcome: Outcome::No, refusal: Some(refusal), ..self }
    }

    /// Adds remarks.
    #[must_use]
    pub fn noting(mut self, notes: impl IntoIterator<Item = Note>) -> Answer<T> {
        self.notes.extend(notes);
        self
    }

    /// Shapes the answer for programs.
    pub fn form(&self) -> AnswerForm<'_, T> {
        let (refusal, error) = forms(self.refusal.as_ref());
        AnswerForm {
            schema: SCHEMA,
            ok: self.outcome == Outcome::Done,
            body: &self.body,
            refusal,
            error,
            written: self.written.as_ref(),
            notes: &self.notes,
        }
    }
}

/// An answer in JSON.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Answer")]
pub struct AnswerForm<'a, T> {
    /// The version of this form.
    #[schemars(extend("const" = SCHEMA))]
    schema: u32,
    /// True if the answer is a yes; exactly then the exit code is 0.
    ok: bool,
    #[serde(flatten)]
    body: &'a T,
    /// The reason for a no.
    #[serde(skip_serializing_if = "Option::is_none")]
    refusal: Option<RefusalForm>,
    /// The reason why there is no answer: an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorForm>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    written: Option<&'a Written>,
    /// Remarks on the data; the command line prints them to stderr.
    #[serde(skip_serializing_if = "<[Note]>::is_empty")]
    notes: &'a [Note],
}

/// The answer to a request that ended in a [`Problem`], in JSON.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Problem")]
pub struct ProblemForm<'a> {
    /// The version of this form.
    #[schemars(extend("const" = SCHEMA))]
    schema: u32,
    /// Always false.
    #[schemars(extend("const" = false))]
    ok: bool,
    /// The reason for a no.
    #[serde(skip_serializing_if = "Option::is_none")]
    refusal: Option<RefusalForm>,
    /// The reason why there is no answer: an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorForm>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    held: Option<&'a HeldView>,
    /// Remarks; the command line prints them to stderr.
    #[serde(skip_serializing_if = "<[Note]>::is_empty")]
    notes: &'a [Note],
}

impl Problem {
    /// Shapes the problem as an answer of its own.
    pub fn answer(&self) -> ProblemForm<'_> {
        let (refusal, error) = forms(Some(self));
        let (held, notes) = (self.held.as_deref(), self.notes());
        ProblemForm { schema: SCHEMA, ok: false, refusal, error, held, notes }
    }
}

fn forms(problem: Option<&Problem>) -> (Option<RefusalForm>, Option<ErrorForm>) {
    match problem.map(Problem::form) {
        Some(Form::Refusal(refusal)) => (Some(refusal), None),
        Some(Form::Error(error)) => (None, Some(error)),
        None => (None, None),
    }
}

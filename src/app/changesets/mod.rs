//! Commits and pushes: the net below the edits, for what was written through a shell, without a
//! reservation, or after it had lapsed.
//!
//! Each answers from the same ref as the commands do. None changes the index, the work tree or a
//! branch.

mod commit;
pub mod moment;
mod objection;
mod push;
mod sweep;
mod trailers;

use schemars::JsonSchema;
use serde::Serialize;

use crate::app::Ctx;
use crate::app::answer::{Answer, Note};
use crate::app::config::Severity;
use crate::app::identity::ActorKind;
use crate::app::open::now;
use crate::app::problem::{Advice, Hint, Problem};
use crate::core::pattern::{self, Pattern};
use crate::store::worktree::changes::PathBytes;

pub use objection::Objection;
pub use trailers::Source;

/// The answer to a hook of git, which goes by the exit code. Notes and refusals say the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Body {}

/// The answer to whether a commit or a push may go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It goes on.
    Pass,
    /// It goes on, with a warning.
    Warn(Objection),
    /// It stops here.
    Refuse(Objection),
}

impl Verdict {
    /// Decides about an objection to a commit or a push: it stops agents, and people where that is
    /// configured.
    fn on(ctx: &Ctx, what: &str, objection: Objection) -> Verdict {
        match (ctx.identity().kind, ctx.settings().hook.people) {
            (ActorKind::Person, Severity::Warn) => Verdict::Warn(objection.passing(what)),
            (ActorKind::Agent, _) | (_, Severity::Refuse) => Verdict::Refuse(objection),
        }
    }

    /// Turns the decision into an answer: an objection that stops nobody into remarks, and one that
    /// does into the reason.
    pub fn answer(self) -> Result<Answer<Body>, Problem> {
        match self {
            Verdict::Pass => Ok(pass()),
            Verdict::Warn(objection) => Ok(pass().noting(warnings(objection))),
            Verdict::Refuse(objection) => Err(refused(objection)),
        }
    }
}

/// Lets git go on without a remark.
pub fn pass() -> Answer<Body> {
    Answer::read(Body {}, now())
}

fn warnings(objection: Objection) -> Vec<Note> {
    let Objection { code, message, hints, .. } = objection;
    let mut lines = message.lines().map(str::to_owned);
    let mut warning = Note::warning(lines.next().unwrap_or_default()).of(code);
    warning.details = lines.collect();
    let mut notes = vec![warning];
    if !hints.is_empty() {
        notes.push(Note::hint(Advice::Held, hints.join("\n")));
    }
    notes
}

fn refused(objection: Objection) -> Problem {
    let Objection { code, message, hints, next, details } = objection;
    let problem = hints
        .into_iter()
        .map(Hint::plain)
        .fold(Problem::refused(code, message), Problem::with_hint);
    let problem = next.into_iter().fold(problem, Problem::with_next);
    details.into_iter().fold(problem, |problem, (name, value)| problem.with(name, value))
}

/// Turns paths of git into patterns. A directory stands for paths that are too deep to be one.
fn literal<'p>(paths: impl IntoIterator<Item = &'p PathBytes>) -> Vec<Pattern> {
    let mut patterns: Vec<Pattern> =
        paths.into_iter().filter_map(|path| pattern::for_path(path)).collect();
    patterns.dedup();
    patterns
}

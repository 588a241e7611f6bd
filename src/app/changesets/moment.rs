//! The moments at which git asks, and the decision at each.

use std::path::Path;

use super::push::{self, Announced};
use super::trailers::{self, Source};
use super::{Body, Objection, Verdict, commit, pass};
use crate::app::Ctx;
use crate::app::answer::Answer;
use crate::app::error::AppError;
use crate::app::problem::Problem;
use crate::core::environment::Environment;

/// A moment at which git asks, or tells.
#[derive(Clone, Copy)]
pub enum Moment<'a> {
    /// A commit or a merge is about to be made of the index.
    BeforeCommit,
    /// Git takes up the message of a commit.
    Message {
        /// The file that has it, if git names one.
        file: Option<&'a Path>,
        source: Source<'a>,
    },
    /// A commit is made.
    AfterCommit,
    /// A push is about to begin.
    BeforePush {
        /// The name or the address of the other side, if git tells it.
        remote: Option<&'a str>,
        /// Reads git's lines about the refs. It is called if nothing else tells them: a manager of
        /// hooks may have read them before, and reading them again would take forever.
        lines: &'a dyn Fn() -> Result<String, Problem>,
    },
}

/// The decision on a moment: git goes on, with what was written for it and with remarks, or the
/// reason why it stops.
pub type Decided = Result<Answer<Body>, Problem>;

/// Decides whether git may go on. Where there is no work tree, there is nothing to decide. Fails if
/// nothing could be decided.
pub fn decide(
    ctx: &Ctx,
    environment: &Environment,
    moment: Moment<'_>,
) -> Result<Decided, Problem> {
    if ctx.repository().work_tree().is_none() {
        return Ok(Ok(pass()));
    }
    let verdict = match moment {
        Moment::BeforeCommit => commit::before(ctx, environment)?,
        Moment::AfterCommit => return Ok(Ok(commit::after(ctx)?)),
        Moment::BeforePush { remote, lines } => {
            let push = match push::announced(remote, environment) {
                Announced::Whole(push) => push,
                Announced::OnStdin { remote } => push::read_lines(&lines()?, remote),
            };
            push::before(ctx, &push)?
        }
        Moment::Message { file, source } => match commit::again(ctx, environment)? {
            Verdict::Pass if ctx.settings().hook.trailers => sign(ctx, environment, file, source),
            verdict => verdict,
        },
    };
    Ok(verdict.answer())
}

/// Adds the trailers to the message. A message without them is no reason to stop a commit.
fn sign(ctx: &Ctx, environment: &Environment, file: Option<&Path>, source: Source<'_>) -> Verdict {
    let Some(file) = file else {
        let error = AppError::Usage("which file has the message?".to_owned());
        return unsigned(&error);
    };
    match trailers::sign(ctx, environment, &environment.resolve(file), source) {
        Ok(()) => Verdict::Pass,
        Err(error) => unsigned(&error),
    }
}

fn unsigned(error: &AppError) -> Verdict {
    Verdict::Warn(Objection::saying("held", unchecked("left as it was", &error.to_string())))
}

/// Says what became of a call that could not be answered, and why.
pub fn unchecked(passed: &str, why: &str) -> String {
    format!("git coord: {passed}: {why}")
}

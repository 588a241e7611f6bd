//! Reserves for a command before it is started.

use std::ffi::{OsStr, OsString};

use crate::app::Ctx;
use crate::app::answer::Answer;
use crate::app::problem::{Kind, Problem};
use crate::app::reservations::reserve::Request;
use crate::app::waiting::Tell;
use crate::core::reservation::reserve::Reserved;
use crate::core::text::shown;
use crate::core::time::Ttl;
use crate::store::os::process::ProcessIdentity;

/// Reservations that a command is about to run under.
pub struct Held {
    pub(super) reserved: Reserved,
    pub(super) ttl: Ttl,
}

/// Reserves for as long as this process or its command lives. `tell` gets what stands in the way of
/// a waiter.
pub fn hold(
    ctx: &mut Ctx,
    mut request: Request,
    tell: &mut Tell<'_>,
) -> Result<Answer<Held>, Problem> {
    request.process = ProcessIdentity::current().to_process();
    let asked = request.asked(ctx)?;
    let ttl = asked.command.ttl;
    let committed = asked.submit(ctx, request.wait, tell)?;
    let mut answer = Answer::committed(committed, |reserved| Held { reserved, ttl });
    answer.notes.splice(0..0, asked.notes);
    Ok(answer)
}

/// Marks a problem as one before the command was started. Wrong usage and a signal have exit codes
/// of their own, which say so already.
pub fn not_started(mut problem: Problem) -> Problem {
    if !matches!(problem.kind, Kind::Usage | Kind::Interrupted) {
        problem.kind = Kind::NotStarted;
    }
    problem
}

/// Explains that the program itself cannot be run.
pub(super) fn cannot_run(words: &[OsString], error: &std::io::Error) -> Problem {
    let program = words.first().map_or(OsStr::new(""), OsString::as_os_str).to_string_lossy();
    let message = format!("cannot run '{}': {error}", shown(&program));
    Problem::new(Kind::NotStarted, message)
}

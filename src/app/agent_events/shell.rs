//! Before and after a shell command.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use crate::app::config::Severity;
use crate::app::error::AppError;
use crate::app::open::Door;
use crate::app::shell_gate::{Looked, Refusal, Saved};
use crate::app::shell_writes::OfOthers;
use crate::app::{Ctx, ownership, presence, shell_gate, shell_writes};

/// Between the end of a command and our own start, and what file systems round times by.
const SHELL_SLACK: Duration = Duration::from_secs(2);
/// A system may stamp files with the time of its last tick.
const STAMP_SLACK: Duration = Duration::from_millis(20);

/// The answer before a shell command.
#[derive(Debug)]
pub enum Answer {
    /// It runs.
    Pass,
    /// It runs, and this was saved before it.
    Saved(Saved),
    /// It runs, although it would hit work of others.
    Warned(Refusal),
    /// It does not run, because it would hit work of others.
    Refused(Refusal),
}

/// Decides about a shell command: saves what it may throw away, and refuses one that would hit
/// uncommitted work of others, or warns of it, as configured. Calls `before_saving` before
/// something that may take long.
pub fn begins(
    ctx: &Ctx,
    door: &Door,
    command: &str,
    before_saving: &dyn Fn(),
) -> Result<Answer, AppError> {
    let hook = ctx.settings().hook;
    if !hook.shell {
        return Ok(Answer::Pass);
    }
    Ok(match shell_gate::look(ctx, door, command, before_saving)? {
        Looked::Pass => Answer::Pass,
        Looked::Saved(saved) => Answer::Saved(saved),
        Looked::Refused(refusal) => match hook.changes {
            Severity::Refuse => Answer::Refused(refusal),
            Severity::Warn => Answer::Warned(refusal),
        },
    })
}

/// A shell command that has run, as far as the agent's program tells it.
#[derive(Clone, Copy, Debug)]
pub struct Ran<'r> {
    /// The program's id of the tool call.
    pub call: &'r str,
    /// The time that it took.
    pub took: Option<Duration>,
    /// The files that it has changed, by absolute paths.
    pub changed: Option<&'r [PathBuf]>,
}

/// The answer after a shell command.
#[derive(Debug)]
pub struct Written {
    /// The files of others that have changed under it.
    pub of_others: OfOthers,
    /// True if the agent can write to their owners.
    pub can_send: bool,
}

/// Notes what a shell command has written, and finds the files of others that have changed under
/// it. It began when the hook before it said so or, if that is not known, by the time that it took.
pub fn ran(ctx: &Ctx, ran: &Ran<'_>) -> Result<Written, AppError> {
    let started = presence::started(ctx, ran.call);
    let by_length = || SystemTime::now().checked_sub(ran.took? + SHELL_SLACK);
    let began = started.and_then(|at| at.checked_sub(STAMP_SLACK)).or_else(by_length);
    if began.is_some_and(|began| ctx.repository().head_was_written_since(began)) {
        ownership::sweep::follow_branch(ctx)?;
    }
    if began.is_some_and(|began| ctx.repository().stash_was_written_since(began)) {
        ownership::sweep::note_stash(ctx)?;
    }
    let of_others = shell_writes::after(ctx, shell_writes::Ran { began, changed: ran.changed })?;
    Ok(Written { of_others, can_send: ctx.settings().negotiation })
}

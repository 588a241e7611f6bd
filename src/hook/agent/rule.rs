//! The one rule of all agents' hooks: what is done about an event, and what the agent is told.

use std::path::Path;
use std::time::{Duration, SystemTime};

use super::{Event, Verdict, words};
use crate::app::config::ReleaseWith;
use crate::app::error::AppError;
use crate::app::{Ctx, edits, reservations, specs};
use crate::core::limits::PATTERNS_PER_COMMAND_MAX;
use crate::core::pattern::{self, Pattern, Reading};
use crate::core::refusal::{Conflict, Refusal};
use crate::core::reservation::index::Whose;
use crate::core::reservation::target::targets;

/// Between the end of a command and our own start, and what file systems round times by.
const SHELL_SLACK: Duration = Duration::from_secs(2);

/// Does what is to be done about an event.
pub(super) fn apply(ctx: &Ctx, event: &Event) -> Result<Verdict, AppError> {
    let release = ctx.settings().hook.release;
    match event {
        Event::SessionStart => welcome(ctx),
        Event::Edit(path) => edit(ctx, path),
        Event::ShellRan(took) => shell_ran(ctx, *took),
        Event::TurnEnd | Event::SubagentEnd if release == ReleaseWith::Turn => {
            let_go(ctx, Whose::Own)
        }
        // A turn that was interrupted ends here at the latest.
        Event::SessionEnd if matches!(release, ReleaseWith::Turn | ReleaseWith::Session) => {
            let_go(ctx, Whose::Session)
        }
        Event::TurnEnd | Event::SubagentEnd | Event::SessionEnd | Event::Other => {
            Ok(Verdict::Silence)
        }
    }
}

/// Asking for the path is the gate: nothing else is looked at before, and so nothing can change
/// between a look and the edit.
fn edit(ctx: &Ctx, path: &Path) -> Result<Verdict, AppError> {
    let Some(file) = specs::file(ctx.repository(), &specs::resolved(path))? else {
        return Ok(Verdict::Silence);
    };
    if ctx.repository().is_ignored(&file.literal_path().unwrap_or_default())? {
        return Ok(Verdict::Silence);
    }
    match edits::edit(ctx, &[file]) {
        Ok(edited) if !edited.reserved.edited_elsewhere.is_empty() => {
            let elsewhere = &edited.reserved.edited_elsewhere;
            Ok(Verdict::Warn(words::edited_elsewhere(elsewhere, edited.at)))
        }
        Ok(edited) if !edited.notices.is_empty() => {
            Ok(Verdict::Warn(format!("git coord: {}", edited.notices.join("; "))))
        }
        Ok(_) => Ok(Verdict::Silence),
        Err(AppError::Refused(Refusal::Held { conflicts, at, .. })) => {
            Ok(Verdict::Deny(words::refused(&conflicts, at)))
        }
        Err(error) => Err(error),
    }
}

/// Files that changed under a shell command and that another holds. Who edited with notice, the
/// agent or the holder itself, has been through the gate.
fn shell_ran(ctx: &Ctx, took: Option<Duration>) -> Result<Verdict, AppError> {
    let began = took.and_then(|took| SystemTime::now().checked_sub(took + SHELL_SLACK));
    let mut changed: Vec<Pattern> = Vec::new();
    for path in ctx.repository().changed_since(began)?.iter().take(PATTERNS_PER_COMMAND_MAX) {
        changed.extend(pattern::parse(path, &[], Reading::Literal)?);
    }
    if changed.is_empty() {
        return Ok(Verdict::Silence);
    }
    let (mut conflicts, now) = reservations::check(ctx, &targets(&changed, &[]))?;
    let notes = ctx.notes().all()?;
    let about = edits::about(ctx);
    conflicts.retain(|Conflict { target, held }| {
        let explains = |agent| held.holder.is_one_with(agent) || ctx.actor().is_one_with(agent);
        let is_here = |path| target.pattern() == Some(path);
        let is_noted = notes.iter().any(|note| is_here(&note.path) && explains(&note.agent));
        !is_noted && !about.is_edit_elsewhere(held)
    });
    if conflicts.is_empty() {
        return Ok(Verdict::Silence);
    }
    Ok(Verdict::Tell(words::changed_by_shell(&conflicts, now)))
}

fn welcome(ctx: &Ctx) -> Result<Verdict, AppError> {
    let (mut others, now) = reservations::list(ctx, &reservations::Filter::default())?;
    others.retain(|hold| !ctx.actor().covers(&hold.holder));
    Ok(Verdict::Tell(words::welcome(ctx.actor(), &others, now)))
}

/// What came with edits ends; what was reserved by command is the agent's own affair.
fn let_go(ctx: &Ctx, whose: Whose) -> Result<Verdict, AppError> {
    edits::let_go(ctx, whose).map(|_| Verdict::Silence)
}

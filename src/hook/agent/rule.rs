//! The one rule of all agents' hooks: what is done about an event, and what the agent is told.

use std::path::Path;
use std::time::{Duration, SystemTime};

use super::{Call, Event, ShellEnd, Verdict, words};
use crate::app::config::{ReleaseWith, Severity};
use crate::app::error::AppError;
use crate::app::install::plugin;
use crate::app::news;
use crate::app::open::Door;
use crate::app::ownership::{Owned, adopt};
use crate::app::rescue::keep::{self, Occasion};
use crate::app::shell_gate::Looked;
use crate::app::{
    Ctx, edits, negotiation, ownership, presence, reservations, shell_gate, shell_writes, specs,
};
use crate::core::pattern::Pattern;
use crate::core::rescue::Why;
use crate::core::reservation::index::Whose;

/// Between the end of a command and our own start, and what file systems round times by.
const SHELL_SLACK: Duration = Duration::from_secs(2);
/// A system may stamp files with the time of its last tick.
const STAMP_SLACK: Duration = Duration::from_millis(20);

/// Does what is to be done about an event, and tells the agent what it does not know yet.
///
/// `before_saving` is called before something that may take long.
pub(super) fn apply(
    ctx: &Ctx,
    door: &Door,
    call: &Call,
    before_saving: &dyn Fn(),
) -> Result<Verdict, AppError> {
    let mut verdict = judge(ctx, door, call, before_saving)?;
    if call.event.is_pause() {
        let news = news::in_between(ctx);
        if let Some(asked) = words::asked(&news.requests.iter().collect::<Vec<_>>()) {
            verdict = verdict.and(&asked);
            news.remember(ctx);
        }
    }
    if call.event.can_tell() {
        let lost = ownership::lost::take(ctx).unwrap_or_default();
        if let Some(lost) = words::lost(ctx.actor(), &lost, ctx.clock()) {
            verdict = verdict.and(&lost);
        }
    }
    Ok(verdict)
}

fn judge(
    ctx: &Ctx,
    door: &Door,
    call: &Call,
    before_saving: &dyn Fn(),
) -> Result<Verdict, AppError> {
    let release = ctx.settings().hook.release;
    match &call.event {
        // One welcome is enough, and the other call gives it.
        Event::SessionStart | Event::SubagentStart
            if plugin::is_called_besides(ctx, door.environment(), &call.name) =>
        {
            Ok(Verdict::Silence)
        }
        Event::SessionStart => {
            // A session begins seldom, and nobody waits for it. It is welcome even if nothing of an
            // earlier one can be found.
            ownership::inherit(ctx).ok();
            ownership::lost::look(ctx).ok();
            presence::forget_old(ctx);
            welcome(ctx)
        }
        Event::SubagentStart => welcome(ctx),
        Event::Edit(path) => edit(ctx, path),
        Event::CallBegins(Some(command)) if ctx.settings().hook.shell => {
            shell_begins(ctx, door, command, before_saving)
        }
        Event::ShellRan(end) => shell_ran(ctx, &call.tool_use, end),
        Event::CallEnds(Some(path)) => edited(ctx, path),
        // Of a turn that was interrupted the hook hears when the next one begins.
        Event::TurnBegins => {
            ownership::lost::look(ctx).ok();
            end(ctx, Whose::Own, release == ReleaseWith::Turn)
        }
        Event::TurnEnd | Event::SubagentEnd => end(ctx, Whose::Own, release == ReleaseWith::Turn),
        Event::SessionEnd => {
            let lets_go = matches!(release, ReleaseWith::Turn | ReleaseWith::Session);
            end(ctx, Whose::Session, lets_go)
        }
        Event::CallBegins(_) | Event::CallEnds(None) | Event::ToolRan | Event::Other => {
            Ok(Verdict::Silence)
        }
    }
}

/// Decides about an edit. Reserving the path is the gate: nothing that is read before decides
/// anything, so nothing can change between a look and the edit.
fn edit(ctx: &Ctx, path: &Path) -> Result<Verdict, AppError> {
    let Some(file) = specs::file(ctx.repository(), path)? else {
        return Ok(Verdict::Silence);
    };
    let specs::File { path, held: file } = file;
    let before = ctx.notes().get(ctx.actor(), &file)?;
    let is_first = before.as_ref().is_none_or(|before| before.by_shell || before.lost);
    // A file that passed before is not ignored, and looking that up is faster than asking git.
    let is_ignored = before.is_none() && ctx.repository().is_ignored(&path)?;
    if is_ignored {
        return Ok(Verdict::Silence);
    }
    let reading = ctx.read()?;
    let news = news::before_edit(ctx, &reading, &file);
    match edits::edit(ctx, reading, &file, before) {
        Ok(edited) => {
            let mut warnings: Vec<String> = Vec::new();
            let others = if is_first { others_in(ctx, &file) } else { Others::default() };
            warnings.extend(words::taken_over(&others.dead, edited.at));
            let elsewhere = &edited.reserved.edited_elsewhere;
            if !elsewhere.is_empty() {
                warnings.push(words::edited_elsewhere(elsewhere, edited.at));
            }
            if !edited.notices.is_empty() {
                warnings.push(format!("git coord: {}", edited.notices.join("; ")));
            }
            warnings.extend(words::taken(&news.untold_taken(), edited.at));
            let asked = words::asked(&news.requests.iter().collect::<Vec<_>>());
            let changed = words::changed_before(&others.living, edited.at);
            let advice: Vec<String> = changed.into_iter().chain(asked).collect();
            let advice = (!advice.is_empty()).then(|| advice.join("\n"));
            news.remember(ctx);
            Ok(match (warnings.is_empty(), advice) {
                (true, None) => Verdict::Silence,
                (true, Some(advice)) => Verdict::Tell(advice),
                (false, advice) => {
                    warnings.extend(advice);
                    Verdict::Warn(warnings.join("\n"))
                }
            })
        }
        Err(AppError::Held { conflicts, at, liveness, .. }) => {
            let refused = words::refused(&conflicts, at, &liveness);
            let taken = words::taken(&news.taken.iter().collect::<Vec<_>>(), at);
            let all: Vec<String> = taken.into_iter().chain([refused]).collect();
            Ok(Verdict::Deny(all.join("\n")))
        }
        Err(error) => Err(error),
    }
}

/// The owners of uncommitted changes in a file that another agent edits.
#[derive(Default)]
struct Others {
    /// Those that may come back.
    living: Vec<Owned>,
    /// Those that have died, whose changes are the editing agent's now.
    dead: Vec<Owned>,
}

/// Finds whose uncommitted changes are in a file. All of it is for information: if it cannot be
/// had, the commit is checked all the same.
fn others_in(ctx: &Ctx, file: &Pattern) -> Others {
    let mut living = ownership::of_others_in(ctx, file).unwrap_or_default();
    let dead = adopt::from_the_dead(ctx, &living).unwrap_or_default();
    living.retain(|owned| !dead.contains(owned));
    Others { living, dead }
}

/// Refuses a command that would hit uncommitted work of others, or warns of it. Says what was saved
/// before one that throws work away.
fn shell_begins(
    ctx: &Ctx,
    door: &Door,
    command: &str,
    before_saving: &dyn Fn(),
) -> Result<Verdict, AppError> {
    Ok(match shell_gate::look(ctx, door, command, before_saving)? {
        Looked::Pass => Verdict::Silence,
        Looked::Saved(saved) => Verdict::Warn(words::shell::saved(&saved)),
        Looked::Refused(refusal) => match ctx.settings().hook.changes {
            Severity::Refuse => Verdict::Deny(words::shell::hit(&refusal, false)),
            Severity::Warn => Verdict::Warn(words::shell::hit(&refusal, true)),
        },
    })
}

/// Notes what a shell command has written, and warns of files of others that have changed under it.
/// It began when the hook before it said so or, if that is not known, by the time that it took.
fn shell_ran(ctx: &Ctx, tool_use: &str, end: &ShellEnd) -> Result<Verdict, AppError> {
    let started = presence::started(ctx, tool_use);
    let by_length = || SystemTime::now().checked_sub(end.took? + SHELL_SLACK);
    let began = started.and_then(|at| at.checked_sub(STAMP_SLACK)).or_else(by_length);
    if began.is_some_and(|began| ctx.repository().head_was_written_since(began)) {
        ownership::sweep::follow_branch(ctx)?;
    }
    if began.is_some_and(|began| ctx.repository().stash_was_written_since(began)) {
        ownership::sweep::note_stash(ctx)?;
    }
    let ran = shell_writes::Ran { began, changed: end.changed.as_deref() };
    let of_others = shell_writes::after(ctx, ran)?;
    Ok(words::shell::changed(&of_others, ctx.settings().negotiation)
        .map_or(Verdict::Silence, Verdict::Warn))
}

/// Notes that an edit is done. A file outside of the repository needs no note.
fn edited(ctx: &Ctx, path: &Path) -> Result<Verdict, AppError> {
    if let Some(file) = specs::file(ctx.repository(), path)? {
        edits::made(ctx, &file.held)?;
    }
    Ok(Verdict::Silence)
}

/// Tells a session or a subagent its name, what others hold, and what they ask for.
fn welcome(ctx: &Ctx) -> Result<Verdict, AppError> {
    let reservations::Listed { holds: mut others, now, .. } =
        reservations::find(ctx, &reservations::Filter::default())?;
    others.retain(|hold| !ctx.actor().is_one_with(&hold.holder));
    let welcome = words::welcome(ctx.actor(), &others, now);
    // An agent is welcome even if the requests cannot be read.
    let requests = ctx.read().and_then(|reading| negotiation::requests(ctx, &reading));
    let requests = requests.unwrap_or_default().to_answer;
    let asked = words::asked(&requests.iter().collect::<Vec<_>>());
    let all: Vec<String> = [Some(welcome), asked].into_iter().flatten().collect();
    Ok(Verdict::Tell(all.join("\n")))
}

/// Ends the edits of a turn or a session, and releases the holds that came with them if they end
/// with it. The agent itself releases those that it asked for.
fn end(ctx: &Ctx, whose: Whose, lets_go: bool) -> Result<Verdict, AppError> {
    let concluded = edits::conclude(ctx, whose);
    if lets_go {
        edits::let_go(ctx, whose)?;
    }
    // A failure holds nobody up: the next end saves again, and each edit is saved by itself.
    keep::noted(ctx, Occasion::of(Why::Turn)).ok();
    concluded.map(|()| Verdict::Silence)
}

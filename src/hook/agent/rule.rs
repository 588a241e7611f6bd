//! The one rule of all agents' hooks: which request of `app` an event is, and what the agent reads
//! about the answer.

use std::path::Path;

use super::{Call, Event, ShellEnd, Verdict, words};
use crate::app::Ctx;
use crate::app::agent_events::{edit, end, news, shell, welcome};
use crate::app::error::AppError;
use crate::app::open::Door;

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
        let requests = news::take_requests(ctx);
        if let Some(asked) = words::asked(&requests) {
            verdict = verdict.and(&asked);
        }
    }
    if call.event.can_tell() {
        let lost = news::take_lost(ctx);
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
    let silently = |()| Verdict::Silence;
    match &call.event {
        Event::SessionStart => Ok(welcomed(welcome::session(ctx, door, &call.name)?)),
        Event::SubagentStart => Ok(welcomed(welcome::subagent(ctx, door, &call.name)?)),
        Event::Edit(path) => before_edit(ctx, path),
        Event::CallBegins(Some(command)) => {
            Ok(before_shell(shell::begins(ctx, door, command, before_saving)?))
        }
        Event::ShellRan(end) => after_shell(ctx, &call.tool_use, end),
        Event::CallEnds(Some(path)) => edit::ends(ctx, path).map(silently),
        Event::TurnBegins => end::turn_before(ctx).map(silently),
        Event::TurnEnd | Event::SubagentEnd => end::turn(ctx).map(silently),
        Event::SessionEnd => end::session(ctx).map(silently),
        Event::CallBegins(None) | Event::CallEnds(None) | Event::ToolRan | Event::Other => {
            Ok(Verdict::Silence)
        }
    }
}

fn before_edit(ctx: &Ctx, path: &Path) -> Result<Verdict, AppError> {
    Ok(match edit::begins(ctx, path)? {
        edit::Answer::Uncoordinated => Verdict::Silence,
        edit::Answer::Granted(granted) => granted_edit(&granted),
        edit::Answer::Refused(edit::Refused { conflicts, liveness, taken, at }) => {
            let refused = words::refused(&conflicts, at, &liveness);
            let taken = words::taken(&taken, at);
            Verdict::Deny(taken.into_iter().chain([refused]).collect::<Vec<_>>().join("\n"))
        }
    })
}

fn granted_edit(granted: &edit::Granted) -> Verdict {
    let at = granted.at;
    let mut warnings: Vec<String> =
        words::taken_over(&granted.taken_over, at).into_iter().collect();
    if !granted.edited_elsewhere.is_empty() {
        warnings.push(words::edited_elsewhere(&granted.edited_elsewhere, at));
    }
    if !granted.notices.is_empty() {
        warnings.push(format!("git coord: {}", granted.notices.join("; ")));
    }
    warnings.extend(words::taken(&granted.taken, at));
    let changed = words::changed_before(&granted.changed_before, at);
    let advice = changed.into_iter().chain(words::asked(&granted.requests)).collect::<Vec<_>>();
    match (warnings.is_empty(), advice.is_empty()) {
        (true, true) => Verdict::Silence,
        (true, false) => Verdict::Tell(advice.join("\n")),
        (false, _) => {
            warnings.extend(advice);
            Verdict::Warn(warnings.join("\n"))
        }
    }
}

fn before_shell(answer: shell::Answer) -> Verdict {
    match answer {
        shell::Answer::Pass => Verdict::Silence,
        shell::Answer::Saved(saved) => Verdict::Warn(words::shell::saved(&saved)),
        shell::Answer::Refused(refusal) => Verdict::Deny(words::shell::hit(&refusal, false)),
        shell::Answer::Warned(refusal) => Verdict::Warn(words::shell::hit(&refusal, true)),
    }
}

fn after_shell(ctx: &Ctx, call: &str, end: &ShellEnd) -> Result<Verdict, AppError> {
    let ran = shell::Ran { call, took: end.took, changed: end.changed.as_deref() };
    let written = shell::ran(ctx, &ran)?;
    Ok(words::shell::changed(&written.of_others, written.can_send)
        .map_or(Verdict::Silence, Verdict::Warn))
}

/// Tells a session or a subagent its name, what others hold, and what they ask for.
fn welcomed(welcome: Option<welcome::Welcome>) -> Verdict {
    let Some(welcome) = welcome else { return Verdict::Silence };
    let asked = words::asked(&welcome.requests);
    let all: Vec<String> = [Some(welcome.text), asked].into_iter().flatten().collect();
    Verdict::Tell(all.join("\n"))
}

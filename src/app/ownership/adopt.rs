//! Takes uncommitted changes over from others, on the record.

use std::ffi::OsString;

use schemars::JsonSchema;
use serde::Serialize;

use super::view::PathView;
use super::{Judged, Owned, judge, owned, tidy};
use crate::app::answer::{Answer, Note as Remark};
use crate::app::error::AppError;
use crate::app::next::{after_conflict, command};
use crate::app::problem::{Advice, Hint, Problem};
use crate::app::{Ctx, WriteMode, dead_holders, specs};
use crate::core::ids::AgentName;
use crate::core::ledger::LedgerName;
use crate::core::negotiation::thread_index::line;
use crate::core::ownership::adopt::{Adopt, Adopted};
use crate::core::ownership::standing::Standing;
use crate::core::ownership::turn::Turn;
use crate::core::ownership::{Note, Via};
use crate::core::pattern::{Pattern, Reading};
use crate::core::reservation::check::{self, Asker};
use crate::core::reservation::target::files;
use crate::core::text::{Line, shown};
use crate::core::time::Timestamp;
use crate::store::ledger::transact::Committed;

/// Changes to take over.
pub struct Request<'r> {
    /// Paths relative to the caller's directory, or patterns.
    pub paths: &'r [OsString],
    /// The owner whose changes are meant, wherever they are.
    pub from: Option<&'r AgentName>,
    /// Set for all changes of others; a request without paths and owner means nothing otherwise.
    pub all: bool,
    pub reason: &'r Line,
}

impl Request<'_> {
    /// Checks that the request says what it means.
    pub fn check(&self) -> Result<(), AppError> {
        let names_some = !self.paths.is_empty() || self.from.is_some();
        match (names_some, self.all) {
            (false, false) => Err(AppError::usage(
                "nothing to adopt: name paths, an agent with --from, or everything with --all",
            )),
            (true, true) => Err(AppError::usage("--all goes with no path and no --from")),
            _ => Ok(()),
        }
    }
}

/// The answer to `adopt`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    /// The changes that were taken over.
    pub adopted: Vec<AdoptedView>,
    /// The changes among them that belonged to the caller before. They count as made on the branch
    /// that is checked out now.
    pub own: Vec<PathView>,
}

/// A change that was taken over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "AdoptedChange")]
pub struct AdoptedView {
    pub path: PathView,
    /// The owner before.
    pub from: AgentName,
}

/// Takes changes over, all of them or none. Only notes change, and no file is touched.
pub fn adopt(ctx: &Ctx, request: &Request<'_>) -> Result<Answer<Body>, Problem> {
    request.check()?;
    let judged = chosen(ctx, request)?;
    tidy(ctx, &judged);
    let is_own = |note: &Note| note.agent.is_one_with(ctx.actor());
    let (own, others): (Vec<Owned>, Vec<Owned>) =
        owned(ctx, judged).into_iter().partition(|owned| is_own(&owned.note));
    if own.is_empty() && others.is_empty() {
        let message = "there is no uncommitted change of another agent";
        return Err(AppError::nothing("nothing_there", message).into());
    }
    if let Some(running) = others.iter().find(|owned| owned.turn == Turn::Running) {
        return Err(still_at_work(ctx, running)?);
    }
    let body = |others: &[Owned]| Body {
        adopted: others.iter().map(|owned| view(&owned.note)).collect(),
        own: own.iter().map(|owned| PathView::of(&owned.note.path)).collect(),
    };
    let answer = if others.is_empty() {
        let remark = Remark::plain("these changes are yours already");
        Answer::read(body(&[]), ctx.clock()).noting([remark])
    } else {
        let committed = record(ctx, &others, request.reason.clone())?;
        let answer = body(&others);
        Answer::committed(committed, |_| answer)
    };
    for owned in &own {
        stamp(ctx, owned.note.clone())?;
    }
    Ok(answer)
}

fn view(note: &Note) -> AdoptedView {
    AdoptedView { path: PathView::of(&note.path), from: note.agent.clone() }
}

/// Finds the notes that are meant, and what has become of them.
fn chosen(ctx: &Ctx, request: &Request<'_>) -> Result<Vec<Judged>, AppError> {
    let case = ctx.read()?.case;
    let wanted = specs::patterns(ctx.repository(), request.paths, Reading::Glob)?;
    let wanted: Vec<_> = wanted.iter().map(|pattern| pattern.matcher(case)).collect();
    let mut notes = ctx.notes().all()?;
    notes.sort_by(|one, other| (&one.path, &one.agent).cmp(&(&other.path, &other.agent)));
    notes.retain(|note| {
        let path = note.path.matcher(case);
        let is_there = wanted.is_empty() || wanted.iter().any(|wanted| wanted.overlaps(&path));
        let is_theirs = request.from.is_none_or(|from| from.covers(&note.agent));
        // All means all of others.
        let is_named = !request.paths.is_empty() || !note.agent.is_one_with(ctx.actor());
        is_there && is_theirs && is_named && !note.by_shell
    });
    judge(ctx, notes)
}

/// Explains that an owner has not finished.
fn still_at_work(ctx: &Ctx, running: &Owned) -> Result<Problem, AppError> {
    let Note { path, agent, .. } = &running.note;
    let named = shown(&path.shown()).into_owned();
    let message = format!("'{named}' was changed by '{agent}', whose turn is running");
    let reading = ctx.read()?;
    let by = Asker::exclusive(ctx.actor(), reading.now);
    let path = std::slice::from_ref(path);
    let conflicts = check::check(&reading.base.snapshot, &files(path), by, reading.case)?;
    let next = if conflicts.is_empty() {
        let subject = "May I take your uncommitted changes over?";
        vec![command(&["send", agent.as_str(), "--subject", subject])]
    } else {
        after_conflict(&conflicts, ctx.settings().negotiation)
    };
    let hint = "nothing was adopted; wait until it is done, or ask it:";
    let problem = Problem::refused("held", message).with_hint(Hint::advice(Advice::Held, hint));
    Ok(problem.suggesting(next, |line| Hint::advice(Advice::Held, line)))
}

/// Takes changes over: the entry first, which may be refused, then the notes.
pub fn record(
    ctx: &Ctx,
    others: &[Owned],
    reason: Line,
) -> Result<Committed<Vec<AgentName>>, AppError> {
    let notes: Vec<&Note> = others.iter().map(|owned| &owned.note).collect();
    let committed = put_on_record(ctx, &notes, reason)?;
    for note in notes {
        let own = ctx.notes().get(ctx.actor(), &note.path)?;
        let own = own.filter(|own| !own.by_shell && !own.lost);
        let new = || Note::of_edit(ctx.actor(), note.path.clone(), committed.at);
        stamp(ctx, Note { via: Via::Adopted, ..own.unwrap_or_else(new) })?;
        ctx.notes().settle(note)?;
    }
    Ok(committed)
}

/// Writes the entry that says who took what from whom.
pub fn put_on_record(
    ctx: &Ctx,
    notes: &[&Note],
    reason: Line,
) -> Result<Committed<Vec<AgentName>>, AppError> {
    let change = |note: &&Note| Adopted { path: note.path.clone(), from: note.agent.clone() };
    let changes: Vec<Adopted> = notes.iter().map(change).collect();
    let paths: Vec<Pattern> = changes.iter().map(|change| change.path.clone()).collect();
    let gone = dead_holders::in_the_way(ctx, &files(&paths))?;
    let command = Adopt { changes, reason, worktree: ctx.worktree() };
    ctx.transact(LedgerName::Reservations, command, WriteMode::without(gone))
}

/// Notes that a change is the agent's as it is now, on the branch that is checked out now, and
/// after everything that others were granted so far.
fn stamp(ctx: &Ctx, note: Note) -> Result<(), AppError> {
    let path = note.path.literal_path().unwrap_or_default();
    let repository = ctx.repository();
    let (left, content) = (Some(repository.as_left(&path)), repository.content_of(&path));
    let fence = ctx.read()?.base.counters().map_or(note.fence, |counters| counters.fence);
    let (branch, at): (_, Timestamp) = (repository.branch(), ctx.clock());
    Ok(ctx.notes().put(&Note { left, content, fence, branch, at, before: None, ..note })?)
}

/// Takes over what is left of agents that have died, for an agent that edits the file on.
pub fn from_the_dead(ctx: &Ctx, others: &[Owned]) -> Result<Vec<Owned>, AppError> {
    let dead: Vec<Owned> =
        others.iter().filter(|owned| owned.turn == Turn::Died).cloned().collect();
    if !dead.is_empty() {
        let reason = "its session has died, and the file is edited on";
        record(ctx, &dead, line(reason))?;
    }
    Ok(dead)
}

/// Puts on record that a commit has taken changes of others along. They are committed, so their
/// notes are over.
pub fn by_commit(
    ctx: &Ctx,
    paths: &[Pattern],
    commit: &str,
) -> Result<Option<Committed<Vec<AgentName>>>, AppError> {
    let mut notes = ctx.notes().on(paths)?;
    notes.retain(|note| !note.by_shell && !note.lost && !note.agent.is_one_with(ctx.actor()));
    let judged = judge(ctx, notes)?;
    let is_in = |judged: &&Judged| matches!(judged.standing, Standing::Settled | Standing::Lost);
    let taken: Vec<&Note> = judged.iter().filter(is_in).map(|judged| &judged.note).collect();
    if taken.is_empty() {
        return Ok(None);
    }
    put_on_record(ctx, &taken, line(&format!("committed in {commit}"))).map(Some)
}

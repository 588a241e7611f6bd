//! Takes the caller's own last act in reservations back, if nobody has built on it since.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::release::ids;
use crate::app::answer::Answer;
use crate::app::error::AppError;
use crate::app::next::{command, from_top};
use crate::app::presence::HolderLiveness;
use crate::app::problem::{Hint, Problem, conflicting};
use crate::app::view::HoldView;
use crate::app::wording::target_text;
use crate::app::{Ctx, WriteMode};
use crate::core::event::Event;
use crate::core::ids::{HoldId, OpId};
use crate::core::ledger::LedgerName;
use crate::core::refusal::Refusal;
use crate::core::reservation::undo::{self, Change, UNDONE, Undo, Undone, Verdict};
use crate::core::reservation::{Hold, Target, index};
use crate::core::text::{Line, shown};
use crate::core::time::{Timestamp, relative};
use crate::store::git::object::ObjectId;
use crate::store::ledger::entry::Entry;
use crate::store::ledger::history::History;
use crate::store::ledger::{Ledger, decode_request, recorded_command};

/// The largest number of entries that are searched for an act of the caller.
const ENTRIES_MAX: usize = 1_000;

/// A request to take the last act back.
pub struct Request<'r> {
    pub reason: Option<&'r Line>,
    /// Set to answer what would change, without changing it.
    pub dry_run: bool,
}

/// The answer to `undo`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    /// The act that was taken back.
    pub undone: ActView,
    /// The ids of reservations that ended.
    pub ended: Vec<HoldId>,
    /// The reservations that were granted again.
    pub granted: Vec<HoldView>,
    /// The reservations that are as they were before the act.
    pub restored: Vec<HoldView>,
    /// The ids of reservations whose time is over, so that nothing of the act was left.
    pub over: Vec<HoldId>,
    pub dry_run: bool,
    /// The reservations themselves, for people.
    #[serde(skip)]
    pub holds: Undone,
}

/// An act, and the entry that records it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "UndoneAct")]
pub struct ActView {
    /// The id of the act.
    pub op: OpId,
    /// The id of its entry's commit.
    pub entry: ObjectId,
    pub at: Timestamp,
    /// A summary in a sentence.
    pub summary: String,
}

/// Takes the last act back that was not taken back before.
pub fn undo(ctx: &Ctx, request: &Request<'_>) -> Result<Answer<Body>, Problem> {
    let (view, changes) = last_act(ctx)?;
    let command = Undo { act: view.op.clone(), changes, reason: request.reason.cloned() };
    let body = |holds: Undone, at: Timestamp| Body {
        undone: view.clone(),
        ended: ids(&holds.ended),
        granted: HoldView::all(holds.granted.clone(), at),
        restored: HoldView::all(holds.restored.clone(), at),
        over: holds.over.clone(),
        dry_run: request.dry_run,
        holds,
    };
    let refused = |error| refused(ctx, &view.op, error);
    if request.dry_run {
        let undone = ctx.decide_only(LedgerName::Reservations, command).map_err(refused)?;
        return Ok(Answer::read(body(undone, ctx.clock()), ctx.clock()));
    }
    let written = ctx.transact(LedgerName::Reservations, command, WriteMode::Plain);
    let committed = written.map_err(refused)?;
    let at = committed.at;
    Ok(Answer::committed(committed, |undone| body(undone, at)))
}

/// Finds the last act of the caller that changed reservations and stands.
fn last_act(ctx: &Ctx) -> Result<(ActView, Vec<Change>), Problem> {
    let ledger = ctx.ledger(LedgerName::Reservations);
    let tip = ledger.now().map_err(AppError::from)?.id();
    let mut undone: BTreeSet<String> = BTreeSet::new();
    for item in History::from(&ledger, tip).take(ENTRIES_MAX) {
        let (id, entry) = item.map_err(AppError::from)?;
        let is_own = |event: &&Event| event.actor == *ctx.actor();
        let own: Vec<&Event> = entry.message.events.iter().filter(is_own).collect();
        let op = &entry.message.counters.op;
        undone.extend(own.iter().filter_map(|event| undone_by(event)));
        if own.is_empty() || undone.contains(op.as_str()) {
            continue;
        }
        let view = ActView {
            op: op.clone(),
            entry: id,
            at: entry.message.counters.at,
            summary: entry.message.summary.clone(),
        };
        match verdict(&ledger, id, &entry)? {
            Verdict::PassedOver => {}
            Verdict::Final(why) => return Err(is_final(&view, why)),
            Verdict::Undoable => {
                let changes = changes(&ledger, id, &entry)?;
                if !changes.is_empty() {
                    return Ok((view, changes));
                }
            }
        }
    }
    let message = format!("'{}' has done nothing that could be undone", ctx.actor());
    Err(AppError::nothing("nothing_there", message).into())
}

/// Returns the act that an event says was taken back.
fn undone_by(event: &Event) -> Option<String> {
    (event.kind == UNDONE).then(|| event.text("act").map(str::to_owned)).flatten()
}

fn verdict(ledger: &Ledger<'_>, id: ObjectId, entry: &Entry) -> Result<Verdict, AppError> {
    let recorded = recorded_command(entry, &ledger.at(Some(id))?).map_err(AppError::Unreadable)?;
    // A command of a later version is none that this one can take back.
    let Ok(request) = decode_request(recorded) else {
        return Ok(Verdict::Final("a later version of git coord wrote it"));
    };
    Ok(undo::verdict(&request.command, &entry.message.events))
}

/// Reads the holds that an act changed, before it and after it.
fn changes(ledger: &Ledger<'_>, id: ObjectId, entry: &Entry) -> Result<Vec<Change>, AppError> {
    let (before, after) = (ledger.at(entry.parent)?, ledger.at(Some(id))?);
    let mut changes = Vec::new();
    for hold in undo::changed(&entry.message.events) {
        changes.push(Change {
            before: index::by_id(&before.snapshot, &hold).map_err(AppError::Unreadable)?,
            after: index::by_id(&after.snapshot, &hold).map_err(AppError::Unreadable)?,
        });
    }
    changes.retain(|change| !change.is_of_process());
    Ok(changes)
}

fn is_final(act: &ActView, why: &str) -> Problem {
    let summary = shown(&act.summary).into_owned();
    Problem::refused("final", format!("'{summary}' cannot be undone: {why}"))
        .with("undone", act)
        .with_next(command(&["log", "-n", "10"]))
}

/// Explains who has built on the act, and how.
fn refused(ctx: &Ctx, act: &OpId, error: AppError) -> Problem {
    match error {
        AppError::Refused(Refusal::BuiltOn { hold }) => built_on(ctx, act, &hold),
        AppError::Refused(Refusal::Held { conflicts, at, .. }) => {
            conflicting(&conflicts, at, &HolderLiveness::of(ctx, &conflicts))
        }
        AppError::Held { conflicts, at, liveness, .. } => conflicting(&conflicts, at, &liveness),
        error => error.into(),
    }
    .with_hint(Hint::plain("nothing was taken back"))
}

fn built_on(ctx: &Ctx, act: &OpId, hold: &Hold) -> Problem {
    let target = target_text(&hold.target);
    let since = since(ctx, act, &hold.id).ok().flatten();
    let message = match &since {
        Some((at, event)) => {
            let ago = relative(at.as_seconds(), ctx.clock().as_seconds());
            let what = event.kind.replace('_', " ");
            format!("{target} is no longer as your act left it: '{}' {what} it {ago}", event.actor)
        }
        None => format!("{target} is no longer as your act left it"),
    };
    let problem = Problem::refused("built_on", message).with("hold", &hold.id);
    let problem = match since {
        Some((_, event)) => problem.with("by", &event.actor).with("event", &event.kind),
        None => problem,
    };
    match &hold.target {
        Target::Paths(paths) => match from_top(&paths.pattern) {
            Some(path) => problem.with_next(command(&["who", "--", &path])),
            None => problem,
        },
        Target::Lock(name) => {
            problem.with_next(command(&["list", &format!("--lock={}", name.as_str())]))
        }
    }
}

/// Finds the newest event since an act that is about a hold.
fn since(ctx: &Ctx, act: &OpId, hold: &HoldId) -> Result<Option<(Timestamp, Event)>, AppError> {
    let ledger = ctx.ledger(LedgerName::Reservations);
    for item in History::from(&ledger, ledger.now()?.id()).take(ENTRIES_MAX) {
        let (_, entry) = item?;
        let counters = entry.message.counters;
        if counters.op == *act {
            break;
        }
        let is_about = |event: &Event| event.subject.as_deref() == Some(hold.as_str());
        if let Some(event) = entry.message.events.into_iter().rev().find(is_about) {
            return Ok(Some((counters.at, event)));
        }
    }
    Ok(None)
}

//! Asks a holder to release something, and waits for the answer if the asker wants to.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::view::{AskedView, RequestView};
use super::{What, no_thread, require};
use crate::app::answer::{Answer, Note};
use crate::app::error::AppError;
use crate::app::next::{command, from_top, in_shell};
use crate::app::path_facts::path_facts;
use crate::app::presence::{LivenessProbe, Pulse};
use crate::app::problem::Problem;
use crate::app::reservations::named::prefix;
use crate::app::reservations::{in_the_way, terminals};
use crate::app::view::HoldView;
use crate::app::waiter::{Look, Waited, Waiter};
use crate::app::waiting::{self, Stand};
use crate::app::{Ctx, WriteMode, dead_holders, session_places};
use crate::core::ids::AgentName;
use crate::core::ledger::LedgerName;
use crate::core::negotiation::answer::claim;
use crate::core::negotiation::ask::{Ask, Asking};
use crate::core::negotiation::ids::ThreadId;
use crate::core::negotiation::standing::Status;
use crate::core::negotiation::thread_index;
use crate::core::refusal::Conflict;
use crate::core::reservation::check::{Asker, check};
use crate::core::reservation::paths::PathFacts;
use crate::core::reservation::reserve::Reserve;
use crate::core::reservation::target::targets;
use crate::core::reservation::{Target, index, named_targets};
use crate::core::text::Line;
use crate::core::time::Timestamp;
use crate::store::ledger::transact::Committed;

/// A request to a holder.
pub struct Request {
    /// A path, a pattern, the id of a hold, or a lock.
    pub what: What,
    /// The holder to ask, if there are several.
    pub holder: Option<AgentName>,
    pub reason: Line,
    pub urgent: bool,
    /// The longest wait for the answer.
    pub wait: Option<Duration>,
    /// Set to reserve the targets if they become free without being granted.
    pub reserve: bool,
}

/// The answer to `ask`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    #[serde(flatten)]
    pub request: RequestView,
    /// True if the caller has asked before, so that this joins the open request.
    pub joined: bool,
    /// The reservations that the caller got.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub granted: Vec<HoldView>,
}

/// Asks, and waits for the answer if the request says so. The request stays open if the wait ends
/// without an answer.
pub fn ask(ctx: &mut Ctx, request: &Request) -> Result<Answer<Body>, Problem> {
    require(ctx)?;
    let patterns = request.what.patterns(ctx)?;
    let facts = path_facts(ctx.repository(), &patterns);
    let wanted = targets(&patterns, &request.what.locks(), &facts);
    let elsewhere = terminals::held_from_another(ctx, &wanted)?;
    match asked(ctx, request) {
        Ok(answer) => Ok(answer.noting(elsewhere)),
        Err(problem) => Err(problem.noting(elsewhere)),
    }
}

fn asked(ctx: &mut Ctx, request: &Request) -> Result<Answer<Body>, Problem> {
    let (committed, stand) = match request.wait {
        None => (submit(ctx, request)?, None),
        Some(limit) => {
            let (committed, stand) = submit_and_stay(ctx, request)?;
            (committed, Some((stand, limit)))
        }
    };
    let now = committed.at;
    let whole = ends_whole(&committed.answer.ends_whole);
    let mut answer = Answer::committed(committed, |Asking { thread, joined, .. }| {
        let request = RequestView::of(&LivenessProbe::new(ctx), thread, now);
        Body { request, joined, granted: Vec::new() }
    })
    .noting(whole);
    if let Some((stand, limit)) = stand {
        let thread = answer.body.request.thread.clone();
        let outcome = wait(ctx, stand, &thread, limit);
        let present =
            outcome.map_err(|error| unanswered(error, &thread).noting(answer.notes.clone()))?;
        let claim = present.claim;
        answer.at = present.now;
        answer.body.request = after_wait(present.request);
        answer.body.granted = present.granted;
        if request.reserve && status(&answer.body) == Some(Status::Free) {
            reserve(ctx, &mut answer, &claim)?;
        }
    }
    Ok(match refusal(&answer.body.request, request.wait.is_some()) {
        Some(refusal) => answer.refused(refusal),
        None => answer,
    })
}

/// Says what else becomes free when the holder answers.
fn ends_whole(targets: &[Target]) -> Option<Note> {
    let all = (!targets.is_empty()).then(|| named_targets(targets))?;
    let why = "the rest of its reservation cannot be kept";
    Some(Note::warning(format!("a release frees all of {all}: {why}")))
}

/// Reserves what has become free. Somebody else may be faster, which is a refusal like any other.
fn reserve(ctx: &mut Ctx, answer: &mut Answer<Body>, claim: &Reserve) -> Result<(), Problem> {
    let reserved = waiting::reserve_now(ctx, claim)?;
    let granted = reserved.answer.granted.into_iter().map(|grant| grant.hold);
    answer.at = reserved.at;
    answer.body.granted = HoldView::all(granted, reserved.at);
    if let Some(asked) = &mut answer.body.request.asked {
        asked.status = Status::Released;
    }
    Ok(())
}

fn status(body: &Body) -> Option<Status> {
    body.request.asked.as_ref().map(|asked| asked.status)
}

/// Explains why a wait ended without an answer. The request is written by then, so the hints that
/// nothing was written, or that nobody waits, would be untrue.
fn unanswered(error: AppError, thread: &ThreadId) -> Problem {
    let is_cut_short = matches!(error, AppError::Interrupted(_) | AppError::Busy(_));
    let mut problem = Problem::from(error);
    if is_cut_short {
        problem.hints.clear();
    }
    let read = in_shell(&command(&["inbox", "--thread", thread.short()]));
    problem.noting(vec![Note::plain(format!("the request stays open: {read}"))])
}

fn submit(ctx: &Ctx, request: &Request) -> Result<Committed<Asking>, AppError> {
    require(ctx)?;
    let patterns = request.what.patterns(ctx)?;
    let typed = Ask {
        hold: request.what.word_as(),
        facts: path_facts(ctx.repository(), &patterns),
        patterns,
        locks: request.what.locks(),
        holder: request.holder.clone(),
        reason: request.reason.clone(),
        urgent: request.urgent,
        ttl: ctx.settings().ttl,
        worktree: ctx.worktree(),
        through_hooks: session_places::ends_are_heard(ctx),
    };
    let mut command = settled(ctx, typed)?;
    let seen = ctx.decide_only(LedgerName::Reservations, command.clone())?;
    command.holder = Some(seen.asked.holder);
    ctx.transact(LedgerName::Reservations, command, WriteMode::Plain)
}

/// Decides whether a word means a hold, by its id or the beginning of it, or a path, so that the
/// request means the same on every state. A word that can mean both is left for the decision to
/// refuse.
fn settled(ctx: &Ctx, typed: Ask) -> Result<Ask, AppError> {
    let reading = ctx.read()?;
    let place = ctx.known_place();
    let skew = ctx.skew(place.as_ref());
    let asker = Asker { skew, ..Asker::exclusive(ctx.actor(), reading.now) };
    let Some((named, is_whole)) = typed.named_by_id(&reading.base.snapshot, asker)? else {
        return Ok(Ask { hold: None, ..typed });
    };
    let paths = targets(&typed.patterns, &[], &typed.facts);
    if !is_whole && !in_the_way(ctx, &paths)?.0.is_empty() {
        return Ok(typed);
    }
    let hold = Some(prefix(&named.id));
    Ok(Ask { hold, patterns: Vec::new(), facts: PathFacts::NONE, ..typed })
}

/// Asks, and gets ready to wait. From here on a signal ends the wait and not the process, so that
/// the asker is told about the open request. A signal during the write is handled after it, which
/// takes `coord.wait` at most: another process may be writing the request already, so to stop would
/// not undo it, and would leave the asker without the thread of an open request.
fn submit_and_stay(ctx: &Ctx, request: &Request) -> Result<(Committed<Asking>, Stand), AppError> {
    let stand = Stand::take(ctx)?;
    match submit(ctx, request) {
        Ok(committed) => Ok((committed, stand)),
        Err(error) => {
            stand.standing.leave();
            Err(error)
        }
    }
}

/// The state of a request at a time, and the reservations that it gave the asker.
struct Present {
    request: RequestView,
    granted: Vec<HoldView>,
    /// The reservation that the asker asked for.
    claim: Reserve,
    /// True if the holder let go between two readings: the next look sees how the request ended.
    is_torn: bool,
    now: Timestamp,
}

/// Waits until a request is closed, at most for `limit`, and returns its last state.
fn wait(ctx: &mut Ctx, stand: Stand, id: &ThreadId, limit: Duration) -> Result<Present, AppError> {
    let begun = ctx.clock();
    let Stand { standing, alarm, .. } = stand;
    let mut pulse = Pulse::default();
    let ending = Waiter::new(alarm, limit).until(|elapsed| {
        ctx.set_clock(begun.plus_millis(elapsed.as_millis()));
        pulse.beat(ctx, elapsed);
        match present(ctx, id) {
            Ok(present) if present.is_torn || present.request.is_waiting() => Look::NotYet,
            Err(error) if error.is_undecided() => Look::Failed(error),
            outcome => Look::Found(outcome),
        }
    });
    standing.leave();
    match ending? {
        Waited::Found(outcome) => outcome,
        Waited::TimeUp => present(ctx, id),
        Waited::Interrupted(signal) => Err(AppError::Interrupted(signal)),
    }
}

fn present(ctx: &Ctx, id: &ThreadId) -> Result<Present, AppError> {
    let reading = ctx.read()?;
    let (documents, now) = (&reading.base.snapshot, reading.now);
    let thread = thread_index::thread(documents, id)?.ok_or_else(|| no_thread(id))?;
    let asked = thread.asked.clone().ok_or_else(|| no_thread(id))?;
    let mut granted = Vec::new();
    for id in asked.outcome.iter().flat_map(|outcome| &outcome.granted) {
        granted.extend(index::by_id(documents, id)?);
    }
    let for_whom = Asker::exclusive(&thread.opened_by, now);
    let in_the_way = check(documents, &asked.targets(), for_whom, reading.case)?;
    let is_blocked =
        in_the_way.iter().any(|conflict| !dead_holders::has_ended(ctx, &conflict.held));
    let is_pinned = |conflict: &Conflict| asked.pinned.contains(&conflict.held.id);
    let is_held = is_blocked && in_the_way.iter().any(is_pinned);
    let mut request = RequestView::of(&LivenessProbe::new(ctx), thread, now);
    let mut is_torn = false;
    if let Some(view) = &mut request.asked {
        is_torn = is_held && view.outcome.is_none() && view.status == Status::Free;
        view.status = view.status.given(is_blocked);
    }
    let (granted, claim) = (HoldView::all(granted, now), claim(&asked));
    Ok(Present { request, granted, claim, is_torn, now })
}

/// Turns the state of a request without an answer into a timeout.
fn after_wait(mut request: RequestView) -> RequestView {
    if let Some(asked) = &mut request.asked
        && asked.status == Status::Pending
    {
        asked.status = Status::Timeout;
    }
    request
}

/// Explains why the asker does not have the target, with commands that help. An asker that did not
/// wait is told so only if that is final.
fn refusal(request: &RequestView, has_waited: bool) -> Option<Problem> {
    let asked = request.asked.as_ref()?;
    let problem = match (asked.status, &asked.deferred) {
        (Status::Timeout, _) => Problem::refused("timeout", "no answer yet"),
        (Status::Refused, _) => Problem::refused("refused", "the holder refused"),
        (Status::Deferred, Some(deferral)) if has_waited => {
            let message = format!("the holder needs it until {}", deferral.until);
            Problem::refused("deferred", message)
        }
        (Status::Held, _) => Problem::refused("transferred", "somebody else has it now"),
        (Status::Free, _) => {
            let message = "nothing is in the way any more, but it is not reserved for you";
            let problem = Problem::refused("free", message);
            reserving(asked).into_iter().fold(problem, Problem::with_next)
        }
        _ => return None,
    };
    let thread = request.thread.as_str();
    let take = || command(&["take", thread, "--reason", "no answer"]);
    let can_take = asked.can_take && asked.status != Status::Free;
    let problem = if can_take { problem.with_next(take()) } else { problem };
    Some(problem.with_next(command(&["inbox", "--thread", thread])))
}

/// Writes the command that reserves what a request asks for; none if it cannot be typed, as
/// exceptions cannot.
fn reserving(asked: &AskedView) -> Option<Vec<String>> {
    if !asked.except.is_empty() {
        return None;
    }
    let locks = asked.locks.iter().map(|lock| format!("--lock={lock}"));
    let patterns = asked.patterns.iter().map(from_top).collect::<Option<Vec<_>>>()?;
    let dashes = (!patterns.is_empty()).then(|| "--".to_owned());
    let words: Vec<String> = locks.chain(dashes).chain(patterns).collect();
    let words = words.iter().map(String::as_str);
    Some(command(&["reserve"].into_iter().chain(words).collect::<Vec<_>>()))
}

//! Asking, answering, taking over and messages, for every door.

use std::ffi::OsString;
use std::str::FromStr;
use std::time::Duration;

use crate::app::error::AppError;
use crate::app::presence::{Pulse, Witness};
use crate::app::waiter::{Look, Waited, Waiter};
use crate::app::waiting::Stand;
use crate::app::{Ctx, Reading as State, dead_holders, specs};
use crate::core::damage::{Damage, Found};
use crate::core::ids::{AgentName, LockName};
use crate::core::ledger::LedgerName;
use crate::core::negotiation::acknowledge::Acknowledge;
use crate::core::negotiation::answer::{Answer, Answered, Verdict, pinned};
use crate::core::negotiation::ask::{Ask, Asking};
use crate::core::negotiation::dispute::Dispute;
use crate::core::negotiation::find::{self, Side, Which};
use crate::core::negotiation::ids::{MessageId, ThreadId, ThreadPrefix};
use crate::core::negotiation::inbox::{self, Page, Wanted};
use crate::core::negotiation::prune::Prune;
use crate::core::negotiation::send::Send;
use crate::core::negotiation::standing::Standing;
use crate::core::negotiation::take::{Take, Taken};
use crate::core::negotiation::thread_index;
use crate::core::negotiation::{Asked, Message, Thread};
use crate::core::pattern::{Pattern, Reading};
use crate::core::refusal::Refusal;
use crate::core::reservation::{Hold, index};
use crate::core::text::Line;
use crate::core::time::Timestamp;
use crate::store::ledger::transact::Committed;

/// Fails where negotiation is switched off.
pub fn require(ctx: &Ctx) -> Result<(), AppError> {
    if ctx.settings().negotiation {
        return Ok(());
    }
    Err(AppError::Refused(Refusal::Dispute(Box::new(Dispute::SwitchedOff))))
}

/// What is named: a thread by the beginning of its name, or what is asked for.
pub fn which(ctx: &Ctx, what: &What) -> Result<Which, AppError> {
    let thread: Option<ThreadPrefix> = what.word_as();
    Ok(Which { thread, patterns: what.patterns(ctx)?, locks: what.locks() })
}

/// A word that can mean several things, or a named lock.
#[derive(Clone, Debug)]
pub enum What {
    /// A path, a pattern, or the beginning of a name.
    Word(OsString),
    /// A lock.
    Lock(LockName),
}

impl What {
    /// What the caller gave.
    pub fn of(word: Option<&OsString>, lock: Option<&LockName>) -> Result<What, AppError> {
        let given = lock.cloned().map(What::Lock).or_else(|| word.cloned().map(What::Word));
        given.ok_or_else(|| AppError::Usage("name a path, or a lock with --lock".to_owned()))
    }

    fn word_as<T: FromStr>(&self) -> Option<T> {
        match self {
            What::Word(word) => word.to_str()?.parse().ok(),
            What::Lock(_) => None,
        }
    }

    fn patterns(&self, ctx: &Ctx) -> Result<Vec<Pattern>, AppError> {
        match self {
            What::Word(word) => {
                let word = std::slice::from_ref(word);
                let meant = specs::meant(ctx.repository(), word, Reading::Glob, "ask")?;
                Ok(meant.patterns)
            }
            What::Lock(_) => Ok(Vec::new()),
        }
    }

    fn locks(&self) -> Vec<LockName> {
        match self {
            What::Word(_) => Vec::new(),
            What::Lock(name) => vec![name.clone()],
        }
    }
}

/// Who is asked for what.
#[derive(Clone, Debug)]
pub struct Asker {
    /// A path, a pattern, the id of a hold, or a lock.
    pub what: What,
    /// Who holds it, where several do.
    pub holder: Option<AgentName>,
    /// Why it is wanted.
    pub reason: Line,
    /// Whether it is urgent.
    pub urgent: bool,
}

/// Asks a holder to let go.
pub fn ask(ctx: &Ctx, asker: &Asker) -> Result<Committed<Asking>, AppError> {
    require(ctx)?;
    let command = Ask {
        hold: asker.what.word_as(),
        patterns: asker.what.patterns(ctx)?,
        locks: asker.what.locks(),
        holder: asker.holder.clone(),
        reason: asker.reason.clone(),
        urgent: asker.urgent,
        ttl: ctx.settings().ttl,
        worktree: ctx.worktree(),
    };
    ctx.transact(LedgerName::Reservations, command, None)
}

/// Answers one who asks.
pub fn answer(ctx: &Ctx, which: Which, verdict: Verdict) -> Result<Committed<Answered>, AppError> {
    require(ctx)?;
    ctx.transact(LedgerName::Reservations, Answer { which, verdict }, None)
}

/// Takes what was asked for. What is known of the holder on this machine goes into the record.
pub fn take(ctx: &Ctx, which: Which, reason: Line) -> Result<Committed<Taken>, AppError> {
    require(ctx)?;
    let reading = ctx.read()?;
    let documents = &reading.base.snapshot;
    let found = which.request(documents, ctx.actor(), Side::Asker, reading.case).ok();
    let asked = found.map(|(_, asked)| asked);
    let evidence = asked.as_ref().and_then(|asked| Witness::new(ctx).evidence(&asked.holder));
    let holds = asked.map_or(Ok(Vec::new()), |asked| pinned(documents, &asked))?;
    let command = Take { which, reason, evidence };
    let gone = dead_holders::among(ctx, &holds);
    ctx.transact_knowing(LedgerName::Reservations, command, None, gone)
}

/// Sends a message.
pub fn send(ctx: &Ctx, message: Send) -> Result<Committed<Message>, AppError> {
    require(ctx)?;
    ctx.transact(LedgerName::Reservations, message, None)
}

/// Says that messages were received.
pub fn acknowledge(
    ctx: &Ctx,
    messages: Vec<MessageId>,
) -> Result<Committed<Vec<MessageId>>, AppError> {
    require(ctx)?;
    ctx.transact(LedgerName::Reservations, Acknowledge { messages }, None)
}

/// The messages to the asker.
pub fn inbox(ctx: &Ctx, reading: &State<'_>, wanted: &Wanted) -> Result<Page, AppError> {
    Ok(inbox::page(&reading.base.snapshot, ctx.actor(), wanted)?)
}

/// A thread with its messages, whoever sent and got them.
pub fn thread(
    ctx: &Ctx,
    reading: &State<'_>,
    prefix: &ThreadPrefix,
    wanted: &Wanted,
) -> Result<(Request, Page), AppError> {
    let documents = &reading.base.snapshot;
    let found = find::by_prefix(documents, prefix)?;
    let Some(thread) = found else {
        return Err(no_thread(prefix));
    };
    let page = inbox::of_thread(documents, ctx.actor(), &thread.id, wanted)?;
    Ok((Request::of(&Witness::new(ctx), thread, reading.now), page))
}

/// Reports that there is no such thread (any more).
fn no_thread(named: &impl ToString) -> AppError {
    Refusal::Dispute(Box::new(Dispute::NoThread { what: named.to_string() })).into()
}

/// A thread, and where what is asked for in it stands.
#[derive(Clone, Debug)]
pub struct Request {
    /// The thread.
    pub thread: Thread,
    /// Where it stands; nothing if nothing is asked for.
    pub standing: Option<Standing>,
    /// The time that counted.
    pub now: Timestamp,
}

impl Request {
    /// Where a thread stands, by what is known here.
    pub fn of(witness: &Witness<'_>, thread: Thread, now: Timestamp) -> Request {
        let standing = thread.asked.as_ref().map(|asked| witness.standing(asked, now));
        Request { thread, standing, now }
    }

    /// Whether somebody waits for an answer: it is open, and what is asked for is held.
    pub fn is_waiting(&self) -> bool {
        self.standing.is_some_and(|standing| standing.stage.is_some())
    }

    /// What is asked for, and where that stands.
    pub fn asked(&self) -> Option<(&Asked, Standing)> {
        self.thread.asked.as_ref().zip(self.standing)
    }
}

/// The open requests that concern an agent.
#[derive(Clone, Debug, Default)]
pub struct Requests {
    /// What others ask of it.
    pub to_answer: Vec<Request>,
    /// What it asks of others.
    pub made: Vec<Request>,
    /// What cannot be read.
    pub damaged: Vec<Damage>,
}

/// The open requests that concern the asker or its subagents; none where it is switched off.
pub fn requests(ctx: &Ctx, reading: &State<'_>) -> Result<Requests, AppError> {
    let mut requests = Requests::default();
    if !ctx.settings().negotiation {
        return Ok(requests);
    }
    let witness = Witness::new(ctx);
    for found in thread_index::open_of(&reading.base.snapshot, ctx.actor())? {
        match found {
            Found::Damaged(damage) => requests.damaged.push(damage),
            Found::Whole(thread) => {
                let Some(asked) = thread.open() else { continue };
                let is_holder = ctx.actor().covers(&asked.holder);
                let request = Request::of(&witness, thread, reading.now);
                match is_holder {
                    // What it does not hold any more needs no answer.
                    true if request.is_waiting() => requests.to_answer.push(request),
                    true => {}
                    false => requests.made.push(request),
                }
            }
        }
    }
    Ok(requests)
}

/// The requests between others that have waited for long enough, the oldest first, and what cannot
/// be read: whoever looks next is told. At most so many are looked at.
pub fn overdue_elsewhere(
    ctx: &Ctx,
    reading: &State<'_>,
    look_at: usize,
) -> Result<(Vec<Request>, Vec<Damage>), AppError> {
    let (mut overdue, mut damaged) = (Vec::new(), Vec::new());
    if !ctx.settings().negotiation {
        return Ok((overdue, damaged));
    }
    let witness = Witness::new(ctx);
    for found in thread_index::open_of_others(&reading.base.snapshot, ctx.actor(), look_at)? {
        match found {
            Found::Damaged(damage) => damaged.push(damage),
            Found::Whole(thread) => {
                let request = Request::of(&witness, thread, reading.now);
                if request.is_waiting() && request.standing.is_some_and(|found| found.can_take) {
                    overdue.push(request);
                }
            }
        }
    }
    Ok((overdue, damaged))
}

/// How many messages the asker has not acknowledged.
pub fn unread(ctx: &Ctx, reading: &State<'_>) -> Result<usize, AppError> {
    if !ctx.settings().negotiation {
        return Ok(0);
    }
    Ok(inbox::unread_count(&reading.base.snapshot, ctx.actor())?)
}

/// The threads that pruning would forget.
pub fn due_for_prune(ctx: &Ctx, prune: Prune) -> Result<Vec<Thread>, AppError> {
    let reading = ctx.read()?;
    Ok(prune.due(&reading.base.snapshot, reading.now)?)
}

/// Asks, and is ready to wait for the answer: a signal from now on ends the wait and not the
/// process, so that the asker is told what it leaves behind. One that comes while the request is
/// written is heard after the write, which takes `coord.wait` at most: another process may be
/// writing the request already, so to stop in the middle would not take it back, and would leave
/// the asker without the thread of a request that stays open.
pub fn ask_and_stay(ctx: &Ctx, asker: &Asker) -> Result<(Committed<Asking>, Stand), AppError> {
    let stand = Stand::take(ctx)?;
    match ask(ctx, asker) {
        Ok(committed) => Ok((committed, stand)),
        Err(error) => {
            stand.standing.leave();
            Err(error)
        }
    }
}

/// Waits until a request is over, at most for that long; its last state in any case, and what the
/// asker got by it.
pub fn wait(
    ctx: &mut Ctx,
    stand: Stand,
    id: &ThreadId,
    limit: Duration,
) -> Result<(Request, Vec<Hold>), AppError> {
    let begun = ctx.clock();
    let Stand { standing, alarm, .. } = stand;
    let mut pulse = Pulse::default();
    let ending = Waiter::new(alarm, limit).until(|elapsed| {
        ctx.set_clock(begun.plus_millis(elapsed.as_millis()));
        pulse.beat(ctx, elapsed);
        match present(ctx, id) {
            Ok((request, _)) if request.is_waiting() => Look::NotYet,
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

/// The present state of a thread, and what the asker got by it.
fn present(ctx: &Ctx, id: &ThreadId) -> Result<(Request, Vec<Hold>), AppError> {
    let reading = ctx.read()?;
    let documents = &reading.base.snapshot;
    let thread = thread_index::thread(documents, id)?.ok_or_else(|| no_thread(id))?;
    let outcome = thread.asked.as_ref().and_then(|asked| asked.outcome.as_ref());
    let mut granted = Vec::new();
    for id in outcome.map_or(&[][..], |outcome| &outcome.granted) {
        granted.extend(index::by_id(documents, id)?);
    }
    Ok((Request::of(&Witness::new(ctx), thread, reading.now), granted))
}

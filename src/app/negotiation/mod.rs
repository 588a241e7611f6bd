//! Negotiation: one file a verb, each with its request, its answer and its function. This file has
//! the queries that several verbs and the hooks share.

pub mod answer;
pub mod ask;
pub mod inbox;
pub mod send;
pub mod take;
pub mod view;

use std::ffi::OsString;
use std::str::FromStr;

use self::view::RequestView;
use crate::app::error::AppError;
use crate::app::presence::LivenessProbe;
use crate::app::{Ctx, Reading, specs};
use crate::core::damage::{Damage, Found};
use crate::core::ids::LockName;
use crate::core::negotiation::Thread;
use crate::core::negotiation::dispute::Dispute;
use crate::core::negotiation::find::{Side, Which};
use crate::core::negotiation::ids::{ThreadId, ThreadPrefix};
use crate::core::negotiation::inbox as mail;
use crate::core::negotiation::prune::Prune;
use crate::core::negotiation::thread_index;
use crate::core::pattern::{Pattern, Reading as Spelling};
use crate::core::refusal::Refusal;

/// Fails where negotiation is switched off.
pub fn require(ctx: &Ctx) -> Result<(), AppError> {
    if ctx.settings().negotiation {
        return Ok(());
    }
    Err(AppError::Refused(Refusal::Dispute(Box::new(Dispute::SwitchedOff))))
}

/// The subject of a request: a word that can mean several things, or a named lock.
#[derive(Clone, Debug)]
pub enum What {
    /// A path, a pattern, or the beginning of a name.
    Word(OsString),
    Lock(LockName),
}

impl What {
    /// Chooses the lock, or else the word, of those that the caller gave.
    pub fn of(word: Option<&OsString>, lock: Option<&LockName>) -> Result<What, AppError> {
        let given = lock.cloned().map(What::Lock).or_else(|| word.cloned().map(What::Word));
        given.ok_or_else(|| AppError::Usage("name a path, or a lock with --lock".to_owned()))
    }

    /// Finds the request that is meant by the beginning of its thread's name, or by its targets,
    /// and identifies it by the whole name, which means the same on every state.
    fn request(&self, ctx: &Ctx, side: Side) -> Result<Which, AppError> {
        let (patterns, locks) = (self.patterns(ctx)?, self.locks());
        require(ctx)?;
        let meant = Which { thread: self.word_as(), patterns, locks };
        let reading = ctx.read()?;
        let (thread, _) = meant.request(&reading.base.snapshot, ctx.actor(), side, reading.case)?;
        let thread = Some(whole(&thread.id));
        Ok(Which { thread, patterns: Vec::new(), locks: Vec::new() })
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
                let meant = specs::meant(ctx.repository(), word, Spelling::Glob, "ask")?;
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

/// Turns the name of a thread into a prefix.
fn whole(thread: &ThreadId) -> ThreadPrefix {
    thread.as_str().parse().expect("a name is the beginning of itself")
}

/// Reports that there is no such thread, or no longer one.
fn no_thread(named: &impl ToString) -> AppError {
    Refusal::Dispute(Box::new(Dispute::NoThread { what: named.to_string() })).into()
}

/// The open requests that concern an agent.
#[derive(Clone, Debug, Default)]
pub struct Requests {
    /// Requests to the agent.
    pub to_answer: Vec<RequestView>,
    /// Requests of the agent.
    pub made: Vec<RequestView>,
    /// Documents that cannot be read, and are left out.
    pub damaged: Vec<Damage>,
}

/// Finds the open requests that concern the asker or its subagents; none where negotiation is
/// switched off.
pub fn requests(ctx: &Ctx, reading: &Reading<'_>) -> Result<Requests, AppError> {
    let mut requests = Requests::default();
    if !ctx.settings().negotiation {
        return Ok(requests);
    }
    let probe = LivenessProbe::new(ctx);
    for found in thread_index::open_of(&reading.base.snapshot, ctx.actor())? {
        match found {
            Found::Damaged(damage) => requests.damaged.push(damage),
            Found::Whole(thread) => {
                let Some(asked) = thread.open() else { continue };
                let is_holder = ctx.actor().covers(&asked.holder);
                let request = RequestView::of(&probe, thread, reading.now);
                match is_holder {
                    // A request for something that is no longer held needs no answer.
                    true if request.is_waiting() => requests.to_answer.push(request),
                    true => {}
                    false => requests.made.push(request),
                }
            }
        }
    }
    Ok(requests)
}

/// Finds the requests between others whose askers may take what they asked for, the oldest first,
/// and the documents that cannot be read. It looks at `look_at` requests at most.
pub fn overdue_elsewhere(
    ctx: &Ctx,
    reading: &Reading<'_>,
    look_at: usize,
) -> Result<(Vec<RequestView>, Vec<Damage>), AppError> {
    let (mut overdue, mut damaged) = (Vec::new(), Vec::new());
    if !ctx.settings().negotiation {
        return Ok((overdue, damaged));
    }
    let probe = LivenessProbe::new(ctx);
    for found in thread_index::open_of_others(&reading.base.snapshot, ctx.actor(), look_at)? {
        match found {
            Found::Damaged(damage) => damaged.push(damage),
            Found::Whole(thread) => {
                let request = RequestView::of(&probe, thread, reading.now);
                if request.is_waiting() && request.can_take() {
                    overdue.push(request);
                }
            }
        }
    }
    Ok((overdue, damaged))
}

/// Counts the messages that the asker has not acknowledged.
pub fn unread(ctx: &Ctx, reading: &Reading<'_>) -> Result<usize, AppError> {
    if !ctx.settings().negotiation {
        return Ok(0);
    }
    Ok(mail::unread_count(&reading.base.snapshot, ctx.actor())?)
}

/// Finds the threads that pruning would forget.
pub fn due_for_prune(ctx: &Ctx, prune: Prune) -> Result<Vec<Thread>, AppError> {
    let reading = ctx.read()?;
    Ok(prune.due(&reading.base.snapshot, reading.now)?)
}

//! Reserves paths and named locks, at once or after a wait.

use std::ffi::OsString;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::terminals;
use crate::app::answer::{Answer, Note};
use crate::app::error::AppError;
use crate::app::next::command;
use crate::app::path_facts::path_facts;
use crate::app::presence::HolderLiveness;
use crate::app::problem::{Problem, conflicting};
use crate::app::runs::named;
use crate::app::view::{ConflictView, GrantView};
use crate::app::waiting::{self, Tell};
use crate::app::{Ctx, specs, unmatched};
use crate::core::decision::RULES;
use crate::core::ids::{LockName, RequestId};
use crate::core::pattern::{Pattern, Reading};
use crate::core::reservation::process::Process;
use crate::core::reservation::reserve::{Reserve, Reserved, Scope};
use crate::core::reservation::{About, Mode, Target, Via};
use crate::core::text::Line;
use crate::core::time::Ttl;
use crate::store::ledger::transact::Committed;

/// A request to reserve.
pub struct Request {
    /// Paths or patterns, relative to the caller's directory.
    pub patterns: Vec<OsString>,
    pub locks: Vec<LockName>,
    pub reading: Reading,
    pub mode: Mode,
    /// The time to live; `coord.ttl` if the caller gives none.
    pub ttl: Option<Ttl>,
    pub reason: Option<Line>,
    pub task: Option<Line>,
    /// The run that they are for, or the beginning of its id.
    pub run: Option<Line>,
    /// The longest wait for targets that others hold.
    pub wait: Option<Ttl>,
    pub scope: Scope,
    /// The caller's own id for the request: a repetition gets the first answer again.
    pub request_id: Option<RequestId>,
    /// The process with which the reservations end.
    pub process: Option<Process>,
    /// Set to warn of patterns that match no file.
    pub advise: bool,
}

/// The answer to `reserve`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    /// The reservations that the caller has now, in the order that it asked for them.
    pub granted: Vec<GrantView>,
    /// Each target that was not granted, with each reservation that stands in its way.
    pub conflicts: Vec<ConflictView>,
    /// True if conflicts were left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
    /// All conflicts, for people.
    #[serde(skip)]
    pub all_conflicts: Vec<ConflictView>,
    /// True if this repeats the answer to an earlier request of the same id.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
    /// The targets that were not granted because the caller has as many reservations as one agent
    /// may.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub over_limit: Vec<OverLimit>,
}

/// A target that was not granted.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum OverLimit {
    Pattern(Pattern),
    Lock { lock: LockName },
}

/// A command that is ready to be decided, with remarks for the caller.
pub struct Asked {
    pub command: Reserve,
    pub notes: Vec<Note>,
}

impl Request {
    /// Makes a request for all targets or none, exclusively, at once, and for the usual time to
    /// live.
    pub fn new(patterns: Vec<OsString>, locks: Vec<LockName>, reading: Reading) -> Request {
        Request {
            patterns,
            locks,
            reading,
            mode: Mode::Exclusive,
            ttl: None,
            reason: None,
            task: None,
            run: None,
            wait: None,
            scope: Scope::All,
            request_id: None,
            process: None,
            advise: false,
        }
    }

    /// Checks that the request says what it means.
    pub fn check(&self) -> Result<(), AppError> {
        if self.patterns.is_empty() && self.locks.is_empty() {
            let message = "nothing to reserve: name paths or patterns, or a lock with --lock";
            return Err(AppError::usage(message));
        }
        if self.scope == Scope::Each && self.wait.is_some() {
            return Err(AppError::usage("--each takes what is free, so there is no --wait"));
        }
        Ok(())
    }

    /// Turns the request into a command.
    pub fn asked(&self, ctx: &Ctx) -> Result<Asked, Problem> {
        self.check()?;
        let repository = ctx.repository();
        let specs::Meant { patterns, mut hints } =
            specs::meant(repository, &self.patterns, self.reading, "reserve")?;
        hints.extend(specs::reaching_elsewhere(repository, &patterns));
        let about = About {
            reason: self.reason.clone(),
            task: self.task.clone(),
            run: self.run.as_ref().map(|run| named::elsewhere(ctx, run)).transpose()?,
            via: Via::Command,
            worktree: ctx.worktree(),
            place: None,
        };
        let ttl = self.ttl.unwrap_or(ctx.settings().ttl);
        let command = Reserve {
            facts: path_facts(repository, &patterns),
            mode: self.mode,
            scope: self.scope,
            process: self.process.clone(),
            shell: terminals::shell(ctx),
            request_id: self.request_id.clone(),
            ..Reserve::asked(patterns, self.locks.clone(), ttl, about)
        };
        let mut notes: Vec<Note> = hints.into_iter().map(Note::plain).collect();
        let targets = command.targets(RULES);
        notes.extend(terminals::held_from_another(ctx, &targets)?);
        Ok(Asked { command, notes })
    }
}

impl Asked {
    /// Reserves, and waits if need be. `tell` gets what stands in the way of a waiter.
    pub fn submit(
        &self,
        ctx: &mut Ctx,
        wait: Option<Ttl>,
        tell: &mut Tell<'_>,
    ) -> Result<Committed<Reserved>, Problem> {
        let committed = match wait {
            None => waiting::reserve_now(ctx, &self.command),
            Some(wait) => {
                let limit = Duration::from_secs(wait.as_seconds());
                waiting::reserve_within(ctx, &self.command, limit, tell)
            }
        };
        committed.map_err(|error| Problem::from(error).noting(self.notes.clone()))
    }
}

/// Reserves the targets of the request.
pub fn reserve(
    ctx: &mut Ctx,
    request: &Request,
    tell: &mut Tell<'_>,
) -> Result<Answer<Body>, Problem> {
    let asked = request.asked(ctx)?;
    let committed = asked.submit(ctx, request.wait, tell)?;
    let at = committed.at;
    let liveness = HolderLiveness::of(ctx, &committed.answer.conflicts);
    let refusal =
        refusal(&committed.answer, |answer| conflicting(&answer.conflicts, at, &liveness));
    let all = ConflictView::all(&committed.answer.conflicts, at, &liveness);
    let (shown, more) = ConflictView::bounded(&all);
    let mut answer = Answer::committed(committed, |reserved| Body {
        granted: reserved.granted.into_iter().map(|grant| GrantView::new(grant, at)).collect(),
        conflicts: shown,
        more,
        all_conflicts: all,
        replayed: reserved.replayed,
        over_limit: reserved.over_limit.into_iter().map(OverLimit::from).collect(),
    });
    answer.notes.splice(0..0, asked.notes);
    if request.advise {
        let so = Some("it holds for files yet to be made");
        answer.notes.extend(unmatched::hint(ctx, &request.patterns, request.reading, so));
    }
    Ok(match refusal {
        Some(refusal) => answer.refused(refusal),
        None => answer,
    })
}

/// Explains why a target was not granted; conflicts come before limits.
fn refusal(answer: &Reserved, held: impl Fn(&Reserved) -> Problem) -> Option<Problem> {
    if !answer.conflicts.is_empty() {
        return Some(held(answer));
    }
    let too_many = || {
        Problem::refused("too_many", "you hold as many reservations as one agent may")
            .with_next(command(&["list", "--mine"]))
    };
    (!answer.over_limit.is_empty()).then(too_many)
}

impl From<Target> for OverLimit {
    fn from(target: Target) -> OverLimit {
        match target {
            Target::Paths(paths) => OverLimit::Pattern(paths.pattern),
            Target::Lock(lock) => OverLimit::Lock { lock },
        }
    }
}

impl OverLimit {
    pub fn target(&self) -> Target {
        match self {
            OverLimit::Pattern(pattern) => pattern.clone().into(),
            OverLimit::Lock { lock } => Target::Lock(lock.clone()),
        }
    }
}

//! `run dispatch`: records work that was handed out, its status, and its cost.
//!
//! A dispatch that has ended stays so, also for a writer that has seen it open. A report on a
//! dispatch that a rollback has cancelled is refused with the reason.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::{Documents, ReadError, read};
use crate::core::ids::{AgentName, EntryName};
use crate::core::limits::DISPATCH_COMMITS_MAX;
use crate::core::run::budget::{self, Tokens};
use crate::core::run::names::{DispatchId, IdPrefix, PhaseName, RunId};
use crate::core::run::refusal::{Refusal, within};
use crate::core::run::rollback_record::{self, RollbackRecord};
use crate::core::run::{Run, events, index, phase};
use crate::core::text::Line;
use crate::core::time::Timestamp;
use crate::core::words::words;

words! {
    /// The status of a dispatch.
    pub enum DispatchStatus {
        /// The work was handed out.
        Spawned = "spawned",
        /// An agent works on it.
        Running = "running",
        /// The work is done.
        Completed = "completed",
        /// The work failed.
        Failed = "failed",
        /// The work took too long.
        Timeout = "timeout",
        /// The work was cancelled.
        Cancelled = "cancelled",
    }
}

impl DispatchStatus {
    /// Tells whether the work goes on.
    pub fn is_open(self) -> bool {
        matches!(self, DispatchStatus::Spawned | DispatchStatus::Running)
    }
}

/// The change of a run that cancelled a dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The phase was rolled back.
    Rollback,
    /// The run was cancelled.
    RunCancelled,
    /// The run failed.
    RunFailed,
}

/// The cancellation of a dispatch by a change of its run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cancelled {
    /// The change of the run.
    pub cause: Cause,
    /// The status of the dispatch before.
    pub from: DispatchStatus,
    /// The time of the cancellation.
    pub at: Timestamp,
    /// The agent that changed the run.
    pub by: AgentName,
    /// The reason for the change.
    pub because: Line,
}

impl Cancelled {
    /// Says in words what cancelled the dispatch.
    pub fn cause(&self) -> &'static str {
        match self.cause {
            Cause::Rollback => "cancelled by rollback",
            Cause::RunCancelled => "cancelled with its run",
            Cause::RunFailed => "cancelled when its run failed",
        }
    }

    /// Returns the code of the cancellation, for programs.
    pub fn code(&self) -> &'static str {
        match self.cause {
            Cause::Rollback => "cancelled_by_rollback",
            Cause::RunCancelled | Cause::RunFailed => "cancelled_with_run",
        }
    }

    /// Returns the data of the event that recorded the cancellation.
    pub fn data(&self, run: &RunId, phase: &PhaseName) -> Value {
        let Cancelled { cause, from, because, .. } = self;
        json!({ "run": run, "phase": phase, "from": from, "cause": cause, "because": because })
    }
}

/// A commit that came of a dispatch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Linked {
    /// The commit, as the report named it.
    pub commit: EntryName,
    /// The time of the report.
    pub at: Timestamp,
}

/// Work that was handed out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Dispatch {
    /// The id of the dispatch.
    pub id: DispatchId,
    /// The phase that the work is for.
    pub phase: PhaseName,
    /// The agent that got the work.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub agent: Option<AgentName>,
    /// The status of the work.
    pub status: DispatchStatus,
    /// The tokens that the work has cost.
    #[serde(default)]
    pub tokens: Tokens,
    /// The commits that came of the work.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub commits: Vec<Linked>,
    /// The number of phases that the run had come to when the work was handed out.
    #[serde(default)]
    pub step: u32,
    /// The time when the work was handed out.
    pub at: Timestamp,
    /// The agent that handed out the work.
    pub by: AgentName,
    /// The time when the work ended.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ended_at: Option<Timestamp>,
    /// The cancellation, if a change of the run ended the work.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cancelled: Option<Cancelled>,
    /// Fields of a later version, kept as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

impl Dispatch {
    /// Refuses artifacts of a dispatch that was cancelled, or whose phase was rolled back.
    pub fn must_not_be_called_off(&self, documents: &dyn Documents, run: &Run) -> Result<(), No> {
        self.must_not_be_ended_by_another(run)?;
        let (id, phase) = (self.id.clone(), self.phase.clone());
        if self.status == DispatchStatus::Cancelled {
            return Err(Refusal::DispatchOver { dispatch: id, status: self.status }.into());
        }
        match rollback_record::taken_by(documents, run, &self.phase, self.step)? {
            Some(RollbackRecord { reason, .. }) => {
                Err(Refusal::DispatchGivenUp { dispatch: id, phase, because: reason }.into())
            }
            None => Ok(()),
        }
    }

    fn must_not_be_ended_by_another(&self, run: &Run) -> Result<(), Refusal> {
        let Some(cancelled) = self.cancelled.clone() else { return Ok(()) };
        Err(Refusal::DispatchCancelled {
            run: run.id.clone(),
            phase: self.phase.clone(),
            dispatch: self.id.clone(),
            cancelled: Box::new(cancelled),
        })
    }

    /// Writes the dispatch to its places.
    fn put(&self, act: &mut Act<'_>, run: &Run) -> Result<(), No> {
        let place = run.place_of(&self.phase)?;
        let (key, link) =
            (index::dispatch(&run.id, &self.id), index::open_dispatch(run, place, &self.id));
        if self.status.is_open() {
            index::put_linked(act, key, link, self);
        } else {
            act.put(key, self);
            act.remove(link);
        }
        Ok(())
    }
}

/// Finds the one dispatch whose id begins with the prefix.
pub fn select(documents: &dyn Documents, run: &Run, prefix: &IdPrefix) -> Result<Dispatch, No> {
    let none = || Refusal::NoDispatch { run: run.id.clone(), dispatch: prefix.clone() };
    let ids: Vec<DispatchId> = match prefix.as_str().parse() {
        Ok(id) => vec![id],
        Err(_) => index::ids_starting(documents, &index::dispatches(&run.id), prefix)?,
    };
    match ids.as_slice() {
        [] => Err(none().into()),
        [id] => Ok(read(documents, &index::dispatch(&run.id, id))?.ok_or_else(none)?),
        several => Err(index::ambiguous(prefix, several).into()),
    }
}

/// Work to hand out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddDispatch {
    pub run: IdPrefix,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub agent: Option<AgentName>,
    /// The phase; the current one if none is named.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub phase: Option<PhaseName>,
}

impl Decide for AddDispatch {
    type Answer = (Run, Dispatch);

    fn decide(&self, act: &mut Act<'_>) -> Result<(Run, Dispatch), No> {
        let run = index::select(act, &self.run)?;
        run.must_be_active()?;
        let place = run.place_or_present(self.phase.as_ref())?;
        let id = act.new_id(|draft, id| Ok(draft.get(&index::dispatch(&run.id, id))?.is_some()))?;
        let dispatch = Dispatch {
            id,
            phase: run.phases.at(place).clone(),
            agent: self.agent.clone(),
            status: DispatchStatus::Spawned,
            tokens: Tokens::default(),
            commits: Vec::new(),
            step: run.steps,
            at: act.env.now,
            by: act.env.actor.clone(),
            ended_at: None,
            cancelled: None,
            unknown: Map::new(),
        };
        dispatch.put(act, &run)?;
        phase::count(act, &run, place, |tally| tally.open += 1)?;
        events::dispatch_added(act, &run, &dispatch);
        Ok((run, dispatch))
    }

    fn summary(&self, (run, dispatch): &(Run, Dispatch), env: &Env<'_>) -> String {
        format!("dispatch for '{}' of run {} by {}", dispatch.phase, run.id, env.actor)
    }
}

/// A report on a dispatch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpdateDispatch {
    pub run: IdPrefix,
    pub dispatch: IdPrefix,
    pub status: DispatchStatus,
    /// A commit that came of the work.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub commit: Option<EntryName>,
    /// The total number of tokens that were read, as far as known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tokens_in: Option<u64>,
    /// The total number of tokens that were written.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tokens_out: Option<u64>,
    /// The total number of tokens that were read from a cache.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tokens_cache: Option<u64>,
}

impl UpdateDispatch {
    fn applied(&self, dispatch: &Dispatch, now: Timestamp) -> Dispatch {
        let mut new = dispatch.clone();
        new.status = self.status;
        new.tokens.input = self.tokens_in.unwrap_or(new.tokens.input);
        new.tokens.output = self.tokens_out.unwrap_or(new.tokens.output);
        new.tokens.cache = self.tokens_cache.unwrap_or(new.tokens.cache);
        let is_new = |commit: &EntryName| new.commits.iter().all(|known| known.commit != *commit);
        if let Some(commit) = self.commit.clone().filter(is_new) {
            new.commits.push(Linked { commit, at: now });
        }
        if !self.status.is_open() {
            new.ended_at = new.ended_at.or(Some(now));
        }
        new
    }
}

impl Decide for UpdateDispatch {
    type Answer = (Run, Dispatch);

    fn decide(&self, act: &mut Act<'_>) -> Result<(Run, Dispatch), No> {
        let mut run = index::select(act, &self.run)?;
        let dispatch = select(act, &run, &self.dispatch)?;
        dispatch.must_not_be_ended_by_another(&run)?;
        let new = self.applied(&dispatch, act.env.now);
        if new == dispatch {
            return Ok((run, dispatch));
        }
        if !dispatch.status.is_open() {
            let Dispatch { id, status, .. } = dispatch;
            return Err(Refusal::DispatchOver { dispatch: id, status }.into());
        }
        within(&run.id, "commits of one dispatch", new.commits.len(), DISPATCH_COMMITS_MAX)?;
        new.put(act, &run)?;
        let place = run.place_of(&new.phase)?;
        if !new.status.is_open() {
            phase::count(act, &run, place, |tally| tally.open = tally.open.saturating_sub(1))?;
        }
        events::dispatch_updated(act, &run, &dispatch, &new);
        if new.tokens != dispatch.tokens {
            budget::account(act, &mut run, dispatch.tokens, new.tokens)?;
            index::put(act, &run);
        }
        Ok((run, new))
    }

    fn summary(&self, (run, dispatch): &(Run, Dispatch), env: &Env<'_>) -> String {
        let status = self.status.name();
        format!("dispatch {} of run {} is {status} by {}", dispatch.id, run.id, env.actor)
    }
}

/// Cancels the open dispatches of a phase, with an event each, and returns their ids.
pub fn cancel_open(
    act: &mut Act<'_>,
    run: &Run,
    place: usize,
    cause: Cause,
    because: &Line,
) -> Result<Vec<DispatchId>, No> {
    let going_on: Vec<Dispatch> = index::all(act, &index::open_dispatches(run, place))?;
    let mut ids = Vec::new();
    for dispatch in going_on {
        let cancelled = Cancelled {
            cause,
            from: dispatch.status,
            at: act.env.now,
            by: act.env.actor.clone(),
            because: because.clone(),
        };
        events::dispatch_cancelled(act, run, &dispatch, &cancelled);
        let dispatch = Dispatch {
            status: DispatchStatus::Cancelled,
            ended_at: Some(act.env.now),
            cancelled: Some(cancelled),
            ..dispatch
        };
        dispatch.put(act, run)?;
        ids.push(dispatch.id);
    }
    Ok(ids)
}

/// Reads the dispatches of a run.
pub fn of_run(documents: &dyn Documents, run: &Run) -> Result<Vec<Dispatch>, ReadError> {
    index::all(documents, &index::dispatches(&run.id))
}

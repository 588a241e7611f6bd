//! `run cancel` and `run fail`: end a run for good, with everything below it.

use serde::{Deserialize, Serialize};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::run::dispatch::Cause;
use crate::core::run::names::{DispatchId, IdPrefix, MemberId, RunId};
use crate::core::run::phase::{self, Left};
use crate::core::run::{Ended, Run, Status, agent, dependencies, dispatch, events, index};
use crate::core::text::Line;

/// The way in which a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    Cancelled,
    Failed,
}

impl Ending {
    fn status(self) -> Status {
        match self {
            Ending::Cancelled => Status::Cancelled,
            Ending::Failed => Status::Failed,
        }
    }

    fn cause(self) -> Cause {
        match self {
            Ending::Cancelled => Cause::RunCancelled,
            Ending::Failed => Cause::RunFailed,
        }
    }

    fn left(self) -> Left {
        match self {
            Ending::Cancelled => Left::Cancelled,
            Ending::Failed => Left::Failed,
        }
    }
}

/// A request to end a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    pub run: IdPrefix,
    pub ending: Ending,
    pub reason: Line,
}

/// The runs, dispatches and agents that were ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndedRuns {
    pub run: Run,
    /// The active runs below it, which were cancelled.
    pub cascaded: Vec<RunId>,
    pub cancelled_dispatches: Vec<DispatchId>,
    pub failed_agents: Vec<MemberId>,
    /// True if the run had ended in the same way before.
    pub known: bool,
}

impl Decide for End {
    type Answer = EndedRuns;

    fn decide(&self, act: &mut Act<'_>) -> Result<EndedRuns, No> {
        let run = index::select(act, &self.run)?;
        let mut answer = EndedRuns {
            run: run.clone(),
            cascaded: Vec::new(),
            cancelled_dispatches: Vec::new(),
            failed_agents: Vec::new(),
            known: run.status == self.ending.status(),
        };
        if answer.known {
            return Ok(answer);
        }
        run.must_be_active()?;
        let below = dependencies::active_below(act, &run)?;
        answer.run = self.end(act, run, None, &mut answer)?;
        for child in below {
            answer.cascaded.push(child.id.clone());
            let with = Some(answer.run.id.clone());
            self.end(act, child, with, &mut answer)?;
        }
        Ok(answer)
    }

    fn summary(&self, answer: &EndedRuns, env: &Env<'_>) -> String {
        let verb = match self.ending {
            Ending::Cancelled => "cancel",
            Ending::Failed => "fail",
        };
        let below = match answer.cascaded.len() {
            0 => String::new(),
            count => format!(" and {count} below it"),
        };
        format!("{verb} run {}{below} by {}: {}", answer.run.id, env.actor, self.reason)
    }
}

impl End {
    fn end(
        &self,
        act: &mut Act<'_>,
        mut run: Run,
        with: Option<RunId>,
        answer: &mut EndedRuns,
    ) -> Result<Run, No> {
        // The children of a run that fails are cancelled.
        let ending = if with.is_some() { Ending::Cancelled } else { self.ending };
        run.status = ending.status();
        run.paused_at = None;
        let (at, by, reason) = (act.env.now, act.env.actor.clone(), self.reason.clone());
        run.ended = Some(Ended { at, by, reason, with });
        events::run_ended(act, &run);
        phase::leave(act, &run, run.place(), ending.left())?;
        for place in 0..run.phases.names().len() {
            let cancelled = dispatch::cancel_open(act, &run, place, ending.cause(), &self.reason)?;
            if !cancelled.is_empty() {
                phase::count(act, &run, place, |tally| tally.open = 0)?;
            }
            answer.cancelled_dispatches.extend(cancelled);
            answer.failed_agents.extend(agent::fail_working(act, &run, place, &self.reason)?);
        }
        index::put(act, &run);
        Ok(run)
    }
}

//! `run rollback`: goes back to an earlier phase, and takes along everything that belongs to the
//! phases it gives up, in one act.
//!
//! The phase that the run goes back to keeps what it has; the phases after it, up to the current
//! one, lose theirs. Nothing is forgotten: artifacts and verdicts are marked, dispatches are
//! cancelled and agents failed with an event each, and a completion stays on the record. The
//! rollback itself is a document, and its step tells what it took along.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::{Documents, Key, ReadError, read, walk};
use crate::core::ids::AgentName;
use crate::core::run::artifact::Artifact;
use crate::core::run::dispatch::{self, Cause};
use crate::core::run::names::{ArtifactId, DispatchId, IdPrefix, MemberId, PhaseName, VerdictId};
use crate::core::run::phase::{self, Left};
use crate::core::run::refusal::Refusal;
use crate::core::run::rollback_record::RollbackRecord;
use crate::core::run::verdict::Verdict;
use crate::core::run::{Run, Standing, Status, agent, events, index, record, skip};
use crate::core::text::Line;
use crate::core::time::Timestamp;

/// One completion of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Completion {
    /// The time of the completion.
    pub at: Timestamp,
    /// The agent that completed the run.
    pub by: AgentName,
    /// The time when the completion was rolled back, if it was.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rolled_back_at: Option<Timestamp>,
    /// The agent that rolled it back.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rolled_back_by: Option<AgentName>,
    /// Fields of a later version, kept as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

impl Completion {
    pub(super) fn now(act: &Act<'_>) -> Completion {
        Completion {
            at: act.env.now,
            by: act.env.actor.clone(),
            rolled_back_at: None,
            rolled_back_by: None,
            unknown: Map::new(),
        }
    }

    /// Writes the completion as the newest one of the run.
    pub(super) fn put(&self, act: &mut Act<'_>, run: &Run) {
        act.put(index::completion(&run.id, run.completions), self);
    }

    fn undo(act: &mut Act<'_>, run: &Run) -> Result<(), ReadError> {
        let key = index::completion(&run.id, run.completions);
        if let Some(completion) = read::<Completion>(act, &key)? {
            let rolled_back_by = Some(act.env.actor.clone());
            let rolled_back_at = Some(act.env.now);
            Completion { rolled_back_at, rolled_back_by, ..completion }.put(act, run);
        }
        Ok(())
    }

    /// Reads all completions of a run, in order.
    pub fn of_run(documents: &dyn Documents, run: &Run) -> Result<Vec<Completion>, ReadError> {
        let mut found = Vec::new();
        for number in 1..=run.completions {
            found.extend(read(documents, &index::completion(&run.id, number))?);
        }
        Ok(found)
    }
}

/// A request to go back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RollBackRun {
    pub run: IdPrefix,
    pub to: PhaseName,
    pub reason: Line,
    /// The phase at which the asker saw the run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub expect: Option<PhaseName>,
    /// Set to keep the phases that are given up skipped.
    #[serde(skip_serializing_if = "super::is_default", default)]
    pub keep_skips: bool,
    /// Set to fail the agents of every phase, instead of those of the phases that are given up.
    #[serde(skip_serializing_if = "super::is_default", default)]
    pub all_agents: bool,
}

/// The effects of a rollback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RolledBackRun {
    pub run: Run,
    /// The run as it was before.
    pub before: Run,
    /// The phases that were given up; none if the run was at the phase already.
    pub phases: Vec<PhaseName>,
    /// Artifacts that do not count any more.
    pub marked_artifacts: Vec<ArtifactId>,
    /// Verdicts that do not count any more.
    pub marked_verdicts: Vec<VerdictId>,
    pub cancelled_dispatches: Vec<DispatchId>,
    pub failed_agents: Vec<MemberId>,
    /// Phases that are not skipped any more.
    pub cleared_skips: Vec<PhaseName>,
}

impl Decide for RollBackRun {
    type Answer = RolledBackRun;

    fn decide(&self, act: &mut Act<'_>) -> Result<RolledBackRun, No> {
        let mut run = index::select(act, &self.run)?;
        run.must_not_have_ended()?;
        let (from, to) = (run.place(), run.place_of(&self.to)?);
        let mut answer = RolledBackRun {
            run: run.clone(),
            before: run.clone(),
            phases: Vec::new(),
            marked_artifacts: Vec::new(),
            marked_verdicts: Vec::new(),
            cancelled_dispatches: Vec::new(),
            failed_agents: Vec::new(),
            cleared_skips: Vec::new(),
        };
        if to == from {
            return Ok(answer);
        }
        run.must_be_at(self.expect.as_ref())?;
        if to > from {
            let (at, to) = (run.phase, self.to.clone());
            return Err(Refusal::NotBehind { run: run.id, at, to }.into());
        }
        answer.phases = run.phases.names()[to + 1..=from].to_vec();
        let mut missed = Vec::new();
        for place in to..from {
            if record::miss(act, &run, place)? {
                missed.push(run.phases.at(place).clone());
            }
        }
        let back = self.back(act, &run, answer.phases.clone());
        events::run_rolled_back(act, &run, &back, &missed);
        back.put(act, &mut run);
        if run.status == Status::Completed {
            parent_goes_on(act, &run)?;
            Completion::undo(act, &run)?;
            run.status = Status::Active;
            run.completed_at = None;
        }
        for place in to + 1..=from {
            self.give_up(act, &run, place, &mut answer)?;
        }
        if self.all_agents {
            for place in 0..run.phases.names().len() {
                let failed = agent::fail_working(act, &run, place, &self.reason)?;
                answer.failed_agents.extend(failed);
            }
        }
        // The run is at this phase again, so the phase cannot stay skipped, whatever `keep_skips`
        // says.
        self.unskip(act, &run, to, &mut answer)?;
        phase::go(act, &mut run, to, Left::RolledBack)?;
        index::put(act, &run);
        answer.run = run;
        Ok(answer)
    }

    fn summary(&self, answer: &RolledBackRun, env: &Env<'_>) -> String {
        let Run { id, phase, .. } = &answer.before;
        format!(
            "roll back run {id} from '{phase}' to '{}' by {}: {}",
            self.to, env.actor, self.reason
        )
    }
}

impl RollBackRun {
    fn give_up(
        &self,
        act: &mut Act<'_>,
        run: &Run,
        place: usize,
        answer: &mut RolledBackRun,
    ) -> Result<(), No> {
        let artifacts: Vec<Artifact> =
            mark(act, &index::artifacts(run, place), |artifact: &mut Artifact| {
                std::mem::replace(&mut artifact.status, Standing::RolledBack)
            })?;
        answer.marked_artifacts.extend(artifacts.into_iter().map(|artifact| artifact.id));
        let verdicts: Vec<Verdict> =
            mark(act, &index::verdicts(run, place), |verdict: &mut Verdict| {
                std::mem::replace(&mut verdict.status, Standing::RolledBack)
            })?;
        answer.marked_verdicts.extend(verdicts.into_iter().map(|verdict| verdict.id));
        let cancelled = dispatch::cancel_open(act, run, place, Cause::Rollback, &self.reason)?;
        answer.cancelled_dispatches.extend(cancelled);
        answer.failed_agents.extend(agent::fail_working(act, run, place, &self.reason)?);
        phase::count(act, run, place, |tally| {
            tally.artifacts = 0;
            tally.verdicts = 0;
            tally.latest_verdict = None;
            tally.open = 0;
        })?;
        if !self.keep_skips {
            self.unskip(act, run, place, answer)?;
        }
        Ok(())
    }

    fn unskip(
        &self,
        act: &mut Act<'_>,
        run: &Run,
        place: usize,
        answer: &mut RolledBackRun,
    ) -> Result<(), ReadError> {
        if skip::of(act, run, place)?.is_some() {
            act.remove(skip::key(run, place));
            let phase = run.phases.at(place);
            events::phase_unskipped(act, run, phase, &self.reason);
            answer.cleared_skips.push(phase.clone());
        }
        Ok(())
    }

    fn back(&self, act: &Act<'_>, run: &Run, phases: Vec<PhaseName>) -> RollbackRecord {
        RollbackRecord {
            step: run.steps,
            from: run.phase.clone(),
            to: self.to.clone(),
            phases,
            reason: self.reason.clone(),
            at: act.env.now,
            by: act.env.actor.clone(),
            unknown: Map::new(),
        }
    }
}

/// Refuses to reopen a completed run whose parent is over: a parent that ended took its children
/// along, and one that is completed had waited for them.
fn parent_goes_on(act: &Act<'_>, run: &Run) -> Result<(), No> {
    let parent = run.parent.as_ref().map(|parent| index::by_id(act, parent)).transpose()?.flatten();
    match parent {
        Some(Run { id, status, .. }) if status != Status::Active => {
            Err(Refusal::PartOfOver { run: run.id.clone(), parent: id, status }.into())
        }
        _ => Ok(()),
    }
}

/// Marks the documents below a directory that still count, and returns them.
fn mark<T: Serialize + serde::de::DeserializeOwned>(
    act: &mut Act<'_>,
    dir: &Key,
    mark: impl Fn(&mut T) -> Standing,
) -> Result<Vec<T>, ReadError> {
    let mut marked = Vec::new();
    for key in walk(act, dir)? {
        let Some(mut thing) = read::<T>(act, &key)? else { continue };
        if mark(&mut thing) == Standing::Active {
            act.put(key, &thing);
            marked.push(thing);
        }
    }
    Ok(marked)
}

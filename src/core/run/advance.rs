//! `run advance`: moves a run to its next phase if the gate is open.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Map;

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::{Documents, ReadError};
use crate::core::run::gate::{self, Evidence};
use crate::core::run::names::{IdPrefix, PhaseName};
use crate::core::run::phase::{self, Left};
use crate::core::run::record::{self, Outcome, Override, Record, Tier};
use crate::core::run::rollback::Completion;
use crate::core::run::{Run, Status, events, index, skip};
use crate::core::text::Line;

/// A request to move a run on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Advance {
    pub run: IdPrefix,
    /// The phase at which the asker saw the run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub expect: Option<PhaseName>,
    /// The priority of the work, from 0 to 4, which decides how strict the gate is.
    pub priority: u8,
    /// The approval, for runs that need one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<Line>,
}

/// The effect of an attempt to move a run on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advanced {
    pub run: Run,
    /// The phase that the run was at.
    pub from: PhaseName,
    /// The phase that the run is at, or would have moved to.
    pub to: PhaseName,
    pub step: Step,
    /// The gate's answers, as far as it was asked.
    pub evidence: Vec<Evidence>,
}

/// The result of an attempt to move a run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Step {
    /// The run went on, through an open gate or past one that only warns.
    #[serde(rename = "advanced")]
    Done,
    /// The run waits for somebody's approval.
    Paused,
    /// The gate is shut.
    Blocked,
}

/// Finds the next phase of an active run that is not skipped.
pub fn next(documents: &dyn Documents, run: &Run) -> Result<usize, ReadError> {
    for place in run.place() + 1..run.phases.last() {
        if skip::of(documents, run, place)?.is_none() {
            return Ok(place);
        }
    }
    Ok(run.phases.last())
}

impl Decide for Advance {
    type Answer = Advanced;

    fn decide(&self, act: &mut Act<'_>) -> Result<Advanced, No> {
        let mut run = index::select(act, &self.run)?;
        run.must_be_at(self.expect.as_ref())?;
        run.must_be_active()?;
        let to = next(act, &run)?;
        if run.manual && self.reason.is_none() {
            return Ok(pause(act, run, to));
        }
        let said = self.ask(act, &run, to)?;
        if said.outcome == Outcome::Blocked {
            return block(act, run, to, said);
        }
        go_on(act, &mut run, to, said, self.reason.as_ref())
    }

    fn summary(&self, answer: &Advanced, env: &Env<'_>) -> String {
        let Advanced { run, from, to, step, .. } = answer;
        match step {
            Step::Done => {
                format!("advance run {} from '{from}' to '{to}' by {}", run.id, env.actor)
            }
            Step::Paused => format!("run {} waits at '{from}' for somebody's word", run.id),
            Step::Blocked => format!("run {} is blocked at '{from}' before '{to}'", run.id),
        }
    }
}

impl Advance {
    /// Asks the gate, if the priority calls for it.
    fn ask(&self, act: &Act<'_>, run: &Run, to: usize) -> Result<Said, ReadError> {
        let tier = Tier::of(self.priority);
        if tier == Tier::None {
            let is_waived = !gate::rules(act, run, run.place(), to)?.is_empty();
            let outcome = if is_waived { Outcome::Waived } else { Outcome::Passed };
            return Ok(Said { outcome, tier, evidence: Vec::new(), overridden: None });
        }
        let evidence = gate::evaluate(act, run, run.place(), to)?;
        let is_open = evidence.iter().all(|evidence| evidence.passed);
        let outcome = match tier {
            _ if is_open => Outcome::Passed,
            Tier::Hard => Outcome::Blocked,
            Tier::Soft | Tier::None => Outcome::Warned,
        };
        Ok(Said { outcome, tier, evidence, overridden: None })
    }
}

/// The answer of a gate.
pub(super) struct Said {
    pub(super) outcome: Outcome,
    pub(super) tier: Tier,
    pub(super) evidence: Vec<Evidence>,
    pub(super) overridden: Option<Override>,
}

impl Said {
    fn record(self, act: &Act<'_>, run: &Run, to: usize) -> Record {
        Record {
            step: run.steps,
            from: run.phase.clone(),
            to: run.phases.at(to).clone(),
            outcome: self.outcome,
            tier: self.tier,
            evidence: self.evidence,
            overridden: self.overridden,
            at: act.env.now,
            by: act.env.actor.clone(),
            missed_at: None,
            unknown: Map::new(),
        }
    }
}

fn answer(run: Run, from: PhaseName, to: usize, step: Step, evidence: Vec<Evidence>) -> Advanced {
    let to = run.phases.at(to).clone();
    Advanced { run, from, to, step, evidence }
}

fn pause(act: &mut Act<'_>, mut run: Run, to: usize) -> Advanced {
    if run.paused_at.is_none() {
        run.paused_at = Some(act.env.now);
        index::put(act, &run);
        events::run_paused(act, &run, run.phases.at(to));
    }
    let from = run.phase.clone();
    answer(run, from, to, Step::Paused, Vec::new())
}

fn block(act: &mut Act<'_>, run: Run, to: usize, said: Said) -> Result<Advanced, No> {
    let record = said.record(act, &run, to);
    if record::keep(act, &run, run.place(), &record)? {
        events::run_blocked(act, &run, &record);
    }
    let from = run.phase.clone();
    Ok(answer(run, from, to, Step::Blocked, record.evidence))
}

/// Moves the run on. The gate's answer is recorded if the gate has rules, also if nobody asked it.
pub(super) fn go_on(
    act: &mut Act<'_>,
    run: &mut Run,
    to: usize,
    said: Said,
    reason: Option<&Line>,
) -> Result<Advanced, No> {
    let (from, place) = (run.phase.clone(), run.place());
    let record = said.record(act, run, to);
    let says_something = !record.evidence.is_empty() || record.outcome == Outcome::Waived;
    let is_kept = says_something && record::keep(act, run, place, &record)?;
    phase::go(act, run, to, Left::Advanced)?;
    events::run_advanced(act, run, &record, is_kept, reason);
    if to == run.phases.last() {
        run.status = Status::Completed;
        run.completed_at = Some(act.env.now);
        run.completions += 1;
        Completion::now(act).put(act, run);
        events::run_completed(act, run);
    }
    index::put(act, run);
    Ok(answer(run.clone(), from, to, Step::Done, record.evidence))
}

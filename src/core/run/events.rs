//! The events of runs. Each names its run, so that `events --run` finds it.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::core::decision::Act;
use crate::core::run::agent::Member;
use crate::core::run::artifact::Artifact;
use crate::core::run::budget::Budget;
use crate::core::run::dispatch::{Cancelled, Dispatch};
use crate::core::run::gates::Gate;
use crate::core::run::names::PhaseName;
use crate::core::run::record::Record;
use crate::core::run::rollback_record::RollbackRecord;
use crate::core::run::skip::Skip;
use crate::core::run::verdict::Verdict;
use crate::core::run::{Run, Status};
use crate::core::text::Line;

/// A run was created.
pub const RUN_CREATED: &str = "run_created";
/// Settings of a run were changed.
pub const RUN_CHANGED: &str = "run_changed";
/// A run went on to a later phase.
pub const RUN_ADVANCED: &str = "run_advanced";
/// A run reached its last phase.
pub const RUN_COMPLETED: &str = "run_completed";
/// A run waits for somebody's approval.
pub const RUN_PAUSED: &str = "run_paused";
/// A gate blocked a run.
pub const RUN_BLOCKED: &str = "run_blocked";
/// An agent took a run past a gate that was shut.
pub const GATE_OVERRIDDEN: &str = "gate_overridden";
/// A run went back to an earlier phase.
pub const RUN_ROLLED_BACK: &str = "run_rolled_back";
/// A run was cancelled.
pub const RUN_CANCELLED: &str = "run_cancelled";
/// A run failed.
pub const RUN_FAILED: &str = "run_failed";
/// A phase was marked to be skipped.
pub const PHASE_SKIPPED: &str = "phase_skipped";
/// A phase is to be skipped no longer.
pub const PHASE_UNSKIPPED: &str = "phase_unskipped";
/// A phase has a new artifact.
pub const ARTIFACT_ADDED: &str = "artifact_added";
/// Work was handed out.
pub const DISPATCH_ADDED: &str = "dispatch_added";
/// A report on a dispatch came in.
pub const DISPATCH_UPDATED: &str = "dispatch_updated";
/// A dispatch was cancelled with its phase or its run.
pub const DISPATCH_CANCELLED: &str = "dispatch_cancelled";
/// An agent began to work in a phase.
pub const AGENT_ADDED: &str = "agent_added";
/// An agent has finished.
pub const AGENT_FINISHED: &str = "agent_finished";
/// An agent was failed with its phase or its run.
pub const AGENT_FAILED: &str = "agent_failed";
/// A review of a phase has a result.
pub const VERDICT_ADDED: &str = "verdict_added";
/// The share of a budget that triggers the warning was spent.
pub const BUDGET_WARNED: &str = "budget_warned";
/// More was spent than the budget.
pub const BUDGET_EXCEEDED: &str = "budget_exceeded";

fn object(value: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(value) {
        Ok(Value::Object(map)) => map,
        _ => unreachable!("documents and data of events are objects"),
    }
}

/// Records an event of a run, without the fields that are null.
fn note(act: &mut Act<'_>, kind: &str, subject: &impl ToString, run: &Run, data: &impl Serialize) {
    let mut all = Map::new();
    all.insert("run".to_owned(), json!(run.id));
    all.extend(object(data).into_iter().filter(|(_, value)| !value.is_null()));
    act.record(kind, subject, all);
}

/// Records a new run, with its gates if they are not the default ones.
pub fn run_created(act: &mut Act<'_>, run: &Run, gates: Option<&[Gate]>) {
    let mut data = object(run);
    data.extend(gates.map(|gates| ("gates".to_owned(), json!(gates))));
    note(act, RUN_CREATED, &run.id, run, &data);
}

/// Records new settings of a run.
pub fn run_changed(act: &mut Act<'_>, run: &Run, changes: &Map<String, Value>) {
    note(act, RUN_CHANGED, &run.id, run, changes);
}

/// Records that a run went on. If it went past a shut gate, an event of its own says so first. The
/// gate's answer is part of the event only if it was recorded.
pub fn run_advanced(
    act: &mut Act<'_>,
    run: &Run,
    gate: &Record,
    is_kept: bool,
    reason: Option<&Line>,
) {
    let Record { from, to, outcome, tier, evidence, overridden, .. } = gate;
    if let Some(past) = overridden {
        let data = json!({
            "from": from, "to": to, "because": past.reason, "category": past.category,
            "evidence": evidence,
        });
        note(act, GATE_OVERRIDDEN, &run.id, run, &data);
    }
    let gate = is_kept.then(|| {
        let mut gate = json!({ "outcome": outcome, "tier": tier, "evidence": evidence });
        if let Some(past) = overridden {
            gate["override"] = json!(past);
        }
        gate
    });
    let data = json!({ "from": from, "to": to, "because": reason, "gate": gate });
    note(act, RUN_ADVANCED, &run.id, run, &data);
}

/// Records that a run reached its last phase.
pub fn run_completed(act: &mut Act<'_>, run: &Run) {
    let data = json!({ "completion": run.completions, "completed_at": run.completed_at });
    note(act, RUN_COMPLETED, &run.id, run, &data);
}

/// Records that a run waits for somebody's approval.
pub fn run_paused(act: &mut Act<'_>, run: &Run, to: &PhaseName) {
    note(act, RUN_PAUSED, &run.id, run, &json!({ "from": run.phase, "to": to }));
}

/// Records that a gate blocked a run.
pub fn run_blocked(act: &mut Act<'_>, run: &Run, gate: &Record) {
    let Record { from, to, tier, evidence, .. } = gate;
    let data = json!({ "from": from, "to": to, "tier": tier, "evidence": evidence });
    note(act, RUN_BLOCKED, &run.id, run, &data);
}

/// Records that a run went back; `missed` names the phases whose gates had let it pass.
pub fn run_rolled_back(act: &mut Act<'_>, run: &Run, back: &RollbackRecord, missed: &[PhaseName]) {
    let was_completed = run.status == Status::Completed;
    let data = json!({
        "from": back.from,
        "to": back.to,
        "phases": back.phases,
        "because": back.reason,
        "completion": was_completed.then_some(run.completions),
        "missed": (!missed.is_empty()).then_some(missed),
    });
    note(act, RUN_ROLLED_BACK, &run.id, run, &data);
}

/// Records that a run was cancelled or failed.
pub fn run_ended(act: &mut Act<'_>, run: &Run) {
    let kind = if run.status == Status::Failed { RUN_FAILED } else { RUN_CANCELLED };
    let (reason, with) = match &run.ended {
        Some(ended) => (Some(&ended.reason), ended.with.as_ref()),
        None => (None, None),
    };
    let data = json!({ "from": run.phase, "because": reason, "with": with });
    note(act, kind, &run.id, run, &data);
}

/// Records that a phase is to be skipped.
pub fn phase_skipped(act: &mut Act<'_>, run: &Run, skip: &Skip) {
    let data = json!({ "phase": skip.phase, "because": skip.reason });
    note(act, PHASE_SKIPPED, &run.id, run, &data);
}

/// Records that a phase is to be skipped no longer.
pub fn phase_unskipped(act: &mut Act<'_>, run: &Run, phase: &PhaseName, because: &Line) {
    let data = json!({ "phase": phase, "because": because });
    note(act, PHASE_UNSKIPPED, &run.id, run, &data);
}

/// Records a new artifact.
pub fn artifact_added(act: &mut Act<'_>, run: &Run, artifact: &Artifact) {
    note(act, ARTIFACT_ADDED, &artifact.id, run, artifact);
}

/// Records that work was handed out.
pub fn dispatch_added(act: &mut Act<'_>, run: &Run, dispatch: &Dispatch) {
    note(act, DISPATCH_ADDED, &dispatch.id, run, dispatch);
}

/// Records a report on a dispatch.
pub fn dispatch_updated(act: &mut Act<'_>, run: &Run, before: &Dispatch, after: &Dispatch) {
    let commit = after.commits.get(before.commits.len()).map(|linked| &linked.commit);
    let data = json!({
        "phase": after.phase,
        "from": before.status,
        "status": after.status,
        "tokens": after.tokens,
        "commit": commit,
        "ended_at": after.ended_at,
    });
    note(act, DISPATCH_UPDATED, &after.id, run, &data);
}

/// Records that a dispatch was cancelled with its phase or its run.
pub fn dispatch_cancelled(act: &mut Act<'_>, run: &Run, before: &Dispatch, cancelled: &Cancelled) {
    let data = cancelled.data(&run.id, &before.phase);
    note(act, DISPATCH_CANCELLED, &before.id, run, &data);
}

/// Records that an agent began to work in a phase.
pub fn agent_added(act: &mut Act<'_>, run: &Run, member: &Member) {
    note(act, AGENT_ADDED, &member.id, run, member);
}

fn agent_data(member: &Member) -> Value {
    let Member { name, phase, status, because, .. } = member;
    json!({ "name": name, "phase": phase, "status": status, "because": because })
}

/// Records that an agent has finished.
pub fn agent_finished(act: &mut Act<'_>, run: &Run, member: &Member) {
    note(act, AGENT_FINISHED, &member.id, run, &agent_data(member));
}

/// Records that an agent was failed with its phase or its run.
pub fn agent_failed(act: &mut Act<'_>, run: &Run, member: &Member) {
    note(act, AGENT_FAILED, &member.id, run, &agent_data(member));
}

/// Records the result of a review.
pub fn verdict_added(act: &mut Act<'_>, run: &Run, verdict: &Verdict) {
    note(act, VERDICT_ADDED, &verdict.id, run, verdict);
}

fn spending(run: &Run, budget: &Budget) -> Value {
    json!({ "used": run.spent.counted(), "budget": budget.tokens })
}

/// Records that the budget is nearly spent.
pub fn budget_warned(act: &mut Act<'_>, run: &Run, budget: &Budget) {
    note(act, BUDGET_WARNED, &run.id, run, &spending(run, budget));
}

/// Records that more was spent than the budget.
pub fn budget_exceeded(act: &mut Act<'_>, run: &Run, budget: &Budget) {
    note(act, BUDGET_EXCEEDED, &run.id, run, &spending(run, budget));
}

//! The events of runs. Every one names its run, so that `events --run` finds it.

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

/// The types of events.
pub const RUN_CREATED: &str = "run_created";
/// Settings of a run are others.
pub const RUN_CHANGED: &str = "run_changed";
/// It went on to a later phase.
pub const RUN_ADVANCED: &str = "run_advanced";
/// It reached its last phase.
pub const RUN_COMPLETED: &str = "run_completed";
/// It waits for somebody's word.
pub const RUN_PAUSED: &str = "run_paused";
/// A gate was shut.
pub const RUN_BLOCKED: &str = "run_blocked";
/// Somebody took it past a gate that was shut.
pub const GATE_OVERRIDDEN: &str = "gate_overridden";
/// It went back to an earlier phase.
pub const RUN_ROLLED_BACK: &str = "run_rolled_back";
/// It was called off.
pub const RUN_CANCELLED: &str = "run_cancelled";
/// It came to nothing.
pub const RUN_FAILED: &str = "run_failed";
/// A phase is passed over.
pub const PHASE_SKIPPED: &str = "phase_skipped";
/// It is not any more.
pub const PHASE_UNSKIPPED: &str = "phase_unskipped";
/// A phase has brought something forth.
pub const ARTIFACT_ADDED: &str = "artifact_added";
/// Work was handed out.
pub const DISPATCH_ADDED: &str = "dispatch_added";
/// There is news of it.
pub const DISPATCH_UPDATED: &str = "dispatch_updated";
/// It was called off with its phase or its run.
pub const DISPATCH_CANCELLED: &str = "dispatch_cancelled";
/// An agent works in a phase.
pub const AGENT_ADDED: &str = "agent_added";
/// It has finished.
pub const AGENT_FINISHED: &str = "agent_finished";
/// It was failed with its phase or its run.
pub const AGENT_FAILED: &str = "agent_failed";
/// A review came to something.
pub const VERDICT_ADDED: &str = "verdict_added";
/// The budget is nearly spent.
pub const BUDGET_WARNED: &str = "budget_warned";
/// More was spent than there is.
pub const BUDGET_EXCEEDED: &str = "budget_exceeded";

fn object(value: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(value) {
        Ok(Value::Object(map)) => map,
        _ => unreachable!("documents and data of events are objects"),
    }
}

/// Notes a fact about a run; what is null is not said.
fn note(act: &mut Act<'_>, kind: &str, subject: &impl ToString, run: &Run, data: &impl Serialize) {
    let mut all = Map::new();
    all.insert("run".to_owned(), json!(run.id));
    all.extend(object(data).into_iter().filter(|(_, value)| !value.is_null()));
    act.record(kind, subject, all);
}

/// A run was made, with these gates if they are not the usual ones.
pub fn run_created(act: &mut Act<'_>, run: &Run, gates: Option<&[Gate]>) {
    let mut data = object(run);
    data.extend(gates.map(|gates| ("gates".to_owned(), json!(gates))));
    note(act, RUN_CREATED, &run.id, run, &data);
}

/// Settings of a run are others now.
pub fn run_changed(act: &mut Act<'_>, run: &Run, changes: &Map<String, Value>) {
    note(act, RUN_CHANGED, &run.id, run, changes);
}

/// A run went on; if past a shut gate, that is said first. What the gate said is told where that
/// was kept.
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

/// A run reached its last phase.
pub fn run_completed(act: &mut Act<'_>, run: &Run) {
    let data = json!({ "completion": run.completions, "completed_at": run.completed_at });
    note(act, RUN_COMPLETED, &run.id, run, &data);
}

/// A run waits for somebody's word.
pub fn run_paused(act: &mut Act<'_>, run: &Run, to: &PhaseName) {
    note(act, RUN_PAUSED, &run.id, run, &json!({ "from": run.phase, "to": to }));
}

/// A gate was shut.
pub fn run_blocked(act: &mut Act<'_>, run: &Run, gate: &Record) {
    let Record { from, to, tier, evidence, .. } = gate;
    let data = json!({ "from": from, "to": to, "tier": tier, "evidence": evidence });
    note(act, RUN_BLOCKED, &run.id, run, &data);
}

/// A run went back, over gates that had let it pass.
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

/// A run ended for good.
pub fn run_ended(act: &mut Act<'_>, run: &Run) {
    let kind = if run.status == Status::Failed { RUN_FAILED } else { RUN_CANCELLED };
    let (reason, with) = match &run.ended {
        Some(ended) => (Some(&ended.reason), ended.with.as_ref()),
        None => (None, None),
    };
    let data = json!({ "from": run.phase, "because": reason, "with": with });
    note(act, kind, &run.id, run, &data);
}

/// A phase is passed over.
pub fn phase_skipped(act: &mut Act<'_>, run: &Run, skip: &Skip) {
    let data = json!({ "phase": skip.phase, "because": skip.reason });
    note(act, PHASE_SKIPPED, &run.id, run, &data);
}

/// A phase is not passed over any more.
pub fn phase_unskipped(act: &mut Act<'_>, run: &Run, phase: &PhaseName, because: &Line) {
    let data = json!({ "phase": phase, "because": because });
    note(act, PHASE_UNSKIPPED, &run.id, run, &data);
}

/// A phase has brought something forth.
pub fn artifact_added(act: &mut Act<'_>, run: &Run, artifact: &Artifact) {
    note(act, ARTIFACT_ADDED, &artifact.id, run, artifact);
}

/// Work was handed out.
pub fn dispatch_added(act: &mut Act<'_>, run: &Run, dispatch: &Dispatch) {
    note(act, DISPATCH_ADDED, &dispatch.id, run, dispatch);
}

/// There is news of a dispatch.
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

/// A dispatch was called off with its phase or its run.
pub fn dispatch_cancelled(act: &mut Act<'_>, run: &Run, before: &Dispatch, cancelled: &Cancelled) {
    let data = cancelled.data(&run.id, &before.phase);
    note(act, DISPATCH_CANCELLED, &before.id, run, &data);
}

/// An agent works in a phase.
pub fn agent_added(act: &mut Act<'_>, run: &Run, member: &Member) {
    note(act, AGENT_ADDED, &member.id, run, member);
}

fn agent_data(member: &Member) -> Value {
    let Member { name, phase, status, because, .. } = member;
    json!({ "name": name, "phase": phase, "status": status, "because": because })
}

/// An agent has finished.
pub fn agent_finished(act: &mut Act<'_>, run: &Run, member: &Member) {
    note(act, AGENT_FINISHED, &member.id, run, &agent_data(member));
}

/// An agent was failed with its phase or its run.
pub fn agent_failed(act: &mut Act<'_>, run: &Run, member: &Member) {
    note(act, AGENT_FAILED, &member.id, run, &agent_data(member));
}

/// A review came to something.
pub fn verdict_added(act: &mut Act<'_>, run: &Run, verdict: &Verdict) {
    note(act, VERDICT_ADDED, &verdict.id, run, verdict);
}

fn spending(run: &Run, budget: &Budget) -> Value {
    json!({ "used": run.spent.counted(), "budget": budget.tokens })
}

/// The budget is nearly spent.
pub fn budget_warned(act: &mut Act<'_>, run: &Run, budget: &Budget) {
    note(act, BUDGET_WARNED, &run.id, run, &spending(run, budget));
}

/// More was spent than there is.
pub fn budget_exceeded(act: &mut Act<'_>, run: &Run, budget: &Budget) {
    note(act, BUDGET_EXCEEDED, &run.id, run, &spending(run, budget));
}

//! The state that the events of a run lead to.
//!
//! [`Replay`] follows the events by their own data alone, and shares no code with the decisions. It
//! comes to the state that [`state::stored`](super::state::stored) reads from the documents, field
//! by field. A difference is a fault of one of the two.

use serde_json::{Value, json};

use crate::core::event::Event;
use crate::core::run::events;
use crate::core::run::names::RunId;
use crate::core::run::state::{Fields, RUN, State, gates_as_fields};
use crate::core::time::Timestamp;

/// The events of a run, followed from some state on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    run: RunId,
    /// The state by now.
    pub state: State,
    /// The number of events of the run so far.
    pub events: u64,
    /// Events that claim something of the moment before them that was not so.
    pub faults: Vec<String>,
}

/// An event, with its time and its actor as JSON.
struct Happened<'e> {
    event: &'e Event,
    at: Value,
    by: Value,
}

impl Happened<'_> {
    fn text(&self, field: &str) -> &str {
        self.event.text(field).unwrap_or("?")
    }

    fn value(&self, field: &str) -> Value {
        self.event.data.get(field).cloned().unwrap_or_default()
    }

    fn number(&self, field: &str) -> u64 {
        self.event.data.get(field).and_then(Value::as_u64).unwrap_or(0)
    }

    fn list(&self, field: &str) -> impl Iterator<Item = &str> {
        let items = self.event.data.get(field).and_then(Value::as_array).into_iter().flatten();
        items.filter_map(Value::as_str)
    }

    /// Returns the document that the event carries, of a thing that came to be.
    fn document(&self) -> Fields {
        let mut document = self.event.data.clone();
        document.remove("run");
        document
    }
}

/// Returns the number of tokens of a kind.
fn tokens(of: &Value, kind: &str) -> i128 {
    of[kind].as_u64().unwrap_or(0).into()
}

impl Replay {
    /// Begins with a known state.
    pub fn from(run: RunId, state: State) -> Replay {
        Replay { run, state, events: 0, faults: Vec::new() }
    }

    /// Goes on from another state, as after a rollback of the whole ledger.
    pub fn restart(&mut self, state: State) {
        self.state = state;
    }

    /// Applies one event to the state.
    pub fn follow(&mut self, event: &Event, at: Timestamp) {
        let Some(subject) = event.subject.as_deref() else { return };
        if event.kind == events::RUN_CREATED && event.text("parent") == Some(self.run.as_str()) {
            self.state.insert(format!("child {subject}"), Fields::new());
            self.add("children", 1);
        }
        if event.text("run") != Some(self.run.as_str()) {
            return;
        }
        self.events += 1;
        let happened = Happened { event, at: json!(at), by: json!(event.actor) };
        match event.kind.as_str() {
            events::RUN_CREATED => self.created(&happened),
            events::RUN_CHANGED => self.changed(&happened),
            events::RUN_ADVANCED => self.advanced(&happened),
            events::RUN_BLOCKED => self.gate_said(&happened, &json!({ "outcome": "blocked" })),
            events::RUN_ROLLED_BACK => self.rolled_back(&happened),
            events::RUN_PAUSED => self.set(RUN, "paused_at", happened.at),
            events::RUN_COMPLETED => self.completed(&happened),
            events::RUN_CANCELLED => self.ended(&happened, "cancelled"),
            events::RUN_FAILED => self.ended(&happened, "failed"),
            events::PHASE_SKIPPED => self.skipped(&happened),
            events::PHASE_UNSKIPPED => {
                self.state.remove(&format!("skip {}", happened.text("phase")));
            }
            events::ARTIFACT_ADDED => self.came_to_be("artifact", subject, &happened),
            events::VERDICT_ADDED => self.came_to_be("verdict", subject, &happened),
            events::AGENT_ADDED => self.came_to_be("agent", subject, &happened),
            events::AGENT_FINISHED | events::AGENT_FAILED => self.agent_ended(subject, &happened),
            events::DISPATCH_ADDED => self.came_to_be("dispatch", subject, &happened),
            events::DISPATCH_UPDATED => self.dispatch_updated(subject, &happened),
            events::DISPATCH_CANCELLED => self.dispatch_cancelled(subject, &happened),
            events::BUDGET_WARNED => self.of_budget("warned_at", happened.at),
            events::BUDGET_EXCEEDED => self.of_budget("exceeded_at", happened.at),
            _ => {}
        }
    }

    fn thing(&mut self, name: &str) -> &mut Fields {
        self.state.entry(name.to_owned()).or_default()
    }

    fn set(&mut self, thing: &str, field: &str, value: Value) {
        self.thing(thing).insert(field.to_owned(), value);
    }

    fn known(&self, thing: &str, field: &str) -> Value {
        let fields = self.state.get(thing);
        fields.and_then(|fields| fields.get(field)).cloned().unwrap_or_default()
    }

    fn unset(&mut self, field: &str) {
        self.thing(RUN).remove(field);
    }

    /// Adds to a number of the run, and returns the sum.
    fn add(&mut self, field: &str, more: u64) -> u64 {
        let count = self.known(RUN, field).as_u64().unwrap_or(0) + more;
        self.set(RUN, field, json!(count));
        count
    }

    fn of_budget(&mut self, field: &str, value: Value) {
        let mut budget = self.known(RUN, "budget");
        budget[field] = value;
        self.set(RUN, "budget", budget);
    }

    /// Counts the things of a kind, which are numbered from 1 on.
    fn count(&self, kind: &str) -> usize {
        let is_there = |number: &usize| self.state.contains_key(&format!("{kind} {number}"));
        (1..=self.state.len()).take_while(is_there).count()
    }

    fn came_to_be(&mut self, kind: &str, subject: &str, happened: &Happened<'_>) {
        self.state.insert(format!("{kind} {subject}"), happened.document());
    }

    fn created(&mut self, happened: &Happened<'_>) {
        let mut run = happened.document();
        if let Some(gates) = run.remove("gates") {
            self.state.insert("gates".to_owned(), gates_as_fields(&gates));
        }
        self.state.insert(RUN.to_owned(), run);
        self.arrive(happened.text("phase"), happened);
    }

    fn changed(&mut self, happened: &Happened<'_>) {
        for (field, value) in happened.document() {
            match field.as_str() {
                "budget" => self.of_budget("tokens", value),
                "warn_percent" | "enforced" => self.of_budget(&field, value),
                _ => self.set(RUN, &field, value),
            }
        }
        if happened.value("manual") == Value::Bool(false) {
            self.unset("paused_at");
        }
    }

    /// Makes the run leave its phase, which must be the one that the event names.
    fn leave(&mut self, happened: &Happened<'_>, how: &str) {
        let from = happened.text("from");
        let present = self.known(RUN, "phase");
        if present != from {
            let kind = &happened.event.kind;
            self.faults.push(format!("{kind} from '{from}', but it was at {present}"));
        }
        let visit = format!("visit {from} {}", self.count(&format!("visit {from}")));
        self.set(&visit, "left_at", happened.at.clone());
        self.set(&visit, "left_by", happened.by.clone());
        self.set(&visit, "left", json!(how));
        self.unset("paused_at");
    }

    fn arrive(&mut self, phase: &str, happened: &Happened<'_>) {
        let visit = json!({
            "step": self.known(RUN, "steps"),
            "entered_at": happened.at,
            "entered_by": happened.by,
        });
        let number = self.count(&format!("visit {phase}")) + 1;
        let visit = visit.as_object().cloned().unwrap_or_default();
        self.state.insert(format!("visit {phase} {number}"), visit);
    }

    fn go(&mut self, happened: &Happened<'_>, how: &str) {
        self.leave(happened, how);
        self.add("steps", 1);
        self.set(RUN, "phase", happened.value("to"));
        self.arrive(happened.text("to"), happened);
    }

    fn advanced(&mut self, happened: &Happened<'_>) {
        if let gate @ Value::Object(_) = happened.value("gate") {
            self.gate_said(happened, &gate);
        }
        self.go(happened, "advanced");
    }

    fn gate_said(&mut self, happened: &Happened<'_>, said: &Value) {
        let mut record = said.as_object().cloned().unwrap_or_default();
        for field in ["from", "to", "tier", "evidence"] {
            record.entry(field).or_insert_with(|| happened.value(field));
        }
        record.insert("step".to_owned(), self.known(RUN, "steps"));
        record.insert("at".to_owned(), happened.at.clone());
        record.insert("by".to_owned(), happened.by.clone());
        let kind = format!("gate {}", happened.text("from"));
        let number = self.count(&kind) + 1;
        self.state.insert(format!("{kind} {number}"), record);
    }

    fn completed(&mut self, happened: &Happened<'_>) {
        self.set(RUN, "status", json!("completed"));
        self.set(RUN, "completed_at", happened.value("completed_at"));
        self.set(RUN, "completions", happened.value("completion"));
        let completion = format!("completion {}", happened.number("completion"));
        self.set(&completion, "at", happened.value("completed_at"));
        self.set(&completion, "by", happened.by.clone());
    }

    fn rolled_back(&mut self, happened: &Happened<'_>) {
        let rollback = json!({
            "step": self.known(RUN, "steps"),
            "from": happened.value("from"),
            "to": happened.value("to"),
            "phases": happened.value("phases"),
            "reason": happened.value("because"),
            "at": happened.at,
            "by": happened.by,
        });
        let number = self.add("rollbacks", 1);
        let rollback = rollback.as_object().cloned().unwrap_or_default();
        self.state.insert(format!("rollback {number}"), rollback);
        self.go(happened, "rolled_back");
        if self.known(RUN, "status") == "completed" {
            self.set(RUN, "status", json!("active"));
            self.unset("completed_at");
            let completion = format!("completion {}", happened.number("completion"));
            self.set(&completion, "rolled_back_at", happened.at.clone());
            self.set(&completion, "rolled_back_by", happened.by.clone());
        }
        for phase in happened.list("missed") {
            let last = format!("gate {phase} {}", self.count(&format!("gate {phase}")));
            self.set(&last, "missed_at", happened.at.clone());
        }
        let given_up: Vec<&str> = happened.list("phases").collect();
        for (name, fields) in &mut self.state {
            let is_marked = name.starts_with("artifact ") || name.starts_with("verdict ");
            let phase = fields.get("phase").and_then(Value::as_str).unwrap_or_default();
            if is_marked && given_up.contains(&phase) {
                fields.insert("status".to_owned(), json!("rolled_back"));
            }
        }
    }

    fn ended(&mut self, happened: &Happened<'_>, how: &str) {
        if self.known(RUN, "status") != "active" {
            self.faults.push(format!("{how}, but it was not active"));
        }
        self.leave(happened, how);
        self.set(RUN, "status", json!(how));
        let ended = json!({
            "at": happened.at,
            "by": happened.by,
            "reason": happened.value("because"),
            "with": happened.value("with"),
        });
        self.set(RUN, "ended", ended);
    }

    fn skipped(&mut self, happened: &Happened<'_>) {
        let skip = format!("skip {}", happened.text("phase"));
        self.set(&skip, "phase", happened.value("phase"));
        self.set(&skip, "reason", happened.value("because"));
        self.set(&skip, "at", happened.at.clone());
        self.set(&skip, "by", happened.by.clone());
    }

    fn agent_ended(&mut self, subject: &str, happened: &Happened<'_>) {
        let agent = format!("agent {subject}");
        self.set(&agent, "status", happened.value("status"));
        self.set(&agent, "because", happened.value("because"));
        self.set(&agent, "ended_at", happened.at.clone());
    }

    /// Checks that a dispatch had the status that an event says it had.
    fn was(&mut self, dispatch: &str, happened: &Happened<'_>) {
        let present = self.known(dispatch, "status");
        let from = happened.text("from");
        if present != from {
            let kind = &happened.event.kind;
            self.faults.push(format!("{kind} {dispatch} from {from}, but it was {present}"));
        }
    }

    fn dispatch_updated(&mut self, subject: &str, happened: &Happened<'_>) {
        let dispatch = format!("dispatch {subject}");
        self.was(&dispatch, happened);
        self.spent(&self.known(&dispatch, "tokens"), &happened.value("tokens"));
        for field in ["status", "tokens", "ended_at"] {
            self.set(&dispatch, field, happened.value(field));
        }
        if let commit @ Value::String(_) = happened.value("commit") {
            let mut commits = self.known(&dispatch, "commits");
            let linked = json!({ "commit": commit, "at": happened.at });
            match &mut commits {
                Value::Array(known) => known.push(linked),
                none => *none = json!([linked]),
            }
            self.set(&dispatch, "commits", commits);
        }
    }

    /// Adds what a dispatch has spent to what its run has spent.
    fn spent(&mut self, before: &Value, after: &Value) {
        let mut spent = self.known(RUN, "spent");
        for kind in ["in", "out", "cache"] {
            let sum = tokens(&spent, kind) - tokens(before, kind) + tokens(after, kind);
            spent[kind] = json!(u64::try_from(sum).unwrap_or(0));
        }
        self.set(RUN, "spent", spent);
    }

    fn dispatch_cancelled(&mut self, subject: &str, happened: &Happened<'_>) {
        let dispatch = format!("dispatch {subject}");
        self.was(&dispatch, happened);
        self.set(&dispatch, "status", json!("cancelled"));
        self.set(&dispatch, "ended_at", happened.at.clone());
        let cancelled = json!({
            "cause": happened.value("cause"),
            "from": happened.value("from"),
            "at": happened.at,
            "by": happened.by,
            "because": happened.value("because"),
        });
        self.set(&dispatch, "cancelled", cancelled);
    }
}

//! The state that the events of a run lead to, beside the state that is stored.
//!
//! Both are told as plain facts, one line each: `phase` is `planned`, `dispatch da...` is
//! `planned running 120+30`. [`Replay`] follows the events by their own words alone and shares no
//! code with the decisions; what differs is a fault of one of the two.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::core::documents::{Documents, ReadError};
use crate::core::event::Event;
use crate::core::run::agent::Member;
use crate::core::run::artifact::Artifact;
use crate::core::run::budget::Tokens;
use crate::core::run::names::RunId;
use crate::core::run::rollback::Completion;
use crate::core::run::verdict::Verdict;
use crate::core::run::{Run, dispatch, facts, index, portfolio, skip};

/// What is true of a run, fact by fact. A run that does not exist has none.
pub type Facts = BTreeMap<String, String>;

/// Where the facts are told otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What it is about.
    pub fact: String,
    /// By the events.
    pub replayed: Option<String>,
    /// By the documents.
    pub stored: Option<String>,
}

/// Where two tellings differ.
pub fn differences(replayed: &Facts, stored: &Facts) -> Vec<Difference> {
    let names: std::collections::BTreeSet<&String> = replayed.keys().chain(stored.keys()).collect();
    let compared = names.into_iter().map(|fact| Difference {
        fact: fact.clone(),
        replayed: replayed.get(fact).cloned(),
        stored: stored.get(fact).cloned(),
    });
    compared.filter(|difference| difference.replayed != difference.stored).collect()
}

fn spent(tokens: Tokens) -> String {
    format!("{}+{}", tokens.input, tokens.output)
}

/// The facts of a run by its documents.
pub fn stored(documents: &dyn Documents, id: &RunId) -> Result<Facts, ReadError> {
    let mut facts = Facts::new();
    let Some(run) = index::by_id(documents, id)? else { return Ok(facts) };
    let mut tell = |name: String, value: String| drop(facts.insert(name, value));
    tell("status".to_owned(), run.status.name().to_owned());
    tell("phase".to_owned(), run.phase.to_string());
    if run.paused_at.is_some() {
        tell("paused".to_owned(), "yes".to_owned());
    }
    for (number, completion) in (1..).zip(Completion::of_run(documents, &run)?) {
        let undone = if completion.rolled_back_at.is_some() { " rolled_back" } else { "" };
        tell(format!("completion {number}"), format!("{}{undone}", completion.at));
    }
    if let Some(budget) = run.budget {
        tell("budget".to_owned(), budget.tokens.to_string());
        for (name, at) in [("warned", budget.warned_at), ("exceeded", budget.exceeded_at)] {
            if at.is_some() {
                tell(format!("budget {name}"), "yes".to_owned());
            }
        }
    }
    for child in portfolio::children(documents, &run)? {
        tell(format!("child {child}"), "yes".to_owned());
    }
    for upstream in &run.after {
        tell(format!("after {upstream}"), "yes".to_owned());
    }
    let dispatches = dispatch::of_run(documents, &run)?;
    for dispatch in dispatches {
        let (status, tokens) = (dispatch.status.name(), spent(dispatch.tokens));
        tell(format!("dispatch {}", dispatch.id), format!("{} {status} {tokens}", dispatch.phase));
    }
    for member in index::all::<Member>(documents, &index::agents(&run.id))? {
        let status = member.status.name();
        tell(format!("agent {}", member.id), format!("{} {status}", member.phase));
    }
    stored_by_phase(documents, &run, &mut tell)?;
    Ok(facts)
}

fn stored_by_phase(
    documents: &dyn Documents,
    run: &Run,
    tell: &mut impl FnMut(String, String),
) -> Result<(), ReadError> {
    for (place, phase) in run.phases.names().iter().enumerate() {
        if skip::of(documents, run, place)?.is_some() {
            tell(format!("skip {phase}"), "yes".to_owned());
        }
        for artifact in index::all::<Artifact>(documents, &index::artifacts(run, place))? {
            let status = artifact.status.name();
            tell(format!("artifact {}", artifact.id), format!("{phase} {status}"));
        }
        for verdict in index::all::<Verdict>(documents, &index::verdicts(run, place))? {
            let status = verdict.status.name();
            tell(format!("verdict {}", verdict.id), format!("{phase} {status}"));
        }
    }
    Ok(())
}

/// The events of a run, followed from some state on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    run: RunId,
    /// What is true by now.
    pub facts: Facts,
    /// Events of the run so far.
    pub events: u64,
    /// Events that say something of the moment before them that was not so.
    pub faults: Vec<String>,
}

impl Replay {
    /// Begins with what is known to be true.
    pub fn from(run: RunId, facts: Facts) -> Replay {
        Replay { run, facts, events: 0, faults: Vec::new() }
    }

    /// Goes on from another state, as after a rollback of the whole ledger.
    pub fn restart(&mut self, facts: Facts) {
        self.facts = facts;
    }

    fn tell(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.facts.insert(name.into(), value.into());
    }

    /// Follows one event.
    pub fn follow(&mut self, event: &Event) {
        let Some(subject) = event.subject.as_deref() else { return };
        if event.kind == facts::RUN_CREATED && event.text("parent") == Some(self.run.as_str()) {
            self.tell(format!("child {subject}"), "yes");
        }
        if event.text("run") != Some(self.run.as_str()) {
            return;
        }
        self.events += 1;
        let text = |name: &str| event.text(name).unwrap_or("?").to_owned();
        match event.kind.as_str() {
            facts::RUN_CREATED => self.created(event),
            facts::RUN_CHANGED => self.changed(event),
            facts::RUN_ADVANCED => self.moved(event),
            facts::RUN_ROLLED_BACK => self.rolled_back(event),
            facts::RUN_PAUSED => self.tell("paused", "yes"),
            facts::RUN_COMPLETED => {
                let number = event.data.get("completion").and_then(Value::as_u64).unwrap_or(0);
                self.tell("status", "completed");
                self.tell(format!("completion {number}"), text("completed_at"));
            }
            facts::RUN_CANCELLED => self.ended("cancelled"),
            facts::RUN_FAILED => self.ended("failed"),
            facts::PHASE_SKIPPED => self.tell(format!("skip {}", text("phase")), "yes"),
            facts::PHASE_UNSKIPPED => {
                self.facts.remove(&format!("skip {}", text("phase")));
            }
            facts::ARTIFACT_ADDED => {
                self.tell(format!("artifact {subject}"), format!("{} active", text("phase")));
            }
            facts::VERDICT_ADDED => {
                self.tell(format!("verdict {subject}"), format!("{} active", text("phase")));
            }
            facts::AGENT_ADDED | facts::AGENT_FINISHED | facts::AGENT_FAILED => {
                let value = format!("{} {}", text("phase"), text("status"));
                self.tell(format!("agent {subject}"), value);
            }
            facts::DISPATCH_ADDED => self.dispatched(subject, event, None),
            facts::DISPATCH_UPDATED => {
                self.was(subject, event);
                self.dispatched(subject, event, None);
            }
            facts::DISPATCH_CANCELLED => {
                self.was(subject, event);
                self.dispatched(subject, event, Some("cancelled"));
            }
            facts::BUDGET_WARNED => self.tell("budget warned", "yes"),
            facts::BUDGET_EXCEEDED => self.tell("budget exceeded", "yes"),
            _ => {}
        }
    }

    fn created(&mut self, event: &Event) {
        self.facts.retain(|name, _| name.starts_with("child "));
        self.tell("status", "active");
        self.tell("phase", event.text("phase").unwrap_or("?"));
        if let Some(tokens) = event.data.get("budget").map(|budget| budget["tokens"].to_string()) {
            self.tell("budget", tokens);
        }
        self.waits_for(event);
    }

    fn waits_for(&mut self, event: &Event) {
        for upstream in event.data.get("after").and_then(Value::as_array).into_iter().flatten() {
            self.tell(format!("after {}", upstream.as_str().unwrap_or("?")), "yes");
        }
    }

    fn changed(&mut self, event: &Event) {
        if let Some(tokens) = event.data.get("budget") {
            self.tell("budget", tokens.to_string());
        }
        if event.data.get("manual") == Some(&Value::Bool(false)) {
            self.facts.remove("paused");
        }
        self.waits_for(event);
    }

    /// The run leaves the phase that the event says it was at.
    fn moved(&mut self, event: &Event) {
        let (from, to) = (event.text("from").unwrap_or("?"), event.text("to").unwrap_or("?"));
        let present = self.facts.get("phase").map_or("nowhere", String::as_str).to_owned();
        if present != from {
            self.faults.push(format!("{} from '{from}', but it was at '{present}'", event.kind));
        }
        self.tell("phase", to);
        self.facts.remove("paused");
    }

    fn rolled_back(&mut self, event: &Event) {
        self.moved(event);
        if self.facts.get("status").is_some_and(|status| status == "completed") {
            self.tell("status", "active");
            let number = event.data.get("completion").and_then(Value::as_u64).unwrap_or(0);
            if let Some(completion) = self.facts.get_mut(&format!("completion {number}")) {
                completion.push_str(" rolled_back");
            }
        }
        let phases = event.data.get("phases").and_then(Value::as_array).into_iter().flatten();
        let given_up: Vec<String> =
            phases.filter_map(|phase| Some(format!("{} active", phase.as_str()?))).collect();
        for (name, value) in &mut self.facts {
            let is_marked = name.starts_with("artifact ") || name.starts_with("verdict ");
            if is_marked && given_up.contains(value) {
                *value = value.replace(" active", " rolled_back");
            }
        }
    }

    fn ended(&mut self, how: &str) {
        if self.facts.get("status").is_none_or(|status| status != "active") {
            self.faults.push(format!("{how}, but it was not active"));
        }
        self.tell("status", how);
        self.facts.remove("paused");
    }

    /// A dispatch must have been what an event says it was.
    fn was(&mut self, subject: &str, event: &Event) {
        let told = self.facts.get(&format!("dispatch {subject}"));
        let present = told.and_then(|value| value.split(' ').nth(1)).unwrap_or("not there");
        let from = event.text("from").unwrap_or("?");
        if present != from {
            let kind = &event.kind;
            self.faults.push(format!("{kind} {subject} from {from}, but it was {present}"));
        }
    }

    fn dispatched(&mut self, subject: &str, event: &Event, status: Option<&str>) {
        let name = format!("dispatch {subject}");
        let before = self.facts.get(&name).and_then(|value| value.split(' ').nth(2));
        let tokens = match event.data.get("tokens") {
            Some(tokens) => format!("{}+{}", tokens["in"], tokens["out"]),
            None => before.unwrap_or("0+0").to_owned(),
        };
        let phase = event.text("phase").unwrap_or("?");
        let status = status.or_else(|| event.text("status")).unwrap_or("?");
        let value = format!("{phase} {status} {tokens}");
        self.tell(name, value);
    }
}

//! The state of a run, thing by thing, as its documents have it.
//!
//! A thing is a document without its place: `run`, `dispatch da...`, `visit draft 2`. Tallies are
//! not among them: [`laws`](super::laws) compares them with a count.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::core::documents::{Documents, ReadError};
use crate::core::run::agent::Member;
use crate::core::run::artifact::Artifact;
use crate::core::run::gates::{Gate, Source, gates_of};
use crate::core::run::names::RunId;
use crate::core::run::phase::Visit;
use crate::core::run::record::Record;
use crate::core::run::rollback::Completion;
use crate::core::run::rollback_record::RollbackRecord;
use crate::core::run::verdict::Verdict;
use crate::core::run::{Run, dependencies, dispatch, index, phase, record, skip};

/// The fields of one thing.
pub type Fields = Map<String, Value>;

/// The state of a run, by thing. A run that does not exist has no things.
pub type State = BTreeMap<String, Fields>;

/// The thing that is the run itself.
pub const RUN: &str = "run";

/// A field that the events and the documents have different values for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Difference {
    /// The thing and its field; for the run itself, the field alone.
    pub fact: String,
    /// The value by the events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replayed: Option<String>,
    /// The value by the documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stored: Option<String>,
}

/// Finds the differences of two states. An empty value equals a missing one.
pub fn differences(replayed: &State, stored: &State) -> Vec<Difference> {
    let things: BTreeSet<&String> = replayed.keys().chain(stored.keys()).collect();
    let mut found = Vec::new();
    for thing in things {
        match (replayed.get(thing), stored.get(thing)) {
            (Some(replayed), Some(stored)) => found.extend(of_thing(thing, replayed, stored)),
            (replayed, stored) => {
                let there = |side: Option<&Fields>| side.map(|_| "there".to_owned());
                let (replayed, stored) = (there(replayed), there(stored));
                found.push(Difference { fact: thing.clone(), replayed, stored });
            }
        }
    }
    found
}

fn of_thing(thing: &str, replayed: &Fields, stored: &Fields) -> Vec<Difference> {
    let fields: BTreeSet<&String> = replayed.keys().chain(stored.keys()).collect();
    let compared = fields.into_iter().filter_map(|field| {
        let side = |fields: &Fields| fields.get(field).and_then(without_nothing);
        let (replayed, stored) = (side(replayed), side(stored));
        let fact = if thing == RUN { field.clone() } else { format!("{thing} {field}") };
        let in_words = |value: Value| match value {
            Value::String(text) => text,
            other => other.to_string(),
        };
        (replayed != stored).then(|| Difference {
            fact,
            replayed: replayed.map(in_words),
            stored: stored.map(in_words),
        })
    });
    compared.collect()
}

/// Removes empty values: documents leave them out, and events may not.
fn without_nothing(value: &Value) -> Option<Value> {
    match value {
        Value::Null | Value::Bool(false) => None,
        Value::Number(number) if number.as_u64() == Some(0) => None,
        Value::Object(fields) => {
            let kept = fields.iter().filter_map(|(name, value)| {
                without_nothing(value).map(|value| (name.clone(), value))
            });
            let kept: Fields = kept.collect();
            (!kept.is_empty()).then_some(Value::Object(kept))
        }
        Value::Array(items) if items.is_empty() => None,
        Value::Array(items) => {
            Some(items.iter().map(|item| without_nothing(item).unwrap_or(Value::Null)).collect())
        }
        other => Some(other.clone()),
    }
}

fn fields(document: &impl Serialize) -> Fields {
    match serde_json::to_value(document) {
        Ok(Value::Object(fields)) => fields,
        _ => unreachable!("documents are objects"),
    }
}

/// Reads the state of a run from its documents.
pub fn stored(documents: &dyn Documents, id: &RunId) -> Result<State, ReadError> {
    let mut state = State::new();
    let Some(run) = index::by_id(documents, id)? else { return Ok(state) };
    state.insert(RUN.to_owned(), fields(&run));
    if run.gates_from != Source::Default {
        let gates: Vec<Gate> = gates_of(documents, &run)?;
        state.insert("gates".to_owned(), gates_as_fields(&gates));
    }
    for child in dependencies::children(documents, &run)? {
        state.insert(format!("child {child}"), Fields::new());
    }
    for (number, completion) in (1..).zip(Completion::of_run(documents, &run)?) {
        state.insert(format!("completion {number}"), fields(&completion));
    }
    for (number, rollback) in (1..).zip(RollbackRecord::of_run(documents, &run)?) {
        state.insert(format!("rollback {number}"), fields(&rollback));
    }
    for dispatch in dispatch::of_run(documents, &run)? {
        state.insert(format!("dispatch {}", dispatch.id), fields(&dispatch));
    }
    for member in index::all::<Member>(documents, &index::agents(&run.id))? {
        state.insert(format!("agent {}", member.id), fields(&member));
    }
    for place in 0..run.phases.names().len() {
        of_phase(documents, &run, place, &mut state)?;
    }
    Ok(state)
}

/// Gates as a thing, by the phase before each.
pub(super) fn gates_as_fields(gates: &impl Serialize) -> Fields {
    let listed = serde_json::to_value(gates).unwrap_or_default();
    let gates = listed.as_array().into_iter().flatten();
    gates.map(|gate| (gate["from"].as_str().unwrap_or("?").to_owned(), gate.clone())).collect()
}

fn of_phase(
    documents: &dyn Documents,
    run: &Run,
    place: usize,
    state: &mut State,
) -> Result<(), ReadError> {
    let phase = run.phases.at(place);
    if let Some(skip) = skip::of(documents, run, place)? {
        state.insert(format!("skip {phase}"), fields(&skip));
    }
    for artifact in index::all::<Artifact>(documents, &index::artifacts(run, place))? {
        state.insert(format!("artifact {}", artifact.id), fields(&artifact));
    }
    for verdict in index::all::<Verdict>(documents, &index::verdicts(run, place))? {
        state.insert(format!("verdict {}", verdict.id), fields(&verdict));
    }
    let visits: Vec<Visit> = index::all(documents, &phase::visits(run, place))?;
    for (number, visit) in (1..).zip(visits) {
        state.insert(format!("visit {phase} {number}"), fields(&visit));
    }
    let records: Vec<Record> = index::all(documents, &record::records(run, place))?;
    for (number, record) in (1..).zip(records) {
        state.insert(format!("gate {phase} {number}"), fields(&record));
    }
    Ok(())
}

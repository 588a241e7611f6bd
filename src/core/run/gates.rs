//! The origin of a run's gates: its own come before the repository's, and these before the default
//! ones.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::documents::{Documents, ReadError, read};
use crate::core::limits::GATE_RULES_MAX;
use crate::core::run::chain::Chain;
use crate::core::run::gate::{Check, Rule};
use crate::core::run::names::PhaseName;
use crate::core::run::{Run, index};
use crate::core::words::words;

/// The rules between two neighbouring phases. A gate without rules is open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gate {
    /// The phase before the gate.
    pub from: PhaseName,
    /// The phase behind the gate.
    pub to: PhaseName,
    /// The conditions for passing the gate.
    pub rules: Vec<Rule>,
}

words! {
    /// The origin of a run's gates.
    #[derive(Default)]
    pub enum Source {
        /// The default gates.
        #[default]
        Default = "default",
        /// The gates that the repository had when the run was created, and default ones where it
        /// had none.
        Repository = "repository",
        /// The gates that were given for this run.
        Run = "run",
    }
}

/// The reason why gates do not fit a chain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadGates {
    /// Two neighbouring phases without a gate.
    #[error("no gate from '{0}' to '{1}' is given; write one with \"rules\": [] for none")]
    Missing(PhaseName, PhaseName),
    /// A gate whose phases are not neighbours, or that is given twice.
    #[error("a gate from '{0}' to '{1}' is given, but these are no neighbours, or it stands twice")]
    Stranger(PhaseName, PhaseName),
    /// A rule about a phase that the chain does not have.
    #[error("a rule of the gate from '{0}' asks of '{1}', which is no phase of the run")]
    NoPhase(PhaseName, PhaseName),
    #[error("the gate from '{0}' has {1} rules; at most {GATE_RULES_MAX} are allowed")]
    TooMany(PhaseName, usize),
}

/// Checks that there is exactly one gate for every pair of neighbouring phases.
pub fn check_gates(gates: &[Gate], chain: &Chain) -> Result<(), BadGates> {
    let mut given: BTreeSet<(&PhaseName, &PhaseName)> = BTreeSet::new();
    for gate in gates {
        let Gate { from, to, .. } = gate;
        let follows =
            chain.place(from).is_some_and(|place| chain.names().get(place + 1) == Some(to));
        if !follows || !given.insert((from, to)) {
            return Err(BadGates::Stranger(from.clone(), to.clone()));
        }
        check_rules(gate, chain)?;
    }
    match chain.names().windows(2).find(|pair| !given.contains(&(&pair[0], &pair[1]))) {
        Some(pair) => Err(BadGates::Missing(pair[0].clone(), pair[1].clone())),
        None => Ok(()),
    }
}

fn check_rules(Gate { from, rules, .. }: &Gate, chain: &Chain) -> Result<(), BadGates> {
    if rules.len() > GATE_RULES_MAX {
        return Err(BadGates::TooMany(from.clone(), rules.len()));
    }
    let phases = rules.iter().filter_map(|rule| rule.phase.as_ref());
    match phases.into_iter().find(|phase| chain.place(phase).is_none()) {
        Some(phase) => Err(BadGates::NoPhase(from.clone(), phase.clone())),
        None => Ok(()),
    }
}

/// Returns the gates that a repository gives to a run of that chain, with default ones where it
/// gives none; `None` if it gives none at all. Its gates between other phases are for other runs.
pub fn of_repository(given: &[Gate], chain: &Chain) -> Result<Option<Vec<Gate>>, BadGates> {
    let mut gates = Vec::new();
    let mut is_used = false;
    for pair in chain.names().windows(2) {
        let mut fitting = given.iter().filter(|gate| gate.from == pair[0] && gate.to == pair[1]);
        let gate = fitting.next();
        if let Some(twice) = fitting.next() {
            return Err(BadGates::Stranger(twice.from.clone(), twice.to.clone()));
        }
        if let Some(gate) = gate {
            check_rules(gate, chain)?;
            is_used = true;
        }
        gates.push(gate.cloned().unwrap_or_else(|| usual(&pair[0], &pair[1])));
    }
    Ok(is_used.then_some(gates))
}

/// The rules between phases of the default chain.
const DEFAULT: [(&str, &str, Check); 7] = [
    ("brainstorm", "brainstorm-reviewed", Check::ArtifactExists),
    ("brainstorm-reviewed", "strategized", Check::ArtifactExists),
    ("strategized", "planned", Check::ArtifactExists),
    ("planned", "executing", Check::ArtifactExists),
    ("executing", "review", Check::AgentsComplete),
    ("review", "polish", Check::VerdictExists),
    ("reflect", "done", Check::ArtifactExists),
];

fn usual(from: &PhaseName, to: &PhaseName) -> Gate {
    let between = |(before, behind, _): &&(&str, &str, Check)| {
        (*before, *behind) == (from.as_str(), to.as_str())
    };
    let rule = |(_, _, check): &(&str, &str, Check)| Rule { check: *check, phase: None };
    let rules = DEFAULT.iter().filter(between).map(rule).collect();
    Gate { from: from.clone(), to: to.clone(), rules }
}

/// Returns the gates of a run. Every gate also has the rules that follow from the run itself: its
/// children, the runs that it waits for, and an enforced budget.
pub fn gates_of(documents: &dyn Documents, run: &Run) -> Result<Vec<Gate>, ReadError> {
    if run.gates_from != Source::Default {
        let key = index::gates(&run.id);
        return read(documents, &key)?.ok_or_else(|| ReadError::damaged(&key, "it is missing"));
    }
    Ok(run.phases.names().windows(2).map(|pair| usual(&pair[0], &pair[1])).collect())
}

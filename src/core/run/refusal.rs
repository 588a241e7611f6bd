//! Why a decision about a run said no.

use serde_json::{Map, Value, json};

use crate::core::ids::AgentName;
use crate::core::run::Status;
use crate::core::run::dispatch::{Cancelled, DispatchStatus};
use crate::core::run::gate::BadGates;
use crate::core::run::names::{DispatchId, IdPrefix, PhaseName, RunId};

/// A decision about a run that said no. Nothing was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No such run.
    #[error("no run '{0}'")]
    NoRun(IdPrefix),
    /// No such phase.
    #[error("run '{run}' has no phase '{phase}'; it goes through {}", listed(phases))]
    NoPhase {
        /// Which run.
        run: RunId,
        /// What was named.
        phase: PhaseName,
        /// What there is.
        phases: Vec<PhaseName>,
    },
    /// No such dispatch.
    #[error("run '{run}' has no dispatch '{dispatch}'")]
    NoDispatch {
        /// Which run.
        run: RunId,
        /// What was named.
        dispatch: IdPrefix,
    },
    /// No such agent.
    #[error("no agent '{agent}' works in run '{run}'")]
    NoAgent {
        /// Which run.
        run: RunId,
        /// What was named.
        agent: AgentName,
    },
    /// The beginning of several ids.
    #[error("'{prefix}' is the beginning of {} ids: {}", ids.len(), listed(ids))]
    Ambiguous {
        /// What was typed.
        prefix: String,
        /// What begins so.
        ids: Vec<String>,
    },
    /// Another run has that id.
    #[error("there is another run '{0}'")]
    Taken(RunId),
    /// Somebody was faster.
    #[error("phase changed: run '{run}' is at '{found}', not at '{expected}'")]
    PhaseChanged {
        /// Which run.
        run: RunId,
        /// What the asker saw.
        expected: PhaseName,
        /// What is there.
        found: PhaseName,
    },
    /// The run is over.
    #[error("run '{run}' is {}", status.name())]
    Over {
        /// Which run.
        run: RunId,
        /// How it stands.
        status: Status,
    },
    /// A phase that the run has reached or passed.
    #[error("run '{run}' is at '{at}': '{phase}' does not lie ahead")]
    NotAhead {
        /// Which run.
        run: RunId,
        /// Where it is.
        at: PhaseName,
        /// What was named.
        phase: PhaseName,
    },
    /// The last phase is where a run ends.
    #[error("'{0}' is the last phase and cannot be skipped")]
    Last(PhaseName),
    /// A phase that does not lie behind.
    #[error("run '{run}' is at '{at}': '{to}' does not lie behind")]
    NotBehind {
        /// Which run.
        run: RunId,
        /// Where it is.
        at: PhaseName,
        /// What was named.
        to: PhaseName,
    },
    /// Runs that would wait for each other.
    #[error("run '{waiting}' would wait for itself: {}", path.iter().map(RunId::to_string)
        .collect::<Vec<_>>().join(" waits for "))]
    Cycle {
        /// Who would.
        waiting: RunId,
        /// Who waits for whom.
        path: Vec<RunId>,
    },
    /// A dispatch that has come to its end.
    #[error("dispatch '{dispatch}' is {} and stays so", status.name())]
    DispatchOver {
        /// Which.
        dispatch: DispatchId,
        /// How it stands.
        status: DispatchStatus,
    },
    /// A dispatch that somebody else has ended.
    #[error("dispatch '{dispatch}' was {}: {}", cancelled.cause(), cancelled.because)]
    DispatchCancelled {
        /// Which.
        dispatch: DispatchId,
        /// Who, when and why.
        cancelled: Box<Cancelled>,
    },
    /// An agent that has finished.
    #[error("agent '{agent}' has finished in run '{run}' and stays so")]
    AgentOver {
        /// Which run.
        run: RunId,
        /// Who.
        agent: AgentName,
    },
    /// As many agents work in it as may.
    #[error("{max} agents work in run '{run}', and no more may")]
    TooManyAgents {
        /// Which run.
        run: RunId,
        /// How many may.
        max: u32,
    },
    /// A gate that is open needs no override.
    #[error("the gate before '{to}' is open; there is nothing to override")]
    GateOpen {
        /// Which run.
        run: RunId,
        /// What comes next.
        to: PhaseName,
    },
    /// Gates that do not fit the phases.
    #[error(transparent)]
    Gates(#[from] BadGates),
}

fn listed(things: &[impl ToString]) -> String {
    things.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

impl Refusal {
    /// Whether what was named is not there at all.
    pub fn is_absence(&self) -> bool {
        matches!(
            self,
            Refusal::NoRun(_)
                | Refusal::NoPhase { .. }
                | Refusal::NoDispatch { .. }
                | Refusal::NoAgent { .. }
        )
    }

    /// The word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Refusal::NoRun(_) => "no_run",
            Refusal::NoPhase { .. } => "no_phase",
            Refusal::NoDispatch { .. } => "no_dispatch",
            Refusal::NoAgent { .. } => "no_agent",
            Refusal::Ambiguous { .. } => "ambiguous",
            Refusal::Taken(_) => "id_taken",
            Refusal::PhaseChanged { .. } => "phase_changed",
            Refusal::Over { .. } => "run_over",
            Refusal::NotAhead { .. } => "not_ahead",
            Refusal::Last(_) => "last_phase",
            Refusal::NotBehind { .. } => "not_behind",
            Refusal::Cycle { .. } => "cycle",
            Refusal::DispatchOver { .. } => "dispatch_over",
            Refusal::DispatchCancelled { cancelled, .. } => cancelled.code(),
            Refusal::AgentOver { .. } => "agent_over",
            Refusal::TooManyAgents { .. } => "too_many",
            Refusal::GateOpen { .. } => "gate_open",
            Refusal::Gates(_) => "bad_gates",
        }
    }

    /// The run that it is about.
    pub fn run(&self) -> Option<&RunId> {
        match self {
            Refusal::Taken(run)
            | Refusal::NoPhase { run, .. }
            | Refusal::NoDispatch { run, .. }
            | Refusal::NoAgent { run, .. }
            | Refusal::PhaseChanged { run, .. }
            | Refusal::Over { run, .. }
            | Refusal::NotAhead { run, .. }
            | Refusal::NotBehind { run, .. }
            | Refusal::AgentOver { run, .. }
            | Refusal::TooManyAgents { run, .. }
            | Refusal::GateOpen { run, .. } => Some(run),
            _ => None,
        }
    }

    /// What programs want to know besides the code.
    pub fn details(&self) -> Map<String, Value> {
        let details = match self {
            Refusal::Ambiguous { prefix, ids } => json!({ "prefix": prefix, "ids": ids }),
            Refusal::PhaseChanged { run, expected, found } => {
                json!({ "run": run, "expected": expected, "found": found })
            }
            Refusal::Over { run, status } => json!({ "run": run, "status": status }),
            Refusal::NotAhead { run, at, phase } => {
                json!({ "run": run, "at": at, "phase": phase })
            }
            Refusal::NotBehind { run, at, to } => json!({ "run": run, "at": at, "to": to }),
            Refusal::Cycle { waiting, path } => json!({ "run": waiting, "path": path }),
            Refusal::DispatchOver { dispatch, status } => {
                json!({ "dispatch": dispatch, "status": status })
            }
            Refusal::DispatchCancelled { dispatch, cancelled } => {
                json!({ "dispatch": dispatch, "event": cancelled.event(dispatch) })
            }
            Refusal::TooManyAgents { run, max } => json!({ "run": run, "max": max }),
            _ => json!({}),
        };
        match details {
            Value::Object(details) => details,
            _ => Map::new(),
        }
    }
}

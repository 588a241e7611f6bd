//! The reasons why a decision about a run says no.

use serde_json::{Map, Value, json};

use crate::core::ids::AgentName;
use crate::core::limits::TOKENS_MAX;
use crate::core::run::dispatch::{Cancelled, DispatchStatus};
use crate::core::run::gates::BadGates;
use crate::core::run::names::{DispatchId, IdPrefix, PhaseName, RunId};
use crate::core::run::{Status, events};
use crate::core::text::Line;

/// A decision about a run that said no. Nothing was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("no run '{0}'")]
    NoRun(IdPrefix),
    #[error("run '{run}' has no phase '{phase}'; it goes through {}", listed(phases))]
    NoPhase { run: RunId, phase: PhaseName, phases: Vec<PhaseName> },
    #[error("run '{run}' has no dispatch '{dispatch}'")]
    NoDispatch { run: RunId, dispatch: IdPrefix },
    #[error("no agent '{agent}' works in run '{run}'")]
    NoAgent { run: RunId, agent: AgentName },
    /// A prefix that several ids begin with.
    #[error("'{prefix}' is the beginning of {} ids: {}", ids.len(), listed(ids))]
    Ambiguous { prefix: String, ids: Vec<String> },
    /// Another run has that id.
    #[error("there is another run '{0}'")]
    Taken(RunId),
    /// Another agent moved the run first.
    #[error("phase changed: run '{run}' is at '{found}', not at '{expected}'")]
    PhaseChanged {
        run: RunId,
        /// The phase that the asker saw.
        expected: PhaseName,
        /// The phase that the run is at.
        found: PhaseName,
    },
    #[error("run '{run}' is {}", status.name())]
    Over { run: RunId, status: Status },
    /// A phase that the run has reached or passed.
    #[error("run '{run}' is at '{at}': '{phase}' does not lie ahead")]
    NotAhead { run: RunId, at: PhaseName, phase: PhaseName },
    /// The last phase, which cannot be skipped because a run ends there.
    #[error("'{0}' is the last phase and cannot be skipped")]
    Last(PhaseName),
    /// A phase that does not lie behind.
    #[error("run '{run}' is at '{at}': '{to}' does not lie behind")]
    NotBehind { run: RunId, at: PhaseName, to: PhaseName },
    /// Runs that would wait for each other.
    #[error("run '{waiting}' would wait for itself: {}", path.iter().map(RunId::to_string)
        .collect::<Vec<_>>().join(" waits for "))]
    Cycle {
        waiting: RunId,
        /// The runs of the circle, each waiting for the next one.
        path: Vec<RunId>,
    },
    /// A dispatch that has ended.
    #[error("dispatch '{dispatch}' is {} and stays so", status.name())]
    DispatchOver { dispatch: DispatchId, status: DispatchStatus },
    /// A dispatch that somebody else has ended.
    #[error("dispatch '{dispatch}' was {}: {}", cancelled.cause(), cancelled.because)]
    DispatchCancelled {
        run: RunId,
        phase: PhaseName,
        dispatch: DispatchId,
        cancelled: Box<Cancelled>,
    },
    /// A dispatch that ended before its phase was rolled back.
    #[error("dispatch '{dispatch}' is of '{phase}' before it was rolled back: {because}")]
    DispatchGivenUp { dispatch: DispatchId, phase: PhaseName, because: Line },
    /// An artifact that names a dispatch of another phase.
    #[error("dispatch '{dispatch}' is of '{of}', and what it makes is not of '{phase}'")]
    OtherPhase {
        dispatch: DispatchId,
        /// The phase of the dispatch.
        of: PhaseName,
        phase: PhaseName,
    },
    /// A completed run that cannot go on, because its parent is over.
    #[error("run '{run}' is a part of '{parent}', which is {}", status.name())]
    PartOfOver {
        run: RunId,
        parent: RunId,
        /// The status of the parent.
        status: Status,
    },
    /// A sum of tokens that is too large to be counted.
    #[error("run '{run}' would have spent more than {TOKENS_MAX} tokens, which nobody can tell")]
    TooManyTokens { run: RunId },
    #[error("{what}: {count}, at most {max} are allowed")]
    TooMany { run: RunId, what: &'static str, count: usize, max: usize },
    #[error("agent '{agent}' has finished in run '{run}' and stays so")]
    AgentOver { run: RunId, agent: AgentName },
    /// A run in which as many agents work as may.
    #[error("{max} agents work in run '{run}', and no more may")]
    TooManyAgents { run: RunId, max: u32 },
    /// A setting of a budget that the run does not have.
    #[error("the run has no budget: add --budget")]
    NoBudget { run: RunId },
    /// An open gate, which needs no override.
    #[error("the gate before '{to}' is open; there is nothing to override")]
    GateOpen { run: RunId, to: PhaseName },
    #[error(transparent)]
    Gates(#[from] BadGates),
}

/// Refuses a count above its maximum.
pub fn within(run: &RunId, what: &'static str, count: usize, max: usize) -> Result<(), Refusal> {
    if count > max {
        return Err(Refusal::TooMany { run: run.clone(), what, count, max });
    }
    Ok(())
}

fn listed(things: &[impl ToString]) -> String {
    things.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

impl Refusal {
    /// Tells whether the named thing does not exist.
    pub fn is_absence(&self) -> bool {
        matches!(
            self,
            Refusal::NoRun(_)
                | Refusal::NoPhase { .. }
                | Refusal::NoDispatch { .. }
                | Refusal::NoAgent { .. }
        )
    }

    /// Returns the code of the refusal, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Refusal::NoRun(_) => "no_run",
            Refusal::NoPhase { .. } => "no_phase",
            Refusal::NoDispatch { .. } => "no_dispatch",
            Refusal::NoAgent { .. } => "no_agent",
            Refusal::Ambiguous { .. } => "ambiguous",
            Refusal::Taken(_) => "id_taken",
            Refusal::PhaseChanged { .. } => "phase_changed",
            Refusal::Over { .. } | Refusal::PartOfOver { .. } => "run_over",
            Refusal::NotAhead { .. } => "not_ahead",
            Refusal::Last(_) => "last_phase",
            Refusal::NotBehind { .. } => "not_behind",
            Refusal::Cycle { .. } => "cycle",
            Refusal::DispatchOver { .. } => "dispatch_over",
            Refusal::DispatchCancelled { cancelled, .. } => cancelled.code(),
            Refusal::DispatchGivenUp { .. } => "rolled_back",
            Refusal::OtherPhase { .. } => "other_phase",
            Refusal::AgentOver { .. } => "agent_over",
            Refusal::TooManyAgents { .. }
            | Refusal::TooManyTokens { .. }
            | Refusal::TooMany { .. } => "too_many",
            Refusal::NoBudget { .. } => "no_budget",
            Refusal::GateOpen { .. } => "gate_open",
            Refusal::Gates(_) => "bad_gates",
        }
    }

    /// Returns the run that the refusal is about.
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
            | Refusal::TooManyTokens { run }
            | Refusal::TooMany { run, .. }
            | Refusal::NoBudget { run }
            | Refusal::GateOpen { run, .. } => Some(run),
            Refusal::PartOfOver { parent, .. } => Some(parent),
            _ => None,
        }
    }

    /// Returns the details of the refusal, for programs.
    pub fn details(&self) -> Map<String, Value> {
        let details = match self {
            Refusal::NoRun(run) => json!({ "run": run }),
            Refusal::NoPhase { run, phase, phases } => {
                json!({ "run": run, "phase": phase, "phases": phases })
            }
            Refusal::NoDispatch { run, dispatch } => json!({ "run": run, "dispatch": dispatch }),
            Refusal::NoAgent { run, agent } => json!({ "run": run, "agent": agent }),
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
            Refusal::DispatchCancelled { run, phase, dispatch, cancelled } => {
                json!({ "dispatch": dispatch, "event": {
                    "type": events::DISPATCH_CANCELLED,
                    "at": cancelled.at,
                    "actor": cancelled.by,
                    "subject": dispatch,
                    "data": cancelled.data(run, phase),
                } })
            }
            Refusal::DispatchGivenUp { dispatch, phase, because } => {
                json!({ "dispatch": dispatch, "phase": phase, "because": because })
            }
            Refusal::OtherPhase { dispatch, of, phase } => {
                json!({ "dispatch": dispatch, "of": of, "phase": phase })
            }
            Refusal::PartOfOver { run, parent, status } => {
                json!({ "run": run, "parent": parent, "status": status })
            }
            Refusal::TooManyAgents { run, max } => json!({ "run": run, "max": max }),
            Refusal::TooManyTokens { run } => json!({ "run": run, "max": TOKENS_MAX }),
            Refusal::NoBudget { run } => json!({ "run": run }),
            Refusal::TooMany { run, count, max, .. } => {
                json!({ "run": run, "count": count, "max": max })
            }
            _ => json!({}),
        };
        match details {
            Value::Object(details) => details,
            _ => Map::new(),
        }
    }
}

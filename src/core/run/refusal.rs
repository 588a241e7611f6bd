//! Why a decision about a run said no.

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
        /// Of which run.
        run: RunId,
        /// Of which phase.
        phase: PhaseName,
        /// Which.
        dispatch: DispatchId,
        /// Who, when and why.
        cancelled: Box<Cancelled>,
    },
    /// A dispatch that was done before its phase was given up.
    #[error("dispatch '{dispatch}' is of '{phase}' before it was rolled back: {because}")]
    DispatchGivenUp {
        /// Which.
        dispatch: DispatchId,
        /// Of which phase.
        phase: PhaseName,
        /// Why that was rolled back.
        because: Line,
    },
    /// Something of a dispatch that is to be of another phase than the dispatch.
    #[error("dispatch '{dispatch}' is of '{of}', and what it makes is not of '{phase}'")]
    OtherPhase {
        /// Which.
        dispatch: DispatchId,
        /// Its phase.
        of: PhaseName,
        /// What was named.
        phase: PhaseName,
    },
    /// A part of a run that is over cannot go on.
    #[error("run '{run}' is a part of '{parent}', which is {}", status.name())]
    PartOfOver {
        /// Which run.
        run: RunId,
        /// What it is a part of.
        parent: RunId,
        /// How that stands.
        status: Status,
    },
    /// More than can be counted.
    #[error("run '{run}' would have spent more than {TOKENS_MAX} tokens, which nobody can tell")]
    TooManyTokens {
        /// Which run.
        run: RunId,
    },
    /// More than is allowed.
    #[error("{what}: {count}, at most {max} are allowed")]
    TooMany {
        /// Which run.
        run: RunId,
        /// Of what.
        what: &'static str,
        /// How many there would be.
        count: usize,
        /// How many there may be.
        max: usize,
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
    /// A setting of a budget that the run does not have.
    #[error("the run has no budget: add --budget")]
    NoBudget {
        /// Which run.
        run: RunId,
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

/// Refuses more than is allowed.
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
            | Refusal::TooManyTokens { run }
            | Refusal::TooMany { run, .. }
            | Refusal::NoBudget { run }
            | Refusal::GateOpen { run, .. } => Some(run),
            Refusal::PartOfOver { parent, .. } => Some(parent),
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

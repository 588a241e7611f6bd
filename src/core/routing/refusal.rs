//! Refusals of decisions about routing.

use crate::core::ids::AgentName;
use crate::core::routing::Block;
use crate::core::routing::names::{OverlayId, RoutedName};
use crate::core::time::Timestamp;

/// A decision about routing that said no. Nothing was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The agent must not be left out.
    #[error(
        "'{}' is blocked from being left out, by '{}': {}",
        .0.agent, .0.by, crate::core::text::shown(.0.reason.as_str())
    )]
    Blocked(Box<Block>),
    /// The agent reviews concerns of all changes.
    #[error("'{agent}' reviews what cuts across everything; leaving it out needs a confirmation")]
    CrossCutting { agent: RoutedName },
    #[error("nobody proposes to leave out '{agent}'")]
    NoProposal { agent: RoutedName },
    /// The agent is on trial, and a change would spoil the measurement.
    #[error("'{agent}' is on trial until {until}; a change now would spoil what is measured")]
    OnTrial { agent: RoutedName, until: Timestamp },
    /// The override was reverted while this was decided.
    #[error("the override of '{agent}' was taken back meanwhile")]
    Withdrawn { agent: RoutedName },
    /// The document is not the one that the caller saw.
    #[error("the {what} of '{agent}' is not the one that was seen")]
    NotAsSeen { what: &'static str, agent: RoutedName },
    /// The agent is not on trial.
    #[error("'{agent}' is not on trial")]
    NoTrial { agent: RoutedName },
    /// The trial has ended.
    #[error("the trial of '{agent}' ended at {ended}; it waits for its verdict")]
    TrialOver { agent: RoutedName, ended: Timestamp },
    /// The session began before the trial.
    #[error(
        "session '{}' began before the trial, at {opened} or earlier",
        crate::core::text::shown(session)
    )]
    SessionBefore {
        session: String,
        /// The time at which the trial began.
        opened: Timestamp,
    },
    /// The session has no evidence to compute metrics from.
    #[error("session '{session}' has no evidence to take numbers from; give all three")]
    NoNumbers { session: String },
    /// The agent has no such overlay.
    #[error("'{agent}' has no overlay '{id}'")]
    NoOverlay { agent: RoutedName, id: OverlayId },
    /// Another agent wrote the overlay of that name.
    #[error("'{by}' wrote the overlay '{id}' of '{agent}', and its text would be lost")]
    OverlayOfAnother {
        agent: RoutedName,
        id: OverlayId,
        /// The author of the overlay.
        by: AgentName,
    },
    /// The overlays of an agent would cost too many tokens.
    #[error("the overlays of '{agent}' would cost {tokens} tokens; at most {max} are allowed")]
    OverBudget {
        agent: RoutedName,
        /// The cost with this one.
        tokens: u64,
        max: u64,
    },
    /// A program may not do this by itself.
    #[error("'{by}' may not do this by itself: {why}")]
    NotAutomatic { by: AgentName, why: AutonomyLimit },
}

/// A limit that keeps a program from acting by itself.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AutonomyLimit {
    /// Nobody switched autonomy on.
    #[error("autonomy is off")]
    Off,
    /// Only people change the text for an agent.
    #[error("what an agent is told is changed by people only")]
    Overlay,
    /// Only people leave out an agent that reviews concerns of all changes.
    #[error("agents that review what cuts across everything are left out by people only")]
    CrossCutting,
    /// The overrides of too many agents were reverted.
    #[error("{tripped} of {all} agents were taken back too often; autonomy is to be off")]
    SystemBreaker {
        /// The number of agents whose breaker has tripped.
        tripped: usize,
        /// The number of agents with a record.
        all: usize,
    },
    /// The override of the agent was reverted too often.
    #[error("it was taken back {reverts} times in {days} days")]
    Breaker { reverts: u64, days: u64 },
    /// Programs made too many changes lately.
    #[error("{changes} changes were made by programs in the last {hours} hours")]
    Rate { changes: u64, hours: u64 },
    /// There is evidence of too few sessions.
    #[error("there is evidence of {found} sessions; {needed} are needed")]
    Sessions { found: u64, needed: u64 },
    /// The evidence does not make the agent eligible.
    #[error("the evidence says {0}")]
    NotEligible(String),
}

impl Refusal {
    /// Returns the word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Refusal::Blocked(_) => "blocked",
            Refusal::CrossCutting { .. } => "cross_cutting",
            Refusal::NoProposal { .. } => "no_proposal",
            Refusal::OnTrial { .. } => "on_trial",
            Refusal::Withdrawn { .. } => "withdrawn",
            Refusal::NotAsSeen { .. } => "not_as_seen",
            Refusal::NoTrial { .. } => "no_trial",
            Refusal::TrialOver { .. } => "trial_over",
            Refusal::SessionBefore { .. } => "session_before",
            Refusal::NoNumbers { .. } => "no_numbers",
            Refusal::NoOverlay { .. } => "no_overlay",
            Refusal::OverlayOfAnother { .. } => "overlay_of_another",
            Refusal::OverBudget { .. } => "over_budget",
            Refusal::NotAutomatic { why, .. } => match why {
                AutonomyLimit::Off => "autonomy_off",
                AutonomyLimit::Overlay | AutonomyLimit::CrossCutting => "never_automatic",
                AutonomyLimit::SystemBreaker { .. } => "system_breaker",
                AutonomyLimit::Breaker { .. } => "circuit_breaker",
                AutonomyLimit::Rate { .. } => "rate_limit",
                AutonomyLimit::Sessions { .. } => "too_few_sessions",
                AutonomyLimit::NotEligible(_) => "not_eligible",
            },
        }
    }

    /// Tells whether the refusal is that something does not exist.
    pub fn is_absence(&self) -> bool {
        matches!(
            self,
            Refusal::NoProposal { .. } | Refusal::NoTrial { .. } | Refusal::NoOverlay { .. }
        )
    }
}

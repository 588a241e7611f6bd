//! Why a decision about routing said no.

use crate::core::ids::AgentName;
use crate::core::routing::Block;
use crate::core::routing::names::{OverlayId, RoutedName};
use crate::core::time::Timestamp;

/// A decision about routing that said no. Nothing was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The agent is not to be left out.
    #[error(
        "'{}' is blocked from being left out, by '{}': {}",
        .0.agent, .0.by, crate::core::text::shown(.0.reason.as_str())
    )]
    Blocked(Box<Block>),
    /// The agent looks at what every change touches.
    #[error("'{agent}' reviews what cuts across everything; leaving it out needs a confirmation")]
    CrossCutting {
        /// Which.
        agent: RoutedName,
    },
    /// Nobody proposed it.
    #[error("nobody proposes to leave out '{agent}'")]
    NoProposal {
        /// Which.
        agent: RoutedName,
    },
    /// The agent is on trial, and a change would spoil what is measured.
    #[error("'{agent}' is on trial until {until}; a change now would spoil what is measured")]
    OnTrial {
        /// Which.
        agent: RoutedName,
        /// At the latest.
        until: Timestamp,
    },
    /// Somebody took it back while this was decided.
    #[error("the override of '{agent}' was taken back meanwhile")]
    Withdrawn {
        /// Which.
        agent: RoutedName,
    },
    /// There is no trial to be sampled.
    #[error("'{agent}' is not on trial")]
    NoTrial {
        /// Which.
        agent: RoutedName,
    },
    /// The time of the trial is over.
    #[error("the trial of '{agent}' ended at {ended}; it waits for its verdict")]
    TrialOver {
        /// Which.
        agent: RoutedName,
        /// When.
        ended: Timestamp,
    },
    /// The session belongs to what was before the trial.
    #[error(
        "session '{}' began before the trial, at {opened} or earlier",
        crate::core::text::shown(session)
    )]
    SessionBefore {
        /// Which.
        session: String,
        /// When the trial began.
        opened: Timestamp,
    },
    /// There is no evidence to take numbers from.
    #[error("session '{session}' has no evidence to take numbers from; give all three")]
    NoNumbers {
        /// Which.
        session: String,
    },
    /// No such overlay.
    #[error("'{agent}' has no overlay '{id}'")]
    NoOverlay {
        /// Of which agent.
        agent: RoutedName,
        /// Which.
        id: OverlayId,
    },
    /// The overlays of an agent cost too much.
    #[error("the overlays of '{agent}' would cost {tokens} tokens; at most {max} are allowed")]
    OverBudget {
        /// Of which agent.
        agent: RoutedName,
        /// With this one.
        tokens: u64,
        /// The budget.
        max: u64,
    },
    /// A program may not do it by itself.
    #[error("'{by}' may not do this by itself: {why}")]
    NotAutomatic {
        /// Who asked.
        by: AgentName,
        /// What stands in the way, and its word.
        why: Bar,
    },
}

/// What keeps a program from acting by itself.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Bar {
    /// Nobody allowed it.
    #[error("autonomy is off")]
    Off,
    /// What an agent is told is a person's to change.
    #[error("what an agent is told is changed by people only")]
    Overlay,
    /// So is whether something that cuts across everything is reviewed.
    #[error("agents that review what cuts across everything are left out by people only")]
    CrossCutting,
    /// Too many agents had to be brought back.
    #[error("{tripped} of {all} agents were taken back too often; autonomy is to be off")]
    SystemBreaker {
        /// How many.
        tripped: usize,
        /// Of how many.
        all: usize,
    },
    /// The agent had to be brought back too often.
    #[error("it was taken back {reverts} times in {days} days")]
    Breaker {
        /// How often.
        reverts: u64,
        /// In how many days.
        days: u64,
    },
    /// Too many changes lately.
    #[error("{changes} changes were made by programs in the last {hours} hours")]
    Rate {
        /// How many.
        changes: u64,
        /// In how many hours.
        hours: u64,
    },
    /// Too little is known.
    #[error("there is evidence of {found} sessions; {needed} are needed")]
    Sessions {
        /// How many.
        found: u64,
        /// Of how many.
        needed: u64,
    },
    /// The evidence does not say so.
    #[error("the evidence says {0}")]
    NotEligible(String),
}

impl Refusal {
    /// The word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Refusal::Blocked(_) => "blocked",
            Refusal::CrossCutting { .. } => "cross_cutting",
            Refusal::NoProposal { .. } => "no_proposal",
            Refusal::OnTrial { .. } => "on_trial",
            Refusal::Withdrawn { .. } => "withdrawn",
            Refusal::NoTrial { .. } => "no_trial",
            Refusal::TrialOver { .. } => "trial_over",
            Refusal::SessionBefore { .. } => "session_before",
            Refusal::NoNumbers { .. } => "no_numbers",
            Refusal::NoOverlay { .. } => "no_overlay",
            Refusal::OverBudget { .. } => "over_budget",
            Refusal::NotAutomatic { why, .. } => match why {
                Bar::Off => "autonomy_off",
                Bar::Overlay | Bar::CrossCutting => "never_automatic",
                Bar::SystemBreaker { .. } => "system_breaker",
                Bar::Breaker { .. } => "circuit_breaker",
                Bar::Rate { .. } => "rate_limit",
                Bar::Sessions { .. } => "too_few_sessions",
                Bar::NotEligible(_) => "not_eligible",
            },
        }
    }

    /// Whether what was named is not there, rather than in the way.
    pub fn is_absence(&self) -> bool {
        matches!(
            self,
            Refusal::NoProposal { .. } | Refusal::NoTrial { .. } | Refusal::NoOverlay { .. }
        )
    }
}

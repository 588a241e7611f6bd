//! Why a request did not come to its outcome. The doors turn this into text, JSON or a verdict.

use crate::app::presence::Sightings;
use crate::core::decision::No;
use crate::core::documents::ReadError;
use crate::core::pattern::PatternError;
use crate::core::refusal::{Conflict, Refusal};
use crate::core::reservation::tickets::Ticket;
use crate::core::text::BadText;
use crate::core::time::Timestamp;
use crate::store::error::StoreError;
use crate::store::layout::NoSuchLedger;
use crate::store::ledger::transact::TransactError;
use crate::store::os::files::FileError;

/// Anything that is not an outcome.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// The request makes no sense; nothing was read or written.
    #[error("{0}")]
    Usage(String),
    /// The decision was no.
    #[error(transparent)]
    Refused(Refusal),
    /// Somebody else holds what was asked for; with what is known of them.
    #[error("held by another")]
    Held {
        /// Each request with each hold that stands in its way.
        conflicts: Vec<Conflict>,
        /// Who waits for the same and goes first.
        before: Vec<Ticket>,
        /// When that was so.
        at: Timestamp,
        /// What is known of the holders.
        sightings: Box<Sightings>,
    },
    /// What was asked for does not exist.
    #[error("{0}")]
    Nothing(String),
    /// Others were writing all the time.
    #[error("{0}")]
    Busy(String),
    /// A signal of this number came before the outcome.
    #[error("interrupted by signal {0}")]
    Interrupted(i32),
    /// Something failed.
    #[error(transparent)]
    Failed(Box<dyn std::error::Error + Send + Sync>),
}

/// An error with the chain of its causes, in git's style: `cannot x: because y: because z`.
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        // Transparent wrappers repeat what they wrap.
        if !message.ends_with(&text) {
            message.push_str(": ");
            message.push_str(&text);
        }
        cause = error.source();
    }
    message
}

impl From<PatternError> for AppError {
    fn from(error: PatternError) -> AppError {
        AppError::Usage(error.to_string())
    }
}

impl From<BadText> for AppError {
    fn from(error: BadText) -> AppError {
        AppError::Usage(error.to_string())
    }
}

impl From<NoSuchLedger> for AppError {
    fn from(error: NoSuchLedger) -> AppError {
        AppError::Usage(error.to_string())
    }
}

impl From<ReadError> for AppError {
    fn from(error: ReadError) -> AppError {
        AppError::Failed(Box::new(error))
    }
}

impl From<StoreError> for AppError {
    fn from(error: StoreError) -> AppError {
        AppError::Failed(Box::new(error))
    }
}

impl AppError {
    /// A file operation failed.
    pub fn files(error: FileError) -> AppError {
        StoreError::from(error).into()
    }
}

/// What is not there is told in another way than what is refused.
impl From<Refusal> for AppError {
    fn from(refusal: Refusal) -> AppError {
        match &refusal {
            Refusal::NothingThere { .. } => AppError::Nothing(refusal.to_string()),
            Refusal::Run(of_run) if of_run.is_absence() => AppError::Nothing(refusal.to_string()),
            Refusal::Routing(refused) if refused.is_nothing_there() => {
                AppError::Nothing(refusal.to_string())
            }
            Refusal::Dispute(dispute) if dispute.is_absence() => {
                AppError::Nothing(refusal.to_string())
            }
            _ => AppError::Refused(refusal),
        }
    }
}

impl From<No> for AppError {
    fn from(no: No) -> AppError {
        match no {
            No::Refused(refusal) => refusal.into(),
            No::Unreadable(error) => error.into(),
        }
    }
}

impl From<TransactError> for AppError {
    fn from(error: TransactError) -> AppError {
        match error {
            TransactError::Refused(refusal) => refusal.into(),
            TransactError::Unreadable(error) => error.into(),
            busy @ TransactError::Busy { .. } => AppError::Busy(busy.to_string()),
            TransactError::Store(error) => error.into(),
        }
    }
}

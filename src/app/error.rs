//! The reasons why a request has no answer. The doors turn them into text, JSON or a verdict.

use crate::app::config::SettingError;
use crate::app::identity::IdentityError;
use crate::app::presence::HolderLiveness;
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

/// A request without an answer.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// The request makes no sense; nothing was read or written.
    #[error("{0}")]
    Usage(String),
    /// The decision was no.
    #[error(transparent)]
    Refused(Refusal),
    /// Another agent holds a target of the request.
    #[error("held by another")]
    Held {
        /// Each target with each reservation that stands in its way.
        conflicts: Vec<Conflict>,
        /// The waiters for the same targets that go first.
        before: Vec<Ticket>,
        at: Timestamp,
        liveness: Box<HolderLiveness>,
    },
    /// The request names something that does not exist.
    #[error("{0}")]
    Nothing(Missing),
    /// The decision found that something does not exist.
    #[error(transparent)]
    Absent(Refusal),
    /// Others kept writing.
    #[error("{0}")]
    Busy(String),
    /// The signal of this number ended the request.
    #[error("interrupted by signal {0}")]
    Interrupted(i32),
    /// A setting has a value that does not fit.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A document has content that no decision writes.
    #[error(transparent)]
    Unreadable(ReadError),
    /// Something else failed.
    #[error(transparent)]
    Failed(Box<dyn std::error::Error + Send + Sync>),
}

/// Something that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Missing {
    /// The word that programs go by.
    pub code: &'static str,
    pub message: String,
}

/// Writes an error with the chain of its causes, in git's style: `cannot x: because y: because z`.
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

impl From<IdentityError> for AppError {
    fn from(error: IdentityError) -> AppError {
        AppError::Usage(with_causes(&error))
    }
}

impl From<NoSuchLedger> for AppError {
    fn from(error: NoSuchLedger) -> AppError {
        AppError::Usage(error.to_string())
    }
}

impl From<ReadError> for AppError {
    fn from(error: ReadError) -> AppError {
        match error {
            // `core` reads through a trait and cannot name the error of the store behind it.
            ReadError::Store(error) => error
                .downcast::<StoreError>()
                .map_or_else(AppError::Failed, |error| AppError::Store(*error)),
            damaged @ ReadError::Damaged { .. } => AppError::Unreadable(damaged),
        }
    }
}

impl AppError {
    /// Wraps the failure of a file operation.
    pub fn files(error: FileError) -> AppError {
        StoreError::from(error).into()
    }

    /// Rejects a request that makes no sense.
    pub fn usage(message: impl Into<String>) -> AppError {
        AppError::Usage(message.into())
    }

    /// Reports that something does not exist.
    pub fn nothing(code: &'static str, message: impl Into<String>) -> AppError {
        AppError::Nothing(Missing { code, message: message.into() })
    }

    /// Tells whether the request names something that does not exist.
    pub fn is_absence(&self) -> bool {
        matches!(self, AppError::Nothing(_) | AppError::Absent(_))
    }

    /// Tells whether a ledger is damaged. A newer format and an unreadable disk are no damage.
    pub fn is_damage(&self) -> bool {
        match self {
            AppError::Unreadable(_) => true,
            AppError::Store(error) => error.is_damage(),
            _ => false,
        }
    }

    /// Tells whether a ledger has no state to read: it is damaged, or of a newer format.
    pub fn is_no_state(&self) -> bool {
        matches!(self, AppError::Store(StoreError::NewerFormat { .. })) || self.is_damage()
    }

    /// Tells whether something failed, so that there is no answer at all.
    pub fn is_failure(&self) -> bool {
        matches!(
            self,
            AppError::Setting(_)
                | AppError::Store(_)
                | AppError::Unreadable(_)
                | AppError::Failed(_)
        )
    }

    /// Tells whether another try may succeed: nothing was decided.
    pub fn is_undecided(&self) -> bool {
        matches!(self, AppError::Busy(_)) || self.is_failure()
    }
}

/// Tells an absence from a refusal: they have different exit codes.
impl From<Refusal> for AppError {
    fn from(refusal: Refusal) -> AppError {
        let is_absence = match &refusal {
            Refusal::NothingThere { .. } => true,
            Refusal::Run(refusal) => refusal.is_absence(),
            Refusal::Routing(refusal) => refusal.is_absence(),
            Refusal::Dispute(dispute) => dispute.is_absence(),
            _ => false,
        };
        if is_absence { AppError::Absent(refusal) } else { AppError::Refused(refusal) }
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

//! Refusals of decisions about domains.

/// A decision about domains that said no. Nothing was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Another detection has ended since this one read the tree.
    #[error("this detection is out of date: another one has ended since it began")]
    OutOfDate,
    /// The ledger has no classification.
    #[error("no classification is recorded")]
    NotClassified,
}

impl Refusal {
    /// Returns the word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Refusal::OutOfDate => "out_of_date",
            Refusal::NotClassified => "not_classified",
        }
    }
}

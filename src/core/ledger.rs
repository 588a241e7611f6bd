//! Which ledgers there are. Where they are kept is [`layout`]'s to say.
//!
//! [`layout`]: crate::store::layout

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

/// A ledger: a state, and every decision that led to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LedgerName {
    /// Reservations.
    Reservations,
    /// Routing overrides.
    Overrides,
    /// What kind of project this is, and the agents made for it.
    Domains,
    /// Runs.
    Runs,
}

impl LedgerName {
    /// Every ledger.
    pub const ALL: [LedgerName; 4] =
        [LedgerName::Reservations, LedgerName::Overrides, LedgerName::Domains, LedgerName::Runs];

    /// The word for people and programs.
    pub fn as_str(self) -> &'static str {
        match self {
            LedgerName::Reservations => "reservations",
            LedgerName::Overrides => "overrides",
            LedgerName::Domains => "domains",
            LedgerName::Runs => "runs",
        }
    }
}

impl fmt::Display for LedgerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

//! The names of the ledgers. [`layout`] knows where they are kept.
//!
//! [`layout`]: crate::store::layout

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

/// A ledger: a state, and every decision that led to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LedgerName {
    /// Holds, tickets, and the threads about them.
    Reservations,
    /// Routing overrides.
    Overrides,
    /// The kind of project, and the agents that were generated for it.
    Domains,
    /// Runs, and everything that belongs to them.
    Runs,
}

impl LedgerName {
    pub const ALL: [LedgerName; 4] =
        [LedgerName::Reservations, LedgerName::Overrides, LedgerName::Domains, LedgerName::Runs];

    /// Returns the word for people and programs.
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

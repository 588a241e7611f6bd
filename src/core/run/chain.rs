//! The phases of a run, in order.

use std::collections::BTreeSet;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::limits::PHASES_MAX;
use crate::core::run::names::{NotAPhase, PhaseName};

/// The phases of a run that names none.
pub const DEFAULT: [&str; 9] = [
    "brainstorm",
    "brainstorm-reviewed",
    "strategized",
    "planned",
    "executing",
    "review",
    "polish",
    "reflect",
    "done",
];

/// Two or more different phases. A run begins in the first and is completed in the last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Vec<PhaseName>", into = "Vec<PhaseName>")]
pub struct Chain(Vec<PhaseName>);

/// The reason why phases are not a chain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAChain {
    /// A run needs a phase to begin in and one to end in.
    #[error("a run has 2 to {PHASES_MAX} phases, not {0}")]
    Length(usize),
    #[error("the phase '{0}' stands twice")]
    Twice(PhaseName),
    #[error(transparent)]
    Name(#[from] NotAPhase),
}

impl Chain {
    pub fn names(&self) -> &[PhaseName] {
        &self.0
    }

    pub fn at(&self, place: usize) -> &PhaseName {
        &self.0[place]
    }

    /// Returns the place of a phase.
    pub fn place(&self, phase: &PhaseName) -> Option<usize> {
        self.0.iter().position(|name| name == phase)
    }

    /// Returns the place of the last phase.
    pub fn last(&self) -> usize {
        self.0.len() - 1
    }
}

impl Default for Chain {
    fn default() -> Chain {
        let name = |text: &&str| text.parse().expect("the default phases are phases");
        Chain(DEFAULT.iter().map(name).collect())
    }
}

impl TryFrom<Vec<PhaseName>> for Chain {
    type Error = NotAChain;

    fn try_from(names: Vec<PhaseName>) -> Result<Self, Self::Error> {
        if !(2..=PHASES_MAX).contains(&names.len()) {
            return Err(NotAChain::Length(names.len()));
        }
        let mut seen = BTreeSet::new();
        match names.iter().find(|name| !seen.insert(*name)) {
            Some(name) => Err(NotAChain::Twice(name.clone())),
            None => Ok(Chain(names)),
        }
    }
}

impl From<Chain> for Vec<PhaseName> {
    fn from(chain: Chain) -> Vec<PhaseName> {
        chain.0
    }
}

/// Parses a chain such as `draft,review,done`.
impl FromStr for Chain {
    type Err = NotAChain;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let names: Result<Vec<PhaseName>, NotAPhase> = text.split(',').map(str::parse).collect();
        Chain::try_from(names?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_are_of_two_and_more_different_phases() {
        let chain: Chain = "draft,review,done".parse().unwrap();
        assert_eq!((chain.at(1).as_str(), chain.last()), ("review", 2));
        for bad in ["", "one", "a,", "a,b,a", "a b,c", "a,b/c", "a,\u{202e}"] {
            assert!(bad.parse::<Chain>().is_err(), "{bad:?}");
        }
        let many = (0..=PHASES_MAX).map(|number| format!("p{number}")).collect::<Vec<_>>();
        assert!(many.join(",").parse::<Chain>().is_err());
        assert_eq!(Chain::default().names().len(), 9);
    }
}

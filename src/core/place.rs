//! The place that an asker works in: one clone of the repository.
//!
//! Each clone has a random id. Two clones share neither their worktrees, even if these have the
//! same name, nor the processes that they know, even if their hosts have the same name.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::ids::{BadId, HoldId, id_text, text_conversions};

/// The id of a clone.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
pub struct Place(String);

text_conversions!(Place);

impl Place {
    /// Makes an id of random bits.
    pub fn from_bits(bits: u64) -> Place {
        Place(id_text(bits))
    }
}

impl FromStr for Place {
    type Err = BadId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse::<HoldId>().map(|id| Place(id.into()))
    }
}

/// Tells whether two places are known to differ. Holds of earlier versions do not tell their place.
pub fn are_apart(one: Option<&Place>, other: Option<&Place>) -> bool {
    one.zip(other).is_some_and(|(one, other)| one != other)
}

/// The asker's place, and how far clocks of two places may differ. A hold of another place ends by
/// another clock, so it counts for that much longer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skew<'a> {
    /// The clone that the asker works in, if it is known.
    pub place: Option<&'a Place>,
    pub tolerance_seconds: u64,
}

impl Skew<'_> {
    /// Tells by how many seconds a clock of this place may be ahead of that of the other.
    pub fn against(&self, other: Option<&Place>) -> u64 {
        if are_apart(self.place, other) { self.tolerance_seconds } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_place_is_apart_from_none() {
        let (here, there) = (Place::from_bits(1), Place::from_bits(2));
        assert!(are_apart(Some(&here), Some(&there)));
        assert!(!are_apart(Some(&here), Some(&here)));
        assert!(!are_apart(Some(&here), None) && !are_apart(None, Some(&there)));
        assert_eq!(here.to_string().parse(), Ok(here));
    }
}

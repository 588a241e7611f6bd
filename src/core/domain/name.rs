//! Names of domains and of the agents that are generated for them.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::ids::text_conversions;

/// Most bytes of a name.
const LENGTH_MAX: usize = 64;

/// A small letter, then small letters, digits and `-`: fit for a file name everywhere.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
pub struct Name(String);

text_conversions!(Name);

/// Text that cannot be such a name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{}' is not a name: a small letter, then up to {} of small letters, digits and '-'",
    .0.chars().take(80).collect::<String>().escape_debug(), LENGTH_MAX - 1
)]
pub struct BadName(String);

impl FromStr for Name {
    type Err = BadName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_one = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let begins_well = text.starts_with(|first: char| first.is_ascii_lowercase());
        if begins_well && text.len() <= LENGTH_MAX && text.bytes().all(is_one) {
            Ok(Name(text.to_owned()))
        } else {
            Err(BadName(text.to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_fit_for_files() {
        for good in ["web-api", "x", "a1", "fd-safety"] {
            assert_eq!(good.parse::<Name>().unwrap().as_str(), good);
        }
        let long = "a".repeat(65);
        for bad in ["", "Web", "-x", "1a", "a_b", "a/b", "..", "a.md", "ä", "a\n", long.as_str()] {
            assert!(bad.parse::<Name>().is_err(), "{bad:?}");
        }
    }
}

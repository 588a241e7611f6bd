//! The names in this ledger. Each is its own type, checked when it is made and when it is read.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::core::ids::{Derived, HoldId, OpId, text_conversions};
use crate::core::limits::AGENT_CHARS_MAX;
use crate::core::routing::text::Note;
use crate::core::text::BadText;

/// Text that cannot be the name that it was given as.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{}' is not {what}", crate::core::text::shown(text))]
pub struct BadName {
    /// The text, truncated.
    pub text: String,
    /// The kind of name that was expected.
    pub what: &'static str,
}

fn bad(text: &str, what: &'static str) -> BadName {
    const SHOWN_MAX: usize = 80;
    BadName { text: text.chars().take(SHOWN_MAX).collect(), what }
}

/// Defines a name type over one alphabet, whose first character is from a smaller one.
macro_rules! plain_name {
    ($(#[$about:meta])* $name:ident, $first:expr, $rest:expr, $what:literal) => {
        $(#[$about])*
        #[derive(
            Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
        )]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        text_conversions!($name);

        impl FromStr for $name {
            type Err = BadName;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let fits = text.starts_with($first)
                    && text.len() <= AGENT_CHARS_MAX
                    && text.chars().all($rest);
                if fits { Ok($name(text.to_owned())) } else { Err(bad(text, $what)) }
            }
        }
    };
}

fn is_lower(letter: char) -> bool {
    letter.is_ascii_lowercase()
}

fn is_lower_or_digit(letter: char) -> bool {
    letter.is_ascii_lowercase() || letter.is_ascii_digit()
}

fn is_name_letter(letter: char) -> bool {
    is_lower_or_digit(letter) || letter == '-'
}

fn is_word_letter(letter: char) -> bool {
    is_name_letter(letter) || letter == '_'
}

plain_name!(
    /// A review agent that a router sends work to.
    RoutedName,
    is_lower,
    is_name_letter,
    "the name of a routed agent: a-z, then up to 63 of a-z, 0-9 and -"
);

plain_name!(
    /// An overlay of an agent.
    OverlayId,
    is_lower_or_digit,
    is_name_letter,
    "the name of an overlay: a-z or 0-9, then up to 63 of a-z, 0-9 and -"
);

plain_name!(
    /// A word out of an open list: an event, a reason, the decider of an override.
    Word,
    is_lower,
    is_word_letter,
    "a word: a-z, then up to 63 of a-z, 0-9, _ and -"
);

impl Word {
    /// The word for a person who decides.
    pub const HUMAN: &'static str = "human";

    /// Tells whether a person decided; everything else acts by itself.
    pub fn is_human(&self) -> bool {
        self.0 == Word::HUMAN
    }
}

impl RoutedName {
    /// Strips these prefixes from a name, as often as it has one, always the longest.
    pub fn without_prefixes(prefixes: &[String], text: &str) -> Result<RoutedName, BadName> {
        let mut rest = text;
        while let Some(behind) = prefixes
            .iter()
            .filter(|prefix| !prefix.is_empty())
            .filter_map(|prefix| rest.strip_prefix(prefix.as_str()))
            .min_by_key(|behind| behind.len())
        {
            rest = behind;
        }
        rest.parse().map_err(|BadName { what, .. }| bad(text, what))
    }
}

/// The id of a record: a modification and its canary, a row of evidence.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct RecordId(HoldId);

impl RecordId {
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl Derived for RecordId {
    fn derive(op: &OpId, counter: u64) -> RecordId {
        RecordId(HoldId::derive(op, counter))
    }
}

impl fmt::Display for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A reference to evidence: a row of this ledger, or the id of another tool.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(untagged)]
pub enum EvidenceRef {
    /// The number of a row in a database.
    Number(u64),
    /// A name.
    Text(Note),
}

/// A value that cannot be a reference to evidence.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadEvidence {
    /// The value is neither a text nor a whole number.
    #[error("an id of evidence is a text or a whole number")]
    Kind,
    /// The text cannot be recorded.
    #[error(transparent)]
    Text(#[from] BadText),
}

impl EvidenceRef {
    /// Parses a JSON value that somebody gave, cleaned like every other text.
    pub fn from_json(value: &Value) -> Result<EvidenceRef, BadEvidence> {
        match value {
            Value::String(text) => Ok(EvidenceRef::Text(Note::new(text)?)),
            other => other.as_u64().map(EvidenceRef::Number).ok_or(BadEvidence::Kind),
        }
    }
}

impl fmt::Display for EvidenceRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EvidenceRef::Number(number) => number.fmt(f),
            EvidenceRef::Text(text) => text.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0/SHELL-01: the format of a name is what is enforced.
    #[test]
    fn names_keep_their_alphabet() {
        for good in ["a", "fd-safety", "lint2", &"a".repeat(64)] {
            assert_eq!(good.parse::<RoutedName>().unwrap().as_str(), good);
        }
        for bad in ["", "-a", "1a", "A", "a b", "a\nb", "a_b", "$(x)", "a/b", "é", "..", "fd.x"] {
            assert!(bad.parse::<RoutedName>().is_err(), "{bad:?}");
        }
        assert!("a".repeat(65).parse::<RoutedName>().is_err());
        assert!("2nd".parse::<OverlayId>().is_ok() && "-x".parse::<OverlayId>().is_err());
        assert!("agent_wrong".parse::<Word>().is_ok());
    }

    #[test]
    fn prefixes_are_stripped_longest_first() {
        let prefixes = ["interflux:".to_owned(), "interflux:review:".to_owned()];
        let behind = |text: &str| RoutedName::without_prefixes(&prefixes, text).map(String::from);
        assert_eq!(behind("interflux:review:fd-safety").unwrap(), "fd-safety");
        assert_eq!(behind("interflux:fd-safety").unwrap(), "fd-safety");
        assert_eq!(behind("fd-safety").unwrap(), "fd-safety");
        let error = behind("other:fd-safety").unwrap_err();
        assert!(error.to_string().starts_with("'other:fd-safety' is not"), "{error}");
    }
}

//! One line of text from a person or an agent: a reason, a task, a subject.
//!
//! Text is checked on the way in, and again when a document is read, because a ledger can come from
//! anybody. Each output escapes it for its own place.

use std::borrow::Cow;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::ids::text_conversions;
use crate::core::limits::LINE_CHARS_MAX;

/// A line without control, direction-changing or invisible characters, of bounded length.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
pub struct Line(String);

/// The reason why a text is not a [`Line`].
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadLine {
    /// Nothing but blanks.
    #[error("the text is empty")]
    Empty,
    #[error("the text has {0} characters; at most {LINE_CHARS_MAX} are allowed")]
    TooLong(usize),
    /// A character that could disguise the text or disturb a terminal.
    #[error(
        "the text has the character U+{:04X} at position {position}; write it without",
        u32::from(*character)
    )]
    Character {
        character: char,
        /// The position in characters, counted from 1.
        position: usize,
    },
}

/// The reason why a text may not go into a ledger.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadText {
    #[error(transparent)]
    Line(#[from] BadLine),
    /// The text reads as an instruction to a model.
    #[error("the text has the phrase '{0}', which reads as an instruction; say it otherwise")]
    Instruction(&'static str),
    /// The text is longer than a reader accepts.
    #[error("the text has {0} characters; at most {1} are allowed")]
    TooLong(usize, usize),
    /// The text has a secret in it, and would mean something else without it.
    #[error("the text has the shape of a secret, and is not recorded")]
    Secret,
    /// No text is left.
    #[error("the text is empty")]
    Empty,
    /// The text is the placeholder of a suggested command, which nobody has filled in.
    #[error("'{0}' is a placeholder; put your own words in its place")]
    Placeholder(String),
}

/// Stands in suggested commands for a reason, which the caller has to give.
pub const WHY: &str = "<why>";

/// Placeholders for text in suggested commands and in help.
const PLACEHOLDERS: [&str; 3] = [WHY, "<reason>", "<text>"];

/// Refuses a text that is nothing but a placeholder.
pub fn refuse_placeholder(text: &str) -> Result<(), BadText> {
    let text = text.trim();
    let is_placeholder = PLACEHOLDERS.iter().any(|known| known.eq_ignore_ascii_case(text));
    if is_placeholder { Err(BadText::Placeholder(text.to_owned())) } else { Ok(()) }
}

text_conversions!(Line);

impl Line {
    /// Checks that every character of the text is fit to be shown.
    pub fn new(text: &str) -> Result<Line, BadLine> {
        let count = text.chars().count();
        if text.trim().is_empty() {
            return Err(BadLine::Empty);
        }
        if count > LINE_CHARS_MAX {
            return Err(BadLine::TooLong(count));
        }
        match text.chars().enumerate().find(|(_, character)| is_disguise(*character)) {
            Some((at, character)) => Err(BadLine::Character { character, position: at + 1 }),
            None => Ok(Line(text.to_owned())),
        }
    }
}

/// Tells whether a character can hide or reorder the text around it: control characters,
/// bidirectional overrides and isolates, zero-width characters, line and paragraph separators.
pub fn is_disguise(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{2064}'
                | '\u{2066}'..='\u{206f}'
                | '\u{feff}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// Writes every disguise in the text out as `\u{..}`, for one line on a terminal.
pub fn shown(text: &str) -> Cow<'_, str> {
    if !text.contains(is_disguise) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if is_disguise(character) {
            safe.extend(character.escape_unicode());
        } else {
            safe.push(character);
        }
    }
    Cow::Owned(safe)
}

impl FromStr for Line {
    type Err = BadLine;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Line::new(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1/SAFETY-1-owner: a character that could disguise a text is refused, and the error names it.
    #[test]
    fn disguises_are_refused_by_name() {
        for hostile in ["a\nb", "a\u{1b}[31mb", "a\u{202e}b", "a\u{200b}b", "a\u{feff}b", "a\u{7f}"]
        {
            assert!(matches!(Line::new(hostile), Err(BadLine::Character { .. })), "{hostile:?}");
        }
        assert_eq!(
            Line::new("ab\n").unwrap_err().to_string(),
            "the text has the character U+000A at position 3; write it without"
        );
    }

    #[test]
    fn ordinary_text_of_any_script_passes() {
        for text in ["fix the parser", "Überprüfung", "修复", "quote ' \" $(x) `y`"] {
            assert_eq!(Line::new(text).unwrap().as_str(), text);
        }
    }

    #[test]
    fn disguises_are_written_out() {
        for text in ["", "src/api/**", "größer", "日本語", "a b", "\\u{1b}"] {
            assert!(matches!(shown(text), Cow::Borrowed(same) if same == text), "{text}");
        }
        assert_eq!(shown("a\x1b[31mb\n"), "a\\u{1b}[31mb\\u{a}");
        assert_eq!(shown("\u{202e}gpj.exe"), "\\u{202e}gpj.exe");
    }

    /// 7/NUMBERS: the bound counts characters, not bytes.
    #[test]
    fn the_bound_counts_characters() {
        assert!(Line::new(&"é".repeat(LINE_CHARS_MAX)).is_ok());
        assert_eq!(Line::new(&"é".repeat(501)), Err(BadLine::TooLong(501)));
        assert_eq!(Line::new("  "), Err(BadLine::Empty));
    }
}

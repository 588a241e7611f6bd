//! The body of a message: text of several lines and bounded length.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::core::ids::text_conversions;
use crate::core::limits::BODY_BYTES_MAX;
use crate::core::text::is_disguise;

/// Text without characters that hide or disturb; line breaks and tabs are allowed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Body(String);

text_conversions!(Body);

/// The reason why a text is not a [`Body`].
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadBody {
    /// Nothing but blanks.
    #[error("the message is empty")]
    Empty,
    #[error("the message has {0} bytes; at most {BODY_BYTES_MAX} are allowed")]
    TooLong(usize),
    /// A character that could disguise the text or disturb a terminal.
    #[error("the message has the character U+{:04X}; write it without", u32::from(*.0))]
    Character(char),
}

/// Tells whether a body may not contain the character.
fn is_foul(character: char) -> bool {
    is_disguise(character) && !matches!(character, '\n' | '\t')
}

impl FromStr for Body {
    type Err = BadBody;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.trim().is_empty() {
            return Err(BadBody::Empty);
        }
        if text.len() > BODY_BYTES_MAX {
            return Err(BadBody::TooLong(text.len()));
        }
        match text.chars().find(|character| is_foul(*character)) {
            Some(character) => Err(BadBody::Character(character)),
            None => Ok(Body(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 3/MSG-SIZE, 3/CHECK-R4: the bound counts bytes, and a longer text is refused.
    #[test]
    fn a_body_is_bounded_and_fit_to_be_shown() {
        assert!("a".repeat(BODY_BYTES_MAX).parse::<Body>().is_ok());
        let long = "a".repeat(BODY_BYTES_MAX + 1).parse::<Body>();
        assert_eq!(long, Err(BadBody::TooLong(BODY_BYTES_MAX + 1)));
        assert!("first\n\tsecond".parse::<Body>().is_ok());
        assert_eq!(" \n".parse::<Body>(), Err(BadBody::Empty));
        assert_eq!("a\u{1b}[31m".parse::<Body>(), Err(BadBody::Character('\u{1b}')));
        assert_eq!("a\u{202e}b".parse::<Body>(), Err(BadBody::Character('\u{202e}')));
    }
}

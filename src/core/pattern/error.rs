//! The reason why a pattern was refused, in words for the person who wrote it.

use thiserror::Error;

use super::bounds::{ALTERNATIVES_MAX, LENGTH_MAX, SEGMENTS_MAX, WILDCARDS_MAX};
use super::quote::quoted;

/// Bytes of an over-long pattern that an error repeats.
const EXCERPT_BYTES: usize = 60;

/// A pattern that was refused, and the fault in it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("bad pattern '{pattern}': {fault}")]
pub struct PatternError {
    /// The pattern as it was written, quoted where it would not print.
    pub pattern: String,
    pub fault: Fault,
}

impl PatternError {
    pub(super) fn new(text: &[u8], fault: Fault) -> PatternError {
        let pattern = match text.get(..EXCERPT_BYTES) {
            Some(excerpt) if text.len() > LENGTH_MAX => quoted(excerpt) + "...",
            _ => quoted(text),
        };
        PatternError { pattern, fault }
    }
}

/// The fault in a pattern that was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// The text is empty.
    #[error("it is empty; write '.' for the current directory or ':/' for the whole repository")]
    Empty,
    /// More than [`LENGTH_MAX`] bytes.
    #[error("{length} bytes are too long; at most {LENGTH_MAX} are allowed")]
    TooLong { length: usize },
    /// More than [`SEGMENTS_MAX`] segments.
    #[error("{count} segments are too many; at most {SEGMENTS_MAX} are allowed")]
    TooManySegments { count: usize },
    /// More than [`WILDCARDS_MAX`] wildcards.
    #[error("{count} wildcards are too many; at most {WILDCARDS_MAX} are allowed")]
    TooManyWildcards { count: usize },
    /// Braces that stand for more than [`ALTERNATIVES_MAX`] patterns.
    #[error("braces stand for too many patterns; at most {ALTERNATIVES_MAX} are allowed")]
    TooManyAlternatives,
    /// Braces where one stored pattern was expected.
    #[error("braces stand for several patterns; store each one by itself")]
    SeveralPatterns,
    /// A `[` without its `]` in the same segment.
    #[error("'[' is never closed; write '\\[' or use --literal for a name that has one")]
    UnclosedClass,
    /// A class such as `[[:alpha:]]`.
    #[error("named classes are not supported; write the range, such as '[a-z]'")]
    NamedClass,
    /// A backslash with nothing behind it in its segment.
    #[error("'\\' escapes nothing; write '\\\\' or use --literal for a name that ends in one")]
    DanglingBackslash,
    /// A brace without its partner.
    #[error("'{{' and '}}' do not pair up; write '\\{{' or use --literal for a name that has one")]
    UnbalancedBrace,
    /// A NUL byte, which no path can have.
    #[error("it has a NUL byte, which no path can have")]
    NulByte,
    /// A control byte that is not escaped.
    #[error("it has the control byte 0x{byte:02x}; use --literal for a name that has one")]
    ControlByte {
        /// The first control byte.
        byte: u8,
    },
    /// `..` leads above the top of the repository.
    #[error("it is outside the repository")]
    OutsideRepository,
    /// `..` behind a segment that may stand for many names.
    #[error("'..' behind a wildcard has no single meaning; write the path without '..'")]
    ParentOfWildcard,
    /// A leading `/`.
    #[error("it is absolute; write ':/' before a path from the top of the repository")]
    Absolute,
    /// Pathspec magic that patterns do not have.
    #[error("'{magic}' is not supported; only ':/', ':(top)', ':(literal)' and ':(glob)' are")]
    UnknownMagic { magic: String },
}

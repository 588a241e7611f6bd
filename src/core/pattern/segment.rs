//! One segment of a pattern: the text between two separators.

use super::byte_set::ByteSet;
use super::error::Fault;

/// A segment that was parsed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Segment {
    /// `**`: any number of names, or none.
    AnyDepth,
    /// The one name with these bytes.
    Literal(Vec<u8>),
    /// A name with wildcards.
    Glob {
        text: Vec<u8>,
        /// The text without escapes. The segment also stands for the name that is spelled like
        /// this, because `[id]` is a directory in many web projects.
        spelled: Vec<u8>,
        tokens: Vec<Token>,
    },
}

/// The bytes that one position of a name with wildcards accepts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Token {
    Byte(u8),
    /// `?`: any one byte.
    One,
    /// `*`: any bytes, or none.
    Run,
    /// `[a-z]` or, negated, `[^a-z]`.
    Class {
        listed: ByteSet,
        negated: bool,
    },
}

impl Segment {
    /// Parses `text`, which has no separator.
    pub(super) fn read(text: &[u8]) -> Result<Segment, Fault> {
        if text == b"**" {
            return Ok(Segment::AnyDepth);
        }
        let mut tokens = Vec::new();
        let mut rest = text;
        while let Some((token, after)) = next_token(rest)? {
            // Adjacent runs are one run, and the automata rely on it.
            if token != Token::Run || tokens.last() != Some(&Token::Run) {
                tokens.push(token);
            }
            rest = after;
        }
        let literal = tokens.iter().map(Token::as_byte).collect::<Option<Vec<u8>>>();
        if let Some(name) = literal {
            return Ok(Segment::Literal(name));
        }
        let (text, spelled) = respelled(text);
        Ok(Segment::Glob { text, spelled, tokens })
    }

    /// Counts the wildcards, which the limit is about.
    pub(super) fn wildcards(&self) -> usize {
        match self {
            Segment::AnyDepth => 1,
            Segment::Literal(_) => 0,
            Segment::Glob { tokens, .. } => tokens.iter().filter(|t| t.as_byte().is_none()).count(),
        }
    }

    /// Appends the canonical text of this segment.
    pub(super) fn write(&self, text: &mut Vec<u8>) {
        match self {
            Segment::AnyDepth => text.extend_from_slice(b"**"),
            Segment::Literal(name) => {
                for &byte in name {
                    if byte.is_ascii_control() || b"*?[]{}\\".contains(&byte) {
                        text.push(b'\\');
                    }
                    text.push(byte);
                }
            }
            Segment::Glob { text: own, .. } => text.extend_from_slice(own),
        }
    }
}

impl Token {
    fn as_byte(&self) -> Option<u8> {
        match self {
            Token::Byte(byte) => Some(*byte),
            Token::One | Token::Run | Token::Class { .. } => None,
        }
    }
}

/// Returns `text` with every brace escaped, and `text` without any escape. Braces that are left
/// after expansion are literal, and must stay literal when the text is parsed again.
fn respelled(text: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let (mut canonical, mut spelled) = (Vec::new(), Vec::new());
    let mut is_escaped = false;
    for &byte in text {
        if matches!(byte, b'{' | b'}') && !is_escaped {
            canonical.push(b'\\');
        }
        canonical.push(byte);
        is_escaped = byte == b'\\' && !is_escaped;
        if !is_escaped {
            spelled.push(byte);
        }
    }
    (canonical, spelled)
}

/// Splits the first token off `text`.
fn next_token(text: &[u8]) -> Result<Option<(Token, &[u8])>, Fault> {
    let Some((&first, rest)) = text.split_first() else {
        return Ok(None);
    };
    Ok(Some(match first {
        b'*' => (Token::Run, rest),
        b'?' => (Token::One, rest),
        b'[' => class(rest)?,
        _ => {
            let (byte, rest) = plain_byte(text)?;
            (Token::Byte(byte), rest)
        }
    }))
}

/// Splits the first byte off `text`, or the byte that it escapes.
fn plain_byte(text: &[u8]) -> Result<(u8, &[u8]), Fault> {
    match text {
        [b'\\', byte, rest @ ..] => Ok((*byte, rest)),
        [b'\\'] | [] => Err(Fault::DanglingBackslash),
        [byte, ..] if byte.is_ascii_control() => Err(Fault::ControlByte { byte: *byte }),
        [byte, rest @ ..] => Ok((*byte, rest)),
    }
}

/// Parses a class, from behind its `[`.
///
/// As in git, `]` in the first place is a member. A range whose end comes before its start is empty
/// and no fault: `[user-id]` is a directory that people have.
fn class(text: &[u8]) -> Result<(Token, &[u8]), Fault> {
    let (negated, mut rest) = match text {
        [b'^' | b'!', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    let mut listed = ByteSet::default();
    let mut is_first = true;
    loop {
        match rest {
            [] => return Err(Fault::UnclosedClass),
            [b']', after @ ..] if !is_first => {
                return Ok((Token::Class { listed, negated }, after));
            }
            [b'[', b':', after @ ..] if after.windows(2).any(|pair| pair == b":]") => {
                return Err(Fault::NamedClass);
            }
            _ => {}
        }
        is_first = false;
        let (start, after) = plain_byte(rest)?;
        rest = after;
        let mut end = start;
        if let [b'-', bound, ..] = rest
            && *bound != b']'
        {
            (end, rest) = plain_byte(&rest[1..])?;
        }
        (start..=end).for_each(|byte| listed.insert(byte));
    }
}

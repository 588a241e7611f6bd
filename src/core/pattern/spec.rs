//! Patterns as people write them: relative to their directory, with git's pathspec prefixes.

use super::braces::expand;
use super::canonical::{Pattern, append, check_text};
use super::error::{Fault, PatternError};
use super::quote::quoted;
use super::segment::Segment;

/// The way in which a text is read: with wildcards or as a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Reading {
    /// Wildcards, escapes, braces and pathspec prefixes are read.
    #[default]
    Glob,
    /// The text is a path, byte by byte.
    Literal,
}

/// Parses `spec` into the patterns that it stands for when it is written in the directory `prefix`.
///
/// `prefix` is a path relative to the top of the repository, empty at the top. `:/x` and `:(top)x`
/// are relative to the top wherever they are written; `:(literal)x` reads the rest literally.
pub fn parse(spec: &[u8], prefix: &[u8], reading: Reading) -> Result<Vec<Pattern>, PatternError> {
    let read = || {
        check_text(spec)?;
        let target = match reading {
            Reading::Glob => read_magic(spec)?,
            Reading::Literal => Target { text: spec, from_top: false, reading },
        };
        target.patterns(prefix)
    };
    read().map_err(|fault| PatternError::new(spec, fault))
}

/// Returns the pattern of one path. A path that is too deep or too long for a pattern can only be
/// reserved with a directory above it, so the lowest directory that fits stands for it: then the
/// pattern overlaps the hold of an agent that holds the path.
pub fn for_path(path: &[u8]) -> Option<Pattern> {
    let mut ends = (1..=path.len()).rev().filter(|&end| end == path.len() || path[end] == b'/');
    ends.find_map(|end| parse(&path[..end], b"", Reading::Literal).ok()?.pop())
}

/// A text behind its pathspec prefix, and the meaning of that prefix.
struct Target<'s> {
    text: &'s [u8],
    from_top: bool,
    reading: Reading,
}

impl Target<'_> {
    fn patterns(&self, prefix: &[u8]) -> Result<Vec<Pattern>, Fault> {
        let base = if self.from_top { Vec::new() } else { directory(prefix)? };
        let texts = match self.reading {
            Reading::Glob => expand(self.text)?,
            Reading::Literal => vec![self.text.to_vec()],
        };
        let mut patterns = Vec::with_capacity(texts.len());
        for text in texts {
            if text.starts_with(b"/") && !self.from_top {
                return Err(Fault::Absolute);
            }
            let pattern = Pattern::build(base.clone(), &text, self.reading)?;
            if !patterns.contains(&pattern) {
                patterns.push(pattern);
            }
        }
        Ok(patterns)
    }
}

fn directory(path: &[u8]) -> Result<Vec<Segment>, Fault> {
    if path.contains(&0) {
        return Err(Fault::NulByte);
    }
    let mut segments = Vec::new();
    for name in path.split(|&byte| byte == b'/').filter(|name| !name.is_empty()) {
        append(&mut segments, Segment::Literal(name.to_vec()))?;
    }
    Ok(segments)
}

/// Reads git's pathspec prefixes. A prefix that we cannot honour is refused: reading `:!src` as a
/// name would hold the wrong paths. Any other text that begins with a colon is a name.
fn read_magic(spec: &[u8]) -> Result<Target<'_>, Fault> {
    match spec {
        [b':', b'(', rest @ ..] => read_long_magic(rest),
        [b':', b'/', text @ ..] => Ok(Target { text, from_top: true, reading: Reading::Glob }),
        [b':', b'!' | b'^', ..] => Err(Fault::UnknownMagic { magic: quoted(&spec[..2]) }),
        _ => Ok(Target { text: spec, from_top: false, reading: Reading::Glob }),
    }
}

/// Reads the words and the text of `:(words)text`, from behind the opening parenthesis.
fn read_long_magic(rest: &[u8]) -> Result<Target<'_>, Fault> {
    let unknown = |words: &[u8]| Fault::UnknownMagic { magic: format!(":({})", quoted(words)) };
    let Some(end) = rest.iter().position(|&byte| byte == b')') else {
        return Err(unknown(rest));
    };
    let (words, text) = (&rest[..end], &rest[end + 1..]);
    let mut from_top = false;
    let mut reading = None;
    for word in words.split(|&byte| byte == b',') {
        let said = match word {
            b"top" => {
                from_top = true;
                continue;
            }
            b"literal" => Reading::Literal,
            b"glob" => Reading::Glob,
            _ => return Err(unknown(words)),
        };
        if reading.replace(said).is_some_and(|before| before != said) {
            return Err(unknown(words));
        }
    }
    Ok(Target { text, from_top, reading: reading.unwrap_or_default() })
}

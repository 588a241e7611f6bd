//! A pattern in its one canonical form, which is what ledgers store.
//!
//! Canonical text is relative to the top of the repository. It has no `.`, `..` or empty segments,
//! no `**` beside another, no trailing separator and no braces to expand; names without wildcards
//! have exactly the escapes that they need. Reading it back gives the same pattern.

use std::fmt;

use super::bounds::{LENGTH_MAX, SEGMENTS_MAX, check_complexity, check_length};
use super::braces::expand;
use super::case::Case;
use super::error::{Fault, PatternError};
use super::matcher::Matcher;
use super::quote::quoted;
use super::segment::Segment;
use super::spec::Reading;

/// The set of paths that somebody means, in canonical form.
// The text comes first, so that it alone decides comparisons; the segments follow from it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pattern {
    text: Vec<u8>,
    segments: Vec<Segment>,
}

impl Pattern {
    /// Parses `text`, which is relative to the top of the repository, as a ledger stores it.
    pub fn canonical(text: &[u8]) -> Result<Pattern, PatternError> {
        let read = || {
            check_text(text)?;
            let [single] = &expand(text)?[..] else {
                return Err(Fault::SeveralPatterns);
            };
            Pattern::build(Vec::new(), single, Reading::Glob)
        };
        read().map_err(|fault| PatternError::new(text, fault))
    }

    /// Builds the pattern for `text` below `base`. The caller has expanded the braces.
    pub(super) fn build(
        base: Vec<Segment>,
        text: &[u8],
        reading: Reading,
    ) -> Result<Pattern, Fault> {
        let mut segments = base;
        for part in text.split(|&byte| byte == b'/').filter(|part| !part.is_empty()) {
            let segment = match reading {
                Reading::Glob => Segment::read(part)?,
                Reading::Literal => Segment::Literal(part.to_vec()),
            };
            append(&mut segments, segment)?;
        }
        let has_wildcards = segments.iter().any(|segment| segment.wildcards() > 0);
        if has_wildcards && text.ends_with(b"/") {
            append(&mut segments, Segment::AnyDepth)?;
        }
        Pattern::of(segments)
    }

    /// Builds the pattern of these segments. A pattern without segments means everything.
    fn of(mut segments: Vec<Segment>) -> Result<Pattern, Fault> {
        if segments.is_empty() {
            segments.push(Segment::AnyDepth);
        }
        check_complexity(segments.len(), segments.iter().map(Segment::wildcards).sum())?;
        let text = text_of(&segments);
        check_length(text.len())?;
        Ok(Pattern { text, segments })
    }

    /// Returns the canonical text.
    pub fn as_bytes(&self) -> &[u8] {
        &self.text
    }

    /// Tells whether this is a path without wildcards.
    pub fn is_literal(&self) -> bool {
        self.literal_names().count() == self.segments.len()
    }

    /// Returns the path that this pattern stands for, if it has no wildcards.
    pub fn literal_path(&self) -> Option<Vec<u8>> {
        self.is_literal().then(|| self.literal_segments().join(&b'/'))
    }

    /// Tells whether the pattern is as deep or as long as one can be. Such a path may stand for
    /// deeper ones, which have no pattern of their own.
    pub fn is_at_bounds(&self) -> bool {
        const NAME_BYTES_MAX: usize = 256;
        self.segments.len() >= SEGMENTS_MAX || self.text.len() + NAME_BYTES_MAX >= LENGTH_MAX
    }

    /// Returns the leading names without wildcards: `src` and `api` of `src/api/*.rs`.
    ///
    /// Every path that the pattern matches begins with them.
    pub fn literal_segments(&self) -> Vec<Vec<u8>> {
        self.literal_names().map(<[u8]>::to_vec).collect()
    }

    /// Replaces the first `count` names, which have no wildcards, by `names`.
    pub fn moved(&self, count: usize, names: &[Vec<u8>]) -> Result<Pattern, PatternError> {
        let below = self.segments.iter().skip(count).cloned();
        let names = names.iter().cloned().map(Segment::Literal);
        Pattern::of(names.chain(below).collect())
            .map_err(|fault| PatternError::new(&self.text, fault))
    }

    /// Tells whether the first segment has wildcards, so that every path has to be compared.
    pub fn begins_with_wildcard(&self) -> bool {
        self.literal_names().next().is_none()
    }

    /// Formats the pattern for people: a path without wildcards as it is, anything else as stored.
    pub fn shown(&self) -> String {
        quoted(&self.literal_path().unwrap_or_else(|| self.text.clone()))
    }

    /// Compiles the pattern for comparisons.
    pub fn matcher(&self, case: Case) -> Matcher {
        Matcher::compile(&self.segments, case)
    }

    fn literal_names(&self) -> impl Iterator<Item = &[u8]> {
        self.segments.iter().map_while(|segment| match segment {
            Segment::Literal(name) => Some(name.as_slice()),
            Segment::AnyDepth | Segment::Glob { .. } => None,
        })
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown())
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pattern({})", self.text.escape_ascii())
    }
}

/// Refuses a text that no pattern can have, before anything else parses it.
pub(super) fn check_text(text: &[u8]) -> Result<(), Fault> {
    check_length(text.len())?;
    if text.is_empty() {
        return Err(Fault::Empty);
    }
    if text.contains(&0) {
        return Err(Fault::NulByte);
    }
    Ok(())
}

/// Appends a segment, resolving `.`, `..` and repeated `**`.
pub(super) fn append(segments: &mut Vec<Segment>, segment: Segment) -> Result<(), Fault> {
    match (&segment, segments.last()) {
        (Segment::Literal(name), _) if name == b"." => {}
        (Segment::Literal(name), last) if name == b".." => match last {
            None => return Err(Fault::OutsideRepository),
            Some(Segment::Literal(_)) => drop(segments.pop()),
            Some(Segment::AnyDepth | Segment::Glob { .. }) => return Err(Fault::ParentOfWildcard),
        },
        (Segment::AnyDepth, Some(Segment::AnyDepth)) => {}
        _ => segments.push(segment),
    }
    Ok(())
}

fn text_of(segments: &[Segment]) -> Vec<u8> {
    let mut text = Vec::new();
    for (index, segment) in segments.iter().enumerate() {
        if index > 0 {
            text.push(b'/');
        }
        segment.write(&mut text);
    }
    text
}

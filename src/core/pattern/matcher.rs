//! A pattern prepared for comparisons.

use super::case::Case;
use super::cover::{common_is_within, covers};
use super::name::Name;
use super::segment::{Segment, Token};
use super::sequence::{Part, Sequence};

/// A compiled pattern: compile once, compare often.
///
/// Paths are relative to the top of the repository, not empty, and have no empty names. Matchers
/// that are compared with each other are compiled for the same [`Case`].
#[derive(Clone, Debug)]
pub struct Matcher {
    case: Case,
    /// The path, folded, of a pattern without wildcards.
    literal: Option<Vec<u8>>,
    /// The leading names without wildcards, folded and joined.
    prefix: Vec<u8>,
    /// A path belongs to the pattern if it belongs to one of its readings. There are one or two.
    readings: Vec<Sequence>,
}

impl Matcher {
    pub(super) fn compile(segments: &[Segment], case: Case) -> Matcher {
        let names = spelled_path(segments);
        let literal = segments.iter().all(|segment| matches!(segment, Segment::Literal(_)));
        let mut readings = Vec::new();
        if !literal {
            readings.push(Sequence::new(segments.iter().map(|s| part(s, case)).collect()));
        }
        if segments.iter().all(may_be_meant_literally) {
            let names = names.iter().map(|name| Part::Name(Name::exact(case.fold(name))));
            readings.push(Sequence::new(names.chain([Part::AnyDepth]).collect()));
        }
        let is_name = |segment: &&Segment| matches!(segment, Segment::Literal(_));
        let leading = segments.iter().take_while(is_name).count();
        let prefix = case.fold(&names[..leading].join(&b'/'));
        let literal = literal.then(|| prefix.clone());
        Matcher { case, literal, prefix, readings }
    }

    /// Tells whether `path` belongs to the pattern.
    pub fn matches(&self, path: &[u8]) -> bool {
        match self.case {
            Case::Sensitive => self.matches_folded(path),
            Case::Folded => self.matches_folded(&self.case.fold(path)),
        }
    }

    /// Tells whether some path belongs to both patterns. Exact.
    ///
    /// Takes at most [`OVERLAP_STEPS_MAX`](super::bounds::OVERLAP_STEPS_MAX) steps.
    pub fn overlaps(&self, other: &Matcher) -> bool {
        debug_assert_eq!(self.case, other.case);
        if let (Some(own), Some(its)) = (&self.literal, &other.literal) {
            return is_at_or_below(own, its) || is_at_or_below(its, own);
        }
        self.readings.iter().any(|own| other.readings.iter().any(|its| own.meets(its)))
    }

    /// Tells whether every path of `other` belongs to this pattern.
    ///
    /// `true` is always right. `false` is right unless the answer would have taken more than
    /// [`COVER_STEPS_MAX`](super::bounds::COVER_STEPS_MAX) steps.
    pub fn covers(&self, other: &Matcher) -> bool {
        debug_assert_eq!(self.case, other.case);
        if let (Some(own), Some(its)) = (&self.literal, &other.literal) {
            return is_at_or_below(its, own);
        }
        covers(&self.readings.iter().collect::<Vec<_>>(), &other.readings)
    }

    /// Tells whether every path of this pattern belongs to one of the others.
    ///
    /// `true` is always right, and `false` as for [`Matcher::covers`].
    pub fn is_within(&self, outer: &[&Matcher]) -> bool {
        covers(&outer.iter().flat_map(|it| &it.readings).collect::<Vec<_>>(), &self.readings)
    }

    /// Tells whether every path that belongs to this pattern and to `other` belongs to one of
    /// `outer`.
    ///
    /// `true` is always right, and `false` as for [`Matcher::covers`].
    pub fn common_is_within(&self, other: &Matcher, outer: &[&Matcher]) -> bool {
        let may_matter = |it: &&&Matcher| it.overlaps(self) && it.overlaps(other);
        let outer: Vec<&Sequence> =
            outer.iter().filter(may_matter).flat_map(|it| &it.readings).collect();
        if outer.is_empty() {
            return !self.overlaps(other);
        }
        common_is_within(&self.readings, &other.readings, &outer)
    }

    /// Tells whether the path of `other`, which has no wildcards, belongs to this pattern.
    pub fn matches_path_of(&self, other: &Matcher) -> bool {
        debug_assert_eq!(self.case, other.case);
        other.literal.as_ref().is_some_and(|path| self.matches_folded(path))
    }

    /// Tells whether both patterns are the same path without wildcards.
    pub fn is_path_of(&self, other: &Matcher) -> bool {
        self.literal.is_some() && self.literal == other.literal
    }

    /// Tells whether the leading names of this pattern, which have no wildcards, name the path of
    /// `other` or something below it.
    pub fn begins_below(&self, other: &Matcher) -> bool {
        let path = other.literal.as_ref();
        path.is_some_and(|path| !self.prefix.is_empty() && is_at_or_below(&self.prefix, path))
    }

    /// Tells whether some path at or below the directory with these names belongs to the pattern.
    /// Exact.
    pub fn may_match_below<Segment: AsRef<[u8]>>(&self, directory: &[Segment]) -> bool {
        let directory: Vec<_> =
            directory.iter().map(|name| self.case.fold(name.as_ref())).collect();
        // Every position can reach the end of its reading, so one position that was reached is
        // enough.
        self.rows(directory.iter().map(Vec::as_slice)).any(|(_, row)| row != 0)
    }

    fn matches_folded(&self, path: &[u8]) -> bool {
        if path.is_empty() {
            return false;
        }
        if let Some(literal) = &self.literal {
            return is_at_or_below(path, literal);
        }
        let names = path.split(|&byte| byte == b'/');
        self.rows(names).any(|(reading, row)| reading.accepts(row))
    }

    /// Returns the positions of each reading after `names`.
    fn rows<'n>(
        &self,
        names: impl Iterator<Item = &'n [u8]> + Clone,
    ) -> impl Iterator<Item = (&Sequence, u64)> {
        self.readings.iter().map(move |reading| {
            let read = |row, name| reading.read(row, |own| own.accepts(name));
            (reading, names.clone().fold(reading.start(), read))
        })
    }
}

fn part(segment: &Segment, case: Case) -> Part {
    match segment {
        Segment::AnyDepth => Part::AnyDepth,
        Segment::Literal(name) => Part::Name(Name::exact(case.fold(name))),
        Segment::Glob { spelled, tokens, .. } => Part::Name(Name::glob(tokens, spelled, case)),
    }
}

/// Tells whether the segment may be meant as a name: it has no wildcards, or only classes.
fn may_be_meant_literally(segment: &Segment) -> bool {
    match segment {
        Segment::AnyDepth => false,
        Segment::Literal(_) => true,
        Segment::Glob { tokens, .. } => {
            tokens.iter().all(|token| matches!(token, Token::Byte(_) | Token::Class { .. }))
        }
    }
}

/// Returns the names of the path that is spelled like the pattern.
fn spelled_path(segments: &[Segment]) -> Vec<&[u8]> {
    let spelled = segments.iter().map(|segment| match segment {
        Segment::AnyDepth => b"**".as_slice(),
        Segment::Literal(name) => name,
        Segment::Glob { spelled, .. } => spelled,
    });
    spelled.collect()
}

fn is_at_or_below(path: &[u8], directory: &[u8]) -> bool {
    path.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
}

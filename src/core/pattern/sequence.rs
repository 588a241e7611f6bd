//! Sets of paths: names in a row, with any number of names wherever the pattern has `**`.
//!
//! The positions between segments that a path has reached are one machine word. They move as in
//! `automaton`, with names in the place of bytes.

use super::bounds::SEGMENTS_MAX;
use super::name::Name;

/// A sequence of n parts has n + 1 positions, and a literal path gets one part more than it has
/// segments.
const _: () = assert!(SEGMENTS_MAX + 2 <= 64, "positions must fit in one machine word");

/// One reading of a pattern. No two parts that stand for any depth are adjacent.
#[derive(Clone, Debug)]
pub(super) struct Sequence {
    parts: Vec<Part>,
    /// The positions before parts that stand for any depth.
    any_depth: u64,
}

/// The names that one segment stands for.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// Any number of names, or none.
    AnyDepth,
    /// One of these names.
    Name(Name),
}

impl Sequence {
    pub(super) fn new(parts: Vec<Part>) -> Sequence {
        let mut any_depth = 0;
        for (position, part) in parts.iter().enumerate() {
            if let Part::AnyDepth = part {
                any_depth |= 1 << position;
            }
        }
        Sequence { parts, any_depth }
    }

    pub(super) fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Returns the positions before the first name.
    pub(super) fn start(&self) -> u64 {
        self.with_skips(1)
    }

    /// Returns the positions after a name that the parts in `accepting` accept.
    pub(super) fn advance(&self, row: u64, accepting: u64) -> u64 {
        self.with_skips(((row & accepting) << 1) | (row & self.any_depth))
    }

    /// Returns the positions after a name; `accepts` tells which parts accept it.
    pub(super) fn read(&self, row: u64, accepts: impl Fn(&Name) -> bool) -> u64 {
        let mut accepting = 0;
        for (position, name) in self.names_at(row) {
            if accepts(name) {
                accepting |= 1 << position;
            }
        }
        self.advance(row, accepting)
    }

    /// Returns the names that may come next, each with its position.
    pub(super) fn names_at(&self, row: u64) -> impl Iterator<Item = (usize, &Name)> {
        let mut left = row & !self.any_depth;
        std::iter::from_fn(move || {
            let position = left.trailing_zeros() as usize;
            left &= left.wrapping_sub(1);
            // The last position, if it was reached, has no part and ends the iterator.
            match self.parts.get(position) {
                Some(Part::Name(name)) => Some((position, name)),
                Some(Part::AnyDepth) | None => None,
            }
        })
    }

    /// Tells whether the names that were read are a path of this sequence.
    pub(super) fn accepts(&self, row: u64) -> bool {
        row & (1 << self.parts.len()) != 0
    }

    /// Tells whether a path may end at this position.
    pub(super) fn accepts_at(&self, position: usize) -> bool {
        matches!(self.parts.get(position..), None | Some([] | [Part::AnyDepth]))
    }

    /// Counts the names from a position on.
    pub(super) fn names_from(&self, position: usize) -> usize {
        let rest = self.parts.get(position..).unwrap_or_default();
        rest.iter().filter(|part| matches!(part, Part::Name(_))).count()
    }

    /// Tells whether the two sequences have a path in common. Compares each name of one with each
    /// name of the other at most once.
    pub(super) fn meets(&self, other: &Sequence) -> bool {
        self.meets_from(0, other, 0)
    }

    /// Tells whether what follows a position of this sequence and what follows a position of the
    /// other have a path in common, or both may end there.
    pub(super) fn meets_from(&self, position: usize, other: &Sequence, its: usize) -> bool {
        let mut row = self.with_skips(1 << position);
        for part in other.parts.get(its..).unwrap_or_default() {
            row = match part {
                Part::AnyDepth => self.spread(row),
                Part::Name(name) => self.read(row, |own| own.meets(name)),
            };
            if row == 0 {
                return false;
            }
        }
        self.accepts(row)
    }

    /// Reads any names: every position after a reached one is reached.
    fn spread(&self, row: u64) -> u64 {
        let all = u64::MAX >> (63 - self.parts.len());
        all & (u64::MAX << row.trailing_zeros())
    }

    /// Adds the positions that are reached when a `**` stands for no name.
    fn with_skips(&self, row: u64) -> u64 {
        row | ((row & self.any_depth) << 1)
    }
}

//! Limits on the size of a pattern.
//!
//! Patterns come from other agents and from ledgers that others wrote. Every limit is checked when
//! a pattern is written and when it is read back, before it is compiled or compared. So these
//! numbers alone bound the cost of comparing two accepted patterns.

use super::error::Fault;

/// Longest pattern in bytes, as written and in its canonical form; git's own limit for a path.
pub const LENGTH_MAX: usize = 4096;

/// Most segments in a pattern.
///
/// Fewer than 64, so that a set of positions between segments is one machine word.
pub const SEGMENTS_MAX: usize = 48;

/// Most wildcards in a pattern: each `*`, `?`, class and `**` counts one.
pub const WILDCARDS_MAX: usize = 32;

/// Most patterns that one text may stand for through `{a,b}`.
pub const ALTERNATIVES_MAX: usize = 16;

/// Most steps that [`Matcher::overlaps`] takes for two accepted patterns; follows from the limits
/// above. A step compares one byte or computes one 64-bit word.
///
/// Each name of one pattern is compared with each name of the other at most once. All positions in
/// the names of one pattern are at most 4,096 / 64 + 48 = 112 words, which are prepared for 256
/// bytes, moved once for each of 4,096 bytes and looked up for each of 32 sets of 256 bytes: for
/// all pairs together 112 × (32 × 256 + 4,096 + 32 × 256), 2.3 million. An exact name against a
/// glob takes 1,024 steps more, for 32 × 48 pairs. The reading without wildcards that either
/// pattern may have costs as much again: 4.7 million.
///
/// [`Matcher::overlaps`]: super::Matcher::overlaps
pub const OVERLAP_STEPS_MAX: u64 = 1 << 23;

/// Most steps that [`Matcher::covers`] takes before it answers `false`.
///
/// Deciding whether one pattern contains another takes exponential time at worst. Pairs that people
/// write take a few thousand steps.
///
/// [`Matcher::covers`]: super::Matcher::covers
pub const COVER_STEPS_MAX: u64 = 1 << 17;

/// Refuses a text that is too long to be parsed.
pub(super) fn check_length(length: usize) -> Result<(), Fault> {
    if length > LENGTH_MAX {
        return Err(Fault::TooLong { length });
    }
    Ok(())
}

/// Refuses a pattern that is too complex to be compared.
pub(super) fn check_complexity(segments: usize, wildcards: usize) -> Result<(), Fault> {
    if segments > SEGMENTS_MAX {
        return Err(Fault::TooManySegments { count: segments });
    }
    if wildcards > WILDCARDS_MAX {
        return Err(Fault::TooManyWildcards { count: wildcards });
    }
    Ok(())
}

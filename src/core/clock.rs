//! The time that counts for a decision, whatever the clocks of the writers say.
//!
//! The entry before counts as the time if it is a little ahead of the asker's clock, so that the
//! times of a chain do not go back because two clocks differ a little. An entry that is far ahead
//! was written with a wrong clock, and the asker's own clock counts. So one wrong clock neither
//! ends the holds of others nor sets the time of a ledger for good. Fences order a chain in any
//! case.

use crate::core::limits::TTL_MAX;
use crate::core::time::Timestamp;

/// The time beyond the longest life of a hold that no pair of right clocks differs by.
const MARGIN_SECONDS: u64 = 60 * 60;

/// The least leap of the time: the longest life of a hold, and some more.
pub const LEAP_SECONDS: u64 = TTL_MAX.as_seconds() + MARGIN_SECONDS;

/// Returns the time of a decision: the later of the asker's clock and the time of the entry before,
/// unless the latter is ahead by more than the tolerance. Without a tolerance, as in entries of
/// rules 1, it is always the later one.
pub fn now(
    clock: Timestamp,
    before: Option<Timestamp>,
    tolerance_seconds: Option<u64>,
) -> Timestamp {
    let Some(before) = before else { return clock };
    let is_tolerated = tolerance_seconds.is_none_or(|seconds| !is_ahead(before, clock, seconds));
    if is_tolerated { clock.max(before) } else { clock }
}

/// Tells whether a time is ahead of a clock by more than the tolerance.
pub fn is_ahead(at: Timestamp, clock: Timestamp, tolerance_seconds: u64) -> bool {
    at > clock.plus_seconds(tolerance_seconds)
}

/// Tells whether an end is so far ahead that no hold granted by now can have it. A wrong clock set
/// it.
pub fn is_beyond_any_life(end: Timestamp, now: Timestamp) -> bool {
    is_ahead(end, now, LEAP_SECONDS)
}

/// Tells whether the time leaps: nothing that lived at the entry before would live now. Either
/// nobody has written for long, or the clock is wrong. The next entry knows.
pub fn leaps(now: Timestamp, before: Option<Timestamp>) -> bool {
    before.is_some_and(|before| is_beyond_any_life(now, before))
}

/// A leap of the time of a chain: entries since then may be those of a wrong clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leap {
    /// The time of the last entry before. A hold that was to end later than this may go on.
    pub from: Timestamp,
    /// The time that the chain has leapt to.
    pub to: Timestamp,
}

/// Returns the leap that is in doubt at an entry of this time; `before` is the time of the entry
/// before, with the leap that was in doubt there. A leap is over once the time is what it was
/// before, and believed once the chain has gone on for as long as anything could have lived. As one
/// wrong clock agrees with itself, it does not matter how many entries, or whose, say the same.
pub fn leap(now: Timestamp, before: Option<(Timestamp, Option<Leap>)>) -> Option<Leap> {
    let (before, doubted) = before?;
    let Some(Leap { from, to }) = doubted else {
        return leaps(now, Some(before)).then_some(Leap { from: before, to: now });
    };
    if !is_beyond_any_life(now, from) {
        return None;
    }
    if leaps(now, Some(before)) {
        return Some(Leap { from, to: now });
    }
    (!is_beyond_any_life(now, to)).then_some(Leap { from, to: to.min(now) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(seconds * 1_000)
    }

    /// 1/CLOCK-TIME: an entry that is ahead by more than the tolerance does not count as the time.
    #[test]
    fn an_entry_far_ahead_does_not_set_the_time() {
        let clock = at(1_000);
        assert_eq!(now(clock, Some(at(1_300)), Some(300)), at(1_300));
        assert_eq!(now(clock, Some(at(1_301)), Some(300)), clock);
        assert_eq!(now(clock, Some(at(1_301)), None), at(1_301), "as in rules 1");
        assert_eq!(now(clock, None, Some(300)), clock);
    }

    proptest! {
        /// The time of a decision is within the tolerance of the own clock, and never before it.
        #[test]
        fn the_time_is_close_to_the_own_clock(
            clock in 0..10_000_000i64,
            before in prop::option::of(0..10_000_000i64),
            tolerance in 0..100_000u64,
        ) {
            let now = now(at(clock), before.map(at), Some(tolerance));
            prop_assert!(now >= at(clock));
            prop_assert!(!is_ahead(now, at(clock), tolerance));
        }

        /// Right clocks that differ by no more than the tolerance never turn the time back,
        /// whatever wrong clocks write in between.
        #[test]
        fn right_clocks_agree_on_the_order(
            offsets in prop::collection::vec(
                (0..60i64, prop::option::weighted(0.2, 0..10_000_000i64)),
                1..20,
            ),
        ) {
            let (mut before, mut last_right) = (None, None);
            for (step, (offset, wrong)) in offsets.into_iter().enumerate() {
                let right = 5_000_000 + i64::try_from(step).unwrap() * 60 + offset;
                let decided = now(at(wrong.unwrap_or(right)), before, Some(60));
                if wrong.is_none() {
                    prop_assert!(last_right.is_none_or(|last| last <= decided));
                    prop_assert!(!is_ahead(decided, at(right), 60));
                    last_right = Some(decided);
                }
                before = Some(decided);
            }
        }
    }
}

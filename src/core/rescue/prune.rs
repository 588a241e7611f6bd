//! The snapshots of a worktree that are removed.

use std::cmp::Reverse;

use crate::core::time::Timestamp;

/// The bounds of the snapshots of one worktree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The largest number of snapshots.
    pub count_max: usize,
    /// The largest age of a snapshot.
    pub seconds_max: u64,
}

/// A snapshot that may be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    pub at: Timestamp,
    /// Set if it has a change that its owner has lost and that no newer snapshot has.
    pub is_needed: bool,
}

/// The number of seconds by which clocks that are right may differ.
const SKEW_MAX: u64 = 24 * 60 * 60;
/// The largest number of snapshots that are removed at a time because of their age. A clock that is
/// wrong by years makes everything old; until somebody sees it, little is lost.
const OLD_MAX: usize = 2;

/// Returns the key by which saved content is ordered, the oldest first. A time long after now is
/// that of a clock that was wrong. Content with such a time is older than what is saved from now
/// on, and comes before everything else.
pub fn order(at: Timestamp, now: Timestamp) -> (bool, Timestamp) {
    let is_believed = at.seconds_since(now) <= SKEW_MAX;
    (is_believed, at)
}

/// Chooses the snapshots to remove, by their places in `snapshots`, the newest first: some of those
/// that are too old, then the oldest until there are few enough. One that is needed goes only where
/// all that are left are needed, and never because of its age. The newest one always stays.
pub fn to_remove(snapshots: &[Candidate], bounds: Bounds, now: Timestamp) -> Vec<usize> {
    let mut oldest_first: Vec<usize> = (0..snapshots.len()).collect();
    oldest_first.sort_by_key(|place| (order(snapshots[*place].at, now), Reverse(*place)));
    // The newest one says what is saved, so that the same is not saved again.
    oldest_first.pop();
    let is_old = |place: &usize| {
        let Candidate { at, is_needed } = snapshots[*place];
        !is_needed && now.seconds_since(at) > bounds.seconds_max
    };
    let mut removed: Vec<usize> =
        oldest_first.iter().copied().filter(is_old).take(OLD_MAX).collect();
    let rest = oldest_first.into_iter().filter(|place| !removed.contains(place));
    let too_many = |removed: &[usize]| {
        (snapshots.len() - removed.len()).saturating_sub(bounds.count_max.max(1))
    };
    let (needed, others): (Vec<usize>, Vec<usize>) =
        rest.partition(|place| snapshots[*place].is_needed);
    let excess = too_many(&removed);
    removed.extend(others.into_iter().chain(needed).take(excess));
    removed.sort_unstable();
    removed
}
